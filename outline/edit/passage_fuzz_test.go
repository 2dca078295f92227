package edit

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"outline-mcp/test/fixtures"
)

var seeds = [][2]string{
	{"# a\n\n* b’s\n* c\n", "- b's\n- c"}, {"x\r\n\r\n\\\r\n\r\ny \nz", "x\ny\n"}, {"> * a\n>\n> \\\n>\n> b", "> - a\n> b\n>"},
	{"aaa", "aa"}, {"a\u00a0b “c” – d", `a b "c" – `}, {"a - b\n- b", "* b"}, {"\r\r\na\\\nb", "\\\nb\n \n"}, {"some **plain** text\n", "some plain Text"},
	{"* * *\n* - + a\n+\n", "- - -\n- - - a\n-"}, {"```\na\n\n\nb\n```", "\n\na\n\nb"}, {"é“è", "“"}, {"0", `0\`}, {"a\\n b | c\n", "a  \n|"}, {"新しい文書\n", "新しい文章"},
}

// unfolded is an independent, slower implementation of the tolerance of Find.
func unfolded(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u202f", " ", "\u2007", " ",
		"‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "‟", `"`).Replace(s)
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t")
		if strings.Trim(strings.TrimSuffix(line, `\`), "> \t") == "" {
			continue
		}
		marks := line[:len(line)-len(strings.TrimLeft(line, "> \t-*+"))]
		lines = append(lines, strings.NewReplacer("*", "-", "+", "-").Replace(marks)+line[len(marks):])
	}
	return strings.Join(lines, "\n")
}

func FuzzFind(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, old string) {
		m, err := Find(text, old)
		var none *NotFoundError
		var several *AmbiguousError
		switch {
		case errors.As(err, &none):
			if strings.Contains(text, old) {
				t.Fatalf("Find(%q, %q): %v", text, old, err)
			}
			if len(none.Nearest) > 3 {
				t.Fatalf("%d similar passages", len(none.Nearest))
			}
			checkPlaces(t, text, none.Nearest)
			return
		case errors.As(err, &several):
			if several.Count < 2 || len(several.Places) != min(several.Count, 10) {
				t.Fatalf("Find(%q, %q): %+v", text, old, several)
			}
			checkPlaces(t, text, several.Places)
			return
		case err != nil:
			if strings.TrimSpace(old) != "" && utf8.ValidString(old) {
				t.Fatalf("Find(%q, %q): %v", text, old, err)
			}
			return
		}
		if m.Start < 0 || m.Start >= m.End || m.End > len(text) {
			t.Fatalf("Find(%q, %q) = %+v", text, old, m)
		}
		stored := text[m.Start:m.End]
		if utf8.ValidString(text) && !utf8.ValidString(stored) {
			t.Fatalf("Find(%q, %q) = %q splits a character", text, old, stored)
		}
		if m.Tolerant == strings.Contains(text, old) || !m.Tolerant && stored != old {
			t.Fatalf("Find(%q, %q) = %q", text, old, stored)
		}
		// Marks behind other characters are not those of an item.
		if m.Tolerant && strings.TrimSpace(unfolded("x"+stored)) != strings.TrimSpace(unfolded("x"+old)) &&
			strings.TrimSpace(unfolded(stored)) != strings.TrimSpace(unfolded(old)) && readable(stored) != readable(old) {
			t.Fatalf("Find(%q, %q) = %q, which is %q, not %q", text, old, stored, unfolded(stored), unfolded(old))
		}
		if again, err := Find(text[:m.End], stored); err == nil && again.Start != m.Start && !m.Tolerant {
			t.Fatalf("Find(%q, %q) = %+v, but its text is at %+v", text, old, m, again)
		}

		if same := (Edit{Old: old, New: old}).Replacement(stored); utf8.ValidString(text) && readable(same) != readable(stored) {
			t.Fatalf("replacing %q by itself makes %q of %q", old, same, stored)
		}
		after, changes, err := changesOf(text, []Edit{{Old: old, New: "new"}})
		if err != nil || after != text[:m.Start]+"new"+text[m.End:] || changes[0].Match != m {
			t.Fatalf("changesOf(%q, %q) = %q, %v, %v", text, old, after, changes, err)
		}
		checkWiden(t, text, m)
	})
}

// FuzzChanges compares edits applied together with edits applied one by one.
func FuzzChanges(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed[0], seed[1], "- x\r\n", "* X\n", "y")
		f.Add(seed[0]+"\r\nab ’", seed[1], "", "b '\n", "\n\nz\r")
	}
	f.Fuzz(func(t *testing.T, text, old1, new1, old2, new2 string) {
		edits := []Edit{{Old: old1, New: new1}, {Old: old2, New: new2}, {Old: old1 + new1, New: old2}, {Old: new2, New: old1}}
		for n := 1; n <= len(edits); n++ {
			after, _, err := changesOf(text, edits[:n])
			want := text
			for i, edit := range edits[:n] {
				m, findErr := Find(want, edit.Old)
				if findErr != nil {
					var failed *EditError
					if !errors.As(err, &failed) || failed.Index != i || failed.Err.Error() != findErr.Error() {
						t.Fatalf("changesOf(%q, %+v): %v, not %v", text, edits[:n], err, findErr)
					}
					return
				}
				want = want[:m.Start] + edit.Replacement(want[m.Start:m.End]) + want[m.End:]
			}
			if err != nil || after != want {
				t.Fatalf("changesOf(%q, %+v) = %q, %v, not %q", text, edits[:n], after, err, want)
			}
		}
	})
}

func checkPlaces(t *testing.T, text string, places []Place) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	for _, p := range places {
		if p.Line < 1 || p.Line > len(lines) || !strings.Contains(strings.Join(lines[p.Line-1:], ""), p.Text) ||
			utf8.ValidString(text) && utf8.RuneCountInString(p.Text) > 400 {
			t.Fatalf("%q has no place %+v", text, p)
		}
	}
}

func checkWiden(t *testing.T, text string, m Match) {
	t.Helper()
	w := widen(text, m)
	if w.Start < 0 || w.Start > m.Start || w.End < m.End || w.End > len(text) || w.Tolerant != m.Tolerant {
		t.Fatalf("widen(%q, %+v) = %+v", text, m, w)
	}
	find := text[w.Start:w.End]
	if strings.Index(text, find) != w.Start {
		t.Fatalf("widen(%q, %+v) = %+v: %q occurs before", text, m, w, find)
	}
	if utf8.ValidString(text) && utf8.ValidString(text[m.Start:m.End]) && !utf8.ValidString(find) {
		t.Fatalf("widen(%q, %+v) = %q splits a character", text, m, find)
	}
	replacement := text[w.Start:m.Start] + "new" + text[m.End:w.End]
	if got := strings.Replace(text, find, replacement, 1); got != text[:m.Start]+"new"+text[m.End:] {
		t.Fatalf("replacing the first %q in %q gives %q", find, text, got)
	}
}

// FuzzRoundTrip changes a text as editors do and looks for passages as they
// were before.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed[0], uint16(1), uint16(5), uint8(0xFF))
	}
	f.Fuzz(func(t *testing.T, text string, from, length uint16, changes uint8) {
		if !utf8.ValidString(text) || len(text) == 0 || strings.ContainsRune(text, '\r') {
			return
		}
		from %= uint16(min(len(text), 1<<15))
		to := min(len(text), int(from)+int(length)+1)
		old := text[from:to]
		if strings.ContainsAny(old[len(old)-1:], "-*+") {
			return // cut off within a mark, or in front of what shows that it is none
		}
		if !utf8.ValidString(old) || strings.Trim(old, "> \t\n\\\u00a0\u202f\u2007") == "" {
			return
		}
		travelled := make([]string, 0, 2)
		for _, s := range []string{text, old} {
			for i, change := range []func(string) string{
				func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
				func(s string) string { return strings.ReplaceAll(s, "'", "’") },
				func(s string) string { return strings.ReplaceAll(s, `"`, "“") },
				func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n\n\\\n\n") },
				func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n* ") },
				func(s string) string { return strings.ReplaceAll(s, "\n* ", "\n+ ") },
				func(s string) string { return strings.ReplaceAll(s, "\n\n", " \t\n\n\n") },
			} {
				if changes>>i&1 == 1 {
					s = change(s)
				}
			}
			travelled = append(travelled, s)
		}
		m, err := Find(travelled[0], old)
		var none *NotFoundError
		if errors.As(err, &none) {
			t.Fatalf("%q is not found in %q", old, travelled[0])
		}
		if err == nil && unfolded("x"+travelled[0][m.Start:m.End]) != unfolded("x"+old) && unfolded(travelled[0][m.Start:m.End]) != unfolded(old) {
			t.Fatalf("%q is found in %q as %q", old, travelled[0], travelled[0][m.Start:m.End])
		}
	})
}

func FuzzWiden(f *testing.F) {
	f.Add("aa\nb a\nc a", 3, 8)
	f.Add("éé\r\né", 2, 4)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		if start < 0 || end > len(text) || start >= end {
			return
		}
		checkWiden(t, text, Match{Start: start, End: end})
	})
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc")
	f.Add("", "\n\n")
	f.Add("a\n\nb\n\nc\n\nd\n\ne\n", "c\n\nb\n\na\n\ne\n\nd\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		checkDiff(t, before, after)
		// Letters as lines make for more of them.
		checkDiff(t, strings.Join(strings.Split(before, ""), "\n"), strings.Join(strings.Split(after, ""), "\n"))
		checkDiff(t, before+after+before, after+before)
	})
}

// A recording is a document of a real Outline, as its API shows it and as its
// export writes it.
type recording struct{ Name, Text, Export string }

func recordings(t *testing.T) []recording {
	t.Helper()
	list := fixtures.Recorded[recording](t, "roundtrip")
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
