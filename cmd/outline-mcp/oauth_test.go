package main

import (
	"bufio"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// serveLogin starts the program with settings and returns when it listens.
func serveLogin(t *testing.T, settings []string, args ...string) {
	t.Helper()
	cmd := program(t.Context(), settings, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "serving MCP over HTTP") {
			return
		}
		t.Log(lines.Text())
	}
	t.Fatal("it does not serve")
}

// From the setup to a server that people can log in to.
func TestTheLoginIsSetUpAndChecked(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(sample)
	defer outline.Close()
	folder, port := t.TempDir(), freePort(t)
	clientSecret, secret := filepath.Join(folder, "client-secret"), filepath.Join(folder, "secret")
	public := "http://127.0.0.1:" + port
	admin := []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}

	code, said, problem := command(t, admin, "oauth", "setup", "--public-url", public+"/", "--client-secret-file", clientSecret, "--secret-file", secret)
	if code != 0 || problem != "" {
		t.Fatalf("setup: exit code %d: %s", code, problem)
	}
	// Its settings are used as they are printed.
	settings := []string{"MCP_PORT=" + port}
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "MCP_") || strings.HasPrefix(line, "OUTLINE_API_URL=") {
			settings = append(settings, strings.TrimSpace(line))
		}
	}
	serveLogin(t, settings)
	member := append(settings, "OUTLINE_API_KEY="+fakeoutline.MemberKey, "MCP_ALLOW_ANONYMOUS=false")
	status := func(wants ...string) {
		t.Helper()
		code, said, problem := command(t, member, "oauth", "status")
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("status: exit code %d%s; it does not say %q:\n%s", code, problem, want, said)
			}
		}
	}
	status("✓ login_application: ", "has the redirect URI "+public+"/oauth/callback and this client secret", "✓ login_url: ", "\nNo failures, 1 warning.\n")

	previous := filepath.Join(folder, "previous")
	writeFile(t, previous, strings.Repeat("x", 32))
	member = append(member, "MCP_OAUTH_SECRET_PREVIOUS_FILE="+previous)
	status("✓ login_secret: MCP_OAUTH_SECRET_PREVIOUS is set; remove it after 30 days")
}

func TestTheStatusOfTheDemoNeedsOnlyAnAddress(t *testing.T) {
	port := freePort(t)
	settings := []string{"MCP_TRANSPORT=http", "MCP_PORT=" + port, "MCP_PUBLIC_URL=http://127.0.0.1:" + port}
	serveLogin(t, settings, "--demo")
	if code, said, problem := command(t, settings, "--demo", "oauth", "status"); code != 0 || !strings.Contains(said, "✓ login_url: ") || strings.Contains(said, "login_application") {
		t.Errorf("exit code %d: %s%s", code, said, problem)
	}
}

func TestAnEntryForALoginHasNoKeyAndIsChecked(t *testing.T) {
	port := freePort(t)
	url := "http://127.0.0.1:" + port + "/mcp"
	serveLogin(t, []string{"MCP_TRANSPORT=http", "MCP_PORT=" + port, "MCP_PUBLIC_URL=http://127.0.0.1:" + port}, "--demo")
	for _, client := range []string{"cursor", "vscode"} {
		file := filepath.Join(t.TempDir(), "mcp.json")
		// The entry that it replaces has a key.
		before := []string{"OUTLINE_API_KEY=ol_api_fake"}
		code, said, problem := command(t, before, "install", client, "--file", file, "--url", url)
		if offer := "; to log in with Outline instead, without a key, run outline-mcp install vscode --url " + url + " --login\n"; client == "vscode" && (code != 0 || !strings.Contains(said, offer)) {
			t.Errorf("exit code %d, no offer to log in: %s%s", code, said, problem)
		}
		code, said, problem = command(t, before, "install", client, "--file", file, "--url", url, "--login")
		content, err := os.ReadFile(file)
		if code != 0 || err != nil || strings.Contains(string(content), "ol_api") || strings.Contains(string(content), "eaders") || strings.Contains(string(content), "inputs") || !strings.Contains(string(content), url) {
			t.Errorf("exit code %d, %v: %s%s\n%s", code, err, said, problem, content)
		}
		if want := "✓ server: " + url + " answers, and asks users to log in\n"; !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
}

func TestWrongUseOfTheLoginCommandsIsExplained(t *testing.T) {
	for line, want := range map[string]string{
		"install cursor --login": "name it with --url",
		"oauth remove":           `unknown command "remove"; outline-mcp oauth --help lists the commands`,
		"oauth statsu":           "did you mean status?",
		"oauth setup":            "--public-url",
		"oauth setup now":        `takes no argument such as "now"`,
		"oauth setup --public-url http://mcp.example.com":           "use https://",
		"oauth setup --public-url https://mcp.example.com/mcp":      "has a path",
		"oauth setup --public-url=https://mcp.example.com --secret": `unknown flag "--secret"`,
	} {
		code, said, problem := command(t, nil, strings.Fields(line)...)
		if code != 2 || said != "" || !strings.Contains(problem, want) {
			t.Errorf("%s: exit code %d, %s%s, want %q", line, code, said, problem, want)
		}
	}
	code, said, _ := command(t, nil, "oauth")
	if code != 0 || !strings.Contains(said, "setup") {
		t.Errorf("oauth alone: exit code %d, %s", code, said)
	}
}
