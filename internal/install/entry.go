package install

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/clientfile"
)

// Server is the server of an entry: how to start it, or where it is.
type Server struct {
	Name string // of the entry

	Command string // the program, by its absolute path
	Demo    bool   // serve the embedded workspace, which needs nothing else
	Outline string // the address of Outline, or "" for the default
	Taken   bool   // Outline was taken from another address, such as that of a page

	URL   string // the address of a server over HTTP, in place of a command
	Login bool   // people log in to that server, without a key

	Key     string // the API key
	KeyFile string // the absolute path of the file that holds it instead
}

// KeyHeader is the header in which a request sends its own Outline key.
const KeyHeader = "X-Outline-API-Key"

// Entry is what is written to a client's file.
type Entry struct {
	Client Client
	Name   string
	Value  clientfile.Object
	// Input describes the key that the client asks for itself. It may be empty.
	Input clientfile.Object
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
	if server.URL != "" && client.Remote.URL == "" {
		return Entry{}, fmt.Errorf("%s", client.Remote.Instead(server.Name, server.URL))
	}
	return newEntry(client, server, inputIDs(server.Name)[0]), nil
}

// newEntry returns the entry for a server. The ID is that of the client's input
// for the key, if the client asks for it.
func newEntry(client Client, server Server, id string) Entry {
	entry := Entry{Client: client, Name: server.Name, server: server}
	key := server.Key
	if client.AsksForKey(server) {
		key, entry.Input = inputReference(id), input(id)
	} else {
		entry.HoldsKey = key != ""
	}
	if server.URL != "" {
		entry.Value = client.remote(server.URL, key)
	} else {
		entry.Value = client.local(server, key)
	}
	return entry
}

// AsksForKey reports whether the client asks for the key of a server itself.
func (c Client) AsksForKey(server Server) bool {
	return c.Inputs != "" && !server.Demo && !server.Login && server.KeyFile == ""
}

// NeedsKey reports whether the entry for a server contains the key.
func (c Client) NeedsKey(server Server) bool {
	return !server.Demo && !server.Login && server.KeyFile == "" && !c.AsksForKey(server)
}

func (c Client) local(server Server, key string) clientfile.Object {
	value := append(text("type", c.Local.Type), text("command", server.Command)...)
	if server.Demo || c.Local.NeedsArgs {
		args := []string{}
		if server.Demo {
			args = append(args, "--demo")
		}
		value = append(value, clientfile.Field{Name: "args", Value: args})
	}
	env := slices.Concat(text("OUTLINE_API_URL", server.Outline), text("OUTLINE_API_KEY", key), text("OUTLINE_API_KEY_FILE", server.KeyFile))
	if len(env) > 0 && !server.Demo {
		value = append(value, clientfile.Field{Name: "env", Value: env})
	}
	return append(value, c.Local.Extra...)
}

func (c Client) remote(url, key string) clientfile.Object {
	value := append(text("type", c.Remote.Type), text(c.Remote.URL, url)...)
	if key != "" {
		value = append(value, clientfile.Field{Name: c.Remote.Headers, Value: clientfile.Object{{Name: KeyHeader, Value: key}}})
	}
	return append(value, c.Remote.Extra...)
}

// text returns an object with one field, or without fields if the value is "".
func text(name, value string) clientfile.Object {
	if value == "" {
		return nil
	}
	return clientfile.Object{{Name: name, Value: value}}
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
