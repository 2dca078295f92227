package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMain is also what clients start: the server with a record of what passes, and the
// browser of a user who logs in.
func TestMain(m *testing.M) {
	switch os.Getenv("CLIENTS_AS") {
	case "server":
		os.Exit(recorded(os.Getenv("CLIENTS_RECORD"), os.Getenv("OUTLINE_MCP_BINARY"), os.Args[1:]))
	case "browser":
		if err := browse(os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// A passed message went to the server, or came from it.
type passed struct {
	Out     bool            `json:"out,omitempty"`
	Method  string          `json:"method,omitempty"` // of HTTP
	Header  http.Header     `json:"header,omitempty"`
	Message json.RawMessage `json:"message,omitempty"`
}

// add adds a message to a record, a file with one on each line.
func add(record string, p passed) {
	p.Message = bytes.TrimSpace(p.Message)
	if len(p.Message) > 0 && !json.Valid(p.Message) {
		return
	}
	if file, err := os.OpenFile(record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(file, inJSON(p)) // in one write, so that those of two processes stay apart
		file.Close()
	}
}

// recorded runs the server over stdio.
func recorded(record, program string, args []string) int {
	server := exec.Command(program, args...)
	server.Stderr = os.Stderr
	in, _ := server.StdinPipe()
	out, _ := server.StdoutPipe()
	if server.Start() != nil {
		return 1
	}
	go func() {
		eachLine(os.Stdin, func(line []byte) {
			add(record, passed{Message: line})
			_, _ = in.Write(line)
		})
		in.Close()
	}()
	eachLine(out, func(line []byte) {
		add(record, passed{Out: true, Message: line})
		_, _ = os.Stdout.Write(line)
	})
	_ = server.Wait()
	return max(0, server.ProcessState.ExitCode())
}

func eachLine(from io.Reader, do func(line []byte)) {
	for reader := bufio.NewReader(from); ; {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			do(line)
		}
		if err != nil {
			return
		}
	}
}

// proxy returns the address of a server that records what passes to the one at target.
func proxy(t *testing.T, record string, target func() *url.URL) string {
	forward := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target())
		r.Out.Host = r.In.Host
	}, ModifyResponse: func(r *http.Response) error {
		if r.Request.URL.Path != "/mcp" || r.Request.Method != http.MethodPost {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		for line := range bytes.Lines(body) {
			add(record, passed{Out: true, Message: bytes.TrimPrefix(line, []byte("data: "))})
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return err
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			add(record, passed{Method: r.Method, Header: r.Header, Message: body})
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// ids are what differs from run to run.
var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(toolu_)?call_\d+_\d+`)

// keep writes what a client sends, with its first three calls and without IDs and texts of its
// own, to where a test of the server reads it.
func (r *run) keep(t *testing.T) {
	name := strings.ToLower(strings.ReplaceAll(r.title, " ", "-")) + "-" + r.mode + ".jsonl"
	file, err := os.Create(filepath.Join("..", "..", "internal", "app", "testdata", "clients", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kept := map[any]int{}
	for _, p := range r.passed(t) {
		var m map[string]any
		_ = json.Unmarshal(p.Message, &m)
		if p.Out || m != nil && m["method"] == nil {
			continue
		}
		if kept[m["method"]]++; kept[m["method"]] > 3 || kept[m["method"]] > 1 && m["method"] != "tools/call" {
			continue
		}
		for _, header := range []string{"Content-Length", "X-Outline-Api-Key", "Traceparent", "Tracestate", "Baggage"} {
			p.Header.Del(header)
		}
		for _, value := range valuesOf(query(`.. | objects | select(has("websiteUrl") or has("description"))`), m) {
			delete(value.(map[string]any), "description")
			delete(value.(map[string]any), "websiteUrl")
		}
		if m != nil {
			p.Message = json.RawMessage(ids.ReplaceAllString(inJSON(m), "id"))
		}
		fmt.Fprintln(file, inJSON(p))
	}
}

var (
	form   = regexp.MustCompile(`(?s)<form[^>]* action="([^"]*)"[^>]*>(.*?)</form>`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
	person = regexp.MustCompile(`name="person" value="([^"]*)">Isla Renwick`)
)

// browse is a user with a browser, who agrees and logs in to the sample workspace, until a
// page of the client has no form.
func browse(address string) error {
	jar, _ := cookiejar.New(nil)
	browser := http.Client{Jar: jar}
	response, err := browser.Get(address)
	for range 5 {
		if err != nil {
			return err
		}
		page, _ := io.ReadAll(response.Body)
		response.Body.Close()
		found := form.FindSubmatch(page)
		if found == nil {
			return nil
		}
		fields := url.Values{"decision": {"allow"}}
		for _, field := range hidden.FindAllSubmatch(found[2], -1) {
			fields.Add(html.UnescapeString(string(field[1])), html.UnescapeString(string(field[2])))
		}
		if chosen := person.FindSubmatch(found[2]); chosen != nil {
			fields.Set("person", string(chosen[1]))
			fields.Del("decision")
		} else if bytes.Contains(found[2], []byte(`value="authorize"`)) {
			fields.Set("decision", "authorize")
		}
		action, _ := response.Request.URL.Parse(html.UnescapeString(string(found[1])))
		post, _ := http.NewRequest(http.MethodPost, action.String(), strings.NewReader(fields.Encode()))
		post.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {action.Scheme + "://" + action.Host}}
		response, err = browser.Do(post)
	}
	return fmt.Errorf("the login at %s does not end", address)
}
