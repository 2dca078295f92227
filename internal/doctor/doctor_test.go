package doctor_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
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
	own     bool                      // in a process of its own, with nothing of this environment
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
			if took := time.Since(start); took > 20*time.Second {
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
			if want := map[string]int{"✗": 1, "!": 0}[trouble.symbol]; code != want {
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
