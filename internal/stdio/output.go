package stdio

import (
	"fmt"
	"io"
	"sync/atomic"
)

// output writes one line at a time. A client that does not read can block a
// Write forever; other writers stop waiting for it when closed is closed.
type output struct {
	out     io.Writer
	writing chan struct{} // held while writing
	closed  chan struct{}
	broken  atomic.Pointer[error] // the first error of out
}

// write writes a line. Only the first write that fails returns an error; later
// ones write nothing.
func (o *output) write(line []byte) error {
	select {
	case <-o.closed:
		return nil
	case o.writing <- struct{}{}:
	}
	defer func() { <-o.writing }()
	if o.broken.Load() != nil {
		return nil
	}
	if _, err := o.out.Write(line); err != nil {
		err = fmt.Errorf("write a message: %w", err)
		o.broken.Store(&err)
		return err
	}
	return nil
}

// failure returns the error that out failed with, or nil.
func (o *output) failure() error {
	if err := o.broken.Load(); err != nil {
		return *err
	}
	return nil
}
