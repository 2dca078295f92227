package install

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
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

	// Problems are what the client does not read or not use as it is meant.
	Problems []Problem
	// Unusable reports that a problem leaves the client without this server, so that
	// nothing else can be said about it.
	Unusable bool
}

// Problem is something wrong with a client's file.
type Problem struct {
	Finding, Advice string
	Warning         bool // the client may cope with it
}

// stop adds a problem that leaves the client without the server.
func (w *Written) stop(finding, advice string) {
	w.Problems = append(w.Problems, Problem{Finding: finding, Advice: advice})
	w.Unusable = true
}

// Read reads the entry with a name in a client's file, as that client does. Getenv
// returns a variable of the environment, "" if it is not set. Whatever is wrong is
// in the Problems of the result.
func Read(path string, client Client, name string, getenv func(string) string) Written {
	w := Written{Path: path, Headers: map[string]string{}}
	install := "run outline-mcp install " + client.Name
	file, err := open(path)
	switch {
	case err != nil:
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		w.stop(finding, advice)
		return w
	case !file.exists():
		w.stop(client.Title+" has no configuration file at "+path, install+", or name the file with --file")
		return w
	}
	there, found, err := client.get(file.content, client.server(name))
	if err != nil {
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		w.stop(client.Title+" cannot read "+path+": "+finding, cmp.Or(advice, "correct the file"))
		return w
	}
	if w.checkStrictness(client, file.content); w.Unusable {
		return w
	}
	if !found {
		finding, advice := missing(file.content, client, name)
		w.stop(path+" "+finding, cmp.Or(advice, install+", or name another entry with --name"))
		return w
	}
	entry, isObject := there.(Object)
	if !isObject {
		w.stop(fmt.Sprintf("the entry %q in %s is not an object { }", name, path), install)
		return w
	}
	w.AsksForKey = client.inputOf(entry) != ""
	w.checkFields(inspection{client, file.content, name}, entry)
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
	if w.Command != "" {
		w.checkCommand(client, getenv)
	}
	return w
}

// checkCommand reports a command that no program has as its path.
func (w *Written) checkCommand(client Client, getenv func(string) string) {
	if rest, found := strings.CutPrefix(w.Command, "~/"); found {
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"), "/home/you")
		w.stop(fmt.Sprintf(`%s does not replace the ~ in "command": %s`, client.Title, quote(w.Command)), `write the whole path: "command": `+quote(filepath.ToSlash(filepath.Join(home, rest))))
		return
	}
	program, args, found := strings.Cut(w.Command, " ")
	if _, err := os.Stat(w.Command); err == nil || !found || !strings.HasPrefix(strings.TrimSuffix(filepath.Base(program), ".exe"), "outline-mcp") {
		return
	}
	list := strings.Join(mapped(strings.Fields(args), quote), ", ")
	w.stop(`"command" holds arguments besides the program`, fmt.Sprintf(`write them in "args": "command": %s, "args": [%s]`, quote(program), list))
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
