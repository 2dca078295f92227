package doctor_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outline-mcp/internal/doctor"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

const (
	year    = 365 * 24 * time.Hour
	fakeKey = "OUTLINE_API_KEY=ol_api_demo_admin"
)

// A trouble is something that is wrong, and the line that says so.
type trouble struct {
	name    string
	symbol  string // ✗ or !
	check   string
	says    []string                  // among the line
	arrange func(*testing.T) []string // makes it, and returns the environment
	args    []string                  // besides doctor
	own     bool                      // in its own process, with nothing of this environment
	beside  []string                  // checks that fail for the same reason
}

// at returns an environment with a key for an Outline at an address.
func at(url string, settings ...string) []string {
	return append([]string{"OUTLINE_API_URL=" + url, fakeKey, "OUTLINE_REQUEST_TIMEOUT=10s"}, settings...)
}

// set arranges no more than an environment.
func set(settings ...string) func(*testing.T) []string {
	return func(*testing.T) []string { return settings }
}

// served arranges a handler in place of Outline, the embedded workspace if it
// is nil.
func served(handler http.Handler, settings ...string) func(*testing.T) []string {
	return func(t *testing.T) []string {
		if handler == nil {
			return at(serveHandler(t, sample(t, fakeoutline.Options{Answers: true})), settings...)
		}
		return at(serveHandler(t, handler), settings...)
	}
}

// keyed arranges a workspace and a key of it.
func keyed(key string) func(*testing.T) []string {
	return func(t *testing.T) []string {
		return []string{"OUTLINE_API_URL=" + serveHandler(t, small(t)), "OUTLINE_API_KEY=" + key}
	}
}

const (
	html = "text/html; charset=utf-8"
	asJS = "application/json"
)

// TestMain lets this test binary stand in for the program: started with
// OUTLINE_MCP_TEST_DOCTOR set, it prints the report on its own environment.
func TestMain(m *testing.M) {
	if os.Getenv("OUTLINE_MCP_TEST_DOCTOR") != "" {
		os.Unsetenv("OUTLINE_MCP_TEST_DOCTOR")
		os.Exit(examine(context.Background(), os.Stdout, os.Environ(), os.Args[1:]...))
	}
	os.Exit(m.Run())
}

// examine prints a report as the command does and returns its exit code. The
// arguments are --demo, --transport NAME and --json.
func examine(ctx context.Context, w io.Writer, environ []string, args ...string) (code int) {
	request := doctor.Request{Environ: environ, Version: "devel"}
	flags := flag.NewFlagSet("doctor", flag.PanicOnError)
	flags.BoolVar(&request.Demo, "demo", false, "")
	flags.StringVar(&request.Transport, "transport", "", "")
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		panic(fmt.Sprint(err, flags.Args()))
	}
	report := doctor.Examine(ctx, request)
	write := report.WriteText
	if *asJSON {
		write = report.WriteJSON
	}
	if err := write(w); err != nil {
		panic(err)
	}
	if !report.OK {
		return 1
	}
	return 0
}

