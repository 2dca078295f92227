package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/prompts"
)

const fromNotes = "OUTLINE_PROMPTS_COLLECTION=00000011-0000-4000-8000-000000000000"

func TestADocumentOfTheCollectionIsAPrompt(t *testing.T) {
	built := names(list(t, connect(t, workspace(t, nil))))
	for _, setting := range []string{fromNotes, "OUTLINE_PROMPTS_COLLECTION=C000000011", "OUTLINE_PROMPTS_COLLECTION=notes-C000000011", "OUTLINE_PROMPTS_COLLECTION=http://outline.demo.invalid/collection/notes-C000000011"} {
		draft, archived := in(notes, page(23, "Draft", "x")), in(notes, page(24, "Archived", "x"))
		draft.PublishedAt, archived.ArchivedAt = time.Time{}, day(5)
		c := connect(t, workspace(t, nil, page(20, "Elsewhere", "x"), draft, archived,
			in(notes, page(21, "Weekly report", "Writes the report of a team.\n\nWrite the report of {{team}} for {{Due date}}, and mention {{ team }}.")),
			in(notes, page(22, "Hello", "Say hello."))), setting)
		listed := list(t, c)
		if got := names(listed); got != built+" weekly_report hello" {
			t.Fatalf("%s: %s", setting, got)
		}
		want := mcp.Prompt{Name: "weekly_report", Title: "Weekly report", Description: "Writes the report of a team.",
			Arguments: []mcp.PromptArgument{{Name: "team", Title: "team", Required: true}, {Name: "due_date", Title: "Due date", Required: true}}, Icons: mcptool.Icons("documents")}
		if diff := cmp.Diff(want, listed[len(listed)-2]); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got := must(t, c, "weekly_report", "team={{due_date}} $1 \\1", "due_date=Friday"); !slices.Equal(got, []content{{"", `Write the report of {{due_date}} $1 \1 for Friday, and mention {{due_date}} $1 \1.`}}) {
			t.Errorf("%q", got)
		}
		if got := must(t, c, "hello"); !slices.Equal(got, []content{{"", "Say hello."}}) {
			t.Errorf("%q", got)
		}
		for _, test := range []struct {
			name string
			args []string
			want string
		}{
			{"weekly_report", []string{"team=A"}, "missing argument due_date. Valid arguments: team (required), due_date (required)."},
			{"hello", []string{"team=A"}, `unknown argument "team". It takes no arguments.`},
			{"elsewhere", nil, `no prompt is called "elsewhere". There are ` + strings.ReplaceAll(built, " ", ", ") + `, weekly_report, hello.`},
			{"draft", nil, `no prompt is called "draft".`},
			{"archived", nil, `no prompt is called "archived".`},
		} {
			if _, err := get(t, c, test.name, test.args...); err == nil || !strings.Contains(err.Error(), "prompts/get: "+test.want) {
				t.Errorf("%s %q is answered with %v", test.name, test.args, err)
			}
		}
	}
}

func TestOfTwoPromptsWithOneNameTheOlderIsOfferedAndTheLogSaysSo(t *testing.T) {
	synctest.Test(t, theOlderIsOffered)
}

func theOlderIsOffered(t *testing.T) {
	c, log := connectLogged(t, workspace(t, nil,
		in(notes, page(22, "Letter!", "The newer one.")), in(notes, page(21, "lettér", "The older one.")), in(notes, page(23, "Catch up", "x"))), fromNotes)
	for range 3 {
		if got := names(list(t, c)); strings.Count(got, "letter") != 1 || strings.Count(got, "catch_up") != 1 {
			t.Errorf("listed are %s", got)
		}
		time.Sleep(time.Minute) // so that the collection is read again
	}
	if got := must(t, c, "letter"); got[0].text != "The older one." {
		t.Errorf("%q", got)
	}
	if got := must(t, c, "catch_up"); got[0].text == "x" {
		t.Error("a document takes the place of a prompt of the server")
	}
	for _, line := range []string{
		`msg="a document of OUTLINE_PROMPTS_COLLECTION is not offered as a prompt, because another has its name; rename it" document_id=` + uuid(22) + ` other=` + uuid(21),
		`msg="a document of OUTLINE_PROMPTS_COLLECTION is not offered as a prompt, because another has its name; rename it" document_id=` + uuid(23) + ` other=""`,
	} {
		if strings.Count(log.String(), line) != 1 {
			t.Errorf("the log does not have once %s\n%s", line, log)
		}
	}
	if !strings.Contains(log.String(), `msg="prompt call" prompt=team_prompt outcome=ok`) || strings.Contains(log.String(), "older one") {
		t.Errorf("the log is %s", log)
	}
}

