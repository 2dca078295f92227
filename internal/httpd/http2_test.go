package httpd_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"outline-mcp/internal/httpd"
)

// secure starts a server with TLS and HTTP/2.
func secure(t *testing.T, o httpd.Options) *running {
	t.Helper()
	folder := t.TempDir()
	files := pair{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	files.write(t, "localhost")
	o.CertFile, o.KeyFile = files.cert, files.key
	return serve(t, o)
}

// openStreams opens a connection with requests whose bodies do not arrive.
func openStreams(t *testing.T, address string, number uint32) *tls.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	var out, header bytes.Buffer
	out.WriteString(http2.ClientPreface)
	framer, encoder := http2.NewFramer(&out, nil), hpack.NewEncoder(&header)
	err = framer.WriteSettings()
	for n := uint32(0); n < number && err == nil; n++ {
		header.Reset()
		for _, field := range [][2]string{{":method", "POST"}, {":scheme", "https"}, {":path", "/mcp"}, {":authority", address}} {
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // into memory
		}
		err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*n + 1, BlockFragment: header.Bytes(), EndHeaders: true})
	}
	if err == nil {
		_, err = connection.Write(out.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

func TestStoppingWhileManyBodiesArriveEndsThemAll(t *testing.T) {
	for range 20 {
		s := secure(t, httpd.Options{Fallback: operator()})
		for range 10 {
			connection := openStreams(t, s.address, 64)
			if _, err := io.ReadFull(connection, make([]byte, 9)); err != nil { // it is served
				t.Fatal(err)
			}
			connection.Close()
		}
		s.stop()
		s.ended <- soon(t, "the end", s.ended)
	}
}

func TestARequestTooManyIsResetAndTheNextServed(t *testing.T) {
	g := newGate()
	s := secure(t, httpd.Options{Fallback: operator(), MCP: g.serve})
	var connections []net.Conn
	for range 16 {
		connections = append(connections, openStreams(t, s.address, 64)) // all that there may be
	}
	s.transport.ForceAttemptHTTP2 = true
	ask := func() (int, error) {
		response, err := s.client.Get("https://" + s.address + "/health")
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		return response.StatusCode, nil
	}
	full := false
	for range 1000 {
		if _, err := ask(); err != nil {
			full = true
			break
		}
	}
	if !full {
		t.Error("more than 1,024 requests are served")
	}
	for _, connection := range connections {
		connection.Close()
	}
	for range 1000 {
		if status, err := ask(); err == nil && status == http.StatusOK {
			return
		}
	}
	t.Error("no request is served when the others have gone")
}
