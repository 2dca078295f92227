package tools_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// longPage is a page of several thousand lines, of which read_document shows a part.
func longPage() string {
	var b strings.Builder
	for i := range 135 {
		fmt.Fprintf(&b, "## Section %d\n\nOn day %d the crew of the ferry took the north channel.\n\n", i, i)
		for j := range 10 {
			fmt.Fprintf(&b, "- Berth %d-%d has %d bollards and a lamp\n", i, j, i+j)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// replaceText calls update_document.
func (e *editing) replaceText(t *testing.T, arguments map[string]any) cli.Answer {
	t.Helper()
	all := map[string]any{"document_id": e.id}
	for name, value := range arguments {
		all[name] = value
	}
	answer, err := cli.Call(t.Context(), e.c, "update_document", all)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// readText returns what read_document shows, and how to continue.
func (e *editing) readText(t *testing.T, arguments map[string]any) (text string, next int) {
	t.Helper()
	all := map[string]any{"document_id": e.id}
	for name, value := range arguments {
		all[name] = value
	}
	type reading struct {
		Text          string
		NextStartLine int `json:"next_start_line"`
	}
	got, _ := read[reading](t, e.c, "read_document", all)
	return got.Text, got.NextStartLine
}

// refuses fails unless an answer refuses a text, says what it must, and nothing is written.
func (e *editing) refuses(t *testing.T, answer cli.Answer, code output.Code, stored string, says ...string) {
	t.Helper()
	if answer.Code != code || e.text(t) != stored {
		t.Errorf("code %s, changed %v: %s", answer.Code, e.text(t) != stored, answer.Text)
	}
	for _, words := range says {
		if !strings.Contains(answer.Text, words) {
			t.Errorf("it does not say %q: %s", words, answer.Text)
		}
	}
}

func TestAReadingThatWasCutIsNotThePage(t *testing.T) {
	e := newEditing(t, longPage(), fakeoutline.Options{})
	stored := e.text(t)
	shown, next := e.readText(t, nil)
	if next == 0 {
		t.Fatal("it is not cut")
	}
	lines := strings.Split(stored, "\n")
	for name, text := range map[string]string{
		"as it was read":       shown,
		"with a word changed":  strings.Replace(shown, "north", "south", 1),
		"changed all over":     strings.ReplaceAll(shown, "channel", "strait"),
		"with other bullets":   strings.ReplaceAll(shown, "* ", "- "),
		"with a section added": shown + "\n\n## Harbour\n\nA new section.\n\n- with an item",
		"the first 700 lines":  strings.Join(lines[:700], "\n"),
		"up to within a line":  stored[:len(stored)/2],
	} {
		t.Log(name)
		e.refuses(t, e.replaceText(t, map[string]any{"text": text}), output.InvalidArguments, stored,
			"nothing was written: text ends with line ", "as a reading that was cut does", "read_document and start_line ", "edit_document", "append", "allow_shrink")
	}
	answer := e.replaceText(t, map[string]any{"text": shown, "allow_shrink": true})
	if answer.Code != "" {
		t.Error(answer.Text)
	}
}

func TestTheDefaultCutIsKnownWithoutAMemory(t *testing.T) {
	page := longPage()
	for _, length := range []int{40_300, 41_000, 45_000} { // a few lines are missing
		text := page[:length]
		e := newEditing(t, text[:strings.LastIndex(text, "\n")], fakeoutline.Options{})
		shown, next := e.readText(t, nil)
		if next == 0 {
			t.Fatal("it is not cut")
		}
		other := *e
		other.c = connectTo(t, app.Options{Config: load(t), Transport: e.between})
		stored := e.text(t)
		e.refuses(t, other.replaceText(t, map[string]any{"text": strings.ReplaceAll(shown, "channel", "strait")}), output.InvalidArguments, stored, "text ends with line ")
		if answer := other.replaceText(t, map[string]any{"text": strings.Replace(stored, "lamp", "light", 1)}); answer.Code != "" {
			t.Error(answer.Text)
		}
	}
}

func TestShrinkingIsJudgedByTheSizeOfThePage(t *testing.T) {
	words := strings.Repeat("The ferry takes the north channel at low tide. ", 44)
	for _, test := range []struct {
		name, stored, text string
		refused            bool
	}{
		{"a paragraph of 2,050 characters to five", words, "Five.", true},
		{"twelve short lines to one", strings.Repeat("- Buoy\n", 11) + "- Lamp", "Done", true},
		{"a section of a small page", "## A\n\n" + strings.Repeat("Text of A.\n\n", 12) + "## B\n\nText of B.", "## B\n\nText of B.", true},
		{"seven paragraphs to a word", strings.Repeat("The ferry takes the north channel at low tide, and the south one at high tide.\n\n", 7), "Text.", true},
		{"a stub of two lines to one", "To be written.\n\nBy whom?", "See Tides.", false},
		{"a paragraph", "One short paragraph, to be replaced by less.", "Less.", false},
		{"a third stays", words, words[:len(words)/3], false},
	} {
		e := newEditing(t, test.stored, fakeoutline.Options{})
		stored := e.text(t)
		answer := e.replaceText(t, map[string]any{"text": test.text})
		if test.refused {
			e.refuses(t, answer, output.InvalidArguments, stored, "allow_shrink")
		} else if answer.Code != "" {
			t.Errorf("%s: %s", test.name, answer.Text)
		}
	}
}

func TestASectionIsNotReplacedByACutReadingOfIt(t *testing.T) {
	long := strings.Repeat("Text of the long one.\n\n", 3) + strings.ReplaceAll(longPage(), "## ", "### ")
	e := newEditing(t, "## Short\n\nText.\n\n## Long\n\n"+long, fakeoutline.Options{})
	type section struct {
		Content       string
		NextStartLine int `json:"next_start_line"`
	}
	got, _ := read[section](t, e.c, "read_document_section", map[string]any{"document_id": e.id, "heading": "Long"})
	if got.NextStartLine == 0 {
		t.Fatal("it is not cut")
	}
	stored := e.text(t)
	e.refuses(t, e.replaceText(t, map[string]any{"heading": "Long", "text": got.Content}), output.InvalidArguments, stored,
		fmt.Sprintf("text ends with line %d ", got.NextStartLine-2), fmt.Sprintf("start_line %d", got.NextStartLine-1))
}

func TestTheBeginningOfAPageIsNotThePage(t *testing.T) {
	e := newEditing(t, "Text.", fakeoutline.Options{Now: passing()})
	r := rand.New(rand.NewPCG(52, 1))
	tried := 0
	pages := slices.DeleteFunc(fixtures.Recorded[struct{ Text string }](t, "wiki_pages"), func(p struct{ Text string }) bool { return strings.Count(p.Text, "\n") < 40 })
	for _, page := range fixtures.Some(pages, 20) {
		document, err := e.calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "Page", Text: page.Text})
		if err != nil {
			t.Fatal(err)
		}
		e.id = document.ID
		stored := e.text(t)
		lines := strings.Split(stored, "\n")
		kept := len(lines)/4 + r.IntN(len(lines)/4+1)
		text := strings.TrimSpace(strings.Join(lines[:kept], "\n"))
		rest := slices.DeleteFunc(slices.Clone(lines[kept:]), func(line string) bool { return line == "" })
		if text == "" || len(rest) < 12 {
			continue
		}
		tried++
		e.refuses(t, e.replaceText(t, map[string]any{"text": strings.ReplaceAll(text, " the ", " that ")}), output.InvalidArguments, stored)
	}
	if tried == 0 {
		t.Error("no page is long enough")
	}
	t.Logf("%d pages", tried)
}

// An ordinaryUpdate returns a text as it may be changed, "" if it has no such part.
type ordinaryUpdate func(r *rand.Rand, text string) string

var ordinaryUpdates = map[string]ordinaryUpdate{
	"a section rewritten": func(r *rand.Rand, text string) string {
		parts := strings.Split(text, "\n## ")
		if len(parts) < 2 {
			return ""
		}
		i := 1 + r.IntN(len(parts)-1)
		heading, _, _ := strings.Cut(parts[i], "\n")
		parts[i] = heading + "\n\nThis section is new.\n\n- It has items\n- and says it in other words\n"
		return strings.Join(parts, "\n## ")
	},
	"a table extended": func(r *rand.Rand, text string) string {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "|") && (i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "|")) {
				row := strings.Repeat("| new ", strings.Count(line, "|")-1) + "|"
				return strings.Join(append(lines[:i+1:i+1], append([]string{row, row}, lines[i+1:]...)...), "\n")
			}
		}
		return ""
	},
	"a list shortened": func(r *rand.Rand, text string) string {
		lines := strings.Split(text, "\n")
		var kept []string
		gone := 0
		for _, line := range lines {
			if (strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "- ")) && gone < 6 && r.IntN(2) == 0 {
				gone++
				continue
			}
			kept = append(kept, line)
		}
		if gone == 0 {
			return ""
		}
		return strings.Join(kept, "\n")
	},
	"the last line deleted": func(_ *rand.Rand, text string) string {
		i := strings.LastIndex(strings.TrimSpace(text), "\n")
		return strings.TrimSpace(text[:max(0, i)])
	},
	"a last short section deleted": func(_ *rand.Rand, text string) string {
		i := strings.LastIndex(text, "\n## ")
		if i < 0 || strings.Count(text[i:], "\n") > 12 || len(text[i:]) > len(text)/2 {
			return ""
		}
		return text[:i]
	},
	"words changed all over": func(_ *rand.Rand, text string) string {
		return strings.NewReplacer(" the ", " that ", " is ", " was ", " and ", " or ").Replace(text)
	},
	"a summary put first": func(_ *rand.Rand, text string) string { return "In short: it works.\n\n" + text },
	"emptied":             func(*rand.Rand, string) string { return "Moved." },
}

