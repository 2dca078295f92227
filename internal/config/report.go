package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// Where the value of a setting comes from.
const (
	FromEnvironment = "environment"
	FromEntry       = "entry" // of an AI client
	FromFile        = "file"  // that another setting names
	FromDefault     = "default"
	FromLogin       = "the only login on this computer"
	FromOption      = "command line" // in place of what the others say
)

// Reported is a setting as it was given.
type Reported struct {
	Name   string
	Value  string // fit to be shown: secrets as ****last4, other keys and passwords as ****, long values truncated; "" if there is none
	Source string // FromEnvironment or one of the others
}

// Report is what Examine found.
type Report struct {
	Config   Config     // with the defaults in place of what cannot be used
	Settings []Reported // all, in the order of Config
	Problems []Problem
}

// Unusable reports whether one of the named settings has a problem.
func (r Report) Unusable(names ...string) bool { return problems(r.Problems).concern(names...) }

// Examine reads the settings like [Load], and continues where Load fails.
func Examine(environ []string, checks ...Check) Report {
	given := valuesOf(environ)
	c, found := parse(given)
	c.checkRanges(&found)
	c.checkKey(&found)
	c.ClientLimits = given["OUTLINE_MAX_RESPONSE_CHARS"] == ""
	corrected := c.correctAddress()
	c.checkReach(&found)
	c.checkHTTP(&found)
	c.checkTelemetry(&found)
	for _, one := range [][2]string{{"OUTLINE_SKILLS_COLLECTION", c.SkillsCollection}, {"OUTLINE_PROMPTS_COLLECTION", c.PromptsCollection}} {
		if _, err := outline.ParseCollectionID(one[1]); one[1] != "" && err != nil {
			found.add(one[0], "%q is not the ID of a collection, and any member can give another collection the same name; "+
				"use its UUID or its URL id (the end of its address), which outline-mcp call list_collections shows", shorten(one[1]))
		}
	}
	for _, check := range checks {
		found = append(found, check(c)...)
	}
	c.useDefaults(found)
	for i := range found {
		found[i].Text = outline.Redact(found[i].Text)
	}
	settings := Settings()
	c.Warnings = append(misspelled(given, settings), corrected...)
	if !c.VerifySSL {
		c.Warnings = append(c.Warnings, Problem{Setting: "OUTLINE_VERIFY_SSL", Text: "certificates are not verified: anyone on the network path to Outline can read the key and the documents"})
	}
	if c.ClientCert != "" && strings.HasPrefix(strings.ToLower(c.APIURL), "http:") {
		c.Warnings = append(c.Warnings, Problem{Setting: "OUTLINE_CLIENT_CERT", Text: "it is not sent to an address that begins with http://; use https:// in OUTLINE_API_URL, or leave it out"})
	}
	if c.PublicURL != "" && c.Transport != HTTP {
		c.Warnings = append(c.Warnings, Problem{Setting: publicURL, Text: "nobody can log in on stdio; set MCP_TRANSPORT=http, or leave it out"})
	}
	if c.RedisURL != "" && c.Transport != HTTP {
		c.Warnings = append(c.Warnings, Problem{Setting: redisURL, Text: "a server on stdio has no replicas; set MCP_TRANSPORT=http, or leave it out"})
	}
	report := Report{Config: c, Problems: found}
	fromFiles := map[string]string{
		"OUTLINE_API_KEY": c.APIKey.String(), "MCP_AUTH_TOKENS": c.AuthTokens.shown(), "MCP_STATE_SECRET": c.StateSecret.String(),
		oauthClientSecret: c.OAuthClientSecret.String(), oauthSecret: c.OAuthSecret.String(), oauthPrevious: c.OAuthSecretPrevious.String(),
		redisURL: c.RedisURL.String(), outlineHeaders: c.Headers.String(),
	}
	for _, setting := range settings {
		one := Reported{Name: setting.Name, Source: FromDefault, Value: setting.Default}
		switch value, set := given[setting.Name]; {
		case set:
			one.Source, one.Value = FromEnvironment, displayValue(setting, value)
		case fromFiles[setting.Name] != "":
			one.Source, one.Value = FromFile, fromFiles[setting.Name]
		}
		report.Settings = append(report.Settings, one)
	}
	return report
}

// displayValue returns a value as it may be printed.
func displayValue(setting Setting, value string) string {
	switch {
	case setting.Secret && setting.Type == "list":
		tokens, err := ParseSecrets(value)
		if err != nil {
			return "****"
		}
		return tokens.shown()
	case setting.Secret:
		return Secret(value).String()
	case setting.Name == "OUTLINE_API_URL", setting.Name == publicURL, setting.Name == "MCP_OAUTH_OUTLINE_URL", strings.HasSuffix(setting.Name, "_ENDPOINT"):
		return shownURL(value)
	case strings.HasSuffix(setting.Name, "_FILE") && utf8.RuneCountInString(value) >= 20 && !strings.ContainsAny(value, `/\.`):
		return "****" // a key in place of the file that holds it
	}
	return shorten(value)
}

// shownURL returns an address as it may be printed: **** if it may hold a
// password.
func shownURL(address string) string {
	if strings.ContainsAny(address, "@?#") {
		return "****"
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" {
		u, err = url.Parse("//" + address) // a host with the number of a port?
		if err != nil || u.Port() == "" {
			return "****"
		}
	}
	return shorten(address)
}

