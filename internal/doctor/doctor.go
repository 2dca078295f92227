// Package doctor diagnoses why a server does not work: it checks the settings,
// the connection to Outline, the key, and which tools they allow, and says how to
// fix each problem.
//
// It changes nothing in Outline, does not use Outline's AI, and leaves no file on
// this machine. It sends the key only to the configured address, and only if Outline
// answers there. With http://, a proxy can read the key.
package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/login"
)

const (
	// examinationTimeout is how long a whole examination may take.
	examinationTimeout = time.Minute
	// requestTimeout is how long one request may take.
	requestTimeout = 10 * time.Second
)

// Request names the server to examine.
type Request struct {
	Environ   []string // in the form of os.Environ: the settings and the proxies
	Demo      bool     // the server uses the embedded workspace
	Transport string   // overrides MCP_TRANSPORT, unless it is ""
	Version   string   // of this program
	Login     bool     // report only on logging in with Outline, and failures that keep it from working
	// Entry is the server in a client's configuration that is examined instead; nil
	// for the server that these settings start.
	Entry *Entry
}

// A step is a group of checks that belong together.
type step struct {
	checks []string // their names, for when the step is skipped
	needs  need
	run    func(context.Context, *examination)
	when   func(*examination) bool // whether there is anything to check; nil: always
}

// A need is what a step cannot run without.
type need int

const (
	nothing      need = iota
	address           // settings that say how to reach Outline
	keyOrOutline      // a reachable Outline, unless the settings name one and no key
	outlineAPI        // a reachable Outline
	validKey          // a reachable Outline that accepts the key
)

// steps returns all steps in the order of the report.
func steps() []step {
	overHTTP := func(e *examination) bool { return e.settings.Transport == config.HTTP }
	return []step{
		{[]string{"entry", "start"}, nothing, checkEntry, func(e *examination) bool { return e.Entry != nil }},
		{[]string{"settings"}, nothing, checkSettings, nil},
		{[]string{"outline"}, address, checkOutline, nil},
		{[]string{"key", "scopes", "expiry"}, keyOrOutline, checkKey, nil},
		{nil, validKey, askFeatures, nil}, // for the next steps
		{[]string{"tools"}, nothing, checkTools, nil},
		{[]string{"version"}, validKey, checkVersion, nil},
		{[]string{"edit_modes", "revisions", "ai_answers"}, validKey, checkFeatures, nil},
		{[]string{"collections"}, nothing, checkCollections, nil}, // decides itself what it needs
		{[]string{"prompts"}, validKey, checkPrompts, func(e *examination) bool { return e.settings.PromptsCollection != "" }},
		{[]string{"audit"}, nothing, checkAudit, func(e *examination) bool { return e.settings.AuditLog != "" }},
		{[]string{"program", "transport"}, nothing, checkProgram, nil},
		{[]string{"listen", "certificate"}, nothing, checkServing, overHTTP},
		{loginChecks, nothing, checkLogin, overHTTP},
	}
}

// An examination holds what the steps have found out for the later ones.
type examination struct {
	Request
	asker
	Settings config.Report
	Err      error // why Outline cannot be reached, as far as the settings tell
	settings config.Config
	found    []Check // of the step that is running

	reached bool   // Outline answers at the configured address
	owner   owner  // of the key
	valid   bool   // Outline accepts the key
	noKey   string // why requests with the key are of no use

	answers map[string]answer // to askFeatures, by check
}

