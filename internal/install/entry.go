package install

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Server is the server of an entry: how to start it, or where it is.
type Server struct {
	Name string // of the entry

	Command string // the program, by its absolute path
	Demo    bool   // serve the embedded workspace, which needs nothing else
	Outline string // the address of Outline, or "" for the default
	Taken   bool   // Outline was taken from another address, such as that of a page

	URL string // the address of a server over HTTP, in place of a command
	// Login means that there is no key: people log in to the server at URL, or the user
	// has logged in on this computer.
	Login bool

	AlwaysLoad  bool // the client keeps the tools loaded
	AllowWrites bool // the client lets the model write without asking the user
	LongAnswers bool // the client shows the model long answers of all tools

	Key     string // the API key
	KeyFile string // the absolute path of the file that holds it instead
	Token   string // that the server at URL requires besides a key
}

// KeyHeader is the header in which a request sends its own Outline key.
const KeyHeader = "X-Outline-API-Key"

// TokenHeader is the header in which a request sends the token of a server that has
// MCP_AUTH_TOKENS.
const TokenHeader = "X-MCP-Token"

// Entry is what is written to a client's file.
type Entry struct {
	Client Client
	Server Server
	Value  Object
	// Input describes the key that the client asks for itself. It may be empty.
	Input Object
}

// NewEntry returns the entry for a server, or an error if the client cannot
// have such an entry.
func NewEntry(client Client, server Server) (Entry, error) {
	if err := checkName(server.Name); err != nil {
		return Entry{}, err
	}
	if client.Hyphens && strings.Contains(server.Name, "_") {
		return Entry{}, fmt.Errorf("%s misreads names with _, such as %q; use - instead", client.Title, server.Name)
	}
	if client.Expands {
		for _, value := range []string{server.Command, server.Outline, server.URL, server.KeyFile} {
			if strings.Contains(value, "$") {
				return Entry{}, fmt.Errorf("%q contains a $, which %s would read as a variable; use a path or an address without one", value, client.Title)
			}
		}
	}
	if server.AlwaysLoad && client.Loads == "" {
		return Entry{}, fmt.Errorf("%s has no setting that keeps the tools loaded; leave out --always-load, which is for Claude Code", client.Title)
	}
	if server.AllowWrites && client.Approves == "" || server.LongAnswers && client.Limit == "" {
		return Entry{}, fmt.Errorf("leave out --allow-writes and --long-answers, which are for Codex CLI: %s has no such settings", client.Title)
	}
	if server.URL != "" && client.Remote.URL == "" {
		return Entry{}, fmt.Errorf("%s's file can contain only servers that it starts itself, so nothing was written; docs/clients.md has an entry that reaches an HTTP server through mcp-remote, and Settings → Connectors adds one that needs no key", client.Title)
	}
	entry := Entry{Client: client, Server: server}
	if client.AsksForKey(server) {
		id := server.Name + "-api-key"
		server.Key, entry.Input = inputReference(id), input(id)
	}
	entry.Value = client.value(server)
	return entry, nil
}

// HoldsKey reports whether the entry contains the key itself.
func (e Entry) HoldsKey() bool { return e.Server.Key != "" && len(e.Input) == 0 }

// AsksForKey reports whether the client asks for the key of a server itself.
func (c Client) AsksForKey(server Server) bool {
	return c.Inputs != "" && !server.Demo && !server.Login && server.KeyFile == ""
}

// NeedsKey reports whether the entry for a server contains the key.
func (c Client) NeedsKey(server Server) bool {
	return !server.Demo && !server.Login && server.KeyFile == "" && !c.AsksForKey(server)
}

