package install

import (
	"bytes"
	"fmt"
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
	// Login means that there is no key: people log in to the server at URL, or the person
	// has logged in on this computer.
	Login bool

	AlwaysLoad bool // the client keeps the tools loaded

	Key     string // the API key
	KeyFile string // the absolute path of the file that holds it instead
}

// KeyHeader is the header in which a request sends its own Outline key.
const KeyHeader = "X-Outline-API-Key"

// Entry is what is written to a client's file.
type Entry struct {
	Client Client
	Name   string
	Value  Object
	// Input describes the key that the client asks for itself. It may be empty.
	Input Object
	// HoldsKey tells whether the entry contains the key itself.
	HoldsKey bool

	server Server
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
				return Entry{}, fmt.Errorf("%q contains a $, which %s would take for a variable; use a path or an address without one", value, client.Title)
			}
		}
	}
	if server.AlwaysLoad && client.Loads == "" {
		return Entry{}, fmt.Errorf("%s has no setting that keeps the tools loaded; leave out --always-load, which is for Claude Code", client.Title)
	}
	if server.URL != "" && client.Remote.URL == "" {
		return Entry{}, fmt.Errorf("%s's file can hold only servers that it starts itself, so nothing was written; docs/clients.md has an entry that reaches a server over HTTP through mcp-remote, and Settings → Connectors adds one that needs no key", client.Title)
	}
	entry := Entry{Client: client, Name: server.Name, server: server}
	key := server.Key
	if client.AsksForKey(server) {
		id := inputID(server.Name)
		key, entry.Input = inputReference(id), input(id)
	} else {
		entry.HoldsKey = key != ""
	}
	if server.URL != "" {
		entry.Value = client.remote(server.URL, key)
	} else {
		entry.Value = client.local(server, key)
	}
	if server.AlwaysLoad {
		entry.Value = append(entry.Value, Field{client.Loads, true})
	}
	return entry, nil
}

// AsksForKey reports whether the client asks for the key of a server itself.
func (c Client) AsksForKey(server Server) bool {
	return c.Inputs != "" && !server.Demo && !server.Login && server.KeyFile == ""
}

// NeedsKey reports whether the entry for a server contains the key.
func (c Client) NeedsKey(server Server) bool {
	return !server.Demo && !server.Login && server.KeyFile == "" && !c.AsksForKey(server)
}

func (c Client) local(server Server, key string) Object {
	value := append(text("type", c.Local.Type), text("command", server.Command)...)
	if server.Demo || c.Local.NeedsArgs {
		args := []string{}
		if server.Demo {
			args = append(args, "--demo")
		}
		value = append(value, Field{Name: "args", Value: args})
	}
	env := slices.Concat(text("OUTLINE_API_URL", server.Outline), text("OUTLINE_API_KEY", key), text("OUTLINE_API_KEY_FILE", server.KeyFile))
	if len(env) > 0 && !server.Demo {
		value = append(value, Field{Name: "env", Value: env})
	}
	return append(value, c.Extra...)
}

func (c Client) remote(url, key string) Object {
	value := append(text("type", c.Remote.Type), text(c.Remote.URL, url)...)
	if key != "" {
		value = append(value, Field{Name: c.Remote.Headers, Value: Object{{Name: KeyHeader, Value: key}}})
	}
	return append(value, c.Extra...)
}

// text returns an object with one field, or without fields if the value is "".
func text(name, value string) Object {
	if value == "" {
		return nil
	}
	return Object{{Name: name, Value: value}}
}

// checkName returns an error for a name that some client does not accept or
// shows truncated: some append the name of a tool and allow 60 characters for
// both.
func checkName(name string) error {
	allowed := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if name == "" || len(name) > 32 || strings.IndexFunc(name, func(r rune) bool { return !allowed(r) }) >= 0 {
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

// inputID is the ID of the input for an entry.
func inputID(name string) string { return name + "-api-key" }

func inputReference(id string) string { return "${input:" + id + "}" }

// inputOf returns the ID of the input that an entry takes its key from, or "".
func (c Client) inputOf(entry any) string {
	id, found := strings.CutPrefix(c.keyIn(entry), "${input:")
	if !found {
		return ""
	}
	return strings.TrimSuffix(id, "}")
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
