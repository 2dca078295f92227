// Package install adds the entry for an MCP server to the configuration files
// of AI clients, and removes it.
package install

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Client is an AI client: where its configuration is, and how an entry in it is
// written.
type Client struct {
	Name  string // as on the command line
	Title string

	Place     Place
	TOML      bool   // the file is TOML, and else JSON
	Strict    bool   // the client reads plain JSON only
	Lenient   bool   // the client reads comments and commas after the last value
	Container string // the field that holds the servers
	Expands   bool   // the client replaces variables such as ${NAME} in values
	Hyphens   bool   // the client misreads names with _

	Local  Local
	Remote Remote
	Extra  Object // fields that an entry has unless the user set them

	// Loads is the field that keeps the tools of a server loaded, or "". Without it,
	// the client finds them by a search.
	Loads string
	// Approves is the field of an entry whose value approve lets the model write without
	// asking the user, and Limit the setting of the file for the length of answers, in
	// tokens; "" if the client has none.
	Approves, Limit string
	// Structured says what the client makes of structured output, or is "".
	Structured string
	// Inputs is the list in the file of what the client asks for and stores
	// itself, or "".
	Inputs string
	// Skills is the folder in which the client looks for skills, or empty.
	Skills Place
	// Restart tells the user how to make the client read the entry.
	Restart string
}

// Local is the form of an entry for a server that the client starts.
type Local struct {
	Type      string // of the entry, or ""
	NeedsArgs bool   // an entry without arguments has an empty list
}

// Remote is the form of an entry for a server over HTTP. A client without a URL
// field cannot have such an entry.
type Remote struct {
	Type    string // of the entry, or ""
	URL     string // the field that holds the address
	Headers string // the field that holds the headers
}

// Find returns the client with a name.
func Find(name string) (Client, bool) {
	for _, client := range Clients() {
		if client.Name == name {
			return client, true
		}
	}
	return Client{}, false
}

// Clients returns all known clients. Each has a link to the documentation, or
// the report, of what is said about it.
func Clients() []Client {
	clients := []Client{
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			// https://modelcontextprotocol.io/quickstart/user and
			// https://support.claude.com/en/articles/11503834. The folder on Windows
			// is that of the package where it was installed as one:
			// https://github.com/anthropics/claude-code/issues/26073.
			Place:   Place{Config: true, Path: "Claude/claude_desktop_config.json", Package: "Claude_*"},
			Strict:  true,
			Restart: "Quit Claude Desktop completely (including from the menu bar or the tray) and start it again.",
		},
		{
			Name: "claude-code", Title: "Claude Code",
			// https://code.claude.com/docs/en/mcp;
			// the folder: https://github.com/anthropics/claude-code/issues/48448;
			// what is loaded: https://github.com/anthropics/claude-code/issues/54158
			Place:      Place{Variable: "CLAUDE_CONFIG_DIR", File: ".claude.json", Path: ".claude.json"},
			Strict:     true,
			Expands:    true,
			Local:      Local{Type: "stdio"},
			Remote:     Remote{Type: "http", URL: "url", Headers: "headers"},
			Loads:      "alwaysLoad",
			Structured: "shows the model JSON in place of the text",
			// https://code.claude.com/docs/en/skills
			Skills:  Place{Variable: "CLAUDE_CONFIG_DIR", File: "skills", Path: ".claude/skills"},
			Restart: "Start a new Claude Code session; /mcp shows the server.",
		},
		{
			Name: "vscode", Title: "VS Code",
			// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
			Place:     Place{Config: true, Path: "Code/User/mcp.json"},
			Container: "servers",
			Lenient:   true,
			Expands:   true,
			Local:     Local{Type: "stdio"},
			Remote:    Remote{Type: "http", URL: "url", Headers: "headers"},
			Inputs:    "inputs",
			Restart:   "In VS Code, run the command MCP: List Servers and start the server.",
		},
		{
			Name: "cursor", Title: "Cursor",
			// https://cursor.com/docs/mcp
			Place:   Place{Path: ".cursor/mcp.json"},
			Expands: true,
			Remote:  Remote{URL: "url", Headers: "headers"},
			Restart: "Restart Cursor. The server then appears in its settings, under MCP.",
		},
		{
			Name: "windsurf", Title: "Windsurf",
			// https://docs.windsurf.com/windsurf/cascade/mcp
			Place:   Place{Path: ".codeium/windsurf/mcp_config.json"},
			Expands: true,
			Remote:  Remote{URL: "serverUrl", Headers: "headers"},
			Restart: "Press the refresh button among the MCP servers of Cascade, or restart Windsurf.",
		},
		{
			Name: "codex", Title: "Codex CLI",
			// https://developers.openai.com/codex/mcp;
			// the headers: https://github.com/openai/codex/pull/5241
			Place:      Place{Variable: "CODEX_HOME", File: "config.toml", Path: ".codex/config.toml"},
			TOML:       true,
			Container:  "mcp_servers",
			Remote:     Remote{URL: "url", Headers: "http_headers"},
			Approves:   "default_tools_approval_mode",
			Limit:      "tool_output_token_limit",
			Structured: "shows the model JSON in place of the text, and no images",
			Restart: "Start a new Codex session; /mcp shows the server. Codex cuts answers after about 40,000 bytes, with some models after 12,000, and " +
				"codex exec refuses calls that write: install codex --long-answers --allow-writes changes that.",
		},
		{
			Name: "gemini", Title: "Gemini CLI",
			// https://geminicli.com/docs/tools/mcp-server/;
			// the folder: https://github.com/google-gemini/gemini-cli/pull/27958
			Place:   Place{Variable: "GEMINI_CLI_HOME", File: ".gemini/settings.json", Path: ".gemini/settings.json"},
			Expands: true,
			Hyphens: true,
			Remote:  Remote{URL: "httpUrl", Headers: "headers"},
			Restart: "Restart Gemini CLI; /mcp shows the server.",
		},
		{
			Name: "qwen", Title: "Qwen Code",
			// https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp
			Place:   Place{Path: ".qwen/settings.json"},
			Expands: true,
			Remote:  Remote{URL: "httpUrl", Headers: "headers"},
			Restart: "Restart Qwen Code; /mcp shows the server.",
		},
		{
			Name: "copilot", Title: "Copilot CLI",
			// https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference.
			// Older versions followed XDG_CONFIG_HOME; such folders are moved.
			Place:      Place{Variable: "COPILOT_HOME", File: "mcp-config.json", Path: ".copilot/mcp-config.json"},
			Expands:    true,
			Local:      Local{Type: "local", NeedsArgs: true},
			Remote:     Remote{Type: "http", URL: "url", Headers: "headers"},
			Extra:      Object{{Name: "tools", Value: []any{"*"}}},
			Structured: "shows the model the JSON as well as the text, which doubles answers",
			Restart:    "Restart Copilot CLI; /mcp show lists the server.",
		},
	}
	for i := range clients { // what most of them have in common
		clients[i].Container = cmp.Or(clients[i].Container, "mcpServers")
	}
	return clients
}

