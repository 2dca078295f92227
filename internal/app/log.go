package app

import (
	"context"
	"io"
	"log/slog"

	"outline-mcp/internal/config"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
)

// NewLogger returns the program's logger. It writes to w, which must not be
// the standard output: that belongs to the protocol. It truncates long messages
// and values, as the MCP library logs the names of tools and methods that
// clients send.
func NewLogger(w io.Writer, c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: truncateAttr}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
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

// demoted logs everything at level Debug. The MCP library logs each request at
// level Info, as this server does with each call.
type demoted struct{ slog.Handler }

// Handle implements slog.Handler.
func (d demoted) Handle(ctx context.Context, record slog.Record) error {
	record.Level = slog.LevelDebug
	return d.Handler.Handle(ctx, record)
}
