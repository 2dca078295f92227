package observe_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"outline-mcp/internal/observe"
)

func TestAMissingCertificateFileOfACollectorIsAnError(t *testing.T) {
	_, err := observe.StartTraces(observe.TraceOptions{URL: "https://127.0.0.1:1", CAFile: filepath.Join(t.TempDir(), "ca.pem")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestACollectorThatRefusesForGoodIsAskedOnceAndLeft(t *testing.T) {
	var requests atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusHTTPVersionNotSupported)
	}))
	defer collector.Close()
	running := goleak.IgnoreCurrent()
	traces, err := observe.StartTraces(observe.TraceOptions{URL: collector.URL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.Tracer().Start(t.Context(), "x")
	span.End()
	traces.Shutdown()
	goleak.VerifyNone(t, running) // nor is the connection kept
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
}
