package deploy

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// enter makes the folder $1 a file system that nobody can write, changes into
// it as the user $2 (or as nobody else, if that is empty) and runs the rest.
const enter = `set -e
root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
if touch "$root/probe" 2>/dev/null; then echo "the file system can be written" >&2; exit 99; fi
exec chroot ${user:+--userspec="$user"} "$root" "$@"`

// command prepares a program of the container, with nothing but what is told
// in its environment. Real containers are made of the same namespaces.
func (c container) command(ctx context.Context, t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	isolate, user := []string{"--mount"}, c.user
	if os.Geteuid() != 0 {
		isolate, user = []string{"--user", "--map-root-user", "--mount"}, ""
	}
	if exec.CommandContext(ctx, "unshare", append(isolate, "true")...).Run() != nil {
		t.Skip("this system allows no namespaces")
	}
	cmd := exec.CommandContext(ctx, "unshare", append(append(isolate, "sh", "-c", enter, "sh", c.root, user), args...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, environment...)
	return cmd
}

func (c container) run(ctx context.Context, t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	return c.command(ctx, t, environment, append(c.entrypoint, args...)...)
}

func (c container) healthy(ctx context.Context, t *testing.T, environment ...string) error {
	t.Helper()
	output, err := c.command(ctx, t, environment, c.healthcheck[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

func TestTheImageWorksFromScratchReadOnlyAndAsNobody(t *testing.T) {
	c := newContainer(t, "9.8.7")

	t.Run("it runs as a user with a number that is not root's", func(t *testing.T) {
		if c.user != "65532:65532" {
			t.Errorf("USER %s", c.user)
		}
	})

	t.Run("its version is built in", func(t *testing.T) {
		output, err := c.run(t.Context(), t, nil, "version").CombinedOutput()
		if err != nil || !strings.Contains(string(output), "outline-mcp 9.8.7 linux/") {
			t.Errorf("%v: %s", err, output)
		}
	})

	t.Run("it has the certificates that the system trusts", func(t *testing.T) {
		if _, ok := c.copied["/etc/ssl/certs/ca-certificates.crt"]; !ok {
			t.Errorf("%v", c.copied)
		}
	})

	t.Run("it serves standard input and output unless told otherwise, and is healthy", func(t *testing.T) {
		serve := c.run(t.Context(), t, []string{"OUTLINE_API_KEY=ol_api_test_x"})
		serve.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")
		output, err := serve.Output()
		if err != nil || !strings.Contains(string(output), `"serverInfo"`) || !strings.Contains(string(output), `"9.8.7"`) {
			t.Errorf("%v: %s", err, output)
		}
		if err := c.healthy(t.Context(), t); err != nil {
			t.Error(err)
		}
	})

	t.Run("it serves a team when told to, is healthy while it does, and ends on SIGTERM", func(t *testing.T) {
		environment := []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", "MCP_PORT=" + freePort(t)}
		if err := c.healthy(t.Context(), t, environment...); err == nil {
			t.Error("healthy before it runs")
		}
		serve := c.run(t.Context(), t, environment, "--demo")
		stderr, err := serve.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		logged := bufio.NewScanner(stderr)
		for logged.Scan() && !strings.Contains(logged.Text(), "serving MCP over HTTP") {
		}
		if err := c.healthy(t.Context(), t, environment...); err != nil {
			t.Error(err)
		}
		if response, err := http.Get("http://127.0.0.1:" + environment[2][len("MCP_PORT="):] + "/ready"); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("ready: %v %v", response, err)
		} else {
			response.Body.Close()
		}
		if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		ended := time.AfterFunc(time.Minute, func() { serve.Process.Kill() })
		defer ended.Stop()
		for logged.Scan() {
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("ended with %s", err)
		}
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