// Examine makes all checks on the server that a request names, over the same
// connection to Outline as that server. It ends when ctx does, or after a
// minute.
func Examine(ctx context.Context, r Request) Report {
	whole, cancel := context.WithTimeout(ctx, examinationTimeout)
	defer cancel()
	r.Environ = slices.Clone(r.Environ)
	if r.Entry != nil && (r.Entry.Unusable || r.Entry.Command == "" && r.Entry.URL == "") {
		return (&examination{Request: r}).unusable()
	}
	if r.Entry != nil && r.Entry.URL != "" {
		return examineRemote(whole, r)
	}
	if r.Entry != nil {
		r = r.Entry.start(r)
	}
	given := r.Environ
	if r.Demo {
		r.Environ = config.WithoutOutline(r.Environ)
	}
	if r.Transport != "" {
		r.Environ = append(r.Environ, "MCP_TRANSPORT="+r.Transport)
	}
	byLogin := !r.Demo
	if byLogin {
		known := len(r.Environ)
		r.Environ = login.WithAddress(runtime.GOOS, r.Environ, config.Lookup)
		byLogin = len(r.Environ) > known
	}
	e := &examination{Request: r, Settings: config.Examine(r.Environ, app.Checks(r.Demo)...)}
	e.settings = e.Settings.Config
	for i := range e.Settings.Settings {
		switch one := &e.Settings.Settings[i]; {
		case r.Transport != "" && one.Name == "MCP_TRANSPORT":
			one.Source = config.FromOption
		case byLogin && one.Name == "OUTLINE_API_URL":
			one.Source = config.FromLogin
		case r.Entry != nil && one.Source == config.FromEnvironment:
			one.Source = config.FromEntry
		}
	}
	if r.Entry != nil {
		e.Environ = given // what the program in the entry starts with
	}
	var reached app.Reached
	reached, e.Err = app.Reach(app.Options{Config: e.settings, Demo: r.Demo, Version: r.Version})
	e.asker = newAsker(reached, e.settings.RequestTimeout)
	defer e.close()

	all := steps()
	if r.Login {
		all = slices.DeleteFunc(all, func(s step) bool {
			return s.checks == nil || !slices.Contains([]string{"settings", "outline", "key", "login"}, s.checks[0])
		})
	}
	checks := []Check{}
	for _, step := range all {
		checks = append(checks, e.make(ctx, whole, step)...)
	}
	if r.Login {
		checks = slices.DeleteFunc(checks, notAboutLogin)
	}
	if whole.Err() != nil {
		checks = append(checks, Check{Name: "time", Status: Failure, Finding: cmp.Or(interrupted(ctx), "time ran out") + " before everything was checked", Advice: "run doctor again"})
	}
	return reportOn(checks, e.key.Reveal())
}

// make runs a step and returns its checks.
func (e *examination) make(ctx, whole context.Context, s step) []Check {
	e.found = nil
	if s.when != nil && !s.when(e) {
		return nil
	}
	why := e.lacks(s.needs)
	if why == "" && whole.Err() == nil {
		s.run(whole, e)
	}
	if whole.Err() != nil {
		e.found, why = nil, cmp.Or(interrupted(ctx), "time ran out") // a check that was cut short says nothing about Outline
	}
	if why != "" {
		e.skip(why, s.checks...)
	}
	return e.found
}

// interrupted returns "interrupted" if ctx was canceled, else "".
func interrupted(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "interrupted"
	}
	return ""
}

// lacks returns why a need is not met, or "" if it is.
func (e *examination) lacks(n need) string {
	unreachable := e.Settings.Unusable("OUTLINE_API_URL", "OUTLINE_CA_FILE", "OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY", "OUTLINE_HEADERS", "OUTLINE_HEADERS_FILE", "OUTLINE_VERIFY_SSL") || e.Err != nil
	switch {
	case n == nothing, n == keyOrOutline && e.key == "" && !unreachable:
		return ""
	case n == address && unreachable:
		return "until the settings for Outline are valid"
	case n != address && !e.reached:
		return "until Outline is reached"
	case n == validKey && !e.valid:
		return e.noKey
	}
	return ""
}

// Status is the outcome of a check.
type Status string

