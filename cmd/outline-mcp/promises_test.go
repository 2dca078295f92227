package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"syscall"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// A deployment is the program, which serves over HTTP with its own key and
// logs everything, its Outline, and a server that it has no business with.
type deployment struct {
	address   string // of the program
	metrics   string // of the program
	elsewhere *httptest.Server
	stop      func() (log string)

	mu      sync.Mutex
	answers http.HandlerFunc // how Outline answers; nil: as usual
	keys    []string         // that Outline was sent
	strays  []string         // requests and connections to elsewhere
}

const ownKey = "ol_api_the_key_of_the_server_itself_00000"

func deploy(t *testing.T, settings ...string) *deployment {
	t.Helper()
	d := &deployment{}
	usual, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.keys = append(d.keys, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		answer := d.answers
		d.mu.Unlock()
		if answer == nil {
			answer = usual.ServeHTTP
		}
		answer(w, r)
	}))
	t.Cleanup(outline.Close)
	d.elsewhere = httptest.NewUnstartedServer(nil)
	d.elsewhere.Config.ConnState = func(c net.Conn, state http.ConnState) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.strays = append(d.strays, fmt.Sprint(c.RemoteAddr(), " ", state))
	}
	d.elsewhere.Start()
	t.Cleanup(d.elsewhere.Close)

	cmd := program(t.Context(), append(settings, "MCP_PORT=0", "MCP_METRICS_ADDR=127.0.0.1:0", "LOG_LEVEL=debug", "LOG_FORMAT=text",
		"OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY="+ownKey), "serve", "--transport", "http")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(stderr, &log))
	for d.address == "" && lines.Scan() {
		_, address, _ := strings.Cut(lines.Text(), " address=")
		if address, _, _ = strings.Cut(address, " "); strings.Contains(lines.Text(), "serving metrics") {
			d.metrics = address
		} else {
			d.address = address
		}
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
		}
	}()
	d.stop = sync.OnceValue(func() string {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-read
		_ = cmd.Wait()
		return log.String()
	})
	t.Cleanup(func() { d.stop() })
	return d
}

// send returns everything that the program answers to a message.
func (d *deployment) send(t *testing.T, message string, headers ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+d.address+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	return d.do(t, request)
}

