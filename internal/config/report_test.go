package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestAReportTellsOfEachSettingWhatItIs(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "key")
	if err := os.WriteFile(file, []byte("ol_api_fake_in_a_file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, environ string // variables with | between them
		setting       string
		want          Reported
		problem       string // its text
	}{
		{"a default", "", "OUTLINE_API_URL", Reported{Value: "https://app.getoutline.com/api", Source: FromDefault}, ""},
		{"a value", "OUTLINE_MAX_RETRIES= '5' ", "OUTLINE_MAX_RETRIES", Reported{Value: "5", Source: FromEnvironment}, ""},
		{"an empty one", "OUTLINE_MAX_RETRIES=5|OUTLINE_MAX_RETRIES=", "OUTLINE_MAX_RETRIES", Reported{Value: "3", Source: FromDefault}, ""},
		{"a key", "OUTLINE_API_KEY=ol_api_fake_key", "OUTLINE_API_KEY", Reported{Value: "****_key", Source: FromEnvironment}, ""},
		{"a short key", "OUTLINE_API_KEY=hunter2", "OUTLINE_API_KEY", Reported{Value: "****", Source: FromEnvironment}, ""},
		{"a key in a file", "OUTLINE_API_KEY_FILE=" + file, "OUTLINE_API_KEY", Reported{Value: "****file", Source: FromFile}, ""},
		{"no key", "", "OUTLINE_API_KEY", Reported{Source: FromDefault}, ""},
		{"tokens", "MCP_AUTH_TOKENS=0123456789abcdef, fedcba9876543210", "MCP_AUTH_TOKENS", Reported{Value: "****cdef, ****3210", Source: FromEnvironment}, ""},
		{"a key in place of its file", "OUTLINE_API_KEY_FILE=abcdefghijabcdefghijabcdefghijabcdefgh", "OUTLINE_API_KEY_FILE", Reported{Value: "****", Source: FromEnvironment},
			"the key cannot be read: open the file: no such file or directory; set the path of a file that contains only the key"},
		{"a key among the tools", "OUTLINE_TOOLS=ol_api_fake", "OUTLINE_TOOLS", Reported{Value: "****", Source: FromEnvironment}, ""},
		{"a password in the address", "OUTLINE_API_URL=https://ada:hunter2@wiki.example.com", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment},
			"the address contains a user name or password; remove everything up to the @"},
		{"a password and no scheme", "OUTLINE_API_URL=https:/ada:hunter2@wiki.example.com", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment},
			"the address contains a user name or password and has no scheme; remove everything up to the @ and put https:// in front"},
		{"a word in place of a port", "OUTLINE_API_URL=ada:hunter2", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment},
			"the address has no scheme; write https:// in front of it"},
		{"a word in place of the port of a URL", "OUTLINE_API_URL=https://ada:hunter2", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment},
			"the address is not a valid URL; use one such as https://wiki.example.com"},
		{"a host and a port", "OUTLINE_API_URL=localhost:38010", "OUTLINE_API_URL", Reported{Value: "localhost:38010", Source: FromEnvironment},
			"the address has no scheme; write http:// in front of it"},
		{"a variable in place of an address", "OUTLINE_API_URL=$OUTLINE_URL", "OUTLINE_API_URL", Reported{Value: "$OUTLINE_URL", Source: FromEnvironment},
			"contains a variable that the client did not expand; replace it with the actual address, or set the variable in the client's environment"},
		{"an address for the key", "OUTLINE_API_KEY=https://wiki.example.com/doc/ol_api_fake", "OUTLINE_API_KEY", Reported{Value: "****fake", Source: FromEnvironment},
			"is an address; the key begins with ol_api_"},
		{"a key with Bearer", "OUTLINE_API_KEY=Bearer ol_api_fake_key", "OUTLINE_API_KEY", Reported{Value: "****_key", Source: FromEnvironment},
			"begins with Bearer, which is not part of a key; remove Bearer"},
		{"an unknown value", "OUTLINE_MAX_RETRIES=many|LOG_LEVEL=loud", "LOG_LEVEL", Reported{Value: "loud", Source: FromEnvironment},
			`"loud" is not a log level; use debug, info, warn or error`},
		{"one of two that belong together", "MCP_TLS_KEY=/nowhere/key", "MCP_TLS_CERT", Reported{Source: FromDefault},
			"MCP_TLS_KEY is set without it; set both or neither"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.want.Name = test.setting
			report := Examine(strings.Split(test.environ, "|"))
			for _, got := range report.Settings {
				if got.Name == test.setting && got != test.want {
					t.Errorf("got %+v, want %+v", got, test.want)
				}
			}
			if got := textsFor(report, test.setting); got != test.problem {
				t.Errorf("its problem is %q, want %q", got, test.problem)
			}
		})
	}
}

