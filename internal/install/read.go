package install

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"outline-mcp/internal/config"
	"outline-mcp/outline/transport"
)

// Written is an entry as a client's file holds it, with the variables in it
// expanded as the client does.
type Written struct {
	Path    string // of the file
	Client  Client
	Name    string // of the entry
	Command string
	Args    []string
	Env     []string          // in the form of os.Environ
	URL     string            // of a server over HTTP, in place of a command
	Headers map[string]string // by canonical names
	// AsksForKey reports that the client asks for the key itself and stores it.
	AsksForKey bool

	// Problems are what the client does not read or not use as it is meant.
	Problems []Problem
	// Unusable reports that a problem leaves the client without this server, so that
	// nothing else can be said about it.
	Unusable bool

	src []byte // what is in the file
}

// Problem is something wrong with a client's file.
type Problem struct {
	Finding, Advice string
	Warning         bool // the client may cope with it
}

// stop adds a problem that leaves the client without the server.
func (w *Written) stop(finding, advice string) {
	if w.Client.TOML { // "name": value is name = value there
		member := regexp.MustCompile(`"([\w-]+)": `)
		finding, advice = member.ReplaceAllString(finding, "$1 = "), member.ReplaceAllString(advice, "$1 = ")
	}
	w.Problems = append(w.Problems, Problem{Finding: finding, Advice: advice})
	w.Unusable = true
}

// Read reads the entry with a name in a client's file, as that client does. Getenv
// returns a variable of the environment, "" if it is not set. Whatever is wrong is
// in the Problems of the result.
func Read(path string, client Client, name string, getenv func(string) string) Written {
	w := Written{Path: path, Headers: map[string]string{}, Client: client, Name: name}
	if entry := w.find(); !w.Unusable {
		w.read(entry, getenv)
	}
	return w
}

// find returns the entry, unless it adds a problem.
func (w *Written) find() Object {
	install := "run outline-mcp install " + w.Client.Name
	file, err := open(w.Path)
	switch {
	case err != nil:
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		w.stop(finding, advice)
		return nil
	case !file.exists():
		w.stop(w.Client.Title+" has no configuration file at "+w.Path, install+", or name the file with --file")
		return nil
	}
	w.src = file.content
	there, found, err := w.Client.get(w.src, w.Client.server(w.Name))
	strict, remedy := w.Client.strictly(w.src)
	entry, isObject := there.(Object)
	switch {
	case err != nil:
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		w.stop(w.Client.Title+" cannot read "+w.Path+": "+finding, cmp.Or(advice, "correct the file"))
	case file.isMarked() && w.Client.Strict:
		w.stop(w.Client.Title+" cannot read "+w.Path+": it begins with a byte order mark (BOM)", "save it as UTF-8 without BOM, or "+install+", which removes the mark")
	case strict != "" && w.Client.Strict:
		w.stop(w.Client.Title+" cannot read "+w.Path+": "+strict, remedy)
	case !found:
		finding, advice := w.missing()
		w.stop(w.Path+" "+finding, cmp.Or(advice, install+", or name another entry with --name"))
	case !isObject:
		w.stop(fmt.Sprintf("the entry %q in %s is not an object { }", w.Name, w.Path), install)
	case file.isMarked():
		w.Problems = append(w.Problems, Problem{w.Client.Title + " may not read " + w.Path + ": it begins with a byte order mark (BOM)", install + ", which removes the mark", true})
	case strict != "":
		w.Problems = append(w.Problems, Problem{w.Client.Title + " may not read " + w.Path + ": " + strict, remedy, true})
	}
	return entry
}

// read takes over the fields of an entry, and adds what is wrong with them.
func (w *Written) read(entry Object, getenv func(string) string) {
	w.checkFields(entry)
	expand := func(value any) string { return w.Client.expand(value, getenv) }
	w.AsksForKey = w.Client.inputOf(entry) != ""
	w.Command = expand(entry.Field("command"))
	args, _ := entry.Field("args").([]any)
	w.Args = mapList(args, expand)
	if w.Client.Remote.URL != "" {
		w.URL = expand(cmp.Or(entry.Field(w.Client.Remote.URL), entry.Field("url")))
	}
	for _, field := range objectOf(entry.Field("env")) {
		if value := expand(field.Value); !isInput(value) {
			w.Env = append(w.Env, field.Name+"="+value)
		}
	}
	for _, field := range objectOf(entry.Field(w.Client.Remote.Headers)) {
		if value := expand(field.Value); !isInput(value) {
			w.Headers[http.CanonicalHeaderKey(field.Name)] = value
		}
	}
	w.checkCommand(getenv)
	on := func(setting string) bool {
		name, value, _ := strings.Cut(setting, "=")
		is, _ := strconv.ParseBool(value)
		return name == "OUTLINE_STRUCTURED_OUTPUT" && is
	}
	if w.Client.Structured != "" && slices.ContainsFunc(w.Env, on) {
		w.Problems = append(w.Problems, Problem{"OUTLINE_STRUCTURED_OUTPUT is on, with which " + w.Client.Title + " " + w.Client.Structured, "remove it from the entry", true})
	}
}

