package httpd

import (
	"net/http"
	"time"
)

// A timedWriter ends answers that the client does not take.
type timedWriter struct {
	http.ResponseWriter
	within time.Duration // for some of the answer to be taken
}

// Write implements http.ResponseWriter.
func (w timedWriter) Write(p []byte) (int, error) {
	// Writers that are none of a network have no deadline. The connection's
	// next answer begins without one: that is net/http's to see to.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.within))
	return w.ResponseWriter.Write(p)
}

// FlushError sends what was written, for http.ResponseController. What comes
// next may take its time: HTTP/2 would end a stream whose deadline passes while
// nothing is written.
func (w timedWriter) FlushError() error {
	control := http.NewResponseController(w.ResponseWriter)
	err := control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
	return err
}

// Unwrap lets http.ResponseController find what the writer can do.
func (w timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
