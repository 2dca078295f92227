package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.opentelemetry.io/otel/trace"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/observe"
	"outline-mcp/internal/observe/audit"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// Item is something that the server offers and clients ask for by name.
type Item struct {
	Method mcp.MCPMethod // by which clients ask for it, such as tools/call
	Name   string        // in logs and metrics; never a name that a client made up
	Group  string        // by which operators choose, such as documents; "" if they do not
	Writes bool          // whether it changes the workspace
	Effect string        // how, for the audit trail, such as deletes; "" if that is not known
	// Tool is the tool that gives the same, if the item is none: the operator's
	// choice of that tool applies.
	Tool string
}

// kind returns what logs and metrics call the item's kind: tool, resource,
// prompt or completion.
func (i Item) kind() string {
	kind, _, _ := strings.Cut(string(i.Method), "/")
	return strings.TrimSuffix(kind, "s")
}

// Request is one request for an item.
type Request struct {
	Item
	Meta *mcp.Meta // of the message; nil if it has none
	URI  string    // of the resource that is read; "" for anything else
	// Shortened means that the answer is shortened to fit.
	Shortened bool
}

// Pipeline holds what the steps need. The zero value has no limits, offers
// every item and records nothing.
type Pipeline struct {
	Timeout  time.Duration   // of a whole request; 0 means none
	Patience time.Duration   // of a list that InTime says something about; 0 means none
	MaxChars int             // of text in an answer, in code points; 0 means no limit
	Includes func(Item) bool // reports whether the operator's settings leave an item in; nil means all
	// Named returns the tools that texts may name to the request of a context or,
	// without one, to every request; nil means all.
	Named func(context.Context) output.Available
	// Unusable is the sentence that answers every request, because the settings
	// cannot be used; "" if they can.
	Unusable string
	// Ended is told how each request ended, with "" for a success; nil tells nobody.
	Ended   func(context.Context, Item, output.Code)
	Log     *slog.Logger     // nil discards
	Metrics *observe.Metrics // nil counts nothing
	Tracer  trace.Tracer     // nil makes no spans
	Audit   *audit.Trail     // nil keeps no audit trail
}

// Do carries out one request, in this order:
//
//  1. the deadline starts,
//  2. the trace that the request belongs to is taken up,
//  3. the log line, the metrics and the audit record begin,
//  4. a panic from here on becomes a failure,
//  5. the operator's settings and the request's own limits are applied,
//  6. run does the work,
//  7. the size of the answer is checked.
//
// The error of run is explained to the client. If run answers with a failure of
// its own, it returns its code beside the answer, and no error. chars returns
// the number of characters of text in an answer; nil stands for an answer without
// text. The error that Do returns is an
// [output.Problem].
func Do[R any](ctx context.Context, p Pipeline, r Request, run func(context.Context) (R, output.Code, error), chars func(R) int) (answer R, err error) {
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Timeout)
		defer cancel()
	}
	ctx, done := outline.WithPlace(auth.Current(ctx))
	defer done()
	ctx, traceID := withTrace(ctx, r)
	ctx, traceID, span := p.span(ctx, r.Item, traceID)
	ctx, end := p.begin(ctx, r.Item, traceID)
	code, bytes := output.Internal, 0
	defer func() {
		end(code, bytes)
		if p.Ended != nil {
			p.Ended(ctx, r.Item, code)
		}
		span(code)
	}()
	defer func() {
		if v := recover(); v != nil {
			var none R
			code, answer, err = output.Internal, none, p.panicked(ctx, r.Item, v)
		}
	}()
	if p.Unusable != "" {
		err = output.Failure{Code: output.Forbidden, Sentence: p.Unusable}
	} else {
		err = p.Permit(ctx, r.Item)
	}
	if err == nil {
		err = mayWrite(ctx, r.Item)
	}
	if err == nil {
		answer, code, err = run(ctx)
	}
	if err == nil && chars != nil && !r.Shortened {
		err = p.fits(chars(answer))
	}
	if err != nil {
		var none R
		problem := problemOf(err)
		code = problem.FailureCode()
		return none, problem
	}
	if p.Metrics != nil && chars != nil {
		p.Metrics.Answered(r.kind(), r.Name, chars(answer))
	}
	if p.Audit != nil {
		bytes = lengthOf(answer)
	}
	return answer, nil
}