// The statuses. Only a Failure makes a report not OK.
const (
	OK      Status = "ok"
	Warning Status = "warning" // works, or may work, but could work better
	Failure Status = "failure"
	Absent  Status = "absent"  // not there or not allowed, as is normal for an edition or a role
	Skipped Status = "skipped" // could not be checked
)

// symbol returns the first character of a line with the status.
func (s Status) symbol() string {
	return map[Status]string{OK: "✓", Warning: "!", Failure: "✗", Absent: "-", Skipped: "-"}[s]
}

// Check is the result of one check.
type Check struct {
	Name    string         `json:"name"` // of the check, or of a variable
	Status  Status         `json:"status"`
	Finding string         `json:"finding"`
	Advice  string         `json:"advice,omitempty"` // what to do
	Details map[string]any `json:"details,omitempty"`
}

// Report is the result of an examination.
type Report struct {
	OK     bool    `json:"ok"` // no check failed
	Checks []Check `json:"checks"`

	key string // redacted wherever it appears
}

// add adds a check to the report.
func (e *examination) add(status Status, name, finding, advice string, details ...map[string]any) {
	check := Check{Name: name, Status: status, Finding: finding, Advice: advice}
	for _, some := range details {
		check.Details = some
	}
	e.found = append(e.found, check)
}

// fail adds a failure. It replaces checks with that name that seemed OK.
func (e *examination) fail(name, finding, advice string) {
	e.found = slices.DeleteFunc(e.found, func(c Check) bool { return c.Name == name && c.Status == OK })
	e.add(Failure, name, finding, advice)
}

// skip adds checks that could not be made.
func (e *examination) skip(why string, names ...string) {
	for _, name := range names {
		e.add(Skipped, name, why, "")
	}
}

// reportOn returns the report with checks, in which all texts are safe for a terminal
// and do not contain the key.
func reportOn(checks []Check, key string) Report {
	report := Report{OK: true, Checks: checks, key: key}
	for i := range checks {
		check := &checks[i]
		check.Finding, check.Advice = tidy(check.Finding, key, maxText), tidy(check.Advice, key, maxText)
		report.OK = report.OK && check.Status != Failure
	}
	return report
}

// Brief returns a report without the checks that passed, except for those that
// say what works: that the program starts, Outline answers, and whose the key is.
func (r Report) Brief() Report {
	brief := r
	brief.Checks = slices.DeleteFunc(slices.Clone(r.Checks), func(check Check) bool {
		says := slices.Contains([]string{"start", "server", "outline", "key"}, check.Name)
		return !says && (check.Status == OK || check.Status == Absent || check.Status == Skipped)
	})
	return brief
}

// WriteText writes a line for each check and a summary. Checks that were skipped
// for the same reason share a line.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := 0; i < len(r.Checks); i++ {
		check := r.Checks[i]
		names := check.Name
		for check.Status == Skipped && i+1 < len(r.Checks) && r.Checks[i+1].Status == Skipped && r.Checks[i+1].Finding == check.Finding {
			i++
			names += ", " + r.Checks[i].Name
		}
		fmt.Fprintf(&b, "%s %s: ", check.Status.symbol(), names)
		if check.Status == Skipped {
			b.WriteString("skipped ")
			if !strings.HasPrefix(check.Finding, "until ") {
				b.WriteString("because ")
			}
		}
		b.WriteString(check.Finding)
		if check.Advice != "" {
			b.WriteString("; " + check.Advice)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n" + r.sum() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// sum returns the summary, such as "1 failure, no warnings."
func (r Report) sum() string {
	counts := map[Status]int{}
	for _, check := range r.Checks {
		counts[check.Status]++
	}
	text := fmt.Sprintf("%s, %s.", count(counts[Failure], "failure"), count(counts[Warning], "warning"))
	return strings.ToUpper(text[:1]) + text[1:]
}

// WriteJSON writes the report as indented JSON.
func (r Report) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err := io.WriteString(w, withoutKeyIn(b.String(), r.key))
	return err
}