// doctorSays returns the report on an environment, made in this process or in
// one of its own.
func doctorSays(t *testing.T, own bool, environ []string, args ...string) (code int, report string) {
	t.Helper()
	var out, errs bytes.Buffer
	if !own {
		code = examine(t.Context(), &out, environ, args...)
		return code, out.String()
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append([]string{
		"OUTLINE_MCP_TEST_DOCTOR=1",
		"GORACE=atexit_sleep_ms=0", // the race detector's runtime would sleep a second
	}, environ...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	if errs.Len() > 0 {
		t.Errorf("standard error: %s", &errs)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func TestDoctorNamesTheCause(t *testing.T) {
	var findings strings.Builder
	for _, trouble := range slices.Concat(settingsTroubles(), wayTroubles(), proxyTroubles(), systemTroubles(), placeTroubles(), keyTroubles(), servingTroubles(), loginTroubles()) {
		t.Run(trouble.name, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, running, fixtures.ClosingConnections()) }) // last, after all servers are closed
			environ := trouble.arrange(t)
			args := trouble.args
			start := time.Now()
			code, report := doctorSays(t, trouble.own, environ, args...)
			if took := time.Since(start); fixtures.Thorough() && took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			named := ""
			for _, line := range linesOf(t, report) {
				is := line.name == trouble.check && line.symbol == trouble.symbol && contains(line.text, trouble.says)
				switch {
				case is:
					named = line.symbol + " " + line.name + ": " + line.text
				case line.symbol == "✗" && !slices.Contains(trouble.beside, line.name):
					t.Errorf("%s fails as well: %s", line.name, line.text)
				}
			}
			if named == "" {
				t.Errorf("no line is %s %s with all of %q:\n%s", trouble.symbol, trouble.check, trouble.says, report)
			}
			if want := map[string]int{"✗": 1, "!": 0, "-": 0}[trouble.symbol]; code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			printed := sameFacts(t, report, trouble.own, environ, args)
			for _, secret := range []string{"hunter2", "ol_api_", "fake_", "sk-something"} {
				if strings.Contains(strings.ReplaceAll(report+printed, "begins with ol_api_", ""), secret) {
					t.Errorf("it shows %q:\n%s%s", secret, report, printed)
				}
			}
			complete(t, report)
			fmt.Fprintf(&findings, "%s\n\t%s\n", trouble.name, named)
		})
	}
	if !t.Failed() && len(systemTroubles()) > 0 {
		golden(t, filepath.Join("testdata", "findings.txt"), findings.String())
	}
}

