package scripting

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A wiki is a separate workspace, and what serves it to scripts.
type wiki struct {
	url      string   // of the server over HTTP
	settings []string // for scripts
	demo     bool     // what starts its own server has its own workspace
}

// limits make answers short, so that scripts have to ask for the next part.
const limits = "OUTLINE_MAX_RESPONSE_CHARS=10000"

// demoWiki serves the embedded workspace: over HTTP, and with --demo to what
// starts a server itself.
func demoWiki(t *testing.T) wiki {
	t.Helper()
	w := wiki{url: serve(t, nil, "--demo"), demo: true}
	w.settings = []string{"OUTLINE_MCP_URL=" + w.url, "OUTLINE_API_KEY=ol_api_demo_admin", "OUTLINE_MCP=outline-mcp --demo", limits}
	return w
}

// sharedWiki serves the embedded workspace as an Outline, so that several
// servers work on it. Before a request reaches it, intervene may answer it.
func sharedWiki(t *testing.T, intervene func(w http.ResponseWriter, r *http.Request) bool) wiki {
	t.Helper()
	target, err := url.Parse(workspace(t))
	if err != nil {
		t.Fatal(err)
	}
	target.Path = ""
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: transport}
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if intervene == nil || !intervene(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(outline.Close)
	settings := []string{"OUTLINE_API_URL=" + outline.URL + "/api"}
	if intervene != nil {
		settings = append(settings, "OUTLINE_MAX_RETRIES=0") // scripts get to see it
	}
	w := wiki{url: serve(t, settings)}
	w.settings = append(settings, "OUTLINE_MCP_URL="+w.url, "OUTLINE_API_KEY=ol_api_demo_admin", limits)
	return w
}

// start starts outline-mcp and ends it with the test.
func start(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(built, "outline-mcp"), args...)
	cmd.Env = settings
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	})
	return cmd
}

// workspace starts the embedded workspace and returns its URL.
func workspace(t *testing.T) string {
	t.Helper()
	cmd := start(t, nil, "workspace", "--listen", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "OUTLINE_API_URL="); ok {
			return address
		}
	}
	t.Fatal("the workspace does not start")
	return ""
}

// serve starts a server over HTTP and returns its URL.
func serve(t *testing.T, settings []string, args ...string) string {
	t.Helper()
	cmd := start(t, append([]string{"OUTLINE_STRUCTURED_OUTPUT=true", "MCP_PORT=0", "LOG_FORMAT=json", limits}, settings...), append([]string{"serve", "--transport", "http"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		var line struct{ Msg, Address, Path string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving MCP over HTTP" {
			go func() {
				for lines.Scan() { // nobody reads the rest; the pipe must not fill up
				}
			}()
			return "http://" + line.Address + line.Path
		}
	}
	t.Fatal("the server does not start")
	return ""
}

// sees tells whether ask sees what a script in a language does.
func (w wiki) sees(l language) bool { return !w.demo || l.overHTTP }

// ask calls a tool of the server over HTTP.
func (w wiki) ask(t *testing.T, tool string, arguments map[string]any, result any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("X-Outline-API-Key", "ol_api_demo_admin")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer := struct {
		Result struct{ StructuredContent any }
	}{}
	answer.Result.StructuredContent = result
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
}

// A language is one that the scripts are written in.
type language struct {
	name     string
	overHTTP bool // its scripts call a server that runs, and start none
	command  func(job string) []string
}

func languages() []language {
	return []language{
		{"python", true, func(job string) []string { return []string{"python3", filepath.Join(examples, "python", job+".py")} }},
		{"typescript", true, func(job string) []string {
			return []string{"node", filepath.Join(examples, "typescript/dist", job+".js")}
		}},
		{"go", false, func(job string) []string { return []string{filepath.Join(built, "example"), job} }},
		{"shell", false, func(job string) []string { return []string{"sh", filepath.Join(examples, "shell", job+".sh")} }},
	}
}

// result is how a script ended.
type result struct {
	code           int
	stdout, stderr string
}

func (r result) String() string {
	return fmt.Sprintf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
}

// run runs a script.
func (w wiki) run(t *testing.T, l language, settings []string, job string, args ...string) result {
	t.Helper()
	command := append(l.command(job), args...)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append([]string{"PATH=" + built + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8"}, append(w.settings, settings...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// file writes a file for a script and returns its path.
func file(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// direct calls a tool on the embedded workspace without limits and returns
// what an expression makes of its answer.
func direct(t *testing.T, expression, tool string, pairs ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(built, "outline-mcp"), append([]string{"--demo", "call", tool, "--raw", "--jq", expression}, pairs...)...)
	cmd.Env = []string{"OUTLINE_MAX_RESPONSE_CHARS=0"}
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(printed)
}
