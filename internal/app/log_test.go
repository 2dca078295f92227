package app_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

func TestLongMessagesAndValuesAreTruncatedInTheLog(t *testing.T) {
	long := strings.Repeat("é", 1000)
	for _, format := range []config.Format{"text", "json"} {
		var log bytes.Buffer
		logger := app.NewLogger(&log, config.Config{LogFormat: format})
		logger.With("key", long).WithGroup("in").Info(long, "text", long, "error", errors.New(long), slog.Group("group", "text", long), "number", 7)
		if got := strings.Count(log.String(), strings.Repeat("é", 200)+"…"); got != 5 || len(log.String()) > 3000 || !strings.Contains(log.String(), "7") {
			t.Errorf("%s: %d of 5 texts are truncated: %s", format, got, &log)
		}
	}
}
