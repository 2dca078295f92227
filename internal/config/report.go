package config

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Where the value of a setting comes from.
const (
	FromEnvironment = "environment"
	FromFile        = "file" // that another setting names
	FromDefault     = "default"
	FromOption      = "command line" // in place of what the others say
)

// Reported is a setting as it was given.
type Reported struct {
	Name      string
	Value     string // fit to be shown: secrets as ****last4, other keys and passwords as ****, long values cut; "": none
	Source    string // FromEnvironment and the others
	Complaint string // why it cannot be used and what to write; "": it can
}

// Report is what Examine found.
type Report struct {
	Config   Config     // with the defaults in place of what cannot be used
	Settings []Reported // all, in the order of Config
	Other    []string   // complaints that belong to no one setting
}

// Complaint returns the complaint about one of the named settings, "" if there
// is none.
func (r Report) Complaint(names ...string) string {
	for _, s := range r.Settings {
		if s.Complaint != "" && slices.Contains(names, s.Name) {
			return s.Complaint
		}
	}
	return ""
}

// Examine reads the settings like Load, and goes on where Load refuses: it
// tells of each setting what it is, where that comes from, and what is wrong
// with it.
func Examine(environ []string) Report {
	given := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if value = clean(value); value != "" {
			given[name] = value
		} else {
			delete(given, name)
		}
	}
	var report Report
	complaints := map[string]string{}
	usable := environ
	for {
		loaded, err := Load(usable)
		if err == nil {
			report.Config = loaded
			break
		}
		left := withoutRefused(usable, err, complaints, &report.Other)
		if len(left) == len(usable) {
			left = nil // the defaults are never refused
		}
		usable = left
	}
	effective := reflect.ValueOf(report.Config)
	for _, setting := range Settings() {
		one := Reported{Name: setting.Name, Source: FromDefault, Value: setting.Default, Complaint: complaints[setting.Name]}
		switch value, set := given[setting.Name]; {
		case set:
			one.Source, one.Value = FromEnvironment, shown(setting, value)
		case setting.Secret:
			if value := secretOf(effective, setting.Name); value != "" {
				one.Source, one.Value = FromFile, value
			}
		}
		report.Settings = append(report.Settings, one)
	}
	return report
}

// withoutRefused returns the variables without those that an error of Load
// refuses, and notes why.
func withoutRefused(environ []string, err error, complaints map[string]string, other *[]string) []string {
	refused := map[string]bool{}
	_, lines, _ := strings.Cut(err.Error(), "\n")
	for line := range strings.SplitSeq(lines, "\n") {
		name, complaint, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !slices.ContainsFunc(Settings(), func(s Setting) bool { return s.Name == name }) {
			*other = append(*other, strings.TrimSpace(line))
			continue
		}
		if complaints[name] == "" {
			complaints[name] = complaint
		}
		refused[name] = true
		// Of two that do not fit together, neither can stay.
		for word := range strings.FieldsSeq(complaint) {
			if strings.HasPrefix(word, "MCP_TLS_") {
				refused[strings.Trim(word, ".,;:")] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return refused[name]
	})
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
	case setting.Name == "OUTLINE_API_URL":
		return shownURL(value)
	case strings.HasSuffix(setting.Name, "_FILE") && utf8.RuneCountInString(value) >= 20 && !strings.ContainsAny(value, `/\.`):
		return "****" // a key in place of the file that holds it
	}
	return shorten(value)
}

// shownURL returns an address without what may be a password in it: one that is
// odd is not shown at all.
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

// secretOf returns a secret among the settings as it may be printed.
func secretOf(config reflect.Value, name string) string {
	for i := range config.NumField() {
		if config.Type().Field(i).Tag.Get("env") != name {
			continue
		}
		switch value := config.Field(i).Interface().(type) {
		case Secret:
			return value.String()
		case Secrets:
			return value.shown()
		}
	}
	return ""
}
