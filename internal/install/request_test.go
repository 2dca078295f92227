package install_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

// request returns a request for an entry of a client, with a program that is
// not this test and the environment given as NAME=value.
func request(t *testing.T, client string, environ ...string) install.Request {
	t.Helper()
	found, ok := install.Find(client)
	if !ok {
		t.Fatalf("there is no client %q", client)
	}
	return install.Request{Client: found, Server: install.Server{Name: "outline", Command: "/opt/outline-mcp"}, Getenv: func(name string) string {
		for _, variable := range environ {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}}
}

// complete returns the server of a request, with address and key.
func complete(t *testing.T, r install.Request) (install.Server, error) {
	t.Helper()
	server, err := r.Check()
	if err != nil {
		return server, err
	}
	return r.Complete(t.Context(), server)
}

func TestAKeyFileCanBeInMemory(t *testing.T) {
	file, err := os.CreateTemp("/dev/shm", "outline-key-")
	if err != nil {
		t.Skip("this system has no files in /dev/shm")
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString("ol_api_fake")
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	r := request(t, "cursor")
	r.KeyFile = file.Name()
	if server, err := complete(t, r); err != nil || server.KeyFile != r.KeyFile {
		t.Errorf("got %+v, %v", server, err)
	}
}

func TestTheSourcesOfAddressAndKey(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("ol_api_fake_file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name                  string
		environ               []string
		url, outline, keyFile string
		want                  install.Server // with Login if it is asked for
	}{
		{"the environment", []string{"OUTLINE_API_KEY= \"ol_api_fake\" ", "OUTLINE_API_URL=https://wiki.example.com/below/"}, "", "", "", install.Server{Outline: "https://wiki.example.com/below", Key: "ol_api_fake"}},
		{"the address that is the default", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=https://app.getoutline.com/api/"}, "", "", "", install.Server{Key: "ol_api_fake"}},
		{"a key file", []string{"OUTLINE_API_KEY=ol_api_fake"}, "", "", keyFile, install.Server{KeyFile: keyFile}},
		{"a key file of the environment", []string{"OUTLINE_API_KEY_FILE=" + keyFile}, "", "", "", install.Server{KeyFile: keyFile}},
		{"an address on the command line", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=https://other.example.com"}, "", "https://wiki.example.com", "", install.Server{Outline: "https://wiki.example.com", Key: "ol_api_fake"}},
		{"a team's server", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=nonsense"}, "https://mcp.example.com/mcp", "", "", install.Server{URL: "https://mcp.example.com/mcp", Key: "ol_api_fake"}},
		{"a team's server and a key file", nil, "http://127.0.0.1:3000/mcp", "", keyFile, install.Server{URL: "http://127.0.0.1:3000/mcp", Key: "ol_api_fake_file"}},
		{"a server to log in to", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_KEY_FILE=/nowhere"}, "https://mcp.example.com/mcp", "", "", install.Server{URL: "https://mcp.example.com/mcp", Login: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, "cursor", test.environ...)
			r.URL, r.Outline, r.KeyFile, r.Login = test.url, test.outline, test.keyFile, test.want.Login
			test.want.Name = "outline"
			if test.url == "" {
				test.want.Command = r.Command
			} else {
				r.Command = ""
			}
			if got, err := complete(t, r); err != nil || got != test.want {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

func TestRequestsThatCannotWorkAreRefused(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const key = "OUTLINE_API_KEY=ol_api_fake"
	plain := func(environ ...string) install.Request { return request(t, "cursor", environ...) }
	keyIn := func(path string) install.Request {
		r := plain()
		r.KeyFile = path
		return r
	}
	serverAt := func(client, url string) install.Request {
		r := request(t, client, key)
		r.Command, r.URL = "", url
		return r
	}
	with := func(r install.Request, change func(*install.Request)) install.Request {
		change(&r)
		return r
	}
	open, err := os.Open(file("open", "ol_api_fake"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	link := filepath.Join(folder, "link")
	if err := errors.Join(os.Symlink(fmt.Sprintf("/dev/fd/%d", open.Fd()), filepath.Join(folder, "first")), os.Symlink("first", link)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		request install.Request
		says    string
	}{
		{"a link to a file that only this process has open", keyIn(link), "it is not a regular file"},
		{"a file that only this process has open", keyIn(fmt.Sprintf("/dev/fd/%d", open.Fd())), "it is not a regular file; the server reads it each time it starts, so name a file that stays"},
		{"a key file that is a folder", keyIn(folder), "it is not a regular file"},
		{"a key file of this process", keyIn("/dev/stdin"), "it is not a regular file"},
		{"a key file for a client that asks", with(serverAt("vscode", "https://mcp.example.com/mcp"), func(r *install.Request) { r.KeyFile = file("asked", "ol_api_fake") }), "VS Code asks for the key of such a server itself; leave out --key-file"},
		{"a key file that does not exist", keyIn("/nowhere"), "no such file"},
		{"a key file with a bad key", keyIn(file("bad", "a b")), "spaces"},
		{"an empty key file", keyIn(file("empty", "\n")), "is empty"},
		{"a key of two lines", plain("OUTLINE_API_KEY=ol_api_fake\nol_api_fake"), "the key contains spaces"},
		{"a key that was not expanded", plain("OUTLINE_API_KEY=${KEY}"), "did not expand"},
		{"a placeholder", plain("OUTLINE_API_KEY=<your key>"), "placeholder"},
		{"a key and its file", plain(key, "OUTLINE_API_KEY_FILE=/x"), "both set"},
		{"an address without a scheme", plain(key, "OUTLINE_API_URL=wiki"), "no scheme; write https://"},
		{"an address with a password", plain(key, "OUTLINE_API_URL=https://u:secret@wiki.example.com"), "user name or password"},
		{"a port of Outline that does not exist", with(plain(key), func(r *install.Request) { r.Outline = "https://wiki.example.com:0" }), "ports range from 1 to 65535"},
		{"a server's port that does not exist", serverAt("cursor", "https://mcp.example.com:99999/mcp"), "ports range from 1 to 65535"},
		{"a server's address without a scheme", serverAt("cursor", "mcp.example.com"), "--url: the address has no scheme"},
		{"a server's address with a password", serverAt("cursor", "https://u:secret@mcp.example.com/mcp"), "user name or password"},
		{"a server's address in clear", serverAt("cursor", "http://mcp.example.com/mcp"), "begins with https://"},
		{"a command and a server's address", with(plain(key), func(r *install.Request) { r.URL = "https://mcp.example.com/mcp" }), "leave out --outline-url and --command"},
		{"a login without a server", with(plain(key), func(r *install.Request) { r.Login = true }), "name it with --url"},
		{"a login and a key file", with(serverAt("cursor", "https://mcp.example.com/mcp"), func(r *install.Request) { r.Login, r.KeyFile = true, "/x" }), "leave out --key-file"},
		{"the demo and a key file", with(plain(key), func(r *install.Request) { r.Demo, r.KeyFile = true, "/x" }), "leave out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := complete(t, test.request)
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ol_api_fake") {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
}

func TestTheReportWarnsOfAnOutlineWithoutEncryption(t *testing.T) {
	for outline, want := range map[string]bool{"https://wiki.example.com": false, "http://wiki.example.com": true, "http://127.0.0.1:3000": false, "http://localhost:3000": false} {
		r := request(t, "cursor", "OUTLINE_API_KEY=ol_api_fake")
		r.Outline = outline
		server, err := complete(t, r)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := install.NewEntry(r.Client, server)
		if err != nil {
			t.Fatal(err)
		}
		var report strings.Builder
		install.Result{Outcome: install.Added}.WriteInstalled(&report, entry)
		if says := report.String(); strings.Contains(says, "others on the network can read the key") != want {
			t.Errorf("%s:\n%s", outline, says)
		}
	}
}

func system(goos string, environ ...string) install.System {
	return install.System{GOOS: goos,
		Getenv: func(name string) string {
			for _, variable := range slices.Backward(environ) {
				if value, found := strings.CutPrefix(variable, name+"="); found {
					return value
				}
			}
			return ""
		},
		Glob:     func(string) []string { return nil },
		IsFolder: func(string) bool { return true },
	}
}

func TestEachClientKeepsItsConfigurationWhereItsMakersSay(t *testing.T) {
	systems := []install.System{
		system("linux", "HOME=/home/robin"),
		system("darwin", "HOME=/Users/robin"),
		system("windows", `USERPROFILE=C:\Users\robin`, `APPDATA=C:\Users\robin\AppData\Roaming`, "HOME=/c/Users/robin"),
	}
	want := map[string][3]string{
		"claude-desktop": {"/home/robin/.config/Claude/claude_desktop_config.json", "/Users/robin/Library/Application Support/Claude/claude_desktop_config.json", `C:\Users\robin\AppData\Roaming\Claude\claude_desktop_config.json`},
		"claude-code":    {"/home/robin/.claude.json", "/Users/robin/.claude.json", `C:\Users\robin\.claude.json`},
		"vscode":         {"/home/robin/.config/Code/User/mcp.json", "/Users/robin/Library/Application Support/Code/User/mcp.json", `C:\Users\robin\AppData\Roaming\Code\User\mcp.json`},
		"cursor":         {"/home/robin/.cursor/mcp.json", "/Users/robin/.cursor/mcp.json", `C:\Users\robin\.cursor\mcp.json`},
		"windsurf":       {"/home/robin/.codeium/windsurf/mcp_config.json", "/Users/robin/.codeium/windsurf/mcp_config.json", `C:\Users\robin\.codeium\windsurf\mcp_config.json`},
		"codex":          {"/home/robin/.codex/config.toml", "/Users/robin/.codex/config.toml", `C:\Users\robin\.codex\config.toml`},
		"gemini":         {"/home/robin/.gemini/settings.json", "/Users/robin/.gemini/settings.json", `C:\Users\robin\.gemini\settings.json`},
		"qwen":           {"/home/robin/.qwen/settings.json", "/Users/robin/.qwen/settings.json", `C:\Users\robin\.qwen\settings.json`},
		"copilot":        {"/home/robin/.copilot/mcp-config.json", "/Users/robin/.copilot/mcp-config.json", `C:\Users\robin\.copilot\mcp-config.json`},
	}
	for _, client := range install.Clients() {
		for i, system := range systems {
			path, err := system.Path(client.Place)
			if err != nil || path != want[client.Name][i] {
				t.Errorf("%s on %s: %s, %v, want %s", client.Name, system.GOOS, path, err, want[client.Name][i])
			}
		}
	}
	if len(want) != len(install.Clients()) {
		t.Errorf("%d clients, %d expected", len(install.Clients()), len(want))
	}
}

func TestVariablesMoveTheConfigurationOfSomeClients(t *testing.T) {
	for _, test := range []struct {
		client, goos, variable, want string
	}{
		{"claude-desktop", "linux", "XDG_CONFIG_HOME=/c", "/c/Claude/claude_desktop_config.json"},
		{"claude-desktop", "linux", "XDG_CONFIG_HOME=c", "/h/.config/Claude/claude_desktop_config.json"},
		{"vscode", "linux", "XDG_CONFIG_HOME=/c/", "/c/Code/User/mcp.json"},
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR=/c", "/c/.claude.json"},
		{"codex", "linux", "CODEX_HOME=/c", "/c/config.toml"},
		{"gemini", "darwin", "GEMINI_CLI_HOME=/c", "/c/.gemini/settings.json"},
		{"copilot", "linux", "COPILOT_HOME=/c", "/c/mcp-config.json"},
		{"copilot", "windows", `COPILOT_HOME=D:\c`, `D:\c\mcp-config.json`},
		{"copilot", "linux", "XDG_CONFIG_HOME=/c", "/h/.copilot/mcp-config.json"},
		{"vscode", "windows", "APPDATA=", `C:\h\AppData\Roaming\Code\User\mcp.json`},
	} {
		path, err := system(test.goos, "HOME=/h", `USERPROFILE=C:\h`, test.variable).Path(find(t, test.client).Place)
		if err != nil || path != test.want {
			t.Errorf("%s with %s: %s, %v, want %s", test.client, test.variable, path, err, test.want)
		}
	}
	if _, err := system("linux", "HOME=/h", "CODEX_HOME=relative").Path(find(t, "codex").Place); err == nil || !strings.Contains(err.Error(), "CODEX_HOME is not an absolute path") {
		t.Errorf("a relative folder: %v", err)
	}
}

func TestAPackagedClaudeDesktopHasAConfigurationOfItsOwn(t *testing.T) {
	place := find(t, "claude-desktop").Place
	windows := system("windows", `USERPROFILE=C:\h`, `APPDATA=C:\h\AppData\Roaming`, `LOCALAPPDATA=C:\h\AppData\Local`)
	var found []string
	windows.Glob = func(pattern string) []string {
		if pattern != `C:\h\AppData\Local\Packages\Claude_*\LocalCache\Roaming` {
			t.Errorf("looked for %s", pattern)
		}
		return found
	}
	for i, want := range []string{`C:\h\AppData\Roaming\Claude\`, `C:\h\AppData\Local\Packages\Claude_0\LocalCache\Roaming\Claude\`} {
		if path, err := windows.Path(place); err != nil || path != want+"claude_desktop_config.json" {
			t.Errorf("with %d packages: %s, %v", i, path, err)
		}
		found = append(found, fmt.Sprintf(`C:\h\AppData\Local\Packages\Claude_%d\LocalCache\Roaming`, i))
	}
	if _, err := windows.Path(place); err == nil || !strings.Contains(err.Error(), "--file") {
		t.Errorf("with two packages: %v", err)
	}
}

func TestWithoutAHomeDirectoryTheFileHasToBeNamed(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, client := range install.Clients() {
			for _, home := range []string{"", "HOME=relative"} {
				if path, err := system(goos, home).Path(client.Place); err == nil || !strings.Contains(err.Error(), "there is no home directory") || !strings.Contains(err.Error(), "--file") {
					t.Errorf("%s on %s: %s, %v", client.Name, goos, path, err)
				}
			}
		}
	}
}
