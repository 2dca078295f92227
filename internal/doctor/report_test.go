package doctor_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

var update = flag.Bool("update", false, "write the golden files")

// A line is one of the report.
type line struct{ symbol, name, text string }

var linePattern = regexp.MustCompile(`^([✓!✗-]) ([^:]+): (.*)$`)

// linesOf parses a report, all of it.
func linesOf(t *testing.T, report string) []line {
	t.Helper()
	checks, sum, found := strings.Cut(report, "\n\n")
	if !found || !regexp.MustCompile(`^(No|\d+) failures?, (no|\d+) warnings?\.\n$`).MatchString(sum) {
		t.Errorf("the report ends with %q", sum)
	}
	var lines []line
	for text := range strings.SplitSeq(checks, "\n") {
		parts := linePattern.FindStringSubmatch(text)
		if parts == nil {
			t.Fatalf("%q is no line of a check", text)
		}
		lines = append(lines, line{parts[1], parts[2], parts[3]})
	}
	return lines
}

// sameFacts holds a report as JSON against one as text.
func sameFacts(t *testing.T, text string, own bool, environ, args []string) (printed string) {
	t.Helper()
	_, printed = doctorSays(t, own, environ, append(args, "--json")...)
	var report struct {
		OK     *bool
		Checks []struct{ Name, Status, Finding, Advice string }
	}
	if err := json.Unmarshal([]byte(printed), &report); err != nil || report.OK == nil {
		t.Fatalf("%v: %s", err, printed)
	}
	var lines []string
	failed := false
	for _, check := range report.Checks {
		failed = failed || check.Status == "failure"
		line := check.Finding
		if strings.Contains(line, "; ") {
			t.Errorf("the finding %q looks as if it had advice", line)
		}
		if check.Advice != "" {
			line += "; " + check.Advice
		}
		symbol := map[string]string{"ok": "✓", "warning": "!", "failure": "✗", "absent": "-", "skipped": "-"}[check.Status]
		if check.Status == "skipped" {
			line = "skipped because " + line
			line = strings.Replace(line, "because until ", "until ", 1)
		}
		lines = append(lines, symbol+" "+check.Name+": "+line)
	}
	var shown []string
	for _, line := range linesOf(t, text) {
		for name := range strings.SplitSeq(line.name, ", ") {
			shown = append(shown, line.symbol+" "+name+": "+line.text)
		}
	}
	if got, want := normal(strings.Join(lines, "\n")), normal(strings.Join(shown, "\n")); got != want || *report.OK == failed {
		t.Errorf("as JSON (ok: %t)\n%s\nas text\n%s", *report.OK, got, want)
	}
	return printed
}

// complete holds a report to be told of all checks, and of none that it both
// works and does not.
func complete(t *testing.T, report string) {
	t.Helper()
	symbols := map[string]string{}
	for _, line := range linesOf(t, report) {
		for name := range strings.SplitSeq(line.name, ", ") {
			symbols[name] += line.symbol
		}
	}
	for _, name := range []string{"key", "scopes", "expiry", "tools", "version", "edit_modes", "revisions", "ai_answers", "program", "transport"} {
		if symbols[name] == "" {
			t.Errorf("it says nothing of %s:\n%s", name, report)
		}
	}
	for name, all := range symbols {
		if name != "tools" && strings.Contains(all, "✗") && all != "✗" {
			t.Errorf("it says of %s %s:\n%s", name, all, report)
		}
	}
}

// normal returns a report without what differs from run to run.
func normal(report string) string {
	for _, change := range []struct{ pattern, with string }{
		{`127\.0\.0\.1:\d+`, "127.0.0.1:PORT"},
		{`lsof -i :\d+`, "lsof -i :PORT"},
		{`[^\s"]*TestDoctor[^ ":;,]*`, "FILE"},
		{`\b\d+(\.\d+)?(µs|ms)`, "N ms"},
		{`"(ms|difference_seconds)": -?[\d.]+`, `"$1": N`},
		{`\b(1h0m\d+s|59m\d+s)`, "1h0m0s"},
		{`\d{4}-\d{2}-\d{2}(T[\d:]+Z)?`, "DAY"},
		{`go1[^ ,"]*`, "GO"},
		{`\w+/(amd64|arm64)`, "SYSTEM"},
	} {
		report = regexp.MustCompile(change.pattern).ReplaceAllString(report, change.with)
	}
	return report
}

func TestDoctorOnWhatWorks(t *testing.T) {
	made := issue(t, "127.0.0.1", -year, year)
	secured := serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), made.config())
	for _, test := range []struct {
		name    string
		environ []string
		args    []string
	}{
		{"demo", []string{"OUTLINE_DISABLE_DELETE=true"}, []string{"--demo"}},
		{"https", at(secured, "OUTLINE_CA_FILE="+made.signer), nil},
		{"scoped", []string{"OUTLINE_API_URL=" + secured, "OUTLINE_API_KEY_FILE=" + file(t, fakeoutline.ScopedKey+"\n"), "OUTLINE_VERIFY_SSL=off"}, nil},
		{"http", []string{"OUTLINE_API_URL=" + secured, "OUTLINE_CA_FILE=" + made.signer, "MCP_PORT=0", "MCP_AUTH_TOKENS=0123456789abcdef0123", "MCP_TLS_CERT=" + made.file, "MCP_TLS_KEY=" + made.key}, []string{"--transport", "http"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, format := range []string{"txt", "json"} {
				args := slices.Clone(test.args)
				if format == "json" {
					args = append(args, "--json")
				}
				code, report := doctorSays(t, false, test.environ, args...)
				if code != 0 {
					t.Errorf("exit code %d", code)
				}
				golden(t, filepath.Join("testdata", test.name+"."+format), report)
			}
			inTheDocumentation(t, test.environ, test.args)
		})
	}
}

// inTheDocumentation holds docs/doctor.md against a run: the names of checks
// and of their details.
func inTheDocumentation(t *testing.T, environ, args []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "doctor.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	_, printed := doctorSays(t, false, environ, append([]string{"--json"}, args...)...)
	var report struct {
		Checks []struct {
			Name    string
			Details map[string]any
		}
	}
	if err := json.Unmarshal([]byte(printed), &report); err != nil {
		t.Fatal(err)
	}
	for _, check := range report.Checks {
		if name := check.Name; name == strings.ToLower(name) && !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/doctor.md does not say what %s is", name)
		}
		for detail := range check.Details {
			if !strings.Contains(text, "`"+detail+"`") {
				t.Errorf("docs/doctor.md does not say what %s of %s is", detail, check.Name)
			}
		}
	}
}

// golden holds a report against a recorded one.
func golden(t *testing.T, path, report string) {
	t.Helper()
	report = normal(report)
	recorded, err := os.ReadFile(path)
	switch {
	case err == nil && string(recorded) == report:
	case *update:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(report), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs (%v); now it is\n%s", path, err, report)
	}
}

func TestDoctorSaysThatThereIsNoKeyThoughOutlineIsNotReached(t *testing.T) {
	_, report := doctorSays(t, false, []string{"OUTLINE_API_URL=http://no.such.host.invalid"})
	for _, says := range []string{"✗ dns: the host no.such.host.invalid cannot be found", "✗ key: no key is set; create one in Outline"} {
		if !strings.Contains(report, says) {
			t.Errorf("it does not say %q:\n%s", says, report)
		}
	}
}