// value returns the entry for a server.
func (c Client) value(server Server) Object {
	env := slices.Concat(field("OUTLINE_API_URL", server.Outline), field("OUTLINE_API_KEY", server.Key), field("OUTLINE_API_KEY_FILE", server.KeyFile))
	var args any
	switch {
	case server.Demo:
		args, env = []any{"--demo"}, nil
	case c.Local.NeedsArgs:
		args = []any{}
	}
	value := slices.Concat(field("type", c.Local.Type), field("command", server.Command), field("args", args), field("env", env))
	if server.URL != "" {
		value = slices.Concat(field("type", c.Remote.Type), field(c.Remote.URL, server.URL), field(c.Remote.Headers, append(field(KeyHeader, server.Key), field(TokenHeader, server.Token)...)))
	}
	value = append(value, c.Extra...)
	if server.AlwaysLoad {
		value = append(value, Field{Name: c.Loads, Value: true})
	}
	if server.AllowWrites {
		value = append(value, Field{Name: c.Approves, Value: "approve"})
	}
	return value
}

// field returns an object with one field, or without fields if the value is empty.
func field(name string, value any) Object {
	if object, is := value.(Object); value == nil || value == "" || is && len(object) == 0 {
		return nil
	}
	return Object{{Name: name, Value: value}}
}