func contains(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

// settingsTroubles are those that need no Outline.
func settingsTroubles() []trouble {
	demo := []string{"--demo"}
	return []trouble{
		{name: "a value that is not a number", symbol: "✗", check: "OUTLINE_MAX_RETRIES", says: []string{"many", "not a whole number", "from 1 to 10"}, args: demo, arrange: set("OUTLINE_MAX_RETRIES=many")},
		{name: "a misspelled variable", symbol: "!", check: "OUTLINE_API_KEYS", says: []string{"unknown setting", "did you mean OUTLINE_API_KEY?"}, args: demo, arrange: set("OUTLINE_API_KEYS=x")},
		{name: "a setting with a name from another program", symbol: "!", check: "OUTLINE_API_TOKEN", says: []string{"unknown setting", "did you mean OUTLINE_API_KEY?"}, args: demo, arrange: set("OUTLINE_API_TOKEN=x")},
		{name: "an address without https://", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"no scheme", "https://"}, arrange: set("OUTLINE_API_URL=wiki.example.com", fakeKey)},
		{name: "an address with a password", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"password", "remove"}, arrange: set("OUTLINE_API_URL=https://ada:hunter2@wiki.example.com", fakeKey)},
		{name: "an address with a password and too few slashes", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"**** (environment)", "password", "put https:// in front"}, arrange: set("OUTLINE_API_URL=https:/ada:hunter2@wiki.example.com", fakeKey)},
		{name: "an address with a password and without a colon", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"**** (environment)", "password"}, arrange: set("OUTLINE_API_URL=https//ada:hunter2@wiki.example.com", fakeKey)},
		{name: "an address with a password and without https://", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"**** (environment)", "password"}, arrange: set("OUTLINE_API_URL=hunter2@wiki.example.com", fakeKey)},
		{name: "an address with a port and without http://", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"localhost:38010 (environment)", "no scheme", "write http:// in front"}, arrange: set("OUTLINE_API_URL=localhost:38010", fakeKey)},
		{name: "an address that the client did not expand", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"${OUTLINE_URL}", "did not expand", "replace it with the actual address"}, arrange: set("OUTLINE_API_URL=${OUTLINE_URL}", fakeKey)},
		{name: "an address with a query", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"query", "remove"}, arrange: set("OUTLINE_API_URL=https://wiki.example.com/?token=hunter2", fakeKey)},
		{name: "an address with an impossible port", symbol: "✗", check: "OUTLINE_API_URL", says: []string{"port", "99999"}, arrange: set("OUTLINE_API_URL=https://wiki.example.com:99999", fakeKey)},
		{name: "a placeholder in place of the key", symbol: "✗", check: "OUTLINE_API_KEY", says: []string{"placeholder", "API & Apps"}, arrange: served(nil, "OUTLINE_API_KEY=<your key>")},
		{name: "a variable that the client did not expand", symbol: "✗", check: "OUTLINE_API_KEY", says: []string{"did not expand"}, arrange: served(nil, "OUTLINE_API_KEY=${input:outline-key}")},
		{name: "a key broken over two lines", symbol: "✗", check: "OUTLINE_API_KEY", says: []string{"spaces", "copy it again"}, arrange: served(nil, "OUTLINE_API_KEY=ol_api_fake\nfake")},
		{name: "a key with Bearer before it", symbol: "✗", check: "OUTLINE_API_KEY", says: []string{"remove Bearer"}, arrange: served(nil, "OUTLINE_API_KEY=Bearer ol_api_fake")},
		{name: "a key file that does not exist", symbol: "✗", check: "OUTLINE_API_KEY_FILE", says: []string{"cannot be read", "no such file"}, arrange: served(nil, "OUTLINE_API_KEY=", "OUTLINE_API_KEY_FILE=/nowhere/key")},
		{name: "both a key and a key file", symbol: "✗", check: "OUTLINE_API_KEY_FILE", says: []string{"also set", "only one of them"}, arrange: func(t *testing.T) []string {
			return at(serveHandler(t, sample(t, fakeoutline.Options{Answers: true})), "OUTLINE_API_KEY_FILE="+file(t, "ol_api_fake"))
		}},
		{name: "a certificate file without certificates", symbol: "✗", check: "OUTLINE_CA_FILE", says: []string{"contains no PEM certificate"}, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "OUTLINE_CA_FILE="+file(t, "no certificate"))
		}},
		{name: "a tool that does not exist", symbol: "✗", check: "OUTLINE_TOOLS", says: []string{"fly (environment)", "no tool or group is called fly"}, args: demo, arrange: set("OUTLINE_TOOLS=fly")},
		{name: "a misspelled tool", symbol: "✗", check: "OUTLINE_EXCLUDE_TOOLS", says: []string{"no tool or group is called serch", "did you mean search?"}, args: demo, arrange: set("OUTLINE_EXCLUDE_TOOLS=serch")},
		{name: "settings that leave no tool", symbol: "✗", check: "OUTLINE_TOOLS", says: []string{"leave no tool"}, args: demo, arrange: set("OUTLINE_TOOLS=create_document", "OUTLINE_READ_ONLY=yes")},
		{name: "a collection that no name matches", symbol: "!", check: "collections", says: []string{`OUTLINE_COLLECTIONS: "Nowhere" matches no collection`, "allows nothing", "UUID"}, args: demo, arrange: set("OUTLINE_COLLECTIONS=Nowhere, Finance")},
		{name: "collections that cannot be listed", symbol: "✗", check: "collections", says: []string{"cannot be listed: collections.list: the connection to 127.0.0.1", "failed before the answer was complete (unexpected EOF). Try again; use a key with"}, arrange: func(t *testing.T) []string {
			broken := says(http.StatusOK, "{", "Content-Length", "9", "Content-Type", asJS)
			return at(serveHandler(t, instead(sample(t, fakeoutline.Options{Answers: true}), "collections.list", broken)), "OUTLINE_COLLECTIONS=Finance")
		}},
		{name: "a collection to write in that callers do not see", symbol: "!", check: "collections", says: []string{`"Finance" is not among the collections that callers see`, "OUTLINE_COLLECTIONS"}, args: demo, arrange: set("OUTLINE_COLLECTIONS=31bd1765-434e-4d1a-82a2-2674f972cc48", "OUTLINE_WRITE_COLLECTIONS=Finance")},
		{name: "a collection to write in that is excluded", symbol: "✗", check: "OUTLINE_WRITE_COLLECTIONS", says: []string{"also in OUTLINE_EXCLUDE_COLLECTIONS", "remove it"}, args: demo, arrange: set("OUTLINE_EXCLUDE_COLLECTIONS=HR", "OUTLINE_WRITE_COLLECTIONS=HR")},
		{name: "a collection of prompts by its name", symbol: "✗", check: "OUTLINE_PROMPTS_COLLECTION", says: []string{`"Team prompts" is not the ID`, "UUID"}, args: demo, arrange: set("OUTLINE_PROMPTS_COLLECTION=Team prompts")},
		{name: "a collection of skills by its name", symbol: "✗", check: "OUTLINE_SKILLS_COLLECTION", says: []string{`"Team skills" is not the ID`, "UUID"}, args: demo, arrange: set("OUTLINE_SKILLS_COLLECTION=Team skills")},
		{name: "a collection by its name on a server without a key", symbol: "✗", check: "OUTLINE_COLLECTIONS", says: []string{`"Team wiki" is a name`, "any member can give", "UUID"}, arrange: served(nil, "MCP_TRANSPORT=http", "MCP_PORT=0", "OUTLINE_API_KEY=", "OUTLINE_COLLECTIONS=Team wiki, mTem8tcJ8a")},
		{name: "a collection of prompts that does not exist", symbol: "✗", check: "prompts", says: []string{"UUID"}, args: demo, arrange: set("OUTLINE_PROMPTS_COLLECTION=6c111d00-1111-4111-8111-000000000001")},
		{name: "a collection of prompts of another Outline", symbol: "✗", check: "prompts", says: []string{"elsewhere.example", "UUID"}, args: demo, arrange: set("OUTLINE_PROMPTS_COLLECTION=https://elsewhere.example/collection/x-mTem8tcJ8a")},
		{name: "an audit trail in a folder that does not exist", symbol: "✗", check: "audit", says: []string{"/nowhere/audit.jsonl cannot be written (no such file or directory): the server does not start", "in a folder that exists"}, args: demo, arrange: set("MCP_AUDIT_LOG=/nowhere/audit.jsonl")},
		{name: "an audit trail that others can read", symbol: "!", check: "audit", says: []string{"others on this machine can read", "mode 0644", "chmod 600"}, args: demo, arrange: func(t *testing.T) []string {
			path := file(t, "")
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
			return []string{"MCP_AUDIT_LOG=" + path}
		}},
		{name: "two prompts with the same name", symbol: "!", check: "prompts", says: []string{"would be the prompt safety_first, as document", "rename"}, arrange: func(t *testing.T) []string {
			url := serveHandler(t, sample(t, fakeoutline.Options{Answers: true}))
			for _, document := range []string{"00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"} {
				body := `{"id":"` + document + `","title":"Safety first!","text":"Read this.","collectionId":"8441e5d2-7545-4078-bd93-c21942e16c7f","publish":true}`
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/documents.create", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
				answer, err := http.DefaultClient.Do(request)
				if err != nil || answer.StatusCode != http.StatusOK {
					t.Fatal(answer, err)
				}
				answer.Body.Close()
			}
			return at(url, "OUTLINE_PROMPTS_COLLECTION=8441e5d2-7545-4078-bd93-c21942e16c7f")
		}},
		{name: "certificate checks that are turned off", symbol: "!", check: "OUTLINE_VERIFY_SSL", says: []string{"not verified", "can read the key"}, args: demo, arrange: set("OUTLINE_VERIFY_SSL=no")},
		{name: "an unknown transport", symbol: "✗", check: "MCP_TRANSPORT", says: []string{"stdio or http"}, args: []string{"--demo", "--transport", "sse"}, arrange: set()},
		{name: "an address that is not of Redis", symbol: "✗", check: "MCP_REDIS_URL", says: []string{"must begin with redis://"}, arrange: served(nil, "MCP_TRANSPORT=http", "MCP_PORT=0", "MCP_REDIS_URL=http://:password@redis.example.com")},
		{name: "a server that lets everyone use the key", symbol: "✗", check: "MCP_HOST", says: []string{"everyone", "MCP_AUTH_TOKENS"}, arrange: served(nil, "MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", "MCP_PORT=0")},
	}
}