// checkCommand reports a command that no program has as its path.
func (w *Written) checkCommand(getenv func(string) string) {
	if rest, found := strings.CutPrefix(w.Command, "~/"); found {
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"), "/home/you")
		w.stop(fmt.Sprintf(`%s does not replace the ~ in "command": %s`, w.Client.Title, quote(w.Command)), `write the whole path: "command": `+quote(filepath.ToSlash(filepath.Join(home, rest))))
		return
	}
	info, err := os.Stat(w.Command)
	switch absent := err != nil; {
	case err == nil && info.IsDir():
		w.stop(`"command" is a folder: `+quote(w.Command), "write the path of the program in it")
		return
	case absent && runtime.GOOS != "windows" && regexp.MustCompile(`^[A-Za-z]:[/\\]`).MatchString(w.Command):
		w.stop(`"command" is a path of Windows, where this system has none: `+quote(w.Command), "install the program here too, then run outline-mcp install "+w.Client.Name)
		return
	case strings.ContainsAny(w.Command, `/\`) && !filepath.IsAbs(w.Command):
		w.stop(`"command" is a relative path, which depends on the folder that `+w.Client.Title+" starts in: "+quote(w.Command), "write the whole path, which begins with /")
		return
	}
	program, args, found := strings.Cut(w.Command, " ")
	if err == nil || !found || !strings.HasPrefix(filepath.Base(program), "outline-mcp") {
		return
	}
	w.stop(`"command" holds arguments besides the program`, `write "command": `+quote(program)+`, "args": `+listOf(args))
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

// missing says what the file has in place of the entry. The advice may be "".
func (w *Written) missing() (finding, advice string) {
	none := fmt.Sprintf("has no entry %q", w.Name)
	root, err := w.Client.decode(w.src, w.Client.server(w.Name))
	if err != nil {
		return none, ""
	}
	var names []string
	for _, field := range objectOf(root.Field(w.Client.Container)) {
		if strings.EqualFold(field.Name, w.Name) {
			return fmt.Sprintf("%s, but one called %q", none, field.Name), fmt.Sprintf("rename it to %q, or check it with --name %s", w.Name, field.Name)
		}
		names = append(names, quote(field.Name))
	}
	for _, field := range root {
		entry := objectOf(field.Value)
		isServer := entry.Field("command") != nil || slices.ContainsFunc(entry, func(one Field) bool { return isAddress(one.Name) })
		isContainer := slices.Contains([]string{"mcpservers", "servers", "mcp_servers", "mcp"}, strings.ToLower(field.Name))
		inOther := isContainer && field.Name != w.Client.Container && entry.Field(w.Name) != nil
		if !inOther && (!isServer || !strings.EqualFold(field.Name, w.Name)) {
			continue
		}
		line, into, from := fmt.Sprintf(" (line %d)", lineOf(w.src, field.at)), quote(w.Client.Container), quote(field.Name)
		placed := into + ": { " + quote(w.Name) + ": { ... } }"
		if w.Client.TOML {
			line, into, from = "", fmt.Sprintf("[%s.%s]", w.Client.Container, w.Name), fmt.Sprintf("[%s.%s]", field.Name, w.Name)
			placed = into
		}
		if inOther {
			return fmt.Sprintf("has the entry %q in %q%s, where %s does not look", w.Name, field.Name, line, w.Client.Title), "write " + into + " in place of " + from
		}
		return fmt.Sprintf("has the entry %q%s, but not in %q", field.Name, line, w.Client.Container), "write it as " + placed
	}
	const most = 10
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", more))
	}
	if len(names) > 0 {
		return none + "; it has " + strings.Join(names, ", "), ""
	}
	return none, ""
}

// wrong adds a problem with a field of the entry.
func (w *Written) wrong(field Field, finding, advice string) {
	at := quote(field.Name)
	if !w.Client.TOML {
		at = fmt.Sprintf("line %d: %s", lineOf(w.src, field.at), at)
	}
	w.stop(at+" "+finding, advice)
}

const (
	textWanted = "must be text in quotation marks"
	noScheme   = "has no http:// or https:// at its beginning"
)

// checkFields reports fields that the client does not use as they are meant.
func (w *Written) checkFields(entry Object) {
	known := []string{"command", "args", "env", "url", w.Client.Remote.URL, w.Client.Remote.Headers}
	for _, field := range entry {
		name, value := field.Name, field.Value
		text, isText := value.(string)
		meant := config.Nearest(strings.ToLower(name), known)
		if isAddress(name) && name != "url" && entry.Field("command") == nil {
			meant = w.Client.Remote.URL
		}
		switch {
		case isAddress(name) && w.Client.Remote.URL == "":
			if entry.Field("command") == nil {
				w.wrong(field, "is not read by "+w.Client.Title+", whose file can hold only servers that it starts itself", "add the server under Settings → Connectors, or write an entry that reaches it through mcp-remote (docs/clients.md)")
			}
		case len(name) > 2 && meant != "" && meant != name && entry.Field(meant) == nil:
			w.wrong(field, "is not a name that "+w.Client.Title+" knows", "write "+quote(meant))
		case (name == "command" || isAddress(name)) && !isText:
			w.wrong(field, textWanted, "write it so")
		case isAddress(name) && withScheme(text) != "":
			w.wrong(field, noScheme, "write "+quote(name)+": "+quote(withScheme(text)))
		case name == "args" && isText:
			w.wrong(field, "must be a list in [ ]", `write "args": `+listOf(text))
		case name == "args" && !isTextList(value):
			w.wrong(field, "must be a list of texts", `write it like "args": ["--demo"]`)
		case name == "env" || name == w.Client.Remote.Headers:
			w.checkNames(field)
		case (name == "disabled" || name == "enabled") && isText:
			w.wrong(field, "must be true or false, without quotation marks", fmt.Sprintf("write %q: %t", name, name == "enabled"))
		case name == "disabled" && value == true, name == "enabled" && value == false:
			w.wrong(field, "turns the entry off", fmt.Sprintf("remove the line, or write %q: %t", name, value == false))
		}
	}
}

// checkNames checks the environment or the headers of an entry.
func (w *Written) checkNames(field Field) {
	object, isObject := field.Value.(Object)
	if !isObject {
		var example Object
		list, _ := field.Value.([]any)
		for _, one := range list {
			text, _ := one.(string)
			if name, _, found := strings.Cut(text, "="); found {
				example = append(example, Field{Name: name, Value: "..."})
			}
		}
		if example == nil && field.Name == "env" {
			example = Object{{Name: "OUTLINE_API_KEY", Value: "..."}}
		} else if example == nil {
			example = Object{{Name: KeyHeader, Value: "..."}}
		}
		w.wrong(field, "must hold names and values in { }", "write "+quote(field.Name)+": "+layout{compact: true}.value(example, ""))
	}
	for _, one := range object {
		text, isText := one.Value.(string)
		upper, fixed := strings.ToUpper(one.Name), withScheme(text)
		switch {
		case !isText:
			w.wrong(one, textWanted, fmt.Sprintf(`write %s: "%v"`, quote(one.Name), cmp.Or(plainValue(one.Value), any(""))))
		case field.Name == "env" && upper != one.Name && slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool { return setting.Name == upper }):
			w.wrong(one, "must be in capital letters", "write "+quote(upper))
		case one.Name == "OUTLINE_API_URL" && fixed != "":
			w.wrong(one, noScheme, `write "OUTLINE_API_URL": `+quote(fixed))
		}
	}
}

// isTextList reports whether a value is a list of texts.
func isTextList(value any) bool {
	list, isList := value.([]any)
	return isList && !slices.ContainsFunc(list, func(one any) bool { _, ok := one.(string); return !ok })
}

// listOf writes the words of a text as a list in JSON.
func listOf(text string) string {
	return "[" + strings.Join(mapList(strings.Fields(text), func(word string) string { return quote(word) }), ", ") + "]"
}

// withScheme returns an address that lacks a scheme with one, or "".
func withScheme(address string) string {
	host := config.WithoutScheme(address)
	switch {
	case host == "":
		return ""
	case transport.IsLoopback(host):
		return "http://" + address
	}
	return "https://" + address
}
