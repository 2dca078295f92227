package install

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// merged is an entry that replaces another one.
type merged struct {
	value   Object
	kept    []string // names of what only the old entry has
	dropped []string // names of what no longer fits
}

// over returns the entry merged with the one that it replaces: settings that
// the user added are kept where they fit.
func (e Entry) over(there any) merged {
	m := merged{value: slices.Clone(e.Value)}
	entry, _ := there.(Object)
	remote := e.server.URL != ""
	turned := isRemote(entry, remote) != remote
	for _, old := range entry {
		switch name := old.Name; {
		case name == "env":
			m.names(old, remote, ownVariable, func(string) bool { return true })
		case name == e.Client.Remote.Headers:
			m.names(old, !remote, ownHeader, func(name string) bool {
				return e.sameHost(entry) || strings.HasPrefix(strings.ToLower(name), "x-outline-")
			})
		case name == "args":
			m.args(old, !remote && sameProgram(entry.Field("command"), e.server.Command))
		case written(name), e.server.AlwaysLoad && name == e.Client.Loads:
		case e.Client.Extra.Field(name) != nil:
			if !same(Object{old}, Object{{Name: name, Value: e.Value.Field(name)}}) {
				m.keep(name, old.Value)
			}
		case turned && slices.Contains(onlyFor(!remote), name):
			m.dropped = append(m.dropped, name)
		default:
			m.keep(name, old.Value)
		}
	}
	return m
}

// keep takes over a field.
func (m *merged) keep(name string, value any) {
	m.kept = append(m.kept, name)
	m.set(name, value)
}

func (m *merged) set(name string, value any) {
	if i := slices.IndexFunc(m.value, func(field Field) bool { return field.Name == name }); i >= 0 {
		m.value[i].Value = value
		return
	}
	m.value = append(m.value, Field{Name: name, Value: value})
}

// names takes over the variables or headers of the old entry, except those that
// are written anyway (own), do not fit, or are foreign to the new entry.
func (m *merged) names(old Field, foreign bool, own, fits func(name string) bool) {
	there, _ := old.Value.(Object)
	mine, _ := m.value.Field(old.Name).(Object)
	all := slices.Clone(mine)
	for _, one := range there {
		switch name := old.Name + " " + one.Name; {
		case own(one.Name):
		case foreign || !fits(one.Name):
			m.dropped = append(m.dropped, name)
		default:
			m.kept = append(m.kept, name)
			all = append(all, one)
		}
	}
	if len(all) > len(mine) {
		m.set(old.Name, all)
	}
}

// args takes over the arguments of the old entry except --demo, if the program
// is the same.
func (m *merged) args(old Field, same bool) {
	there, _ := old.Value.([]any)
	args, _ := m.value.Field("args").([]string)
	var mine []any
	for _, one := range args {
		mine = append(mine, one)
	}
	others := slices.DeleteFunc(slices.Clone(there), func(one any) bool { return one == any("--demo") })
	switch {
	case len(others) == 0:
	case same:
		m.keep("args", append(mine, others...))
	default:
		m.dropped = append(m.dropped, "args")
	}
}

func ownVariable(name string) bool {
	return name == "OUTLINE_API_URL" || name == "OUTLINE_API_KEY" || name == "OUTLINE_API_KEY_FILE"
}

func ownHeader(name string) bool { return strings.EqualFold(name, KeyHeader) }

// written reports whether a field is set, or left out on purpose, by the entry
// itself.
func written(name string) bool {
	return name == "type" || name == "command" || isAddress(name)
}

// isAddress reports whether a field holds the address of a server in some
// client.
func isAddress(name string) bool { return name == "url" || name == "serverUrl" || name == "httpUrl" }

// onlyFor returns the fields that only apply to a server over HTTP, or only to
// one that the client starts, in some client.
func onlyFor(remote bool) []string {
	if remote {
		return []string{"auth", "oauth", "authProviderType", "headersHelper", "bearer_token_env_var", "env_http_headers", "oauth_resource", "scopes"}
	}
	return []string{"cwd", "envFile", "env_vars", "dev", "sandbox", "sandboxEnabled"}
}

// isRemote reports whether an entry is for a server over HTTP; unknown is the
// result for an entry that does not tell.
func isRemote(entry Object, unknown bool) bool {
	if entry.Field("command") != nil {
		return false
	}
	return unknown || slices.ContainsFunc(entry, func(field Field) bool { return isAddress(field.Name) })
}

// sameHost reports whether the old entry is for the same host, which may see
// the headers in it.
func (e Entry) sameHost(there Object) bool {
	address, _ := there.Field(e.Client.Remote.URL).(string)
	before, err := url.Parse(address)
	if err != nil {
		return false
	}
	now, err := url.Parse(e.server.URL)
	return err == nil && strings.EqualFold(before.Host, now.Host)
}

// sameProgram reports whether two commands start the same program, perhaps in
// different folders.
func sameProgram(there any, command string) bool {
	base := func(command string) string {
		return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/"))), ".exe")
	}
	before, _ := there.(string)
	return before != "" && base(before) == base(command)
}

// keyIn returns the key in an entry, or the reference in its place.
func (c Client) keyIn(there any) string {
	entry, _ := there.(Object)
	env, _ := entry.Field("env").(Object)
	if key, _ := env.Field("OUTLINE_API_KEY").(string); key != "" {
		return key
	}
	headers, _ := entry.Field(c.Remote.Headers).(Object)
	for _, header := range headers {
		if ownHeader(header.Name) {
			key, _ := header.Value.(string)
			return key
		}
	}
	return ""
}
