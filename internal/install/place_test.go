package install_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

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
