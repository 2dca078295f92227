package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Doctor must not open a pipe, which would wait for a reader. A server that may do
// without its trail does not start with a path that cannot be one, either.
func TestDoctorNamesAnAuditTrailThatKeepsTheServerFromStarting(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{
		pipe:                "not a file",
		"/proc/audit.jsonl": "no such file or directory", // where nobody can create a file
	} {
		code, report := doctorSays(t, false, []string{"MCP_AUDIT_LOG=" + path, "MCP_AUDIT_REQUIRED=false"}, "--demo")
		if code == 0 || !strings.Contains(report, "✗ audit: "+path+" cannot be written ("+why+"): the server does not start") {
			t.Errorf("exit code %d: %s", code, report)
		}
	}
}

func TestDoctorLeavesNoFileInTheFolderOfANewAuditTrail(t *testing.T) {
	folder := t.TempDir()
	code, report := doctorSays(t, false, []string{"MCP_AUDIT_LOG=" + filepath.Join(folder, "audit.jsonl")}, "--demo")
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 || code != 0 || !strings.Contains(report, "audit.jsonl will be created\n") {
		t.Errorf("%v, %v, exit code %d: %s", left, err, code, report)
	}
}
