package stdio

import (
	"fmt"
	"io"
	"sync/atomic"
)

// output writes one line at a time. A client that does not read makes a Write
// wait for ever: nobody waits for it longer than until closed.
type output struct {
	out    io.Writer
	turn   chan struct{} // held by whoever writes
	closed chan struct{}
	broken atomic.Pointer[error] // of out
}

// write writes a line, unless an earlier one could not be written. It fails
// with the first that cannot.
func (o *output) write(line []byte) error {
	select {
	case <-o.closed:
		return nil
	case o.turn <- struct{}{}:
	}
	defer func() { <-o.turn }()
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

// failure returns why out was given up, nil if it was not.
func (o *output) failure() error {
	if err := o.broken.Load(); err != nil {
		return *err
	}
	return nil
}
