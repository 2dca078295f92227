package app

import (
	"context"
	"io"
	"log/slog"

	"outline-mcp/internal/config"
)

// NewLogger returns the program's logger. It writes to w, which must not be
// the standard output: that belongs to the protocol.
func NewLogger(w io.Writer, c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// maxLogged is the longest message and value in a log line, in characters.
const maxLogged = 200

// shortened is a handler that cuts long messages and values. The MCP library
// logs the names of tools and methods as clients send them.
type shortened struct{ slog.Handler }

// Handle implements slog.Handler.
func (s shortened) Handle(ctx context.Context, record slog.Record) error {
	short := slog.NewRecord(record.Time, record.Level, shorten(record.Message), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		short.AddAttrs(shortenAttr(attr))
		return true
	})
	return s.Handler.Handle(ctx, short)
}

// WithAttrs implements slog.Handler.
func (s shortened) WithAttrs(attrs []slog.Attr) slog.Handler {
	return shortened{s.Handler.WithAttrs(shortenAttrs(attrs))}
}

// WithGroup implements slog.Handler.
func (s shortened) WithGroup(name string) slog.Handler {
	return shortened{s.Handler.WithGroup(name)}
}

func shortenAttrs(attrs []slog.Attr) []slog.Attr {
	short := make([]slog.Attr, len(attrs))
	for i, attr := range attrs {
		short[i] = shortenAttr(attr)
	}
	return short
}

func shortenAttr(attr slog.Attr) slog.Attr {
	value := attr.Value.Resolve()
	switch value.Kind() {
	case slog.KindString:
		value = slog.StringValue(shorten(value.String()))
	case slog.KindGroup:
		value = slog.GroupValue(shortenAttrs(value.Group())...)
	case slog.KindAny:
		if err, ok := value.Any().(error); ok {
			value = slog.StringValue(shorten(err.Error()))
		}
	}
	return slog.Attr{Key: attr.Key, Value: value}
}

// shorten cuts a text after maxLogged characters.
func shorten(text string) string {
	characters := 0
	for i := range text {
		if characters == maxLogged {
			return text[:i] + "…"
		}
		characters++
	}
	return text
}

// demoted is a handler that takes what is said at level Info for Debug: the
// MCP library says of each request what is said of each call already.
type demoted struct{ slog.Handler }

// Enabled implements slog.Handler.
func (d demoted) Enabled(ctx context.Context, level slog.Level) bool {
	return d.Handler.Enabled(ctx, demote(level))
}

// Handle implements slog.Handler.
func (d demoted) Handle(ctx context.Context, record slog.Record) error {
	record.Level = demote(record.Level)
	return d.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (d demoted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return demoted{d.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (d demoted) WithGroup(name string) slog.Handler { return demoted{d.Handler.WithGroup(name)} }

func demote(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}
