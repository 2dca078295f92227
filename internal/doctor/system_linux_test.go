package doctor_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// systemTroubles are those that only some systems can be brought into.
func systemTroubles() []trouble {
	return []trouble{
		{name: "a host that does not respond", symbol: "✗", check: "connect", says: []string{"within 990ms", "firewalls"}, arrange: func(t *testing.T) []string {
			return at("http://"+full(t), "OUTLINE_REQUEST_TIMEOUT=990ms")
		}},
		// A connection to a multicast address is refused by the system itself.
		{name: "a network without a route", symbol: "✗", check: "connect", says: []string{"no connection to 224.0.0.1", "network is unreachable"}, own: true, arrange: set(at("http://224.0.0.1:8080")...)},
	}
}

// full returns the address of a socket whose queue is full: the system lets
// further connections wait.
func full(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(name.(*syscall.SockaddrInet4).Port))
	first, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() })
	return address
}

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