func TestOrdinaryUpdatesOfWholeTextsAreNotRefused(t *testing.T) {
	var pages []string
	for _, page := range fixtures.Recorded[struct{ Text string }](t, "wiki_pages") {
		pages = append(pages, page.Text)
	}
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	e := newEditing(t, "Text.", fakeoutline.Options{Now: func() time.Time { return now }})
	list, err := e.calm.Documents(t.Context(), outline.DocumentListParams{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, summary := range list.Items {
		document, err := e.calm.Document(t.Context(), summary.ID)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, document.Text)
	}
	r := rand.New(rand.NewPCG(52, 0))
	made := 0
	for want := fixtures.Count(100, 300); made < want; {
		page := pages[r.IntN(len(pages))]
		for _, name := range slices.Sorted(maps.Keys(ordinaryUpdates)) {
			now = now.Add(time.Hour) // nobody else is at work on it
			document, err := e.calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "Ordinary", Text: page})
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(time.Hour)
			e.id = document.ID
			was, next := e.readText(t, nil)
			text := ordinaryUpdates[name](r, was)
			if text == "" || text == was || next > 0 {
				continue
			}
			made++
			if answer := e.replaceText(t, map[string]any{"text": text, "allow_shrink": name == "emptied"}); answer.Code != "" {
				t.Errorf("%s: %s\n%s\n---\n%s", name, answer.Text, was, text)
			}
		}
	}
	t.Logf("%d updates", made)
}

func TestATokenThatAClientHidesIsNotReplaced(t *testing.T) {
	t.Parallel()
	const page = "Call it so:\n\n```\ncurl -H \"Authorization: Bearer abc123\"\n```\n\nThat is all."
	e := newEditing(t, page, fakeoutline.Options{})
	shown := strings.Replace(page, "abc123", "******", 1)
	if answer := e.replaceText(t, map[string]any{"text": shown}); answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "which your client hides") {
		t.Errorf("%s: %s", answer.Code, answer.Text)
	}
	if answer := e.replaceText(t, map[string]any{"text": shown, "allow_shrink": true}); answer.Code != "" || !strings.Contains(e.textOf(t, e.id), "******") {
		t.Errorf("allowed: %s", answer.Text)
	}
}