func TestACollectionThatIsNotFoundLeavesTheOtherPrompts(t *testing.T) {
	for _, id := range []string{uuid(77), "C000000077", "https://elsewhere.example/collection/notes-C000000011"} {
		c, _ := connectLogged(t, workspace(t, nil, in(notes, page(21, "Letter", "x"))), "OUTLINE_PROMPTS_COLLECTION="+id)
		if got := names(list(t, c)); got != names(list(t, connect(t, nil))) {
			t.Errorf("%s: %s", id, got)
		}
	}
}

// TestPromptsAreKeptForAMinute counts requests for the documents of the collection, and
// changes them.
func TestPromptsAreKeptForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outline := &counting{RoundTripper: workspace(t, nil, in(notes, page(21, "Letter", "Dear {{name}}"))), counts: map[string]int{}}
		c := connect(t, outline, fromNotes)
		for range 3 {
			list(t, c)
			must(t, c, "letter", "name=Ada")
		}
		if outline.counts["documents.list"] != 1 || outline.counts["documents.info"] != 3 {
			t.Errorf("requests: %v", outline.counts)
		}
		call(t, outline.RoundTripper, "documents.update", `{"id":"`+uuid(21)+`","text":"Hello {{name}} of {{town}}"}`)
		if got := must(t, c, "letter", "name=Ada", "town=Ayr"); got[0].text != "Hello Ada of Ayr" {
			t.Errorf("the text is not that of now: %q", got)
		}
		call(t, outline.RoundTripper, "documents.move", `{"id":"`+uuid(21)+`","collectionId":"`+uuid(wiki)+`"}`)
		if _, err := get(t, c, "letter", "name=Ada", "town=Ayr"); err == nil || !strings.Contains(err.Error(), "its document is no longer in the collection of prompts") {
			t.Errorf("a document that was moved is answered with %v", err)
		}
		if got := names(list(t, c)); strings.Contains(got, "letter") {
			t.Errorf("the list is not asked for again: %s", got)
		}
		time.Sleep(time.Minute)
		list(t, c)
		if outline.counts["documents.list"] != 3 {
			t.Errorf("requests: %v", outline.counts)
		}
	})
}

// counting counts requests by their endpoint.
type counting struct {
	http.RoundTripper
	counts map[string]int
}

// RoundTrip implements http.RoundTripper.
func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.counts[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	return c.RoundTripper.RoundTrip(r)
}

// call changes a workspace as another user.
func call(t *testing.T, outline http.RoundTripper, endpoint, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	answer, err := outline.RoundTrip(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %v", endpoint, answer, err)
	}
	answer.Body.Close()
}

