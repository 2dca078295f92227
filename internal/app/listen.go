package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// A ListenError says why a server cannot listen on an address and what to do.
type ListenError struct {
	Finding, Advice string
	InUse           bool // another program, or another server of this kind, uses the port
}

func (e ListenError) Error() string { return e.Finding + "; " + e.Advice }

// Listen listens on an address. Setting is what the user chooses the port with,
// such as MCP_PORT; errors name it. They are of type [ListenError].
func Listen(ctx context.Context, address, setting string) (net.Listener, error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", address)
	if err == nil {
		return listener, nil
	}
	cannot := "cannot listen on " + address
	switch reason := innermost(err); {
	case errors.Is(err, syscall.EADDRINUSE), strings.Contains(reason, "in use"), strings.Contains(reason, "Only one usage"):
		return nil, ListenError{cannot + ": another program uses the port", "stop that program, or choose another port with " + setting, true}
	case errors.Is(err, os.ErrPermission):
		return nil, ListenError{cannot + ": this user may not use the port", "choose a port from 1024 up with " + setting, false}
	case errors.As(err, new(*net.AddrError)):
		return nil, ListenError{fmt.Sprintf("cannot listen on %s: it is not an address with a port", address), "use one such as 127.0.0.1:3000 for " + setting, false}
	default:
		return nil, ListenError{fmt.Sprintf("%s (%s)", cannot, reason), "check the address; 0.0.0.0 stands for all addresses of this machine", false}
	}
}

// innermost returns the text of the innermost error: those around it repeat the
// address.
func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
