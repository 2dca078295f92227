package doctor_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Doctor must not open the pipe, which would wait for a reader. A server that may do
// without its trail does not start with a path that cannot be one, either.
func TestAPipeIsNoAuditTrail(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	code, report := doctorSays(t, false, []string{"MCP_AUDIT_LOG=" + pipe, "MCP_AUDIT_REQUIRED=false"}, "--demo")
	if code == 0 || !strings.Contains(report, "✗ audit: "+pipe+" cannot be written (not a file): the server does not start") {
		t.Errorf("exit code %d: %s", code, report)
	}
}