func TestTheTextsOfPromptsAreNotKept(t *testing.T) {
	var documents []fakeoutline.Document
	for n := range 40 {
		documents = append(documents, in(notes, page(100+n, fmt.Sprintf("Prompt %d", n), "Does it.\n\nFor {{team}}: "+strings.Repeat("x", 500_000))))
	}
	outline := workspace(t, nil, documents...)
	// A list that takes too long lacks the prompts of the collection, and is asked for
	// again here: a busy machine needs seconds for 20 MB with the race detector.
	listed := func(c *client.Client) {
		t.Helper()
		for range 30 {
			if strings.Contains(names(list(t, c)), "prompt_39") {
				return
			}
		}
		t.Fatal("the prompts of the collection are not listed")
	}
	listed(connect(t, outline, fromNotes)) // the embedded workspace keeps what it has rendered
	c := connect(t, outline, fromNotes)
	live := func() uint64 {
		var now runtime.MemStats
		for range 3 { // buffers for reuse outlive one collection
			runtime.GC()
		}
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	before := live()
	listed(c)
	// The texts have 20 MB. Half of that is room for what other tests leave behind.
	if after := live(); after > before+10<<20 {
		t.Errorf("%d MB are kept", (after-before)>>20)
	}
	listed(c)
}

func TestAPromptThatIsTooLongSaysSo(t *testing.T) {
	c := connect(t, workspace(t, nil, in(notes, page(21, "Long", strings.Repeat("x", 9000)+"\n\n{{more}}"))), fromNotes, "OUTLINE_MAX_RESPONSE_CHARS=10000")
	// The first paragraph is the description, so that only the argument counts.
	if got := must(t, c, "long", "more=y"); got[0].text != "y" {
		t.Errorf("%.100q", got)
	}
	if _, err := get(t, c, "long", "more="+strings.Repeat("é", 10001)); err == nil || !strings.Contains(err.Error(), "the prompt has 10001 characters with its arguments, more than the 10000 of OUTLINE_MAX_RESPONSE_CHARS.") {
		t.Errorf("%.300v", err)
	}
}

func TestHowADocumentIsReadAsAPrompt(t *testing.T) {
	for _, test := range []struct {
		title, text                  string
		name, description, arguments string
		says                         string // with each argument's value its name in upper case
	}{
		{"Weekly report", "Does it.\n\nWrite {{it}}.", "weekly_report", "Does it.", "it", "Write IT."},
		{"Über Straßen & Łódź – №5", "x", "uber_strassen_lodz_no5", "x", "", "x"},
		{"ブイ点検", "x", "prompt_D000000001", "x", "", "x"},
		{"", "x", "prompt_D000000001", "x", "", "x"},
		{" -- A--B -- ", "x", "a_b", "x", "", "x"},
		{strings.Repeat("ab ", 50), "x", strings.Repeat("ab_", 19) + "ab", "x", "", "x"},
		{"a", "# Heading\n\nText {{x}}", "a", "", "x", "# Heading\n\nText X"},
		{"a", "- item\n\nText", "a", "", "", "- item\n\nText"},
		{"a", "1. item\n\nText", "a", "", "", "1. item\n\nText"},
		{"a", "| a |\n|---|\n\nText", "a", "", "", "| a |\n|---|\n\nText"},
		{"a", "```\ncode\n```\n\nText", "a", "", "", "```\ncode\n```\n\nText"},
		{"a", "Two\nlines\u202e\x07.\n\nText", "a", "Two lines\ufffd\ufffd.", "", "Text"},
		{"a", "", "a", "", "", ""},
		{"a", "D.\n\n{{due\\_date}} {{Due date}} {{ due-date }}", "a", "D.", "due_date", "DUE_DATE DUE_DATE DUE_DATE"},
		{"a", "D.\n\n{{}} {{ }} {{日付}} {x} {{{y}}} {{a\nb}} {{{{z}}}}", "a", "D.", "y z", "{{}} {{ }} {{日付}} {x} {Y} {{a\nb}} {{Z}}"},
		{"a", "{{only}} here", "a", "{{only}} here", "only", "ONLY here"},
	} {
		got := prompts.WrittenOf(outline.Document{DocumentSummary: outline.DocumentSummary{Title: test.title, URLID: "D000000001"}, Text: test.text})
		var arguments []string
		values := map[string]string{}
		for _, a := range got.Arguments {
			arguments = append(arguments, a.Name)
			values[a.Name] = strings.ToUpper(a.Name)
		}
		if got.Name != test.name || got.Description != test.description || strings.Join(arguments, " ") != test.arguments || got.Fill(values) != test.says {
			t.Errorf("%q, %q: %q %q %q says %q", test.title, test.text, got.Name, got.Description, arguments, got.Fill(values))
		}
	}
}

// FuzzDocumentAsPrompt reads documents as prompts and fills them in: names fit, what
// clients show is on one line, and nothing is filled in twice.
func FuzzDocumentAsPrompt(f *testing.F) {
	f.Add("Weekly report", "Does it.\n\nWrite {{it}} for {{ Due date }}.", "{{it}}")
	f.Add("ブイ", "{{{a}}} {{b\\_c}} {{d", "}}")
	f.Add("", "\n\n\n# {{x}}\n\n", "{{x}}{{x}}")
	name := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, title, text, value string) {
		if !utf8.ValidString(title) || !utf8.ValidString(text) {
			t.Skip("not what JSON can hold")
		}
		got := prompts.WrittenOf(outline.Document{DocumentSummary: outline.DocumentSummary{Title: title, URLID: "Dabc123456"}, Text: text})
		if got.Name != "prompt_Dabc123456" && !name.MatchString(got.Name) || len(got.Name) > 60 {
			t.Errorf("the name is %q", got.Name)
		}
		if strings.ContainsAny(got.Title+got.Description, "\n\r\x1b\u2028\u202e") || len([]rune(got.Description)) > 300 || len(got.Arguments) > 20 {
			t.Errorf("%+v", got)
		}
		values, marked := map[string]string{}, map[string]string{}
		for _, a := range got.Arguments {
			if !name.MatchString(a.Name) || strings.ContainsAny(a.Title, "\n\r\x1b\u2028\u202e") {
				t.Errorf("an argument is %q, %q", a.Name, a.Title)
			}
			values[a.Name], marked[a.Name] = value, "\x00"
		}
		if want := strings.ReplaceAll(got.Fill(marked), "\x00", value); !strings.Contains(text, "\x00") && got.Fill(values) != want {
			t.Errorf("filled in is %q, want %q", got.Fill(values), want)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
	})
}