// InTime returns a context for a list that a client waits for before it offers anything:
// Claude Code shows no tool until resources/list has answered. What Outline does not say
// in time is left out.
func (p Pipeline) InTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Patience == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, p.Patience)
}

// Allows reports whether the request of ctx may use an item. The operator's
// settings decide which items exist, and a request can only narrow them.
func (p Pipeline) Allows(ctx context.Context, i Item) bool { return p.Permit(ctx, i) == nil }

// Names returns the tools that texts may name to the request of ctx.
func (p Pipeline) Names(ctx context.Context) output.Available {
	if p.Named == nil {
		return nil
	}
	return p.Named(ctx)
}

// Permit returns why the request of ctx may not use an item, or nil if it may.
func (p Pipeline) Permit(ctx context.Context, i Item) error {
	if p.Includes != nil && !p.Includes(i) {
		return output.Failure{Code: output.Forbidden, Sentence: "this server's settings do not offer it."}
	}
	if principal, _ := auth.FromContext(ctx); principal.ReadOnly && i.Writes {
		return output.Failure{Code: output.Forbidden, Sentence: "it changes the workspace, and this request is limited to reading."}
	}
	return nil
}

// mayWrite refuses a request that writes with a login that may only read.
func mayWrite(ctx context.Context, i Item) error {
	if principal, _ := auth.FromContext(ctx); i.Writes && principal.LoggedInToRead() {
		return output.Failure{Code: output.Forbidden, Sentence: "it changes the workspace, and the login on this computer is limited to reading. To change that, run outline-mcp login without --read-only in a terminal, and call again."}
	}
	return nil
}

func (p Pipeline) fits(chars int) error {
	if p.MaxChars == 0 || chars <= p.MaxChars {
		return nil
	}
	return output.Failure{Code: output.TooLarge, Sentence: fmt.Sprintf(
		"the answer has %d characters, more than the %d of OUTLINE_MAX_RESPONSE_CHARS. Ask for a part of it.", chars, p.MaxChars)}
}

// panicked logs a panic and returns the failure to answer with. The log holds
// no document text.
func (p Pipeline) panicked(ctx context.Context, i Item, value any) output.Problem {
	p.log().ErrorContext(ctx, i.kind()+" panicked", i.kind(), i.Name, "panic", text.OfPanic(value), "stack", string(debug.Stack()))
	return output.Other(nil)
}

func problemOf(err error) output.Problem {
	var problem output.Problem
	if errors.As(err, &problem) {
		return problem
	}
	return output.Error(err)
}

func (p Pipeline) log() *slog.Logger { return cmp.Or(p.Log, slog.New(slog.DiscardHandler)) }

// auditRecord returns what the audit trail says of a request before it runs.
func auditRecord(ctx context.Context, i Item, trace string) audit.Record {
	r := audit.Record{Kind: i.kind(), Name: i.Name, Effect: i.effect(), TraceID: trace, Client: clientOf(ctx)}
	id := wire.RequestID(ctx)
	if json.Unmarshal(id, &r.RequestID) != nil { // a number
		r.RequestID = string(id)
	}
	if principal, ok := auth.FromContext(ctx); ok && principal.Subject != "" {
		if id := principal.UserID(); id != "" {
			r.User = &audit.User{ID: id}
		}
		r.Credential = &audit.Credential{Kind: string(principal.Kind), ID: principal.ID()}
	}
	return r
}

// effect returns the effect of the item, as documentation names it.
func (i Item) effect() string {
	if i.Writes {
		return cmp.Or(i.Effect, "changes")
	}
	return "reads"
}

// clientOf returns how the client calls itself, or nil if it does not say so: in each
// request from protocol version 2026-07-28 on, before that when a session begins, which
// there is on stdio only.
func clientOf(ctx context.Context) *audit.Client {
	var info mcp.Implementation
	if request := server.RequestProtocolInfoFromContext(ctx); request != nil && request.ClientInfo != nil {
		info = *request.ClientInfo
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info = session.GetClientInfo()
	}
	if info.Name == "" {
		return nil
	}
	return &audit.Client{Name: info.Name, Version: info.Version}
}

// lengthOf returns the length of a result in JSON, in bytes, or 0 if there is none. An
// answer that is not itself the result returns it with Answered.
func lengthOf(answer any) int {
	if round, ok := answer.(interface{ Answered() any }); ok {
		answer = round.Answered()
	}
	if answer == nil {
		return 0
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		return 0 // the client does not get it either
	}
	return len(encoded)
}