// checkName returns an error for a name that some client does not accept or
// shows truncated: some append the name of a tool and allow 60 characters for
// both.
func checkName(name string) error {
	if valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`); !valid.MatchString(name) {
		return fmt.Errorf("%q is not a valid name for an entry; use up to 32 letters, digits, - and _", name)
	}
	return nil
}

// input describes the key in VS Code's format for values that it asks for and
// stores
// (https://code.visualstudio.com/docs/copilot/reference/mcp-configuration).
func input(id string) Object {
	return Object{
		{Name: "type", Value: "promptString"}, {Name: "id", Value: id},
		{Name: "description", Value: "Outline API key"}, {Name: "password", Value: true},
	}
}

func inputReference(id string) string { return "${input:" + id + "}" }

// inputOf returns the ID of the input that an entry takes its key from, or "".
func (c Client) inputOf(entry any) string {
	if id, found := strings.CutPrefix(c.keyIn(entry), "${input:"); found {
		return strings.TrimSuffix(id, "}")
	}
	return ""
}

// putInput returns the text of a file with the input of the entry. One with its ID
// stays as it is: the user may have changed it.
func (e Entry) putInput(src []byte) ([]byte, error) {
	if len(e.Input) == 0 {
		return src, nil
	}
	at := place{e.Client.Inputs, e.Input.Field("id").(string), true}
	if _, found, err := e.Client.get(src, at); found || err != nil {
		return src, err
	}
	return e.Client.change(src, at, e.Input)
}

// takeInput returns the text of a file without the input of a removed entry, if
// it is as this program wrote it and nothing else uses it.
func (c Client) takeInput(src []byte, id string) ([]byte, error) {
	if c.Inputs == "" || id == "" || bytes.Contains(src, []byte(inputReference(id))) {
		return src, nil
	}
	at := place{c.Inputs, id, true}
	item, found, err := c.get(src, at)
	if err != nil || !found || !same(item, input(id)) {
		return src, err
	}
	return c.change(src, at, nil)
}

// over returns the value of the entry merged with the one that it replaces, and the names
// of what is kept of that and what is dropped. What the user added is kept, unless it does
// not fit the kind of server, or would give another server secrets or trust that it was not
// meant to have.
func (e Entry) over(there any) (value Object, kept, dropped []string) {
	keeps := func(fits bool, name string) bool {
		if fits {
			kept = append(kept, name)
		} else {
			dropped = append(dropped, name)
		}
		return fits
	}
	value = slices.Clone(e.Value)
	old, remote := objectOf(there), e.Server.URL != ""
	address := addressOf(old)
	sameServer := remote == (address != "") && hostOf(address) == hostOf(e.Server.URL)
	outline := func(entry Object) string { return hostOf(objectOf(entry.Field("env")).Field("OUTLINE_API_URL")) }
	sameOutline := sameServer && outline(old) == outline(e.Value)
	for _, field := range old {
		name, mine := field.Name, value.Field(field.Name)
		switch {
		case name == "type", name == "command", isAddress(name), e.Server.AlwaysLoad && name == e.Client.Loads, e.Server.AllowWrites && name == e.Client.Approves:
		case name == "env" || name == e.Client.Remote.Headers:
			all := slices.Clip(objectOf(mine))
			for _, one := range objectOf(field.Value) {
				fits := sameServer || remote && strings.HasPrefix(strings.ToLower(one.Name), "x-outline-")
				if strings.HasPrefix(one.Name, "OUTLINE_HEADERS") || strings.HasPrefix(one.Name, "OUTLINE_CLIENT_") {
					fits = sameOutline
				}
				if !ownVariable(one.Name) && !ownHeader(one.Name) && keeps(fits, name+" "+one.Name) {
					all = append(all, one)
				}
			}
			if len(all) > 0 {
				value = value.with(name, all)
			}
		case name == "args":
			list, _ := field.Value.([]any)
			added := slices.DeleteFunc(slices.Clone(list), func(one any) bool { return one == any("--demo") })
			if len(added) > 0 && keeps(sameServer && sameProgram(old, e.Server.Command), name) {
				before, _ := mine.([]any)
				value = append(value.without(name), Field{Name: name, Value: append(before, added...)})
			}
		case mine != nil && equal(plainValue(mine), plainValue(field.Value)):
		case keeps(sameServer || !isForOneServer(name) && !givesTrust(name), name):
			value = value.with(name, field.Value)
		}
	}
	return value, kept, dropped
}

// with sets a field.
func (o Object) with(name string, value any) Object {
	if i := slices.IndexFunc(o, func(field Field) bool { return field.Name == name }); i >= 0 {
		o[i].Value = value
		return o
	}
	return append(o, Field{Name: name, Value: value})
}

// isForOneServer reports whether a field says, in some client, how to log in to a server
// over HTTP, or how to start a program.
func isForOneServer(name string) bool {
	return slices.Contains([]string{
		"auth", "oauth", "authProviderType", "headersHelper", "bearer_token_env_var", "env_http_headers", "oauth_resource", "scopes",
		"cwd", "envFile", "env_vars", "dev", "sandbox", "sandboxEnabled",
	}, name)
}

// givesTrust reports whether a field lets a server's tools run without a question, in some
// client.
func givesTrust(name string) bool {
	return slices.Contains([]string{"autoApprove", "alwaysAllow", "trust", "default_tools_approval_mode"}, name)
}

// addressOf returns the address of a server over HTTP in an entry, or "".
func addressOf(entry Object) string {
	for _, field := range entry {
		if address, _ := field.Value.(string); isAddress(field.Name) {
			return address
		}
	}
	return ""
}

// hostOf returns the host of an address with its port, or "" if it is not an address.
func hostOf(address any) string {
	text, _ := address.(string)
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	port := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	return strings.ToLower(u.Hostname()) + ":" + cmp.Or(u.Port(), port)
}

// sameProgram reports whether an entry starts a program with the name of a command,
// perhaps in another folder.
func sameProgram(old Object, command string) bool {
	base := func(command string) string {
		return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/"))), ".exe")
	}
	before, _ := old.Field("command").(string)
	return base(before) == base(command)
}

func ownVariable(name string) bool {
	return name == "OUTLINE_API_URL" || name == "OUTLINE_API_KEY" || name == "OUTLINE_API_KEY_FILE"
}

func ownHeader(name string) bool { return strings.EqualFold(name, KeyHeader) }

// isAddress reports whether a field holds the address of a server in some
// client.
func isAddress(name string) bool { return name == "url" || name == "serverUrl" || name == "httpUrl" }

// keyIn returns the key in an entry, or the reference in its place.
func (c Client) keyIn(there any) string {
	entry := objectOf(there)
	for _, one := range slices.Concat(objectOf(entry.Field("env")), objectOf(entry.Field(c.Remote.Headers))) {
		if key, _ := one.Value.(string); key != "" && (one.Name == "OUTLINE_API_KEY" || ownHeader(one.Name)) {
			return key
		}
	}
	return ""
}
