package install

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"outline-mcp/internal/config"
	"outline-mcp/outline/transport"
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

// inspection is an entry in a client's file that is looked at for mistakes.
type inspection struct {
	client Client
	src    []byte
	name   string
}

// checkStrictness reports comments and commas that some clients do not read.
func (w *Written) checkStrictness(client Client, src []byte) {
	if client.TOML || client.Lenient {
		return
	}
	switch finding, advice := strictly(src); {
	case finding == "":
	case client.Strict:
		w.stop(fmt.Sprintf("%s cannot read %s: %s", client.Title, w.Path, finding), advice)
	default:
		w.Problems = append(w.Problems, Problem{fmt.Sprintf("%s may not read %s: %s", client.Title, w.Path, finding), advice, true})
	}
}

// missing says what a file has in place of an entry. The advice may be "".
func missing(src []byte, client Client, name string) (finding, advice string) {
	none := fmt.Sprintf("has no entry %q", name)
	f, err := parseJSON(src)
	if client.TOML || err != nil {
		return none, ""
	}
	root := objectOf(orderedJSON(f.root.Value))
	var names []string
	for _, field := range objectOf(root.Field(client.Container)) {
		if strings.EqualFold(field.Name, name) {
			return fmt.Sprintf("%s, but one called %q", none, field.Name), fmt.Sprintf("rename it to %q, or check it with --name %s", name, field.Name)
		}
		names = append(names, quote(field.Name))
	}
	containers := []string{"mcpservers", "servers", "mcp_servers", "mcp"}
	for _, field := range root {
		entry, isObject := field.Value.(Object)
		line := f.lineOfMember(field.Name)
		switch {
		case !isObject || field.Name == client.Container:
		case slices.Contains(containers, strings.ToLower(field.Name)) && entry.Field(name) != nil:
			return fmt.Sprintf("has the entry %q in %q (line %d), where %s does not look", name, field.Name, line, client.Title), fmt.Sprintf("write %q in place of %q", client.Container, field.Name)
		case strings.EqualFold(field.Name, name) && isServer(entry):
			return fmt.Sprintf("has the entry %q (line %d), but not in %q", field.Name, line, client.Container), fmt.Sprintf(`write it as "%s": { %s: { ... } }`, client.Container, quote(name))
		}
	}
	if len(names) > 0 {
		return none + "; it has " + strings.Join(names, ", "), ""
	}
	return none, ""
}

// isServer reports whether an object looks like the entry of a server.
func isServer(entry Object) bool {
	return slices.ContainsFunc(entry, func(field Field) bool { return field.Name == "command" || isAddress(field.Name) })
}

// lineOfMember returns the line of a member below the root, named by its path.
func (f *jsonFile) lineOfMember(path ...string) int {
	value, line := f.root, 1
	for _, name := range path {
		object, ok := value.Value.(*hujson.Object)
		if !ok {
			break
		}
		for _, member := range object.Members {
			if member.Name.Value.(hujson.Literal).String() == name {
				value, line = member.Value, lineOf(f.src, member.Name.StartOffset)
			}
		}
	}
	return line
}

// where returns the beginning of a finding about a field of the entry.
func (i inspection) where(field ...string) string {
	name := quote(field[len(field)-1])
	f, err := parseJSON(i.src)
	if i.client.TOML || err != nil {
		return name
	}
	return fmt.Sprintf("line %d: %s", f.lineOfMember(append([]string{i.client.Container, i.name}, field...)...), name)
}

// checkFields reports fields that a client does not use as they are meant.
func (w *Written) checkFields(i inspection, entry Object) {
	known := []string{"command", "args", "env", "url", i.client.Remote.URL, i.client.Remote.Headers}
	for _, field := range entry {
		value := field.Value
		_, isText := value.(string)
		meant := config.Nearest(strings.ToLower(field.Name), known)
		switch name := field.Name; {
		case len(name) > 2 && meant != "" && meant != name && entry.Field(meant) == nil:
			w.stop(i.where(name)+" is not a name that "+i.client.Title+" knows", "write "+quote(meant))
		case (name == "command" || isAddress(name)) && !isText:
			w.stop(i.where(name)+" must be text in quotation marks", "write it so")
		case isAddress(name):
			if fixed := withScheme(value.(string)); fixed != "" {
				w.stop(i.where(name)+" has no http:// or https:// at its beginning", fmt.Sprintf("write %s: %s", quote(name), quote(fixed)))
			}
		case name == "args":
			w.checkArgs(i, value)
		case name == "env" || name == i.client.Remote.Headers:
			w.checkNames(i, field)
		case (name == "disabled" || name == "enabled") && isText:
			w.stop(i.where(name)+" must be true or false, without quotation marks", "write "+quote(name)+": "+fmt.Sprint(name == "enabled"))
		case name == "disabled" && value == true, name == "enabled" && value == false:
			w.stop(i.where(name)+" turns the entry off", "remove the line, or write "+quote(name)+": "+fmt.Sprint(value == false))
		}
	}
}

func (w *Written) checkArgs(i inspection, value any) {
	list, isList := value.([]any)
	text, isText := value.(string)
	switch {
	case isText:
		w.stop(i.where("args")+" must be a list in [ ]", `write "args": [`+strings.Join(mapped(strings.Fields(text), quote), ", ")+"]")
	case !isList || slices.ContainsFunc(list, func(one any) bool { _, ok := one.(string); return !ok }):
		w.stop(i.where("args")+" must be a list of texts", `write it like "args": ["--demo"]`)
	}
}

// checkNames checks the environment or the headers of an entry.
func (w *Written) checkNames(i inspection, field Field) {
	object, isObject := field.Value.(Object)
	if !isObject {
		var names []string
		list, _ := field.Value.([]any)
		for _, one := range list {
			text, _ := one.(string)
			if name, _, found := strings.Cut(text, "="); found {
				names = append(names, quote(name)+`: "..."`)
			}
		}
		if len(names) == 0 {
			names = []string{`"OUTLINE_API_KEY": "..."`}
		}
		w.stop(i.where(field.Name)+" must hold names and values in { }", fmt.Sprintf("write %s: {%s}", quote(field.Name), strings.Join(names, ", ")))
		return
	}
	for _, one := range object {
		text, isText := one.Value.(string)
		at := i.where(field.Name, one.Name)
		if !isText {
			w.stop(at+" must be text in quotation marks", fmt.Sprintf(`write %s: "%v"`, quote(one.Name), plain(one.Value)))
			continue
		}
		if field.Name != "env" {
			continue
		}
		if upper := strings.ToUpper(one.Name); upper != one.Name && isSetting(upper) {
			w.stop(at+" must be in capital letters", "write "+quote(upper))
		} else if fixed := withScheme(text); one.Name == "OUTLINE_API_URL" && fixed != "" {
			w.stop(at+" has no http:// or https:// at its beginning", `write "OUTLINE_API_URL": `+quote(fixed))
		}
	}
}

func isSetting(name string) bool {
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool { return setting.Name == name })
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
