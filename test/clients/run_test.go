package clients

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A run is one conversation of a client with a model, in a home directory of its own and with
// a sample workspace of its own.
type run struct {
	client
	mode    string // stdio, http or login: how it reaches the server
	model   *model
	modules string // of the client
	home    string
	record  string   // of what passed
	env     []string // for the server
	url     string   // of the server over HTTP, or ""
}

const key = "ol_api_demo_admin"

// newRun prepares a run: the client is installed and has an entry for the server.
func newRun(t *testing.T, c client, mode, conversation string, settings ...string) *run {
	r := &run{client: c, mode: mode, modules: installed(t, c), home: t.TempDir()}
	r.record = filepath.Join(r.home, "record.jsonl")
	var target *url.URL
	if mode != "stdio" {
		r.url = proxy(t, r.record, func() *url.URL { return target })
	}
	var outline, oauth []string
	start(t, nil, func(line string) bool {
		if strings.HasPrefix(line, "OUTLINE_") {
			outline = append(outline, line)
		} else if strings.HasPrefix(line, "MCP_") {
			oauth = append(oauth, line)
		}
		return len(oauth) == 2
	}, "workspace", "--listen", "127.0.0.1:0", "--oauth-redirect", r.url+"/oauth/callback")
	r.env = outline
	page := r.call(t, "create_document", "title=海洋观测手册", "collection_id=mTem8tcJ8a", "text="+chinese(), "--jq", ".document_id")
	r.model = startModel(t, conversation, "CHINESE", page)
	if c.selects {
		names, _ := exec.Command(program(t), "tools").Output()
		for names := range slices.Chunk(regexp.MustCompile(`(?m)^\w+  `).FindAllString(string(names), -1), 20) {
			query := "select:mcp__outline__" + strings.Join(names, ",mcp__outline__")
			r.model.conversation = slices.Insert(r.model.conversation, 0, step{Tool: c.search, Args: map[string]any{"query": query, "max_results": 20}})
		}
	}
	if mode != "stdio" {
		env := append([]string{"MCP_TRANSPORT=http", "MCP_HOST=127.0.0.1", "MCP_PORT=0", "LOG_FORMAT=json", outline[0]}, append(settings, c.overHTTP...)...)
		if mode == "login" { // clients register, instead of naming a page on the internet
			env = append(append(env, oauth...), "MCP_PUBLIC_URL="+r.url, "MCP_OAUTH_CIMD=false", "MCP_OAUTH_SECRET="+strings.Repeat("s", 32))
		}
		start(t, env, func(line string) bool {
			var log struct{ Address string }
			_ = json.Unmarshal([]byte(line), &log)
			target = &url.URL{Scheme: "http", Host: log.Address}
			return log.Address != ""
		})
		r.url += "/mcp"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if c.install == "" {
		settings = append(settings, outline...)
	}
	r.write(t, "server", fmt.Sprintf("#!/bin/sh\nexport CLIENTS_RECORD='%s' OUTLINE_MCP_BINARY='%s' %s\nCLIENTS_AS=server exec '%s' \"$@\"\n", r.record, program(t), strings.Join(settings, " "), self))
	r.write(t, "bin/xdg-open", fmt.Sprintf("#!/bin/sh\nCLIENTS_AS=browser exec '%s' \"$1\" >>$HOME/browser.log 2>&1\n", self))
	r.write(t, "key", key)
	for name, text := range c.files {
		r.write(t, name, r.expand(text))
	}
	if c.install == "" {
		return r
	}
	args := append([]string{"install", c.install, "--no-check"}, c.flags...)
	env := r.environment()
	switch mode {
	case "stdio":
		_, address, _ := strings.Cut(strings.TrimSuffix(outline[0], "/api"), "=")
		args = append(args, "--command", filepath.Join(r.home, "server"), "--outline-url", address, "--key-file", filepath.Join(r.home, "key"))
	case "http":
		args, env = append(args, "--url", r.url), append(env, "OUTLINE_API_KEY="+key)
	case "login":
		args = append(args, "--url", r.url, "--login")
	}
	add := exec.Command(program(t), args...)
	add.Env = env
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s\n%s", add, err, out)
	}
	return r
}

