package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Status is the outcome of a check.
type Status string

// The statuses. Only a Failure makes a report not OK.
const (
	OK      Status = "ok"
	Warning Status = "warning" // works, or may work, but could work better
	Failure Status = "failure"
	Skipped Status = "skipped" // could not be checked
)

// symbol returns the first character of a line with the status.
func (s Status) symbol() string {
	return map[Status]string{OK: "✓", Warning: "!", Failure: "✗", Skipped: "-"}[s]
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

// tidy makes all texts safe for a terminal, and sets OK.
func (r *Report) tidy() {
	for i := range r.Checks {
		check := &r.Checks[i]
		check.Finding, check.Advice = tidy(check.Finding, r.key, maxText), tidy(check.Advice, r.key, maxText)
		if check.Status == Failure {
			r.OK = false
		}
	}
}

// Brief returns a report without the checks that passed, except for those that
// say what works: that the program starts, Outline answers, and whose the key is.
func (r Report) Brief() Report {
	brief := r
	brief.Checks = slices.DeleteFunc(slices.Clone(r.Checks), func(check Check) bool {
		says := slices.Contains([]string{"start", "server", "outline", "key"}, check.Name)
		return !says && (check.Status == OK || check.Status == Skipped)
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
			b.WriteString("skipped, ")
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
