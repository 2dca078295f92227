package clients

import (
	"regexp"
	"slices"
	"strings"
)

// A client is one that people use, in a pinned version. $MODEL, $URL, $KEY, $SERVER and $CACHE
// in its files, settings and arguments are replaced.
type client struct {
	title    string
	install  string   // its name for outline-mcp install; "" for a library
	packages []string // of npm; the first has the version
	script   string   // of a library, in testdata; else program is started
	program  string
	args     []string
	env      []string
	files    map[string]string // below the home directory, before outline-mcp install
	overHTTP []string          // settings of the server over HTTP, where it does not know such a client
	flags    []string          // for outline-mcp install
	blind    bool              // its model gets no images
	hides    *regexp.Regexp    // what it replaces in answers
	confirms []string          // more arguments, with which it answers questions

	search   string // its tool that searches for tools
	searches int    // in one conversation: some show a tool only once
	selects  bool   // the model has to search for all tools first

	login   []string    // the arguments that log in
	typed   [][2]string // what it shows and the user then types
	entered string      // what it says after the login
	// What becomes of the first and the second confirmation: what the answers begin with.
	confirmation [2]string
	// For the documentation: how to log in, the longest answer that it passes on, what becomes
	// of a confirmation, and what users should know.
	loginBy, limit, asks, know string
}

// version returns the version of its package.
func (c client) version() string {
	return c.packages[0][strings.LastIndex(c.packages[0], "@")+1:]
}

// What an answer to a call that needs a confirmation begins with.
const (
	edited      = `Edited "Friday soup`
	unconfirmed = "edit_document: nothing was written, because no one confirmed it"
	unasked     = "edit_document: nothing was written: this server asks the user to confirm such calls"
)

// accepts is a hook of Claude Code that accepts the first question and declines the others.
const accepts = `{"hooks":{"Elicitation":[{"hooks":[{"type":"command","command":"test -e $HOME/asked && a=decline || a=accept; touch $HOME/asked; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"Elicitation\",\"action\":\"'$a'\",\"content\":{}}}'"}]}]}}`

