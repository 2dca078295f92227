package httpd

import (
	"net/http"
	"time"
)

// A timedWriter aborts answers that the client does not read.
type timedWriter struct {
	http.ResponseWriter
	within time.Duration // for some of the answer to be read
}

// Write implements http.ResponseWriter.
func (w timedWriter) Write(p []byte) (int, error) {
	// Writers other than a network's have no deadline. net/http clears it before
	// the connection's next answer.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.within))
	return w.ResponseWriter.Write(p)
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
