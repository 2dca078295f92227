package config

import (
	"os"
	"path/filepath"
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
	}{
		{"a default", "", "OUTLINE_API_URL", Reported{Value: "https://app.getoutline.com/api", Source: FromDefault}},
		{"a value", "OUTLINE_MAX_RETRIES= '5' ", "OUTLINE_MAX_RETRIES", Reported{Value: "5", Source: FromEnvironment}},
		{"an empty one", "OUTLINE_MAX_RETRIES=5|OUTLINE_MAX_RETRIES=", "OUTLINE_MAX_RETRIES", Reported{Value: "3", Source: FromDefault}},
		{"a key", "OUTLINE_API_KEY=ol_api_fake_key", "OUTLINE_API_KEY", Reported{Value: "****_key", Source: FromEnvironment}},
		{"a short key", "OUTLINE_API_KEY=hunter2", "OUTLINE_API_KEY", Reported{Value: "****", Source: FromEnvironment}},
		{"a key in a file", "OUTLINE_API_KEY_FILE=" + file, "OUTLINE_API_KEY", Reported{Value: "****file", Source: FromFile}},
		{"no key", "", "OUTLINE_API_KEY", Reported{Source: FromDefault}},
		{"tokens", "MCP_AUTH_TOKENS=0123456789abcdef, fedcba9876543210", "MCP_AUTH_TOKENS", Reported{Value: "****cdef, ****3210", Source: FromEnvironment}},
		{"a key in place of its file", "OUTLINE_API_KEY_FILE=abcdefghijabcdefghijabcdefghijabcdefgh", "OUTLINE_API_KEY_FILE", Reported{Value: "****", Source: FromEnvironment,
			Complaint: "the key cannot be read: open the file: no such file or directory; write the path of a file that holds the key alone"}},
		{"a key among the tools", "OUTLINE_TOOLS=ol_api_fake", "OUTLINE_TOOLS", Reported{Value: "****", Source: FromEnvironment}},
		{"a password in the address", "OUTLINE_API_URL=https://ada:hunter2@wiki.example.com", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment,
			Complaint: "the address holds a user name or password; leave out everything up to the @"}},
		{"a password and no scheme", "OUTLINE_API_URL=https:/ada:hunter2@wiki.example.com", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment,
			Complaint: "the address holds a user name or password, and has no scheme; write https:// in front of what follows the @"}},
		{"a word in place of a port", "OUTLINE_API_URL=ada:hunter2", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment, Complaint: "the address has no scheme; write https:// in front of it"}},
		{"a word in place of the port of a URL", "OUTLINE_API_URL=https://ada:hunter2", "OUTLINE_API_URL", Reported{Value: "****", Source: FromEnvironment, Complaint: "the address is no URL; write one such as https://wiki.example.com"}},
		{"a host and a port", "OUTLINE_API_URL=localhost:38010", "OUTLINE_API_URL", Reported{Value: "localhost:38010", Source: FromEnvironment, Complaint: "the address has no scheme; write https:// in front of it"}},
		{"a variable in place of an address", "OUTLINE_API_URL=$OUTLINE_URL", "OUTLINE_API_URL", Reported{Value: "$OUTLINE_URL", Source: FromEnvironment,
			Complaint: "holds the name of a variable that the client did not expand; write the address itself, or set the variable where the client reads it"}},
		{"a key with Bearer", "OUTLINE_API_KEY=Bearer ol_api_fake_key", "OUTLINE_API_KEY", Reported{Value: "****_key", Source: FromEnvironment, Complaint: "begins with Bearer, which is no part of it; leave out Bearer"}},
		{"a wrong value", "OUTLINE_MAX_RETRIES=many|LOG_LEVEL=loud", "LOG_LEVEL", Reported{Value: "loud", Source: FromEnvironment, Complaint: `"loud" is not known; write debug, info, warn or error`}},
		{"one of two that belong together", "MCP_TLS_KEY=/nowhere/key", "MCP_TLS_CERT", Reported{Source: FromDefault, Complaint: "MCP_TLS_KEY is set without it; set both, or none"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.want.Name = test.setting
			for _, got := range Examine(strings.Split(test.environ, "|")).Settings {
				if got.Name == test.setting && got != test.want {
					t.Errorf("got %+v, want %+v", got, test.want)
				}
			}
		})
	}
}

func TestAReportGoesOnWithTheDefaultsOfWhatCannotBeUsed(t *testing.T) {
	report := Examine([]string{"OUTLINE_MAX_RETRIES=many", "OUTLINE_BATCH_CONCURRENCY=7", "MCP_TLS_KEY=/nowhere/key", "OUTLINE_READ_ONLY=yes"})
	c := report.Config
	if c.MaxRetries != 3 || c.BatchConcurrency != 7 || c.TLSKey != "" || !c.ReadOnly {
		t.Errorf("it goes on with %+v", c)
	}
	if len(report.Other) > 0 || report.Complaint("OUTLINE_BATCH_CONCURRENCY") != "" || report.Complaint("OUTLINE_READ_ONLY", "OUTLINE_MAX_RETRIES") == "" {
		t.Errorf("it complains of %+v", report)
	}
}

// FuzzExamine holds reports against Load: both complain, or neither does.
func FuzzExamine(f *testing.F) {
	f.Add("OUTLINE_API_URL", "https://ada:hunter2@wiki.example.com", "MCP_TLS_CERT", "x\ny")
	f.Add("OUTLINE_API_KEY", "a\nOUTLINE_API_URL: b", "OUTLINE_API_KEY_FILE", "/nowhere\n  LOG_LEVEL: loud")
	f.Add("MCP_AUTH_TOKENS", ",", "MCP_HOST", "0.0.0.0")
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string) {
		if strings.HasSuffix(name1+name2, "FILE") && strings.Contains(value1+value2, "/dev") {
			return // some of those never end
		}
		environ := []string{name1 + "=" + value1, name2 + "=" + value2}
		report := Examine(environ)
		complains := len(report.Other) > 0
		for _, setting := range report.Settings {
			complains = complains || setting.Complaint != ""
		}
		if _, err := Load(environ); complains != (err != nil) {
			t.Errorf("%q: the report is %+v, the error of Load %v", environ, report, err)
		}
	})
}