func (d *deployment) do(t *testing.T, request *http.Request) string {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := httputil.DumpResponse(response, true)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestNoAttackMakesAKeyLeaveItsWay(t *testing.T) {
	d := deploy(t)
	evil := d.elsewhere.URL
	const key, token = "ol_api_a_key_that_somebody_brings_000000000", "an-access-token-that-looks-like-no-key"
	answer := func(status int, contentType, body string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			sent, _ := httputil.DumpRequest(r, true)
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "$SENT", strings.NewReplacer("\r\n", " ", `"`, "'").Replace(string(sent))))
		}
	}
	redirect := func(status int) http.HandlerFunc {
		return answer(status, "application/json", `{"ok":true}`, "Location", evil+"/api/documents.info")
	}
	const jsonType = "application/json"
	outlines := map[string]http.HandlerFunc{
		"as usual":               nil,
		"redirects with 301":     redirect(301),
		"redirects with 302":     redirect(302),
		"redirects with 303":     redirect(303),
		"redirects with 307":     redirect(307),
		"redirects with 308":     redirect(308),
		"redirects with 300":     redirect(300),
		"names a proxy":          answer(305, jsonType, `{}`, "Location", evil),
		"asks for a proxy's key": answer(407, jsonType, `{}`, "Proxy-Authenticate", `Basic realm="`+evil+`"`),
		"asks for another login": answer(401, jsonType, `{"error":"$SENT","message":"$SENT"}`, "WWW-Authenticate", `Bearer resource_metadata="`+evil+`"`),
		"has alternatives":       answer(200, jsonType, `{"ok":true,"data":{}}`, "Alt-Svc", `h2="`+strings.TrimPrefix(evil, "http://")+`"`, "Link", "<"+evil+">; rel=preload", "Refresh", "0;url="+evil),
		"repeats the request":    answer(400, jsonType, `{"ok":false,"error":"$SENT","message":"$SENT","status":400}`),
		"repeats it as a page":   answer(500, "text/html", "<title>$SENT</title>$SENT"),
		"repeats it as data":     answer(200, jsonType, `{"ok":true,"data":{"id":"$SENT","title":"$SENT","url":"`+evil+`/doc/x","text":"x"}}`),
		"repeats it in headers": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", r.Header.Get("Authorization"))
			w.Header().Set("Content-Type", r.Header.Get("Authorization"))
			w.WriteHeader(http.StatusBadRequest)
		},
	}
	address := strings.TrimPrefix(evil, "http://")
	read := func(id string) string { return toolsCall(1, "read_document", fmt.Sprintf(`{"document_id":%q}`, id)) }
	messages := []string{
		read("1wPyxUCdt9"),
		read(evil + "/doc/x-1wPyxUCdt9"), read("//" + address + "/doc/x-1wPyxUCdt9"), read(`\\` + address + `\doc\x-1wPyxUCdt9`),
		read("../../" + address + "/1wPyxUCdt9"), read("x@" + address + "/doc/x-1wPyxUCdt9"), read("1wPyxUCdt9?" + evil), read("1wPyxUCdt9#" + evil),
		read(key), read("x\r\nHost: " + address),
		toolsCall(1, "read_document", `{"document_id":"1wPyxUCdt9","api_url":"`+evil+`"}`),
		toolsCall(1, "create_document", `{"title":"x","publish":false,"text":"![x](`+evil+`/a.png) [x](`+evil+`) <`+evil+`>\n\n`+evil+`\n\n<iframe src=`+evil+`>"}`),
		toolsCall(1, key, `{}`), toolsCall(1, "search_documents", `{"query":"`+key+`"}`), toolsCall(1, "search_documents", `{"`+key+`":1}`),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_collections","arguments":{},"_meta":{"OUTLINE_API_URL":"` + evil + `","progressToken":"` + evil + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"` + key + `"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + evil + `"}}`,
		key, `"` + key + `"`, `{"` + key,
	}
	headers := [][]string{
		{"Authorization: Bearer " + key},
		{"X-Outline-API-Key: " + token, "X-Forwarded-Host: " + address, "X-Forwarded-Proto: http", "Forwarded: host=" + address,
			"X-Outline-API-URL: " + evil, "X-Original-URL: " + evil, "Referer: " + evil},
	}
	for name, outline := range outlines {
		d.mu.Lock()
		d.answers = outline
		d.mu.Unlock()
		for n, message := range messages {
			got := d.send(t, message, headers[n%2]...)
			if shown := strings.ToLower(got); strings.Contains(shown, ownKey) || strings.Contains(shown, key) || strings.Contains(shown, token) {
				t.Errorf("an Outline that %s, %s: the answer shows a key: %s", name, message, got)
			}
		}
	}
	for _, address := range []string{d.address + "/ready", d.address + "/health", d.address + "/mcp", d.metrics + "/metrics"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.do(t, request); strings.Contains(got, "ol_api_") {
			t.Errorf("%s shows a key: %s", address, got)
		}
	}
	log := d.stop()
	if strings.Contains(log, key) || strings.Contains(log, token) || strings.Contains(log, ownKey) || !strings.Contains(log, "level=DEBUG") {
		t.Errorf("the log shows a key, or is not that of debug:\n%.2000s", log)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.strays) != 0 {
		t.Errorf("connections elsewhere: %q", d.strays)
	}
	brought := 0
	for _, used := range d.keys {
		switch used {
		case key, token:
			brought++
		case "": // /ready needs none
		default:
			t.Errorf("Outline was sent %q", used)
		}
	}
	if brought < 100 {
		t.Errorf("Outline was sent the callers' keys only %d times", brought)
	}
}