func (s Secrets) shown() string {
	var values []string
	for _, one := range s {
		values = append(values, one.String())
	}
	return strings.Join(values, ", ")
}

// A Problem is why a setting cannot be used.
type Problem struct {
	Setting string // name of the variable
	Also    string // another variable that cannot be used without it; "" if there is none
	Text    string // what is wrong and what to write; never holds the value of a key
}

// Error returns the variable's name and what is wrong with it.
func (p Problem) Error() string { return p.Setting + ": " + p.Text }

// concerns reports whether the variable called name cannot be used.
func (p Problem) concerns(name string) bool { return p.Setting == name || p.Also == name && name != "" }

// Error is every reason why the settings cannot be used.
type Error struct{ Problems []Problem }

// Error returns a line for each problem.
func (e *Error) Error() string {
	lines := "the settings cannot be used; correct them and check with outline-mcp doctor:"
	for _, problem := range e.Problems {
		lines += "\n  " + problem.Error()
	}
	return lines
}

// ProblemsOf returns the problems that an error consists of, nil if it is about
// something other than settings.
func ProblemsOf(err error) []Problem {
	if all, ok := errors.AsType[*Error](err); ok {
		return all.Problems
	}
	if one, ok := errors.AsType[Problem](err); ok {
		return []Problem{one}
	}
	return nil
}

// problems collects the problems of settings.
type problems []Problem

// add appends a problem with the setting called name.
func (p *problems) add(name, format string, args ...any) {
	*p = append(*p, Problem{Setting: name, Text: fmt.Sprintf(format, args...)})
}

// concern reports whether one of the named settings has a problem.
func (p problems) concern(names ...string) bool {
	return slices.ContainsFunc(p, func(one Problem) bool { return slices.ContainsFunc(names, one.concerns) })
}

// DidYouMean returns a question such as "did you mean install?" with the names
// among known that an unknown name may stand for, or "" if there are none: names
// that it begins or that begin with it, else the nearest one, else names with a
// word near it.
func DidYouMean(name string, known []string) string {
	name = strings.ToLower(name)
	likely := func(is func(candidate string) bool) []string {
		return slices.DeleteFunc(slices.Clone(known), func(candidate string) bool { return !is(candidate) })
	}
	found := likely(func(candidate string) bool {
		return len(name) > 2 && strings.HasPrefix(candidate, name) || strings.HasPrefix(name, candidate)
	})
	if nearest := Nearest(name, known); len(found) == 0 && nearest != "" {
		found = []string{nearest}
	}
	if len(found) == 0 {
		found = likely(func(candidate string) bool {
			return Nearest(name, strings.FieldsFunc(candidate, func(r rune) bool { return r == '-' || r == '_' })) != ""
		})
	}
	if len(found) == 0 {
		return ""
	}
	found = found[:min(len(found), 3)]
	last := len(found) - 1
	if last == 0 {
		return "did you mean " + found[0] + "?"
	}
	return "did you mean " + strings.Join(found[:last], ", ") + " or " + found[last] + "?"
}

// Nearest returns the name among known that name is most likely a misspelling
// of, or "" if none is near.
func Nearest(name string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	nearest := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
	if distance(name, nearest) > min(2, len(name)/3) {
		return ""
	}
	return nearest
}

// distance is the Levenshtein distance of two names, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// DefaultOutline is the address of Outline if none is set: the hosted service.
const DefaultOutline = "https://app.getoutline.com"

// CheckKey returns a key as Load reads it from OUTLINE_API_KEY, without the
// spaces and quotes around it. Errors say what is wrong and what to do, without
// showing the key.
func CheckKey(key string) (Secret, error) {
	cleaned := Secret(clean(key))
	if cleaned == "" {
		return "", errors.New("is empty")
	}
	if err := validateKey(cleaned); err != nil {
		return "", err
	}
	return cleaned, nil
}

// CheckURL returns the address of Outline or of another server as Load reads it
// from OUTLINE_API_URL, without the spaces and quotes around it. Errors say what
// is wrong and what to do, without showing the address.
func CheckURL(address string) (string, error) {
	cleaned := strings.Trim(clean(address), " \t\r\n\"'`“”‘’")
	if err := validateURL(cleaned); err != nil {
		return "", err
	}
	u, err := url.Parse(cleaned)
	if err != nil {
		return "", errors.New("the address is not a valid URL; use one such as https://wiki.example.com")
	}
	if port := u.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return "", errors.New("the address has an invalid port; ports range from 1 to 65535")
		}
	}
	return cleaned, nil
}

// TravelsInClear reports whether others can read what is sent to an address: it
// leaves this machine unencrypted.
func TravelsInClear(address string) bool {
	u, err := url.Parse(address)
	return err != nil || !strings.EqualFold(u.Scheme, "https") && !transport.IsLoopback(u.Hostname())
}

// ReadKey returns the key in a file, as Load reads it from the file that
// OUTLINE_API_KEY_FILE names.
func ReadKey(path string) (Secret, error) {
	key, err := readKeyFile(path)
	if err != nil {
		return "", err
	}
	if err := validateKey(key); err != nil {
		return "", fmt.Errorf("the key in %s %w", path, err)
	}
	return key, nil
}