// servingTroubles are those of a server over HTTP.
func servingTroubles() []trouble {
	over := []string{"--demo", "--transport", "http"}
	certified := func(from, until time.Duration) func(*testing.T) []string {
		return func(t *testing.T) []string {
			made := issue(t, "mcp.example.com", from, until)
			return []string{"MCP_PORT=0", "MCP_TLS_CERT=" + made.file, "MCP_TLS_KEY=" + made.key}
		}
	}
	return []trouble{
		{name: "a port that another program uses", symbol: "✗", check: "listen", says: []string{"another program uses the port", "MCP_PORT"}, args: over, arrange: func(t *testing.T) []string {
			_, port, _ := net.SplitHostPort(strings.TrimPrefix(serveHandler(t, http.HandlerFunc(http.NotFound)), "http://"))
			return []string{"MCP_PORT=" + port}
		}},
		{name: "an address of another machine", symbol: "✗", check: "listen", says: []string{"cannot listen on 203.0.113.1", "this machine"}, args: over, arrange: set("MCP_HOST=203.0.113.1", "MCP_PORT=0")},
		{name: "an expired server certificate", symbol: "✗", check: "certificate", says: []string{"expired on", "clients reject it"}, args: over, arrange: certified(-year, -time.Hour)},
		{name: "a server certificate that is not valid yet", symbol: "✗", check: "certificate", says: []string{"not valid before", "clock"}, args: over, arrange: certified(time.Hour, year)},
		{name: "a server certificate that expires soon", symbol: "!", check: "certificate", says: []string{"valid until", "renew it"}, args: over, arrange: certified(-year, 48*time.Hour)},
		{name: "a server certificate without its key", symbol: "✗", check: "MCP_TLS_KEY", says: []string{"without it", "set both"}, args: over, arrange: func(t *testing.T) []string {
			return []string{"MCP_PORT=0", "MCP_TLS_CERT=" + issue(t, "mcp.example.com", -year, year).file}
		}},
	}
}

