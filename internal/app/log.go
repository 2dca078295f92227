package app

import (
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