// textsFor returns the texts of the problems with a setting.
func textsFor(report Report, setting string) string {
	var texts []string
	for _, problem := range report.Problems {
		if problem.Setting == setting {
			texts = append(texts, problem.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func TestAReportGoesOnWithTheDefaultsOfWhatCannotBeUsed(t *testing.T) {
	t.Setenv("OUTLINE_MAX_RETRIES", "9") // counts only if it is passed
	report := Examine([]string{"OUTLINE_MAX_RETRIES=many", "OUTLINE_BATCH_CONCURRENCY=7", "MCP_TLS_KEY=/nowhere/key", "OUTLINE_READ_ONLY=yes", "OUTLINE_API_KEY=<key>", "OUTLINE_TOOLS=serch"},
		func(c Config) []Problem {
			return []Problem{{Setting: "OUTLINE_TOOLS", Text: c.Tools[0] + " is not ol_api_known"}}
		})
	c := report.Config
	if c.MaxRetries != 3 || c.BatchConcurrency != 7 || c.TLSKey != "" || !c.ReadOnly || c.APIKey != "" || len(c.Tools) > 0 {
		t.Errorf("it goes on with %+v", c)
	}
	for name, want := range map[string]bool{
		"OUTLINE_MAX_RETRIES": true, "OUTLINE_BATCH_CONCURRENCY": false, "MCP_TLS_KEY": true, "MCP_TLS_CERT": true, "OUTLINE_READ_ONLY": false, "OUTLINE_API_KEY": true, "OUTLINE_TOOLS": true, "": false,
	} {
		if report.Unusable(name) != want {
			t.Errorf("%s is unusable: %t", name, !want)
		}
	}
	if got := textsFor(report, "OUTLINE_TOOLS"); got != "serch is not ****" {
		t.Errorf("the problem of a check is %q", got)
	}
}

func TestLoadReturnsTheProblemsOfAReport(t *testing.T) {
	environ := []string{"OUTLINE_MAX_RETRIES=many", "LOG_LEVEL=loud", "MCP_TLS_CERT=/nowhere/cert", "MCP_TLS_KEY=/nowhere/key"}
	check := func(Config) []Problem { return []Problem{{Setting: "OUTLINE_TOOLS", Text: "no"}} }
	_, err := Load(environ, check)
	var all *Error
	if !errors.As(err, &all) || len(all.Problems) != 5 || !slices.Equal(all.Problems, Examine(environ, check).Problems) {
		t.Fatalf("%v", err)
	}
	for _, problem := range all.Problems {
		if !strings.Contains(err.Error(), "\n  "+problem.Setting+": "+problem.Text) {
			t.Errorf("%s does not say %s", err, problem)
		}
	}
}

func TestNearestIsTheNameThatWasProbablyMeant(t *testing.T) {
	known := []string{"search", "search_documents", "ai", "comments"}
	for name, want := range map[string]string{"serch": "search", "serch_document": "search_documents", "coments": "comments", "fly": "", "al": "", "": "", "sea": ""} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// FuzzExamine checks that what cannot be used is replaced by what can.
func FuzzExamine(f *testing.F) {
	f.Add("OUTLINE_API_URL", "https://ada:hunter2@wiki.example.com", "MCP_TLS_CERT", "x\ny")
	f.Add("OUTLINE_API_KEY", "a\nOUTLINE_API_URL: b", "OUTLINE_API_KEY_FILE", "/nowhere\n  LOG_LEVEL: loud")
	f.Add("MCP_AUTH_TOKENS", ",", "MCP_HOST", "0.0.0.0")
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string) {
		if strings.HasSuffix(name1+name2, "FILE") && strings.Contains(value1+value2, "/dev") {
			return // some of those never end
		}
		report := Examine([]string{name1 + "=" + value1, name2 + "=" + value2})
		var usable []string
		for _, one := range []string{name1 + "=" + value1, name2 + "=" + value2} {
			name, _, _ := strings.Cut(one, "=")
			if !report.Unusable(name) {
				usable = append(usable, one)
			}
		}
		if loaded, err := Load(usable); err != nil || !reflect.DeepEqual(loaded, report.Config) {
			t.Errorf("%+v is not what Load makes of %q: %+v, %v", report, usable, loaded, err)
		}
	})
}

func TestAnUnknownNameIsAnsweredWithTheLikelyOnes(t *testing.T) {
	commands := []string{"call", "demo", "doctor", "install", "uninstall", "tools"}
	clients := []string{"claude-desktop", "claude-code", "vscode", "cursor", "codex", "gemini"}
	tools := []string{"search_documents", "read_document", "read_document_section", "list_trash"}
	for _, test := range []struct {
		name  string
		known []string
		want  string
	}{
		{"instal", commands, "did you mean install?"},
		{"Doctor", commands, "did you mean doctor?"},
		{"tool", commands, "did you mean tools?"},
		{"fly", commands, ""},
		{"", commands, ""},
		{"claude", clients, "did you mean claude-desktop or claude-code?"},
		{"gemini-cli", clients, "did you mean gemini?"},
		{"curser", clients, "did you mean cursor?"},
		{"serch", tools, "did you mean search_documents?"},
		{"read", tools, "did you mean read_document or read_document_section?"},
		{"x", nil, ""},
	} {
		if got := DidYouMean(test.name, test.known); got != test.want {
			t.Errorf("%q: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestTheAddressOfAPageOrOfOutlinesOwnEndpointIsTakenForItsOutlineWithAWarning(t *testing.T) {
	for address, want := range map[string]string{
		"https://wiki.example.com/mcp":                      "https://wiki.example.com",
		"https://wiki.example.com/mcp/":                     "https://wiki.example.com",
		"https://wiki.example.com/api/mcp":                  "https://wiki.example.com",
		"https://wiki.example.com/home":                     "https://wiki.example.com",
		"https://wiki.example.com/settings/api-and-apps":    "https://wiki.example.com",
		"https://wiki.example.com/collection/ops-PThsbb1P":  "https://wiki.example.com",
		"https://wiki.example.com/doc/soup-1wPyxUCdt9?q=#h": "https://wiki.example.com",
		"https://example.com/wiki/doc/soup-1wPyxUCdt9":      "https://example.com/wiki",
		"https://example.com/s/api":                         "", // /s/api is part of the path
		"https://example.com/wiki":                          "",
		"https://wiki.example.com/api":                      "",
	} {
		report := Examine([]string{"OUTLINE_API_URL=" + address})
		said := strings.Contains(fmt.Sprint(report.Config.Warnings), want+" is used instead")
		if len(report.Problems) > 0 || want != "" && (report.Config.APIURL != want || !said) || want == "" && (report.Config.APIURL != address || said) {
			t.Errorf("%s: %s, %v, %v", address, report.Config.APIURL, report.Config.Warnings, report.Problems)
		}
	}
}
