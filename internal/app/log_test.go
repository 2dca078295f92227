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

func TestTheLogKeepsStacksAndRedactsKeys(t *testing.T) {
	var log bytes.Buffer
	stack := strings.Repeat("goroutine 1 [running]\n", 100)
	app.NewLogger(&log, config.Config{LogFormat: "json"}).Info("tool 'ol_api_fake' panicked", "stack", stack, "error", errors.New("no tool ol_api_fake"))
	if got := log.String(); strings.Count(got, "goroutine") != 100 || strings.Contains(got, "fake") || strings.Count(got, "****") != 2 {
		t.Error(got)
	}
}