var clients = []client{
	{
		title: "Claude Code", install: "claude-code", packages: []string{"@anthropic-ai/claude-code@2.1.197"}, program: "claude",
		args: []string{"-p", "go", "--allowedTools", "mcp__outline"},
		env: []string{"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=dummy", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
			"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		files:    map[string]string{"hooks.json": accepts},
		confirms: []string{"--settings", "$HOME/hooks.json"},
		login:    []string{"mcp", "login", "outline"}, loginBy: "`claude mcp login outline`", entered: "Authenticated with",
		confirmation: [2]string{edited, unconfirmed},
		limit:        "none below 40,000 bytes",
		asks:         "a [dialog](claude-code-confirmation.svg), or a hook for `Elicitation`; with `-p` and no hook, it cancels without asking",
		know:         "loads two tools at the start, the others on demand",
	},
	{
		title: "Codex CLI", install: "codex", packages: []string{"@openai/codex@0.171.0"}, program: "codex",
		args: []string{"exec", "--skip-git-repo-check", "go"},
		env:  []string{"DUMMY_KEY=dummy"},
		files: map[string]string{".codex/config.toml": `model = "gpt-5"
model_provider = "scripted"
approval_policy = "never"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "$MODEL/v1"
env_key = "DUMMY_KEY"
wire_api = "responses"
`},
		flags: []string{"--allow-writes", "--long-answers"},
		login: []string{"mcp", "login", "outline"}, loginBy: "`codex mcp login outline`", entered: "Successfully logged in",
		confirmation: [2]string{unconfirmed, unconfirmed},
		limit:        "40,000 bytes, with some models 12,000; neither after `install codex --long-answers`",
		asks:         "`codex exec` declines without asking",
		know:         "`codex exec` writes only after `install codex --allow-writes`; passes no environment variables; loses images with structured output",
	},
	{
		title: "Gemini CLI", install: "gemini", packages: []string{"@google/gemini-cli@0.61.0"}, program: "gemini",
		args: []string{"-p", "go", "-m", "gemini-2.5-pro", "--yolo"},
		env: []string{"GOOGLE_GEMINI_BASE_URL=$MODEL", "GEMINI_API_KEY=dummy", "GEMINI_TELEMETRY_ENABLED=false",
			"GEMINI_CLI_TRUST_WORKSPACE=true"},
		files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},` +
			`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}`},
		login: []string{}, typed: [][2]string{{"1 MCP server", "/mcp auth outline"}, {"/mcp auth outline", "\r"}, {"Do you want to continue?", "\r"}}, loginBy: "`/mcp auth outline`", entered: "uccessful",
		confirmation: [2]string{unasked, unasked},
		limit:        "40,000 characters",
		asks:         "cannot ask",
		know:         "adds an argument to every tool, which the server drops",
	},
	{
		title: "Qwen Code", install: "qwen", packages: []string{"@qwen-code/qwen-code@0.15.10"}, program: "qwen",
		args: []string{"-p", "go", "--yolo", "--auth-type", "openai"},
		env:  []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=$MODEL/v1", "OPENAI_MODEL=scripted", "HTTP_PROXY=", "HTTPS_PROXY="},
		files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false},` +
			`"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"disableAutoUpdate":true}}`},
		search: "tool_search", searches: 1, selects: true,
		overHTTP:     []string{"OUTLINE_MAX_RESPONSE_CHARS=24000"},
		confirmation: [2]string{unasked, unasked},
		blind:        true,
		limit:        "25,000 characters: the server sends 24,000 bytes; over HTTP, set `OUTLINE_MAX_RESPONSE_CHARS=24000`",
		asks:         "cannot ask",
		know:         "loads tools on demand; images reach only some models",
	},
	{
		title: "Copilot CLI", install: "copilot", packages: []string{"@github/copilot@1.0.102"}, program: "copilot",
		args: []string{"-p", "go", "--allow-all-tools"},
		env: []string{"COPILOT_PROVIDER_BASE_URL=$MODEL/v1", "COPILOT_PROVIDER_API_KEY=dummy", "COPILOT_MODEL=gpt-5.4",
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_AUTO_UPDATE=false", "COPILOT_OFFLINE=true",
			"XDG_CACHE_HOME=$CACHE/copilot"},
		blind: true, hides: regexp.MustCompile(`Authorization: Bearer [^\s"]+`),
		confirmation: [2]string{unconfirmed, unconfirmed},
		limit:        "about 20 KB: the server sends 18,000 bytes",
		asks:         "`copilot -p` declines without asking",
		know:         "no images, no instructions; shows `Authorization: Bearer` and its token as `Authorization: ******`; shows structured output as well as the text",
	},
	{
		title: "AI SDK", packages: []string{"ai@6.0.326", "@ai-sdk/mcp@1.0.102", "@ai-sdk/openai-compatible@2.0.92"}, script: "aisdk.mjs",
		confirmation: [2]string{edited, unconfirmed},
		limit:        "none seen",
		asks:         "your program decides",
		know:         "with the OpenAI-compatible provider, images become base64 text, so the server sends only small ones",
	},
	{
		title: "OpenAI Agents SDK", packages: []string{"@openai/agents@0.20.0", "openai@7.59.0"}, script: "agents.mjs",
		confirmation: [2]string{unasked, unasked},
		limit:        "none seen",
		asks:         "cannot ask",
		know:         "loses images with `useStructuredContent`",
	},
}

// searching are clients that load tools when the model searches for them. Claude Code is told
// to, which it does by itself only with models of its vendor.
var searching = []client{
	as(clients[0], func(c *client) {
		c.env = append(slices.Clone(c.env), "ENABLE_TOOL_SEARCH=true")
		c.search, c.searches = "ToolSearch", 20
	}),
	as(clients[1], func(c *client) {
		c.files = map[string]string{".codex/config.toml": strings.ReplaceAll(c.files[".codex/config.toml"], "gpt-5", "gpt-5.5")}
		c.search, c.searches = "tool_search", 20
	}),
	clients[3],
}

func as(c client, change func(*client)) client {
	change(&c)
	return c
}
