package install

import (
	"cmp"
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
// kept, unless it does not fit the kind of server, or would give another server secrets
// or trust that it was not meant to have.
func (e Entry) over(there any) merged {
	m := merged{value: slices.Clone(e.Value)}
	old, remote := objectOf(there), e.server.URL != ""
	address := addressOf(old)
	sameKind := remote == (address != "")
	sameServer := sameKind && hostOf(address) == hostOf(e.server.URL)
	outline := func(entry Object) string { return hostOf(objectOf(entry.Field("env")).Field("OUTLINE_API_URL")) }
	sameOutline := sameServer && outline(old) == outline(e.Value)
	for _, field := range old {
		name, mine := field.Name, m.value.Field(field.Name)
		switch {
		case name == "type", name == "command", isAddress(name), e.server.AlwaysLoad && name == e.Client.Loads:
		case name == "env" || name == e.Client.Remote.Headers:
			all := slices.Clip(objectOf(mine))
			for _, one := range objectOf(field.Value) {
				fits := sameServer || remote && strings.HasPrefix(strings.ToLower(one.Name), "x-outline-")
				if strings.HasPrefix(one.Name, "OUTLINE_HEADERS") || strings.HasPrefix(one.Name, "OUTLINE_CLIENT_") {
					fits = sameOutline
				}
				if !ownVariable(one.Name) && !ownHeader(one.Name) && m.keeps(fits, name+" "+one.Name) {
					all = append(all, one)
				}
			}
			m.set(name, all)
		case name == "args":
			list, _ := field.Value.([]any)
			added := slices.DeleteFunc(slices.Clone(list), func(one any) bool { return one == any("--demo") })
			if len(added) > 0 && m.keeps(sameServer && sameProgram(old, e.server.Command), name) {
				before, _ := plain(mine).([]any)
				m.value = append(m.value.without(name), Field{name, append(before, added...)})
			}
		case mine != nil && equal(plain(mine), plain(field.Value)):
		case m.keeps((sameKind || !isOfOneKind(name)) && (sameServer || !givesTrust(name)), name):
			m.set(name, field.Value)
		}
	}
	return m
}

// isOfOneKind reports whether a field only applies to a server over HTTP, or only to one
// that the client starts, in some client.
func isOfOneKind(name string) bool {
	return slices.Contains([]string{
		"auth", "oauth", "authProviderType", "headersHelper", "bearer_token_env_var", "env_http_headers", "oauth_resource", "scopes",
		"cwd", "envFile", "env_vars", "dev", "sandbox", "sandboxEnabled",
	}, name)
}

// givesTrust reports whether a field lets a server's tools run without a question, in some
// client.
func givesTrust(name string) bool {
	return slices.Contains([]string{"autoApprove", "alwaysAllow", "trust"}, name)
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

// addressOf returns the address of a server over HTTP in an entry, or "".
func addressOf(entry Object) string {
	for _, field := range entry {
		if address, _ := field.Value.(string); isAddress(field.Name) {
			return address
		}
	}
	return ""
}

// hostOf returns the host of an address with its port, or "" if it is none.
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
