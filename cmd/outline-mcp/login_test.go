package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// browser is the browser of a person with a session of Outline who agrees on a page, and
// returns its exit code.
func browser(session, page string) int {
	ctx := context.Background()
	u, err := url.Parse(page)
	if err != nil {
		return 1
	}
	agreed, err := http.NewRequestWithContext(ctx, http.MethodPost, u.Scheme+"://"+u.Host+u.Path, strings.NewReader(u.RawQuery))
	if err != nil {
		return 1
	}
	agreed.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	agreed.Header.Set("Authorization", "Bearer "+session)
	response, err := http.DefaultTransport.RoundTrip(agreed)
	if err != nil {
		return 1
	}
	defer response.Body.Close()
	back, err := http.NewRequestWithContext(ctx, http.MethodGet, response.Header.Get("Location"), nil)
	if err != nil {
		return 1
	}
	shown, err := http.DefaultTransport.RoundTrip(back)
	if err != nil {
		return 1
	}
	defer shown.Body.Close()
	if shown.StatusCode != http.StatusOK {
		return 1
	}
	return 0
}

// A desktop is a home without anything, an Outline, and the user's browser.
type desktop struct {
	home, address string
	workspace     *fakeoutline.Workspace
	environ       []string // of a shell
}

func newDesktop(t *testing.T, o fakeoutline.Options) desktop {
	t.Helper()
	workspace, err := fakeoutline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	session, err := workspace.Session("ol_api_demo_admin")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(workspace)
	t.Cleanup(server.Close)
	t.Setenv("OUTLINE_MCP_TEST_BROWSER", session) // for commands that run in this process
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	d := desktop{home: t.TempDir(), address: server.URL, workspace: workspace}
	d.environ = []string{
		"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "BROWSER=" + os.Args[0], "OUTLINE_MCP_TEST_BROWSER=" + session,
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", // no keyring of whoever runs the tests
	}
	return d
}

// runs runs the program in its own process.
func (d desktop) runs(t *testing.T, settings []string, args ...string) (code int, output string) {
	t.Helper()
	cmd := program(t.Context(), append(d.environ, settings...), args...)
	all, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	if bytes.Contains(all, []byte("ol_at_")) || bytes.Contains(all, []byte("ol_rt_")) || bytes.Contains(all, []byte("ol_rat_")) {
		t.Errorf("%v shows a token:\n%s", args, all)
	}
	return cmd.ProcessState.ExitCode(), string(all)
}

