package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/fakeoutline"
)

// program returns the path of outline-mcp: OUTLINE_MCP_BINARY or, if it is not set,
// a program built for the test.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("OUTLINE_MCP_BINARY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "outline-mcp")
	if printed, err := exec.Command("go", "build", "-C", "../..", "-o", path, "./cmd/outline-mcp").CombinedOutput(); err != nil {
		t.Fatalf("build outline-mcp: %v\n%s", err, printed)
	}
	return path
}

// An outlineProcess is an embedded workspace in its own process.
type outlineProcess struct {
	program string // outline-mcp
	base    string // of the API
	client  *http.Client
}

// startOutline starts a workspace. It ends with the test.
func startOutline(t *testing.T, program string, flags ...string) outlineProcess {
	t.Helper()
	cmd := exec.Command(program, append([]string{"workspace", "--listen", "127.0.0.1:0"}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	connections := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(func() {
		connections.CloseIdleConnections()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("start the workspace: %v %s", err, &stderr)
	}
	_, base, _ := strings.Cut(strings.TrimSpace(line), "=")
	return outlineProcess{program, base, &http.Client{Transport: connections}}
}

// call calls an endpoint, without any protection.
func (o outlineProcess) call(key, endpoint string, arguments, data any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, o.base+"/"+endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := o.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s", endpoint, response.StatusCode, answer)
	}
	return json.Unmarshal(answer, &struct{ Data any }{data})
}

// connect starts outline-mcp for this Outline, with the key of a member. It ends
// with the test.
func (o outlineProcess) connect(t *testing.T, member int) *client.Client {
	t.Helper()
	c, err := client.NewStdioMCPClientWithOptions(o.program, []string{
		"OUTLINE_API_URL=" + o.base, "OUTLINE_API_KEY=" + memberKey(member), "OUTLINE_STRUCTURED_OUTPUT=on",
	}, []string{"serve", "--transport", "stdio"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "faults", Version: "test"}
	if _, err := c.Initialize(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return c
}

// memberKey is the key of one of the members of the sample workspace.
func memberKey(n int) string { return fmt.Sprintf("ol_api_demo_user_%d", n) }

const adminKey = fakeoutline.AdminKey
