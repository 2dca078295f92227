// Package doctor finds out why a server with given settings does not work: it
// examines the settings, what answers at Outline's address, the key, and what
// the three allow, and says of each what to do.
//
// It changes nothing, neither here nor in Outline, and asks no AI. The key is
// sent to the configured address alone, and only when Outline answers there. A
// proxy on the way to an address with http:// sees it.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
)

const (
	// within is how long a whole examination may take.
	within = time.Minute
	// answerWithin is how long one request may take.
	answerWithin = 10 * time.Second
	// together is how many requests are made at a time.
	together = 4
)

// Options are what is examined.
type Options struct {
	Settings config.Report
	Environ  []string       // for the proxies in it
	Demo     bool           // the embedded workspace is what is reached
	Access   mcptool.Access // which tools the settings offer
	Version  string         // of this program

	// How Outline is reached. Err is why it cannot be, as far as that is known
	// without asking.
	BaseURL   string
	Key       config.Secret
	UserAgent string
	Transport http.RoundTripper
	Err       error
}

// A step makes checks that belong together.
type step struct {
	checks []string // the names of what it checks, for when it is left out
	// blocked says why the step cannot be made, "" if it can; nil: it always can.
	blocked func(*examination) string
	run     func(context.Context, *examination)
	last    bool // made after all others, whatever its place
}

// steps are in the order of the report.
func steps() []step {
	return []step{
		{checks: []string{"settings"}, run: checkSettings},
		{checks: []string{"outline"}, blocked: withoutAddress, run: checkOutline},
		{checks: []string{"key", "scopes", "expiry"}, blocked: withoutOneToAsk, run: checkKey},
		{checks: []string{"tools"}, run: checkTools},
		{checks: []string{"rate_limit"}, blocked: withoutOutline, run: checkRateLimit, last: true},
		{checks: []string{"latency"}, blocked: withoutOutline, run: checkLatency},
		{checks: []string{"clock"}, blocked: withoutOutline, run: checkClock},
		{checks: []string{"version"}, blocked: withoutKey, run: checkVersion},
		{checks: []string{"edit_modes", "revisions", "ai_answers", "title_search"}, blocked: withoutKey, run: checkFeatures},
		{checks: []string{"program", "transport"}, run: checkProgram},
		{checks: []string{"listen", "certificate"}, blocked: withoutHTTP, run: checkServing},
	}
}

// An examination is what the steps find out for each other.
type examination struct {
	Options
	asker
	settings config.Config
	found    []Check // of the step that is running

	answers map[question]answer // what was asked with the key
	timed   []answer            // of small requests

	reached bool   // Outline answers at BaseURL
	owner   owner  // of the key
	valid   bool   // Outline knows the key
	noKey   string // why there is no use in asking with the key
}

// Run makes all checks. It ends when ctx does, or after a minute.
func Run(ctx context.Context, o Options) Report {
	whole, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	e := &examination{Options: o, settings: o.Settings.Config, answers: map[question]answer{}}
	e.asker = newAsker(o, e.settings.RequestTimeout)
	defer e.close()

	all := steps()
	found := make([][]Check, len(all))
	for _, last := range []bool{false, true} {
		for i, step := range all {
			if step.last == last {
				found[i] = e.make(ctx, whole, step)
			}
		}
	}
	report := Report{OK: true, key: o.Key.Reveal()}
	for _, checks := range found {
		report.Checks = append(report.Checks, checks...)
	}
	if whole.Err() != nil {
		report.Checks = append(report.Checks, Check{Name: "time", Status: Failure, Finding: cmp.Or(interrupted(ctx), "out of time") + " before everything was checked", Advice: "run it again"})
	}
	report.tidy()
	return report
}

// make makes the checks of a step.
func (e *examination) make(ctx, whole context.Context, s step) []Check {
	e.found = nil
	why := ""
	if s.blocked != nil {
		why = s.blocked(e)
	}
	if why == "" && whole.Err() == nil {
		s.run(whole, e)
	}
	if why != leaveOut && whole.Err() != nil {
		e.found, why = nil, cmp.Or(interrupted(ctx), "no time was left") // what was found in a hurry says nothing of Outline
	}
	if why != "" && why != leaveOut {
		e.skip(why, s.checks...)
	}
	return e.found
}

// interrupted says that somebody ended an examination, "" if nobody did.
func interrupted(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "interrupted"
	}
	return ""
}

// leaveOut is what a step answers that has no place in the report.
const leaveOut = "-"

func withoutAddress(e *examination) string {
	if e.Settings.Unusable("OUTLINE_API_URL", "OUTLINE_CA_FILE", "OUTLINE_VERIFY_SSL") || e.Err != nil {
		return "until the settings say how to reach Outline"
	}
	return ""
}

func withoutOutline(e *examination) string {
	if !e.reached {
		return "until Outline is reached"
	}
	return ""
}

// withoutOneToAsk keeps a key from being asked about. That none is set can be
// told without Outline.
func withoutOneToAsk(e *examination) string {
	if e.key == "" && withoutAddress(e) == "" {
		return ""
	}
	return withoutOutline(e)
}

func withoutKey(e *examination) string {
	switch {
	case !e.reached:
		return withoutOutline(e)
	case !e.valid:
		return e.noKey
	}
	return ""
}

func withoutHTTP(e *examination) string {
	if e.settings.Transport != config.HTTP {
		return leaveOut
	}
	return ""
}
