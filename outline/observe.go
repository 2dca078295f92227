package outline

import (
	"context"
	"time"
)

// A Trace is the trace that a call belongs to (W3C Trace Context). The client
// passes it on to Outline unchanged.
type Trace struct {
	Parent string // value of traceparent; if it is empty, nothing is sent
	State  string // value of tracestate; may be empty
}

type traceKey struct{}

// ContextWithTrace returns a context whose calls carry a trace. The values must be
// valid in an HTTP header.
func ContextWithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace that the calls of a context carry, if any.
func TraceOf(ctx context.Context) Trace {
	trace, _ := ctx.Value(traceKey{}).(Trace)
	return trace
}

func traceHeaders(ctx context.Context) map[string]string {
	trace := TraceOf(ctx)
	if trace.Parent == "" {
		return nil
	}
	headers := map[string]string{"Traceparent": trace.Parent}
	if trace.State != "" {
		headers["Tracestate"] = trace.State
	}
	return headers
}

// An Attempt describes one request to Outline.
type Attempt struct {
	Endpoint string        // e.g. documents.info
	Status   int           // HTTP status of the answer, 0 if it did not arrive completely
	Duration time.Duration // including the answer
	Command  bool          // whether it changes something, or would have
	Retry    bool          // whether it repeats an attempt that failed
	Waited   time.Duration // how long it had to wait for a rate limit, or for other requests
}
