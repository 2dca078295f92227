package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestAConnectionThatWasReadyTooLateForItsRequestIsClosed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialing, ready := make(chan struct{}), make(chan struct{})
	client := &http.Client{Transport: &http.Transport{DialContext: closingUnused(10*time.Millisecond, func(ctx context.Context, network, address string) (net.Conn, error) {
		close(dialing)
		<-ready
		return new(net.Dialer).DialContext(ctx, network, address)
	})}}
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-dialing
		leave()
	}()
	if _, err := client.Do(request); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that the request was canceled", err)
	}
	close(ready)
	late, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if sent, err := io.ReadAll(late); err != nil || len(sent) != 0 {
		t.Errorf("received %q and error %v, want the end", sent, err)
	}
}

func TestAConnectionThatServedARequestIsKept(t *testing.T) {
	remote := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { remote <- r.RemoteAddr }))
	defer server.Close()
	var stopped *unused
	dial := closingUnused(time.Hour, new(net.Dialer).DialContext)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		stopped, _ = connection.(*unused)
		return connection, err
	}}}
	defer client.CloseIdleConnections()
	for range 2 {
		answer, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	if first, second := <-remote, <-remote; first != second {
		t.Errorf("requests came from %s and %s, want one connection", first, second)
	}
	if stopped == nil || stopped.timer.Stop() {
		t.Error("a connection that is in use would still be closed")
	}
}
