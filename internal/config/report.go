package config

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline"
)

// Where the value of a setting comes from.
const (
	FromEnvironment = "environment"
	FromEntry       = "entry" // of an AI client
	FromFile        = "file"  // that another setting names
	FromDefault     = "default"
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

// Examine reads the settings like [Load], and goes on where Load fails.
func Examine(environ []string, checks ...Check) Report {
	given := valuesOf(environ)
	c, found := parse(given)
	c.checkRanges(&found)
	c.checkKey(&found)
	c.checkReach(&found)
	c.checkHTTP(&found)
	c.checkTelemetry(&found)
	for _, check := range checks {
		found = append(found, check(c)...)
	}
	c.useDefaults(found)
	for i := range found {
		found[i].Text = outline.Redact(found[i].Text)
	}
	settings := Settings()
	c.Warnings = misspelled(given, settings)
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
			one.Source, one.Value = FromEnvironment, shown(setting, value)
		case fromFiles[setting.Name] != "":
			one.Source, one.Value = FromFile, fromFiles[setting.Name]
		}
		report.Settings = append(report.Settings, one)
	}
	return report
}

// shown returns a value as it may be printed.
func shown(setting Setting, value string) string {
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