func TestDoctorSaysWhatItCouldNotCheck(t *testing.T) {
	over := []string{"--transport", "http"}
	certificate := issue(t, "mcp.example.com", -year, year).file
	for _, test := range []struct {
		environ []string
		args    []string
		want    []string
	}{
		{[]string{"MCP_PORT=70000"}, over, []string{"- transport: skipped until ", "- listen: skipped until MCP_HOST and MCP_PORT are valid\n", "✓ MCP_TRANSPORT: http (command line)\n"}},
		{[]string{"MCP_PORT=0", "MCP_TLS_CERT=" + certificate}, over, []string{"- transport: skipped until ", "- certificate: skipped until "}},
		{[]string{"MCP_TRANSPORT=sse"}, nil, []string{"- transport: skipped until "}},
		{[]string{"MCP_AUTH_TOKENS=short", "MCP_PORT=1234"}, nil, []string{"✓ transport: stdio: an AI client starts the program (not used with stdio: MCP_PORT)\n"}},
		{[]string{"MCP_PORT=0"}, over, []string{"- scopes, expiry, tools: skipped because each request over HTTP brings its own key\n"}},
		{nil, nil, []string{"- scopes, expiry, tools: skipped until there is a key that Outline accepts\n"}},
		{[]string{"OUTLINE_API_KEY=ol_api_fake_mistyped"}, nil, []string{"- scopes, expiry, tools: skipped until there is a key that Outline accepts\n"}},
		{[]string{"OUTLINE_TOOLS=serch"}, []string{"--demo"}, []string{"- tools: skipped until the settings offer any tools\n"}},
		{[]string{"OUTLINE_API_KEY=" + fakeoutline.ScopedKey}, nil, []string{"- scopes, expiry: skipped because the key may not call this endpoint (apiKeys.list)\n", "! tools: 38 of 42 may work with this key, but its scopes are not known, so a call can still be refused; to have this checked"}},
	} {
		_, report := doctorSays(t, false, append([]string{"OUTLINE_API_URL=" + serveHandler(t, sample(t, fakeoutline.Options{Answers: true}))}, test.environ...), test.args...)
		if !contains(report, test.want) {
			t.Errorf("with %q it does not say %q:\n%s", test.environ, test.want, report)
		}
	}
}
