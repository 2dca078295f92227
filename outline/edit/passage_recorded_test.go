package edit

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"outline-mcp/outline/recorded"
)

// A recording is a document of a real Outline, as its API shows it and as its
// export writes it.
type recording struct{ Name, Text, Export string }

func recordings(t *testing.T) []recording {
	t.Helper()
	list := recorded.Read[recording](t, "roundtrip")
	for i := range list {
		// The export begins with the title.
		list[i].Export = strings.TrimPrefix(strings.TrimPrefix(list[i].Export, "# Doc"), "\n\n")
	}
	return list
}

// readable is what a text says: its letters, digits and symbols without white
// space, breaks, escapes, and the signs of blocks.
func readable(text string) string {
	text = sameSign.Replace(text)
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("\\>*-+:|~`.)", r) {
			return -1
		}
		return r
	}, text)
}

var sameSign = strings.NewReplacer(`\\`, `\`, `\n`, " ", "<br>", " ", "<br/>", " ", "<br />", " ",
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "‟", `"`)

// checkRuns fails unless each run of one to four lines of a document as it was
// copied is found where it stands in the stored text. Runs that occur more than
// once are left out, and those with nothing to read.
func checkRuns(t *testing.T, name, stored, copied string, except map[string]string) (found, all int) {
	t.Helper()
	_, known := except[name]
	defer func() {
		if known && found == all {
			t.Errorf("%s is listed as an exception, but all of it is found", name)
		}
	}()
	lines := strings.SplitAfter(copied, "\n")
	for count := 1; count <= 4; count++ {
		for from := 0; from+count <= len(lines); from++ {
			before := strings.Join(lines[:from], "")
			run := strings.TrimSuffix(strings.Join(lines[from:from+count], ""), "\n")
			if readable(run) == "" || strings.Count(copied, run) > 1 {
				continue
			}
			all++
			m, err := Find(stored, run)
			problem := ""
			switch {
			case err != nil:
				problem = err.Error()
			case readable(stored[:m.Start]) != readable(before) || readable(stored[m.Start:m.End]) != readable(run):
				problem = "found " + stored[:m.Start] + "[" + stored[m.Start:m.End] + "]" + stored[m.End:]
			default:
				found++
			}
			if problem != "" && !known {
				t.Errorf("%s: %q of %q: %s", name, run, stored, problem)
			}
		}
	}
	return found, all
}

func TestLinesOfADocumentAreFoundWhereTheyStand(t *testing.T) {
	found, all := 0, 0
	for _, r := range recordings(t) {
		f, a := checkRuns(t, r.Name, r.Text, r.Text, nil)
		found, all = found+f, all+a
	}
	t.Logf("%d of %d", found, all)
}

func TestLinesOfAnExportAreFoundInTheText(t *testing.T) {
	found, all := 0, 0
	for _, r := range recordings(t) {
		f, a := checkRuns(t, r.Name, r.Text, r.Export, nil)
		found, all = found+f, all+a
	}
	t.Logf("%d of %d", found, all)
}

// retyped are ways in which a document is written from memory.
var retyped = map[string]func(text string) string{
	"without escapes":      replaced("\\\\([^\\pL\\pN\\s])", "$1"),
	"with other bullets":   replaced(`(?m)^([ >]*)[*-] `, "$1+ "),
	"with a parenthesis":   replaced(`(?m)^([ >]*\d+)\. `, "$1) "),
	"without padding":      replaced(`(?m)^ (\d[.)] )`, "$1"),
	"with narrow cells":    replaced(`(?m)[ ]*\|[ ]*`, "|"),
	"with short delimiter": replaced(`(?m)-+\|`, "---|"),
	"with line breaks":     replaced(`(^|[^\\])(?:\\n|<br>)`, "$1  \n"),
	"with tags":            replaced(`(^|[^\\])\\n`, "$1<br />"),
	"with other fences":    replaced("(?m)^([ >]*)(?:```|~~~)", "$1````"),
	"with short fences":    replaced(`(?m)^([ >]*)\+{4,}$`, "$1+++"),
	"with a blank":         replaced(`(?m)^([ >]*:::)(\w)`, "$1 $2"),
	"without blank lines":  replaced(`\n\n+`, "\n"),
	"with narrow images":   replaced(`[ ]+!\[`, " !["),
}

func replaced(pattern, by string) func(string) string {
	return func(text string) string { return regexp.MustCompile(pattern).ReplaceAllString(text, by) }
}

func TestLinesWrittenAnotherWayAreFoundInTheText(t *testing.T) {
	except := map[string]map[string]string{"with other fences": {
		"m/adjcode": "the backticks are those of code within a line",
		"c/ticks2":  "the same",
	}, "without escapes": {
		"p/backslash-n-escaped": "a backslash before an n is a break",
		"i/altesc":              "two backslashes are one, and one before a sign is none",
		"math/blockbs":          "the same",
		"esc/all":               "the same",
		"esc/twobs":             "the same",
		"code/esc":              "a star at the start of a line is a bullet",
		"table/hrcell":          "a row of dashes is the one below the header",
	}}
	for name, retype := range retyped {
		t.Run(name, func(t *testing.T) {
			found, all := 0, 0
			for _, r := range recordings(t) {
				if copied := retype(r.Text); copied != r.Text {
					f, a := checkRuns(t, r.Name, r.Text, copied, except[name])
					found, all = found+f, all+a
				}
			}
			t.Logf("%d of %d", found, all)
		})
	}
}