func TestAPersonWithoutAKeyLogsInAndCallsATool(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	at := []string{"OUTLINE_API_URL=" + strings.Replace(d.address, "http", "HTTP", 1) + "/api/"}
	for _, step := range []struct {
		settings []string
		args     string
		code     int
		says     string
	}{
		{nil, "whoami", 1, "nobody is logged in on this computer; run outline-mcp login with the address of your Outline"},
		{nil, "login", 2, "name the address of your Outline, such as outline-mcp login https://wiki.example.com"},
		{at, "call list_collections", 3, "nobody is logged in to Outline at " + d.address + " on this computer, and no API key is set. Run outline-mcp login " + d.address},
		{at, "doctor", 1, "no key is set, and nobody is logged in to " + d.address},
		{nil, "login " + d.address + "/doc/soup-1wPyxUCdt9", 0, "Logged in: Isla Renwick (admin) in Kelpwright, " + d.address},
		{nil, "whoami", 0, "kept in a file that only you can read"},
		{nil, "call list_collections", 0, "collections"},
		{nil, "doctor", 0, "OUTLINE_API_URL: " + d.address + " (the only login on this computer)"},
		{nil, "install cursor --no-check --command " + thisProgram(t), 0, "the only login on this computer"},
		{at, "whoami", 0, "Isla Renwick (admin)"},
		{at, "call list_collections", 0, "collections"},
		{at, "doctor", 0, "the login on this computer is valid and belongs to Isla Renwick (admin), workspace Kelpwright"},
		{append(at, "OUTLINE_API_KEY=ol_api_demo_expired"), "call list_collections", 3, "does not accept the API key"},
		{nil, "login " + d.address + " --read-only", 0, "scopes: read "},
		{at, "call create_document title=x collection_id=Galley", 3, "limited to reading"},
		{at, "call list_archived_documents", 0, "archive"},
		{nil, "logout", 0, "Logged out of Kelpwright"},
		{nil, "logout", 1, "nobody is logged in"},
		{at, "call list_collections", 3, "nobody is logged in"},
	} {
		if code, output := d.runs(t, step.settings, strings.Fields(step.args)...); code != step.code || !strings.Contains(output, step.says) {
			t.Errorf("%s: exit code %d\n%s", step.args, code, output)
		}
	}
	if left, err := os.ReadDir(filepath.Join(d.home, ".config")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A peer is a server process and its pipes.
type peer struct {
	stdin io.Writer
	lines *bufio.Scanner
}

// serve starts a server as a client does, without a key.
func (d desktop) serve(t *testing.T, capabilities string) peer {
	t.Helper()
	cmd := program(context.WithoutCancel(t.Context()), []string{"HOME=" + d.home, "OUTLINE_API_URL=" + d.address, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", "LOG_LEVEL=error"})
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil || strings.Contains(stderr.String(), "ol_") {
			t.Errorf("%v\n%s", err, stderr.String())
		}
	})
	c := peer{stdin, bufio.NewScanner(stdout)}
	c.lines.Buffer(nil, 1<<20)
	c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":`+capabilities, 1))
	c.next()
	c.send(initialized)
	return c
}

func (c peer) send(line string) { fmt.Fprintln(c.stdin, line) }

// next returns the next line of the server.
func (c peer) next() string {
	c.lines.Scan()
	return c.lines.Text()
}

func (c peer) call(id int) string {
	c.send(toolsCall(id, "list_collections", `{"limit":1}`))
	return c.next()
}

func TestProcessesThatShareALoginLoseNoCallWhenItIsRenewed(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{Now: time.Now, TokenLifetime: 2 * time.Second})
	if code, output := d.runs(t, nil, "login", d.address); code != 0 {
		t.Fatal(output)
	}
	end := time.Now().Add(time.Duration(fixtures.Count(2500, 5000)) * time.Millisecond) // the lifetime ends in between
	var all sync.WaitGroup
	for range fixtures.Count(3, 8) {
		c := d.serve(t, "{}")
		all.Go(func() {
			for id := 2; time.Now().Before(end); id++ {
				if answer := c.call(id); strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, `"result"`) {
					t.Errorf("call %d: %s", id, answer)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestALoginThatIsMadeOrRevokedIsSeenByARunningServer(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	c := d.serve(t, "{}")
	if answer := c.call(2); !strings.Contains(answer, "Run outline-mcp login "+d.address) || !strings.Contains(answer, `"isError":true`) {
		t.Error(answer)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if answer := c.next(); !strings.Contains(answer, `"search_documents"`) {
		t.Error(answer)
	}
	if code, output := d.runs(t, nil, "login", d.address); code != 0 {
		t.Fatal(output)
	}
	if answer := c.call(4); strings.Contains(answer, `"isError":true`) {
		t.Error(answer)
	}
	d.revoke(t)
	if answer := c.call(5); !strings.Contains(answer, "has expired or was revoked. Run outline-mcp login "+d.address) {
		t.Error(answer)
	}
	if code, output := d.runs(t, []string{"OUTLINE_API_URL=" + d.address}, "doctor"); code != 1 || !strings.Contains(output, "the login to "+d.address+" as Isla Renwick has expired or was revoked") {
		t.Error(output)
	}
	if code, output := d.runs(t, nil, "login", d.address); code != 0 {
		t.Fatal(output)
	}
	if answer := c.call(6); strings.Contains(answer, `"isError":true`) {
		t.Error(answer)
	}
}

// revoke voids the login in Outline.
func (d desktop) revoke(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(d.home, ".config", "outline-mcp", "*.json"))
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var entry struct{ Tokens struct{ Refresh string } }
	if err := json.Unmarshal(content, &entry); err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth/revoke", strings.NewReader("token="+entry.Tokens.Refresh))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	if d.workspace.ServeHTTP(answer, request); answer.Code != http.StatusOK {
		t.Fatal(answer.Body)
	}
}

func TestAClientThatCanShowAPageLogsThePersonInDuringACall(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	c := d.serve(t, `{"elicitation":{"form":{},"url":{}}}`)
	var asked struct {
		ID     json.RawMessage
		Method string
		Params struct{ Mode, URL, Message, ElicitationID string }
	}
	ask := func(id int) {
		t.Helper()
		line := c.call(id)
		if err := json.Unmarshal([]byte(line), &asked); err != nil || asked.Method != "elicitation/create" || asked.Params.Mode != "url" || asked.Params.ElicitationID == "" ||
			!strings.HasPrefix(asked.Params.URL, d.address+"/oauth/authorize?") || !strings.Contains(asked.Params.Message, "Log in to Outline at "+d.address+" in your browser") {
			t.Fatalf("%v: %s", err, line)
		}
	}
	ask(2)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}`, asked.ID))
	if answer := c.next(); !strings.Contains(answer, "Run outline-mcp login "+d.address) {
		t.Error(answer)
	}
	ask(3)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`, asked.ID))
	if code := browser(os.Getenv("OUTLINE_MCP_TEST_BROWSER"), asked.Params.URL); code != 0 {
		t.Fatalf("the page answers %d", code)
	}
	if answer := c.next(); strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, `"result"`) {
		t.Error(answer)
	}
}

// TestAClientOfTheNewProtocolLogsThePersonInBetweenTwoRounds answers the input request of
// protocol version 2026-07-28.
func TestAClientOfTheNewProtocolLogsThePersonInBetweenTwoRounds(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	c := d.serve(t, "{}")
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}}}}`
	call := func(id int, more string) string {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_collections","arguments":{},%s%s}}`, id, meta, more))
		return c.next()
	}
	var asks struct {
		Result struct {
			RequestState  string
			InputRequests struct {
				Login struct {
					Params struct{ Mode, URL, ElicitationID string }
				}
			}
		}
	}
	line := call(2, "")
	if err := json.Unmarshal([]byte(line), &asks); err != nil {
		t.Fatal(err)
	}
	page := asks.Result.InputRequests.Login.Params
	if page.Mode != "url" || page.ElicitationID != "" || !strings.HasPrefix(page.URL, d.address+"/oauth/authorize?") {
		t.Fatal(line)
	}
	if code := browser(os.Getenv("OUTLINE_MCP_TEST_BROWSER"), page.URL); code != 0 {
		t.Fatalf("the page answers %d", code)
	}
	if answer := call(3, fmt.Sprintf(`,"requestState":%q,"inputResponses":{"login":{"action":"accept"}}`, asks.Result.RequestState)); strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, `"content"`) {
		t.Error(answer)
	}
}

