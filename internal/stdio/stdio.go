// Package stdio serves the stdio transport of MCP: one client, whose messages
// are lines (specification, basic/transports, stdio).
//
// What a message means is the library's. This package reads and writes the
// lines, and closes what the library's own transport leaves open: at the end of
// input it answers what was asked before, the last line counts without its
// newline, no answer overtakes the progress of its call, a cancellation reaches
// calls that have not begun, and a client that does not read holds nobody up.
package stdio

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/semaphore"
)

const (
	// atATime is how many requests that may wait for Outline run at a time.
	// Assistants call tools in parallel, and each call mostly waits for Outline.
	atATime = 32
	// ahead is how many bytes of messages are kept that are not answered yet;
	// then no more are read. Each counts for overhead more than it is long.
	ahead, overhead = 32 << 20, 4 << 10
	// stopWithin is how long calls that are running may take to notice that the
	// program was told to end.
	stopWithin = 500 * time.Millisecond
)

// Server serves one client.
type Server struct {
	MCP *server.MCPServer
	Log *slog.Logger
	// CallTimeout is how long a request may take. When none was answered for
	// so long after the end of input, the rest of them is given up.
	CallTimeout time.Duration
}

// Serve answers the messages of in on out until the input ends and all requests
// are answered, or ctx is done. Nothing else may write to out. It fails when
// requests are left without an answer at the end of input, and when in or out
// fails. A Read and a Write that do not return are left behind.
func (s Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &connection{
		Server:   s,
		client:   newClient(),
		stop:     stop,
		out:      output{out: out, turn: make(chan struct{}, 1), closed: make(chan struct{})},
		turns:    make(chan struct{}, atATime),
		room:     semaphore.NewWeighted(ahead),
		answered: make(chan struct{}, 1),
		requests: map[string]context.CancelCauseFunc{},
	}
	defer close(c.out.closed)
	err := c.read(ctx, in)
	if err == nil {
		err = c.drain(ctx)
	}
	stop()
	c.wait(stopWithin)
	return cmp.Or(err, c.out.failure())
}

// connection is what Serve keeps while it runs.
type connection struct {
	Server
	client client
	stop   context.CancelFunc
	out    output

	running  sync.WaitGroup
	turns    chan struct{}       // held by tool calls that run
	room     *semaphore.Weighted // held by messages that are not answered
	owed     atomic.Int64        // messages that are not answered
	answered chan struct{}       // tells drain that one was

	mu       sync.Mutex
	requests map[string]context.CancelCauseFunc // by ID
}

// drain returns when all requests are answered. When none is for longer than a
// call may take, it gives the rest up. That time counts from the last answer,
// not from the end of input: requests wait for one another.
func (c *connection) drain(ctx context.Context) error {
	grace := c.CallTimeout + stopWithin
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for c.owed.Load() > 0 {
		select {
		case <-c.answered:
			timer.Reset(grace)
		case <-timer.C:
			return fmt.Errorf("%d requests have no answer %s after the last one", c.owed.Load(), grace)
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// wait returns when nothing runs any more, or after limit.
func (c *connection) wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
