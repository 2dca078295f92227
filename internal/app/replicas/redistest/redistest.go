// Package redistest runs a Redis for tests.
package redistest

import (
	"bufio"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Password is the password of a Redis from [Start].
const Password = "redis-test-password"

// A Redis is a server on the loopback interface.
type Redis struct {
	URL  string
	port int
	t    testing.TB
	end  func()
}

// Start starts a Redis, and ends it with the test. It skips the test on a machine without
// redis-server.
func Start(t testing.TB) *Redis {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not installed (Debian: apt-get install redis-server)")
	}
	for range 10 { // another process may take the port
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		listener.Close()
		r := &Redis{URL: "redis://:" + Password + "@127.0.0.1:" + strconv.Itoa(port) + "/0", port: port, t: t}
		if r.Restart() {
			return r
		}
	}
	t.Fatal("redis-server finds no free port")
	return nil
}

// Restart starts an ended Redis again, empty, and reports whether it accepts connections.
func (r *Redis) Restart() bool {
	r.t.Helper()
	command := exec.Command("redis-server", "--port", strconv.Itoa(r.port), "--bind", "127.0.0.1",
		"--requirepass", Password, "--save", "", "--appendonly", "no", "--dir", r.t.TempDir())
	output, err := command.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.end = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	r.t.Cleanup(r.end)
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "eady to accept connections") {
			return true
		}
	}
	r.end()
	return false
}

// Kill ends it without notice.
func (r *Redis) Kill() { r.end() }