// System determines where files are. It is a parameter so that each system can
// be tested on any other.
type System struct {
	GOOS   string
	Getenv func(name string) string
	// Glob returns the files that match a pattern, as filepath.Glob does.
	Glob func(pattern string) []string
	// IsFolder reports whether a folder exists.
	IsFolder func(path string) bool
}

// Place is where a client keeps its configuration. Paths have slashes.
type Place struct {
	// Variable is the environment variable that sets the folder, and File the
	// path of the file in it.
	Variable, File string
	// Path tells where the file is otherwise: in the home directory or, if Config is set,
	// in the folder of configurations, which is the one that Electron and VS Code use:
	// $XDG_CONFIG_HOME or ~/.config, ~/Library/Application Support, %APPDATA%
	// (https://www.electronjs.org/docs/latest/api/app#appgetpathname).
	Path   string
	Config bool
	// Package is the pattern of the name under which Windows installs the
	// client as a package. Such a client has its own configuration folder.
	Package string
}

// Path returns the path of a client's configuration for the user of a system.
func (s System) Path(place Place) (string, error) {
	if place.Variable != "" {
		if folder := s.Getenv(place.Variable); folder != "" {
			if !s.isAbsolute(folder) {
				return "", fmt.Errorf("%s is not an absolute path; set it to one, or name the configuration file with --file", place.Variable)
			}
			return s.join(folder, place.File), nil
		}
	}
	home, config, inHome := s.Getenv("HOME"), s.Getenv("XDG_CONFIG_HOME"), ".config" // https://specifications.freedesktop.org/basedir-spec/latest/
	switch s.GOOS {
	case "darwin":
		config, inHome = "", "Library/Application Support"
	case "windows":
		packaged, err := s.packaged(place.Package)
		if err != nil {
			return "", err
		}
		home, config, inHome = s.Getenv("USERPROFILE"), cmp.Or(packaged, s.Getenv("APPDATA")), "AppData/Roaming"
	}
	switch {
	case place.Config && s.isAbsolute(config): // a relative one is to be ignored
		return s.join(config, place.Path), nil
	case !s.isAbsolute(home):
		return "", errors.New("there is no home directory (HOME, on Windows USERPROFILE, is not set); set it, or name the configuration file with --file")
	case !s.IsFolder(home): // no client would look for its file there
		return "", fmt.Errorf("there is no home directory at %s; set HOME (on Windows USERPROFILE) to yours, or name the configuration file with --file", home)
	case place.Config:
		return s.join(home, inHome+"/"+place.Path), nil
	}
	return s.join(home, place.Path), nil
}

// packaged returns the configuration folder of a packaged client, or "" if no
// such package is installed.
func (s System) packaged(pattern string) (string, error) {
	local := s.Getenv("LOCALAPPDATA")
	if pattern == "" || !s.isAbsolute(local) {
		return "", nil
	}
	folders := s.Glob(s.join(local, "Packages/"+pattern+"/LocalCache/Roaming"))
	switch len(folders) {
	case 0:
		return "", nil
	case 1:
		return folders[0], nil
	}
	return "", fmt.Errorf("the client is installed more than once (%s); name the configuration file with --file", strings.Join(folders, ", "))
}

// join appends a path with slashes to a folder, in the notation of the system.
func (s System) join(folder, path string) string {
	if s.GOOS == "windows" {
		return strings.TrimRight(folder, `\/`) + `\` + strings.ReplaceAll(path, "/", `\`)
	}
	return strings.TrimRight(folder, "/") + "/" + path
}

func (s System) isAbsolute(path string) bool {
	if s.GOOS == "windows" {
		return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1] == ':' && strings.ContainsRune(`\/`, rune(path[2]))
	}
	return strings.HasPrefix(path, "/")
}
