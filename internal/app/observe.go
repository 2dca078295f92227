package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"outline-mcp/internal/config"
	"outline-mcp/internal/observe"
	"outline-mcp/internal/observe/audit"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
)

// NewLogger returns the program's logger. It writes to w, which must not be
// the standard output: that belongs to the protocol. It truncates long messages
// and values, as the MCP library logs the names of tools and methods that
// clients send.
func NewLogger(w io.Writer, c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: truncateAttr}
	handler := func(w io.Writer) slog.Handler {
		if c.LogFormat == "json" {
			return slog.NewJSONHandler(w, options)
		}
		return slog.NewTextHandler(w, options)
	}
	if lines, ok := w.(*observe.Lines); ok {
		lines.Dropped = func(count int) []byte {
			var b bytes.Buffer
			slog.New(handler(&b)).Error("lines of the log were dropped, as nobody read them", "lines", count)
			return b.Bytes()
		}
	}
	return slog.New(handler(w))
}

// maxLogged is the length of the longest message or value in a log line, in
// code points.
const maxLogged = 200

// truncateAttr truncates the text of an attribute, including the message, and
// redacts API keys in it. It does not truncate the stack of a panic, which
// contains no values.
func truncateAttr(_ []string, attr slog.Attr) slog.Attr {
	logged := func(s string) slog.Value { return slog.StringValue(text.Truncate(outline.Redact(s), maxLogged)) }
	switch attr.Value.Kind() {
	case slog.KindString:
		if attr.Key != "stack" {
			attr.Value = logged(attr.Value.String())
		}
	case slog.KindAny:
		if err, ok := attr.Value.Any().(error); ok {
			attr.Value = logged(err.Error())
		}
	}
	return attr
}

// debugHandler logs everything at level Debug. The MCP library logs each request at
// level Info, as this server does with each call.
type debugHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (d debugHandler) Handle(ctx context.Context, record slog.Record) error {
	record.Level = slog.LevelDebug
	return d.Handler.Handle(ctx, record)
}

// newAudit returns the audit trail of the settings, or nil if there is none.
func newAudit(o Options, count *observe.Metrics, known *callers) *audit.Trail {
	if o.Config.AuditLog == "" {
		return nil
	}
	if o.Stderr == nil {
		o.Stderr = observe.NewLines(os.Stderr)
	}
	return audit.New(audit.Options{
		Path: o.Config.AuditLog, Stderr: observe.Certain{Lines: o.Stderr}, MaxSize: int64(o.Config.AuditMaxSize), Keep: o.Config.AuditKeep,
		Required: o.Config.AuditRequired, Log: o.Log, Now: o.Now, Wrote: count.AuditLine,
		Ask: known.user,
	})
}

// OpenAudit opens the audit trail, if there is one. The error is a problem with the
// settings: a server must not start without its trail.
func (a *App) OpenAudit() error {
	if a.audit == nil {
		return nil
	}
	if err := a.audit.Open(); err != nil {
		return &config.Error{Problems: []config.Problem{{Setting: "MCP_AUDIT_LOG", Text: auditProblem(err)}}}
	}
	return nil
}

// ready returns why calls should not be sent to this server: Outline does not answer, or
// nobody reads the audit trail without which nothing can be changed.
func (a *App) ready(ctx context.Context) error {
	if a.audit != nil && a.config.AuditRequired && a.audit.Unread() {
		return errors.New("nobody reads the audit trail on standard error, so nothing can be changed")
	}
	return a.outline.reachable(ctx)
}

// auditProblem says why the file of an audit trail cannot be used and what to do.
func auditProblem(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return fmt.Sprintf("cannot write %s; set the path of a file that this program may create or add to, in a folder that exists, or stderr", err)
}

// StartTraces begins to send traces if the settings ask for it, and returns nil if they
// do not. The caller shuts it down.
func StartTraces(o Options) (*observe.Traces, error) {
	headers, err := o.Config.OTLPHeaderFields()
	if err != nil {
		return nil, err
	}
	return observe.StartTraces(observe.TraceOptions{
		URL:     o.Config.TracesURL(),
		Headers: headers,
		Timeout: time.Duration(o.Config.OTLPTimeout) * time.Millisecond,
		CAFile:  o.Config.OTLPCertificate,
		Version: o.Version,
		Log:     o.Log,
	})
}
