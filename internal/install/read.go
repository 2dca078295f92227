package install

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Written is an entry as a client's file holds it, with the variables in it
// expanded as the client does.
type Written struct {
	Path    string // of the file
	Command string
	Args    []string
	Env     []string // in the form of os.Environ
	URL     string   // of a server over HTTP, in place of a command
	Headers map[string]string
	// AsksForKey reports that the client asks for the key itself and stores it.
	AsksForKey bool
}

// Read returns the entry with a name in a client's file. Getenv returns a variable
// of the environment, "" if it is not set.
func Read(path string, client Client, name string, getenv func(string) string) (Written, error) {
	file, err := open(path)
	if err != nil {
		return Written{}, err
	}
	if !file.exists() {
		return Written{}, fmt.Errorf("%s has no configuration file at %s; run outline-mcp install %s, or name the file with --file", client.Title, path, client.Name)
	}
	there, found, err := client.format.member(file.content, client.Container, name)
	if err != nil {
		return Written{}, fmt.Errorf("%s cannot be read: %w; correct the file", path, err)
	}
	entry, isObject := there.(Object)
	if !found || !isObject {
		return Written{}, fmt.Errorf("%s has no entry %q; run outline-mcp install %s, or name another entry with --name", path, name, client.Name)
	}
	w := Written{Path: path, Headers: map[string]string{}, AsksForKey: client.inputOf(entry) != ""}
	expand := func(value any) string { return client.expand(value, getenv) }
	w.Command = expand(entry.Field("command"))
	args, _ := entry.Field("args").([]any)
	for _, one := range args {
		w.Args = append(w.Args, expand(one))
	}
	w.URL = expand(cmp.Or(entry.Field("url"), entry.Field("serverUrl"), entry.Field("httpUrl")))
	for _, field := range objectOf(entry.Field("env")) {
		if value := expand(field.Value); !isInput(value) {
			w.Env = append(w.Env, field.Name+"="+value)
		}
	}
	for _, field := range objectOf(entry.Field(client.Remote.Headers)) {
		if value := expand(field.Value); !isInput(value) {
			w.Headers[field.Name] = value
		}
	}
	return w, nil
}

func objectOf(value any) Object {
	object, _ := value.(Object)
	return object
}

// isInput reports whether a value is one that the client asks for.
func isInput(value string) bool { return strings.HasPrefix(value, "${input:") }

// variable matches a variable in the forms ${NAME} and ${env:NAME}.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`) })

// expand returns a text of an entry with its variables replaced, if the client does
// so. A variable that is not set stays.
func (c Client) expand(value any, getenv func(string) string) string {
	text, _ := value.(string)
	if !c.Expands {
		return text
	}
	return variable().ReplaceAllStringFunc(text, func(match string) string {
		return cmp.Or(getenv(variable().FindStringSubmatch(match)[1]), match)
	})
}
