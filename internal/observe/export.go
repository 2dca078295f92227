package observe

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A spanClient sends spans. It implements otlptrace.Client.
type spanClient struct {
	*sender
	url string
}

// Start implements otlptrace.Client.
func (spanClient) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (spanClient) Stop(context.Context) error { return nil }

// UploadTraces implements otlptrace.Client. TracesData is written as the request of a
// collector is, whose type would bring gRPC with it.
func (c spanClient) UploadTraces(ctx context.Context, spans []*pb.ResourceSpans) error {
	c.send(ctx, c.url, &pb.TracesData{ResourceSpans: spans})
	return nil
}

// maxRetries is how often a request is repeated that the collector has refused for
// the moment or not answered.
const maxRetries = 3

// A sender sends messages to a collector (OTLP 1.7, OTLP/HTTP). A failure is logged
// when it begins and when it ends, and not returned: the SDK would print it.
type sender struct {
	http    *resty.Client
	timeout time.Duration // of a request with its repetitions
	log     *slog.Logger
	failing atomic.Bool
}

func newSender(o ExportOptions) (*sender, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() // with the proxy of the environment
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM(pem) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE contains no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	client := resty.NewWithClient(&http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the headers may hold a key
	}})
	client.SetHeaders(o.Headers).SetHeader("User-Agent", "outline-mcp/"+o.Version).
		SetRetryCount(maxRetries).SetRetryWaitTime(time.Second).SetRetryMaxWaitTime(10 * time.Second).SetLogger(silent{}).
		AddRetryCondition(func(answer *resty.Response, err error) bool {
			switch answer.StatusCode() { // OTLP, Failures: Retryable Response Codes
			case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
				return true
			}
			return err != nil
		}).SetResponseBodyLimit(64 << 10)
	return &sender{http: client, timeout: cmp.Or(max(o.Timeout, 0), 10*time.Second), log: o.Log}, nil
}

// send sends a message to an address, repeatedly if that may help.
func (s *sender) send(ctx context.Context, url string, message proto.Message) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.post(ctx, url, message)
	switch failed := err != nil; {
	case s.failing.Swap(failed) == failed:
	case failed:
		s.log.Warn("cannot send traces or metrics; they are dropped until sending works again", "error", err)
	default:
		s.log.Info("traces and metrics are sent again")
	}
}

func (s *sender) post(ctx context.Context, url string, message proto.Message) error {
	plain, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(plain) // a buffer takes all
	_ = zip.Close()
	answer, err := s.http.R().SetContext(ctx).SetHeader("Content-Type", "application/x-protobuf").
		SetHeader("Content-Encoding", "gzip").SetBody(packed.Bytes()).Post(url)
	switch {
	case err != nil:
		return err
	case !answer.IsSuccess():
		return fmt.Errorf("the collector answers %s", answer.Status())
	}
	return nil
}

func (s *sender) close() { s.http.GetClient().CloseIdleConnections() }

// silent drops what resty would print about attempts.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
