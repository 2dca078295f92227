package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n"

func cancellation(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id)
}

// stuck is an output that a client does not read before it goes.
type stuck chan struct{}

func (s stuck) Write([]byte) (int, error) {
	<-s
	return 0, errors.New("gone")
}

func TestAClientThatDoesNotReadCannotKeepTheServerFromEnding(t *testing.T) {
	lists := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n", 200)
	for _, test := range []struct {
		name  string
		input string
		end   bool // of input; else of the context
		after time.Duration
	}{
		{"when its input has ended", initialize + initialized + callLine(1) + lists, true, 11 * time.Second},
		{"when it is told to end", initialize + initialized + callLine(1) + lists, false, stopped},
		{"when nothing but initialize was asked", initialize, false, stopped},
		{"when everything is wrong", strings.Repeat("[]\n", 500), false, stopped},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := make(stuck)
				defer close(out)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				in, feed := io.Pipe()
				defer feed.Close()
				go func() {
					_, _ = io.WriteString(feed, test.input)
					synctest.Wait() // until nothing moves any more
					if test.end {
						feed.Close()
					} else {
						cancel()
					}
				}()
				start := time.Now()
				err := newStdio(done).Serve(ctx, in, out)
				if took := time.Since(start); took != test.after || (err != nil) != test.end {
					t.Errorf("it ends after %s with %v", took, err)
				}
			})
		})
	}
}

// stopped is how long calls may take to notice that the program is to end.
const stopped = 500 * time.Millisecond

func TestAPingDoesNotWaitForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var answered time.Duration
		out := writer(func(line []byte) {
			if bytes.Contains(line, []byte(`"id":"ping"`)) {
				answered = time.Since(start)
			}
		})
		s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			time.Sleep(9 * time.Second)
			return done(ctx, r)
		})
		input := initialize + initialized
		for id := range 1000 {
			input += callLine(id)
		}
		in, feed := io.Pipe()
		go func() {
			_, _ = io.WriteString(feed, input)
			time.Sleep(time.Second)
			_, _ = io.WriteString(feed, ping)
			feed.Close()
		}()
		if err := s.Serve(t.Context(), in, out); err != nil {
			t.Error(err)
		}
		if answered != time.Second {
			t.Errorf("ping, sent after 1s, is answered after %s", answered)
		}
	})
}

type writer func([]byte)

func (w writer) Write(line []byte) (int, error) {
	w(line)
	return len(line), nil
}

func TestACallThatIsCancelledBeforeItBeginsIsNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			made.Add(1)
			time.Sleep(9 * time.Second)
			return done(ctx, r)
		})
		input := initialize + initialized
		for id := range 1000 {
			input += callLine(id)
		}
		for id := 32; id < 1000; id++ {
			input += cancellation(id)
		}
		var output bytes.Buffer
		in, feed := io.Pipe()
		go func() {
			_, _ = io.WriteString(feed, input)
			feed.Close()
		}()
		if err := s.Serve(t.Context(), in, &output); err != nil {
			t.Error(err)
		}
		if answers := len(stdioMessages(t, output.Bytes())) - 1; made.Load() > 64 || int64(answers) > made.Load() {
			t.Errorf("%d calls were made and %d answered", made.Load(), answers)
		}
	})
}

func TestACallThatIsCancelledHasNoAnswer(t *testing.T) {
	for range 50 {
		s := newStdio(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return mcp.NewToolResultError("cancelled"), nil
		})
		var output bytes.Buffer
		// Both in one piece: the cancellation comes before the call has begun.
		if err := s.Serve(t.Context(), strings.NewReader(callLine(1)+cancellation(1)+ping), &output); err != nil {
			t.Fatal(err)
		}
		if all := stdioMessages(t, output.Bytes()); len(all) != 1 || all[0].ID != "ping" {
			t.Fatalf("%s", output.String())
		}
	}
}

func TestAnIDOfAnotherTypeCancelsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Second):
				return done(ctx, r)
			}
		})
		var output bytes.Buffer
		in, feed := io.Pipe()
		go func() {
			_, _ = io.WriteString(feed, callLine(1))
			synctest.Wait()
			_, _ = io.WriteString(feed, strings.ReplaceAll(cancellation(1), `:1}`, `:"1"}`))
			feed.Close()
		}()
		if err := s.Serve(t.Context(), in, &output); err != nil {
			t.Fatal(err)
		}
		if a := answered(stdioMessages(t, output.Bytes()), 1.0); a == nil || a.Result == nil {
			t.Errorf("%s", output.String())
		}
	})
}

func TestANotificationThatMakesTheLibraryPanicIsNotAnswered(t *testing.T) {
	s := newStdio(done)
	s.MCP.AddNotificationHandler("notifications/boom", func(context.Context, mcp.JSONRPCNotification) { panic("boom") })
	var output bytes.Buffer
	if err := s.Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/boom"}`), &output); err != nil || output.Len() > 0 {
		t.Errorf("%v: %s", err, output.String())
	}
}

func TestAByteOrderMarkIsNoPartOfTheFirstMessage(t *testing.T) {
	var output bytes.Buffer
	if err := newStdio(done).Serve(t.Context(), strings.NewReader("\ufeff"+ping), &output); err != nil || !strings.Contains(output.String(), `"result"`) {
		t.Errorf("%v: %s", err, output.String())
	}
}