func TestAServerOverHTTPDoesNotUseTheLogin(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	if code, output := d.runs(t, nil, "login", d.address); code != 0 {
		t.Fatal(output)
	}
	server := program(context.WithoutCancel(t.Context()), append(d.environ, "OUTLINE_API_URL="+d.address, "MCP_TRANSPORT=http", "MCP_PORT=0", "LOG_FORMAT=text"))
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	}()
	address := ""
	for lines := bufio.NewScanner(stderr); address == "" && lines.Scan(); {
		if _, after, found := strings.Cut(lines.Text(), "address="); found {
			address = strings.Trim(strings.Fields(after)[0], `"`)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/mcp", strings.NewReader(toolsCall(1, "list_collections", "{}")))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v: %d %s", err, response.StatusCode, text)
	}
}

func TestALoginAsksAboutAnotherAddressAndShowsNoControlCharacters(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	front := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		own := httptest.NewRecorder()
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			r.Host = strings.TrimPrefix(d.address, "http://")
		}
		d.workspace.ServeHTTP(own, r)
		maps.Copy(out.Header(), own.Header())
		out.Header().Del("Content-Length")
		out.WriteHeader(own.Code)
		body := strings.ReplaceAll(own.Body.String(), `"Isla Renwick"`, `"Isla\u001b]0;x\u0007\nRenwick\u202e"`)
		_, _ = io.WriteString(out, strings.ReplaceAll(body, `"Kelpwright"`, `"Kelp\u001b[2Jwright"`))
	}))
	t.Cleanup(front.Close)
	if code, output := d.runs(t, nil, "login", front.URL); code != 1 || !strings.Contains(output, "Outline at "+front.URL+" sends logins to \""+d.address+"\"") {
		t.Errorf("without a terminal: exit code %d\n%s", code, output)
	}
	for answer, code := range map[string]int{"\r": 1, "y\r": 0} {
		s := atTerminal(t.Context(), t, d.environ, "login", front.URL)
		s.until(t, "Are all of these your Outline? [y/N]", 1)
		s.enter(t, answer)
		if got := <-s.ended; got != code {
			t.Errorf("%q: exit code %d\n%s", answer, got, s.String()+s.stdout.String())
		}
		if answer == "y\r" && !strings.Contains(s.stdout.String(), "Logged in: Isla\ufffd]0;x\ufffd Renwick\ufffd (admin) in Kelp\ufffd[2Jwright, ") {
			t.Errorf("login prints %q", s.stdout.String())
		}
	}
	for _, step := range [][2]string{{"whoami", "Isla\ufffd]0;x\ufffd Renwick\ufffd (admin) in Kelp\ufffd[2Jwright, "}, {"logout", "Logged out of Kelp\ufffd[2Jwright ("}} {
		if code, output := d.runs(t, nil, step[0]); code != 0 || !strings.Contains(output, step[1]) {
			t.Errorf("%s: exit code %d, %q", step[0], code, output)
		}
	}
}
