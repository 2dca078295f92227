package outline

import "context"

// Trace is the trace that a call belongs to (W3C Trace Context). It is passed
// on to Outline as it is: this client records no spans of its own.
type Trace struct {
	Parent string // the value of traceparent; "": none
	State  string // the value of tracestate; may be ""
}

type traceKey struct{}

// ContextWithTrace returns a context whose calls carry a trace. The values must
// be fit for a header.
func ContextWithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceHeaders(ctx context.Context) map[string]string {
	trace, _ := ctx.Value(traceKey{}).(Trace)
	if trace.Parent == "" {
		return nil
	}
	headers := map[string]string{"Traceparent": trace.Parent}
	if trace.State != "" {
		headers["Tracestate"] = trace.State
	}
	return headers
}
