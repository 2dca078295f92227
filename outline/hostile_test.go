package outline_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// accept serves connections with a function. A connection is closed when its
// function returns, and all are at the end of the test.
func accept(t *testing.T, listener net.Listener, serve func(net.Conn)) {
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	running.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer connection.Close()
				defer context.AfterFunc(ctx, func() { connection.Close() })()
				serve(connection)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		stop()
		running.Wait()
	})
}

// endless writes a beginning and then a piece again and again, until the other
// side closes the connection.
func endless(c net.Conn, begin, piece string) {
	if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
		return
	}
	for _, err := io.WriteString(c, begin); err == nil; {
		_, err = io.WriteString(c, piece)
	}
}

// drip is like endless, a piece every 5 ms of synthetic time.
func drip(c net.Conn, begin, piece string) {
	endless(slow{c}, begin, piece)
}

type slow struct{ net.Conn }

func (s slow) Write(p []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	return s.Conn.Write(p)
}

// silent writes a beginning, and then nothing.
func silent(c net.Conn, begin string) {
	if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
		return
	}
	_, _ = io.WriteString(c, begin)
	_, _ = io.Copy(io.Discard, c)
}

func TestNoUpstreamHoldsACallBeyondItsTimeout(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, test := range map[string]struct {
		serve func(net.Conn)
		want  error
	}{
		"switches protocols": {func(c net.Conn) {
			silent(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		}, outline.ErrBadAnswer},
		"switches protocols and sends JSON": {func(c net.Conn) {
			endless(c, "HTTP/1.1 101 Switching Protocols\r\nContent-Type: application/json\r\n\r\n", "{}")
		}, outline.ErrBadAnswer},
		"interim answers without end": {func(c net.Conn) { drip(c, "", "HTTP/1.1 103 Early Hints\r\n\r\n") }, outline.ErrTimeout},
		"a flood of interim answers": {func(c net.Conn) {
			endless(c, "", "HTTP/1.1 102 Processing\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n")
		}, outline.ErrUnreachable},
		"a header that drips":  {func(c net.Conn) { drip(c, "HTTP/1.1 200 OK\r\n", "X: y\r\n") }, outline.ErrTimeout},
		"a header without end": {func(c net.Conn) { endless(c, "HTTP/1.1 200 OK\r\n", "X: "+strings.Repeat("x", 1000)+"\r\n") }, outline.ErrUnreachable},
		"a body that drips":    {func(c net.Conn) { drip(c, head+"Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n") }, outline.ErrTimeout},
		"a body that stops":    {func(c net.Conn) { silent(c, head+"Content-Length: 100\r\n\r\n{") }, outline.ErrTimeout},
		"a trailer that drips": {func(c net.Conn) { drip(c, head+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X: y\r\n") }, outline.ErrTimeout},
		"an error whose body stops": {func(c net.Conn) {
			silent(c, "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		}, outline.ErrTimeout},
		"a compressed body of nothing": {func(c net.Conn) {
			drip(c, head+"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\na\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\r\n", "5\r\n\x00\x00\x00\xff\xff\r\n")
		}, outline.ErrTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var serving sync.WaitGroup
				t.Cleanup(serving.Wait) // no connection stays open
				c := newClient(t, "http://127.0.0.1", func(o *outline.Options) {
					o.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
						near, far := net.Pipe()
						serving.Go(func() {
							defer far.Close()
							test.serve(far)
						})
						return near, nil
					}
					o.RequestTimeout = 200 * time.Millisecond
				})
				failsInTime(t, c, test.want)
			})
		})
	}
}

// failsInTime checks that a call ends with one of the wanted errors, within a time that
// is far longer than its timeout, but not endless.
func failsInTime(t *testing.T, c *outline.Client, wanted ...error) {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		_, err := c.AuthInfo(t.Context())
		failed <- err
	}()
	select {
	case err := <-failed:
		if !slices.ContainsFunc(wanted, func(want error) bool { return errors.Is(err, want) }) {
			t.Errorf("error %v, want one of %v", err, wanted)
		}
	case <-time.After(time.Minute):
		t.Fatal("the call does not end")
	}
}

func TestNoHTTP2UpstreamHoldsACallBeyondItsTimeout(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, attack := range map[string]func(*http2.Framer) error{
		"endless settings": func(f *http2.Framer) error {
			return f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 100})
		},
		"endless pings": func(f *http2.Framer) error { return f.WritePing(false, [8]byte{}) },
		"endless interim answers": func(f *http2.Framer) error {
			// :status is 103, and nothing else.
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x48\x03103"), EndHeaders: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2"}})
			if err != nil {
				t.Fatal(err)
			}
			accept(t, listener, func(c net.Conn) {
				// Nothing but the preface and the first frames is read, so that
				// answers to the frames have nowhere to go.
				framer := http2.NewFramer(c, c)
				if _, err := io.CopyN(io.Discard, c, int64(len(http2.ClientPreface))); err != nil || framer.WriteSettings() != nil {
					return
				}
				for {
					frame, err := framer.ReadFrame()
					if err != nil {
						return
					}
					if frame.Header().Type == http2.FrameHeaders {
						break
					}
				}
				for attack(framer) == nil {
				}
			})
			c := newClient(t, "https://"+listener.Addr().String(), func(o *outline.Options) {
				made, err := transport.New(transport.Options{CAFile: file})
				if err != nil {
					t.Fatal(err)
				}
				o.Transport, o.RequestTimeout = made, 200*time.Millisecond
			})
			for range 2 { // the second on the connection of the first, if that is still there
				failsInTime(t, c, outline.ErrTimeout, outline.ErrUnreachable)
			}
		})
	}
}
