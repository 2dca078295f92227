package httpd

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// A timedWriter aborts answers that the client does not read.
type timedWriter struct {
	http.ResponseWriter
	within time.Duration // for some of the answer to be read
}

// atOnce is the number of bytes that a client may take one deadline to read.
const atOnce = 16 << 10

// sendBuffer is the size of the system's send buffer for a client. The system
// lets the program write again only after the client has read about a third of
// it, so a slow client must read that much within one deadline.
const sendBuffer = 128 << 10

// Write implements http.ResponseWriter. The deadline moves with what is written.
func (w timedWriter) Write(p []byte) (written int, err error) {
	for {
		piece := p[written:min(len(p), written+atOnce)]
		// Writers other than a network's have no deadline. net/http clears it before
		// the connection's next answer.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.within))
		n, err := w.ResponseWriter.Write(piece)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// limitSending limits the system's send buffer for a connection.
func limitSending(ctx context.Context, connection net.Conn) context.Context {
	if secure, ok := connection.(*tls.Conn); ok {
		connection = secure.NetConn()
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // without it slow clients have less time
	}
	return ctx
}

// FlushError sends what was written, for http.ResponseController. It clears the
// deadline, because HTTP/2 would end a stream whose deadline passes while nothing
// is written.
func (w timedWriter) FlushError() error {
	control := http.NewResponseController(w.ResponseWriter)
	err := control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
	return err
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
