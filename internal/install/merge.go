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
	dropped []string // names of what does not fit the new one
}

// over returns the entry merged with the one that it replaces. What the user added is
// kept, unless the entry is for another kind of server or another host, which must not
// see the headers.
func (e Entry) over(there any) merged {
	m := merged{value: slices.Clone(e.Value)}
	old := objectOf(there)
	fits := e.sameServer(old)
	for _, field := range old {
		name, mine := field.Name, m.value.Field(field.Name)
		switch {
		case name == "type", name == "command", isAddress(name), e.server.AlwaysLoad && name == e.Client.Loads:
		case name == "env" || name == e.Client.Remote.Headers:
			all := slices.Clip(objectOf(mine))
			for _, one := range objectOf(field.Value) {
				limit := e.server.URL != "" && strings.HasPrefix(strings.ToLower(one.Name), "x-outline-")
				if !ownVariable(one.Name) && !ownHeader(one.Name) && m.keeps(fits || limit, name+" "+one.Name) {
					all = append(all, one)
				}
			}
			m.set(name, all)
		case name == "args":
			list, _ := field.Value.([]any)
			added := slices.DeleteFunc(slices.Clone(list), func(one any) bool { return one == any("--demo") })
			if len(added) > 0 && m.keeps(fits && sameProgram(old, e.server.Command), name) {
				before, _ := plain(mine).([]any)
				m.value = append(m.value.without(name), Field{name, append(before, added...)})
			}
		case mine != nil && equal(plain(mine), plain(field.Value)):
		case m.keeps(fits, name):
			m.set(name, field.Value)
		}
	}
	return m
}

// keeps notes that something of the old entry is kept or dropped, and returns which.
func (m *merged) keeps(fits bool, name string) bool {
	if fits {
		m.kept = append(m.kept, name)
	} else {
		m.dropped = append(m.dropped, name)
	}
	return fits
}

// set sets a field, unless the value is an Object without fields.
func (m *merged) set(name string, value any) {
	i := slices.IndexFunc(m.value, func(field Field) bool { return field.Name == name })
	switch object, is := value.(Object); {
	case is && len(object) == 0:
	case i >= 0:
		m.value[i].Value = value
	default:
		m.value = append(m.value, Field{name, value})
	}
}

// sameServer reports whether the old entry is for a server of the same kind and, over
// HTTP, on the same host.
func (e Entry) sameServer(old Object) bool {
	i := slices.IndexFunc(old, func(field Field) bool { return isAddress(field.Name) })
	if e.server.URL == "" || i < 0 {
		return e.server.URL == "" && i < 0
	}
	address, _ := old[i].Value.(string)
	before, err := url.Parse(address)
	now, errNow := url.Parse(e.server.URL)
	return err == nil && errNow == nil && strings.EqualFold(before.Host, now.Host)
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
	if key, _ := objectOf(entry.Field("env")).Field("OUTLINE_API_KEY").(string); key != "" {
		return key
	}
	for _, header := range objectOf(entry.Field(c.Remote.Headers)) {
		if ownHeader(header.Name) {
			key, _ := header.Value.(string)
			return key
		}
	}
	return ""
}