func (r *run) write(t *testing.T, name, text string) {
	path := filepath.Join(r.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (r *run) expand(text string) string {
	return strings.NewReplacer("$MODEL", r.model.url, "$HOME", r.home, "$CACHE", filepath.Dir(filepath.Dir(r.modules))).Replace(text)
}

// environment is all that a client finds of the machine. What it sends elsewhere than to
// loopback goes to a port where nothing listens.
func (r *run) environment() []string {
	node, _ := exec.LookPath("node")
	env := []string{"PATH=" + strings.Join([]string{filepath.Join(r.home, "bin"), filepath.Dir(node), "/usr/bin", "/bin"}, ":"),
		"HOME=" + r.home, "TERM=xterm-256color", "DISPLAY=:9", "BROWSER=" + filepath.Join(r.home, "bin/xdg-open"), "HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
		"MODEL=" + r.model.url, "MCP_COMMAND=" + filepath.Join(r.home, "server"), "MCP_URL=" + r.url, "MCP_KEY=" + key}
	for _, setting := range r.client.env {
		env = append(env, r.expand(setting))
	}
	return env
}

// command returns the client, with arguments. It ends after three minutes.
func (r *run) command(t *testing.T, args ...string) *exec.Cmd {
	name := filepath.Join(r.modules, ".bin", r.program)
	if r.script != "" {
		text, err := os.ReadFile(filepath.Join("testdata", r.script))
		path := filepath.Join(filepath.Dir(r.modules), r.script) // beside its modules
		if err := errors.Join(err, os.WriteFile(path, text, 0o600)); err != nil {
			t.Fatal(err)
		}
		name, args = "node", []string{path}
	}
	args = slices.Clone(args)
	for i, arg := range args {
		args[i] = r.expand(arg)
	}
	ctx, end := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(end)
	command := exec.CommandContext(ctx, name, args...)
	command.Env, command.Dir, command.WaitDelay = r.environment(), filepath.Join(r.home, "bin"), 5*time.Second
	return command
}

// converse lets the client talk to the model until it ends.
func (r *run) converse(t *testing.T, more ...string) {
	t.Helper()
	command := r.command(t, slices.Concat(r.args, more)...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	out, err := command.CombinedOutput()
	_ = command.Cancel() // what it left running
	if err != nil {
		t.Fatalf("%s: %s\n%.3000s", command, err, out)
	}
}

// call makes a call with the program itself.
func (r *run) call(t *testing.T, tool string, args ...string) string {
	t.Helper()
	command := exec.Command(program(t), append([]string{"call", tool, "--raw"}, args...)...)
	command.Env = append(slices.Clone(r.env), "OUTLINE_MAX_RESPONSE_CHARS=0")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("call %s: %s", tool, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// chinese returns a page of 30,000 Chinese characters, in which each line differs.
func chinese() string {
	var lines []string
	for i := range 500 {
		line := []rune("第" + strings.Repeat("一", i/100) + strings.Repeat("二", i/10%10) + strings.Repeat("三", i%10) + strings.Repeat("海洋观测浮标每小时发送风速气压", 5))
		lines = append(lines, string(line[:60]))
	}
	return strings.Join(lines, "\n\n")
}

// start starts a command of the program, and shows its lines to ready until that returns true.
func start(t *testing.T, env []string, ready func(line string) bool, args ...string) {
	t.Helper()
	command := exec.Command(program(t), args...)
	command.Env = env
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	started, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		done := false
		eachLine(out, func(line []byte) {
			if !done && ready(string(bytes.TrimSpace(line))) {
				done = true
				close(started)
			}
		})
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
		_ = command.Wait()
	})
	select {
	case <-started:
	case <-ended:
		t.Fatalf("%s ended", command)
	}
}

// program returns the path of the program, which is built unless the environment names it.
var program = func() func(t *testing.T) string {
	build := sync.OnceValues(func() (string, error) {
		if path := os.Getenv("OUTLINE_MCP_BINARY"); path != "" {
			return path, nil
		}
		path := filepath.Join(os.TempDir(), "outline-mcp-clients-test")
		build := exec.Command("go", "build", "-o", path, "./cmd/outline-mcp")
		build.Dir = filepath.Join("..", "..")
		return path, build.Run()
	})
	return func(t *testing.T) string {
		path, err := build()
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
}()

// installed installs a client from npm, unless it is in the cache, and returns its
// node_modules. It skips the test if that fails.
func installed(t *testing.T, c client) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	version := c.version()
	name := strings.TrimSuffix(c.packages[0], "@"+version)
	folder := filepath.Join(cmp.Or(os.Getenv("OUTLINE_MCP_CLIENTS_CACHE"), filepath.Join(cache, "outline-mcp-clients")), strings.NewReplacer("@", "", "/", "-").Replace(name)+"-"+version)
	modules := filepath.Join(folder, "node_modules")
	complete := func() bool {
		text, _ := os.ReadFile(filepath.Join(modules, name, "package.json"))
		var about struct{ Version string }
		_ = json.Unmarshal(text, &about)
		return about.Version == version
	}
	if complete() {
		return modules
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	out, err := exec.CommandContext(t.Context(), "npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", folder}, c.packages...)...).CombinedOutput()
	if err != nil || !complete() {
		t.Skipf("not tried, because it cannot be installed: %v\n%s", err, out)
	}
	size, _ := exec.Command("du", "-sm", folder).Output()
	t.Logf("installed in %.0f s, %s MB", time.Since(began).Seconds(), bytes.Fields(append(size, '?'))[0])
	return modules
}
