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

	client Client
	name   string // of the entry
	src    []byte // what is in the file
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
	w := Written{Path: path, Headers: map[string]string{}, client: client, name: name}
	if entry := w.find(); !w.Unusable {
		w.read(entry, getenv)
	}
	return w
}

// find returns the entry, unless it adds a problem.
func (w *Written) find() Object {
	install := "run outline-mcp install " + w.client.Name
	file, err := open(w.Path)
	switch {
	case err != nil:
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		w.stop(finding, advice)
		return nil
	case !file.exists():
		w.stop(w.client.Title+" has no configuration file at "+w.Path, install+", or name the file with --file")
		return nil
	}
	w.src = file.content
	there, found, err := w.client.get(w.src, w.client.server(w.name))
	strict, remedy := "", ""
	if !w.client.TOML && !w.client.Lenient {
		strict, remedy = strictly(w.src)
	}
	entry, isObject := there.(Object)
	switch {
	case err != nil:
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		w.stop(w.client.Title+" cannot read "+w.Path+": "+finding, cmp.Or(advice, "correct the file"))
	case strict != "" && w.client.Strict:
		w.stop(w.client.Title+" cannot read "+w.Path+": "+strict, remedy)
	case !found:
		finding, advice := w.missing()
		w.stop(w.Path+" "+finding, cmp.Or(advice, install+", or name another entry with --name"))
	case !isObject:
		w.stop(fmt.Sprintf("the entry %q in %s is not an object { }", w.name, w.Path), install)
	case strict != "":
		w.Problems = append(w.Problems, Problem{w.client.Title + " may not read " + w.Path + ": " + strict, remedy, true})
	}
	return entry
}

// read takes over the fields of an entry, and adds what is wrong with them.
func (w *Written) read(entry Object, getenv func(string) string) {
	w.checkFields(entry)
	expand := func(value any) string { return w.client.expand(value, getenv) }
	w.AsksForKey = w.client.inputOf(entry) != ""
	w.Command = expand(entry.Field("command"))
	args, _ := entry.Field("args").([]any)
	w.Args = mapped(args, expand)
	w.URL = expand(cmp.Or(entry.Field("url"), entry.Field("serverUrl"), entry.Field("httpUrl")))
	for _, field := range objectOf(entry.Field("env")) {
		if value := expand(field.Value); !isInput(value) {
			w.Env = append(w.Env, field.Name+"="+value)
		}
	}
	for _, field := range objectOf(entry.Field(w.client.Remote.Headers)) {
		if value := expand(field.Value); !isInput(value) {
			w.Headers[field.Name] = value
		}
	}
	w.checkCommand(getenv)
}

// checkCommand reports a command that no program has as its path.
func (w *Written) checkCommand(getenv func(string) string) {
	if rest, found := strings.CutPrefix(w.Command, "~/"); found {
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"), "/home/you")
		w.stop(fmt.Sprintf(`%s does not replace the ~ in "command": %s`, w.client.Title, quote(w.Command)), `write the whole path: "command": `+quote(filepath.ToSlash(filepath.Join(home, rest))))
		return
	}
	program, args, found := strings.Cut(w.Command, " ")
	if _, err := os.Stat(w.Command); err == nil || !found || !strings.HasPrefix(filepath.Base(program), "outline-mcp") {
		return
	}
	w.stop(`"command" holds arguments besides the program`, `write them in "args": "command": `+quote(program)+`, "args": `+listOf(args))
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