func TestCatchingUpShowsWhatOthersChanged(t *testing.T) {
	revised := func(n int, by int, text string) fakeoutline.Document {
		d := page(n, fmt.Sprintf("Page %d", n), text)
		d.UpdatedAt, d.UpdatedBy, d.Revision = day(58), uuid(by), 3
		return d
	}
	c := connect(t, workspace(t, func(s *fakeoutline.Seed) {
		for _, n := range []int{20, 21} {
			s.Revisions = append(s.Revisions,
				fakeoutline.Revision{ID: uuid(600 + n), DocumentID: uuid(n), Title: fmt.Sprintf("Page %d", n), Text: "before", AuthType: "app", CreatedBy: uuid(ben), CreatedAt: day(20)},
				fakeoutline.Revision{ID: uuid(700 + n), DocumentID: uuid(n), Title: fmt.Sprintf("Page %d", n), Text: "between", AuthType: "app", CreatedBy: uuid(ben), CreatedAt: day(57)})
		}
	}, revised(20, ben, "after by Ben"), revised(21, ada, "after by Ada"), page(22, "Old", "x")))
	all := must(t, c, "catch_up")
	if len(all) != 3 || !strings.Contains(all[0].text, `I am "Ada"`) || !strings.Contains(all[1].text, `"Page 20" D000000020`) || strings.Contains(all[1].text, "Old") {
		t.Fatalf("%q", all)
	}
	if diff := all[2].text; !strings.Contains(diff, "-before\n+after by Ben") || strings.Contains(diff, "between") {
		t.Errorf("the change is shown as %s", diff)
	}
	if got := must(t, c, "catch_up", "since=12h"); !strings.Contains(got[0].text, "Nothing has changed: say so.") {
		t.Errorf("%q", got)
	}
}
