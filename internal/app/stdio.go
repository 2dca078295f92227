package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

const (
	// stdioWorkers is how many calls of one client run at a time. Assistants
	// call tools in parallel, and each call mostly waits for Outline.
	stdioWorkers = 32
	// stopWithin is how long calls that are running may take to notice that
	// the program was told to end.
	stopWithin = 500 * time.Millisecond
)

// ServeStdio serves one client on in and out until the input ends and all
// requests are answered, or ctx is done. Nothing else may write to out. It
// fails when requests are left without an answer at the end of input.
func (a *App) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	// At the end of input some call is running, or none is owed an answer. It
	// ends within the time that a call may take, and the next one starts.
	lines := newDrain(in, out, a.config.CallTimeout+stopWithin)
	stdio := server.NewStdioServer(a.server)
	stdio.SetErrorLogger(slog.NewLogLogger(a.log.Handler(), slog.LevelWarn))
	server.WithWorkerPoolSize(stdioWorkers)(stdio)
	ended := make(chan error, 1)
	go func() { ended <- stdio.Listen(ctx, lines, lines) }()
	select {
	case err := <-ended:
		return cmp.Or(lines.unanswered(), ignoreEnd(err))
	case <-ctx.Done():
	case <-lines.overdue:
	}
	select {
	case err := <-ended:
		return cmp.Or(lines.unanswered(), ignoreEnd(err))
	case <-time.After(stopWithin):
		return lines.unanswered()
	}
}

// ignoreEnd drops the errors by which the library reports an ordinary end.
func ignoreEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
