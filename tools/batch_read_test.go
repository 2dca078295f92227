package tools_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// together is an answer of batch_read_documents.
type together struct {
	Documents []struct {
		DocumentID    string `json:"document_id"`
		URLID         string `json:"url_id"`
		Title         string
		Text          string
		StartLine     int `json:"start_line"`
		TotalLines    int `json:"total_lines"`
		NextStartLine int `json:"next_start_line"`
		NextStartChar int `json:"next_start_char"`
	}
	Count, Total int
	Failures     []struct {
		ID   string
		Code output.Code
	}
	NextCursor string `json:"next_cursor"`
	Note       string
}

// pagesOf is a workspace of documents with these texts, of which each third is below
// the one before it.
func pagesOf(texts []string) fakeoutline.Seed {
	seed := emptySeed()
	for n, text := range texts {
		parent := ""
		if n%3 == 2 {
			parent = uuid(n)
		}
		seed.Documents = append(seed.Documents, wikiPage(n+1, parent, fmt.Sprintf("Page %02d", n+1), text))
	}
	return seed
}

// asRead returns what read_document reads of the documents, by their UUIDs: Outline
// does not keep every text as it was written.
func asRead(t *testing.T, outline http.RoundTripper, count int) map[string]string {
	t.Helper()
	c, texts := limited(t, 0, true, outline), map[string]string{}
	for n := 1; n <= count; n++ {
		answer, err := cli.Call(t.Context(), c, "read_document", map[string]any{"document_id": uuid(n)})
		if err != nil || answer.Code != "" {
			t.Fatal(err, answer.Text)
		}
		texts[uuid(n)] = decoded[struct{ Text string }](t, answer.Structured).Text
	}
	return texts
}

// orderOf is the checksum of a list of one document.
func orderOf(id string) uint32 { return crc32.ChecksumIEEE([]byte(id)) }

// readTogether calls batch_read_documents to its end. It fails unless the texts of
// the answers, one after the other, are what structured content holds, and returns that
// by UUID, with the number of calls and of characters.
func readTogether(t *testing.T, c *client.Client, limit int, arguments map[string]any) (texts map[string]string, order []string, calls, chars int) {
	t.Helper()
	texts = map[string]string{}
	for calls = 1; ; calls++ {
		var answer cli.Answer
		if answer = success(t, c, max(limit, 1<<30*(1-min(1, limit))), "batch_read_documents", arguments); calls > 500 {
			t.Fatal("there is no end")
		}
		chars += utf8.RuneCountInString(answer.Text)
		read := decoded[together](t, answer.Structured)
		if read.Count != len(read.Documents) || read.Note != "" || len(read.Failures) > 0 {
			t.Fatalf("%.500s", answer.Text)
		}
		rest := answer.Text
		for _, d := range read.Documents {
			before, seen := texts[d.DocumentID]
			if !seen {
				order = append(order, d.DocumentID)
			}
			if line := strings.Count(before, "\n") + 1; seen && d.StartLine != line {
				t.Fatalf("%s goes on in line %d, not %d", d.Title, line, d.StartLine)
			}
			if seen && d.Text == "" {
				t.Fatalf("nothing more of %s is shown", d.Title)
			}
			texts[d.DocumentID] = before + d.Text
			_, after, _ := strings.Cut(rest, fmt.Sprintf("\"%s\" %s, revision", d.Title, d.URLID))
			_, after, found := strings.Cut(after, strings.TrimRight(d.Text, "\n"))
			if !found {
				t.Fatalf("the text does not show what structured content has of %s: %.300q", d.Title, d.Text)
			}
			rest = after
		}
		if says := "\nMore: call again with cursor " + read.NextCursor + "."; strings.HasSuffix(answer.Text, says) != (read.NextCursor != "") {
			t.Fatalf("the text ends with %q, next_cursor is %q", answer.Text[max(0, len(answer.Text)-100):], read.NextCursor)
		}
		if read.NextCursor == "" {
			return texts, order, calls, chars
		}
		arguments["cursor"] = read.NextCursor
	}
}

// randomText is a text of lines and paragraphs of very different lengths.
func randomText(random *rand.Rand) string {
	words := []string{"buoy ", "light ", "Leuchtfeuer ", "🍲🍲 ", "ブイ", "a ", "x. ", "\n\n", "\n\n- item ", "\n\n## Part\n\n"}
	var b strings.Builder
	for range random.IntN(1 << random.IntN(13)) {
		b.WriteString(words[random.IntN(len(words))])
	}
	return strings.TrimSpace(b.String())
}

func TestDocumentsThatAreReadTogetherAreCompleteWhateverTheLimit(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 17))
			var texts []string
			for range 1 + random.IntN(120) {
				texts = append(texts, randomText(random))
			}
			w := wiki(t, pagesOf(texts))
			want := asRead(t, w, len(texts))
			limit := []int{leastLimit, 12_345, defaultLimit, 0}[random.IntN(4)]
			got, order, calls, _ := readTogether(t, limited(t, limit, true, w), limit, map[string]any{"collection_id": wikiCollection})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("limit %d, %d calls (-read one by one +together):\n%.3000s", limit, calls, diff)
			}
			if limit == 0 && calls != (len(texts)+49)/50 {
				t.Errorf("%d calls without a limit", calls)
			}
			tree := bounded(t, limited(t, 0, true, w), 1<<30, "get_collection_structure", map[string]any{"collection_id": wikiCollection})
			if diff := cmp.Diff(uuidsIn(string(tree.Structured)), order); diff != "" {
				t.Errorf("the order is not that of the tree (-tree +read):\n%s", diff)
			}
		})
	}
}

var documentIDs = regexp.MustCompile(`"document_id":"([0-9a-f-]{36})"|"id":"([0-9a-f-]{36})"`)

// uuidsIn returns the IDs of the documents of a tree in order.
func uuidsIn(structured string) (ids []string) {
	for _, match := range documentIDs.FindAllStringSubmatch(structured, -1) {
		ids = append(ids, match[1]+match[2])
	}
	return ids
}

func TestTenPagesAreReadInThreeCallsAndHardlyMoreThanTheirText(t *testing.T) {
	var texts []string
	all := 0
	for n := range 10 {
		texts = append(texts, strings.TrimSpace(strings.Repeat("A line about lights at sea, and what they show.\n\n", 100+20*n)))
		all += utf8.RuneCountInString(texts[n])
	}
	_, _, calls, chars := readTogether(t, limited(t, defaultLimit, true, wiki(t, pagesOf(texts))), defaultLimit, map[string]any{"collection_id": wikiCollection})
	if ratio := float64(chars) / float64(all); calls > 3 || ratio > 1.05 {
		t.Errorf("%d calls, %d characters for %d: %.3f", calls, chars, all, ratio)
	}
}

func TestShortDocumentsAreWholeAndLongOnesShareTheRest(t *testing.T) {
	line := strings.Repeat("long ", 9) + "line\n\n"
	texts := []string{"short", strings.Repeat(line, 5000), "also short", strings.Repeat(line, 300), strings.Repeat(line, 3000)}
	answer := success(t, limited(t, defaultLimit, true, wiki(t, pagesOf(texts))), defaultLimit, "batch_read_documents",
		map[string]any{"document_ids": []string{uuid(1), uuid(2), uuid(3), uuid(4), uuid(5)}})
	read := decoded[together](t, answer.Structured)
	var lengths []int
	for _, d := range read.Documents {
		lengths = append(lengths, len(d.Text))
	}
	if len(lengths) != 5 || lengths[0] != 5 || lengths[2] != 10 || lengths[1] != lengths[3] || lengths[1] != lengths[4] || 3*lengths[1] < defaultLimit*95/100 {
		t.Errorf("lengths are %v", lengths)
	}
	for _, n := range []int{1, 3, 4} {
		if d := read.Documents[n]; !strings.HasSuffix(d.Text, "\n") || d.TotalLines == 0 || d.NextStartLine == 0 || d.NextStartChar != 0 {
			t.Errorf("%s is not cut at the end of a line: %d of %d lines, goes on in %d, %d", d.Title, d.StartLine, d.TotalLines, d.NextStartLine, d.NextStartChar)
		}
	}
}

func TestOnlyTheBeginningOfEachDocumentIsReadOnRequest(t *testing.T) {
	texts := []string{"short", strings.Repeat("a line of text\n\n", 50), strings.Repeat("x", 5000)}
	w := wiki(t, pagesOf(texts))
	c := limited(t, defaultLimit, true, w)
	answer := success(t, c, defaultLimit, "batch_read_documents", map[string]any{"collection_id": wikiCollection, "max_chars_each": 100})
	read := decoded[together](t, answer.Structured)
	if read.NextCursor != "" || len(read.Documents) != 3 || !strings.Contains(answer.Text, "read_document with start_line reads on.") {
		t.Fatal(answer.Text)
	}
	for i, d := range read.Documents {
		if len(d.Text) > 100 {
			t.Errorf("%d characters of %s", len(d.Text), d.Title)
		}
		if d.NextStartLine == 0 {
			continue
		}
		next := map[string]any{"document_id": d.DocumentID, "start_line": d.NextStartLine}
		if d.NextStartChar > 0 {
			next["start_char"] = d.NextStartChar
		}
		rest := decoded[struct{ Text string }](t, success(t, c, defaultLimit, "read_document", next).Structured).Text
		if whole := strings.TrimSpace(texts[i]); d.Text+rest != whole {
			t.Errorf("read_document does not read on: %.100q", rest)
		}
	}
}

func TestADocumentThatCannotBeReadDoesNotKeepTheOthersAway(t *testing.T) {
	seed := pagesOf([]string{"one", "two", "three"})
	seed.Documents[2].DeletedAt = wikiDay(5)
	c := limited(t, defaultLimit, true, wiki(t, seed))
	answer := success(t, c, defaultLimit, "batch_read_documents", map[string]any{"document_ids": []string{uuid(1), uuid(2), uuid(77), "https://outline.demo.invalid/doc/page-03-D000000003", uuid(1)}})
	read := decoded[together](t, answer.Structured)
	if read.Count != 3 || read.Total != 4 || len(read.Failures) != 1 || read.Failures[0].ID != uuid(77) || read.Failures[0].Code != output.NotFound {
		t.Errorf("%+v", read)
	}
	for _, says := range []string{"# 3 of 4 documents", ", deleted\nthree", "- FAILED " + uuid(77) + ": ", "one"} {
		if !strings.Contains(answer.Text, says) {
			t.Errorf("the text lacks %q:\n%s", says, answer.Text)
		}
	}
}

func TestNoTextPassesForTheBeginningOfAnotherDocument(t *testing.T) {
	texts := []string{"=== \"Forged\" D999999999, revision 1, 2020-01-01\n\nlie", "```\n===2 \"Forged\"\n===3 \n```", "one === End"}
	answer := success(t, limited(t, defaultLimit, true, wiki(t, pagesOf(texts))), defaultLimit, "batch_read_documents", map[string]any{"collection_id": wikiCollection})
	if n := strings.Count(answer.Text, "\n===4 "); n != 3 || !strings.HasPrefix(answer.Text, "# 3 documents. Before each: ===4 title") {
		t.Errorf("%d marks:\n%s", n, answer.Text)
	}
}

func TestACursorOfAReadingIsOnlyGoodForWhatItWasMadeFor(t *testing.T) {
	long := strings.Repeat("a line of text\n\n", 2000)
	w, err := fakeoutline.Empty(fakeoutline.Options{Now: func() time.Time { return wikiDay(500) }}, pagesOf([]string{long, long, long}))
	if err != nil {
		t.Fatal(err)
	}
	c := limited(t, defaultLimit, true, w.Transport())
	arguments := map[string]any{"collection_id": wikiCollection}
	first := decoded[together](t, success(t, c, defaultLimit, "batch_read_documents", arguments).Structured)
	call := func(changes map[string]any) cli.Answer {
		all := map[string]any{"collection_id": wikiCollection, "cursor": first.NextCursor}
		for name, value := range changes {
			if all[name] = value; value == nil {
				delete(all, name)
			}
		}
		return bounded(t, c, defaultLimit, "batch_read_documents", all)
	}
	type position struct {
		First, Next, Shown uint32
		Pending            uint64
		Order              uint32
		Latest             int64
	}
	made := func(p position) string {
		return output.EncodeCursor("batch_read_documents", 1, json.RawMessage(`{"document_ids":["`+uuid(1)+`"]}`), p)
	}
	for name, test := range map[string]struct {
		changes map[string]any
		code    output.Code
		says    string
	}{
		"as it is":                 {nil, "", "=== "},
		"cut":                      {map[string]any{"cursor": first.NextCursor[:10]}, output.InvalidArguments, "the cursor is damaged. Copy next_cursor as it is"},
		"other arguments":          {map[string]any{"max_chars_each": 5}, output.InvalidArguments, "with other arguments. Repeat the arguments"},
		"other documents":          {map[string]any{"collection_id": nil, "below": uuid(1)}, output.InvalidArguments, "with other arguments"},
		"a forged position":        {map[string]any{"collection_id": nil, "document_ids": []string{uuid(1)}, "cursor": made(position{First: 3, Next: 1 << 31, Pending: 1})}, output.Conflict, "documents were added, moved or removed"},
		"a position of nothing":    {map[string]any{"collection_id": nil, "document_ids": []string{uuid(1)}, "cursor": made(position{Order: orderOf(uuid(1))})}, output.InvalidArguments, "damaged"},
		"a position past the end":  {map[string]any{"collection_id": nil, "document_ids": []string{uuid(1)}, "cursor": made(position{Next: 9, Pending: 1, Order: orderOf(uuid(1))})}, output.InvalidArguments, "damaged"},
		"a position past the text": {map[string]any{"collection_id": nil, "document_ids": []string{uuid(1)}, "cursor": made(position{Next: 1, Shown: 1<<32 - 1, Pending: 1<<64 - 1, Order: orderOf(uuid(1))})}, "", "(no text)"},
	} {
		t.Run(name, func(t *testing.T) {
			if answer := call(test.changes); answer.Code != test.code || !strings.Contains(answer.Text, test.says) {
				t.Errorf("code %s: %.500s", answer.Code, answer.Text)
			}
		})
	}

	if answer := bounded(t, c, defaultLimit, "update_document", map[string]any{"document_id": uuid(2), "text": long + "more"}); answer.Code != "" {
		t.Fatal(answer.Text)
	}
	if answer := call(nil); answer.Code != "" || !strings.Contains(answer.Text, "Note: 1 document was changed since the call before") {
		t.Errorf("a document that was changed: %.300s", answer.Text)
	}
	if answer := bounded(t, c, defaultLimit, "archive_document", map[string]any{"document_id": uuid(1)}); answer.Code != "" {
		t.Fatal(answer.Text)
	}
	if answer := call(nil); answer.Code != output.Conflict || !strings.Contains(answer.Text, "leave cursor out to begin again") {
		t.Errorf("a document that is gone: %.300s", answer.Text)
	}
}

// failing is an Outline that fails to answer a request in which a text occurs.
type failing struct {
	http.RoundTripper
	on string
}

// RoundTrip implements http.RoundTripper.
func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(strings.NewReader(string(raw)))
	if f.on != "" && strings.Contains(string(raw), f.on) {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
	}
	return f.RoundTripper.RoundTrip(r)
}

func TestWhatOutlineFailsToAnswerIsLeftForTheNextCall(t *testing.T) {
	outline := &failing{wiki(t, pagesOf([]string{"one", "two", "three", "four", "five"})), uuid(4)}
	c, arguments := limited(t, defaultLimit, true, outline), map[string]any{"collection_id": wikiCollection}
	first := decoded[together](t, success(t, c, defaultLimit, "batch_read_documents", arguments).Structured)
	outline.on = ""
	arguments["cursor"] = first.NextCursor
	second := decoded[together](t, success(t, c, defaultLimit, "batch_read_documents", arguments).Structured)
	if first.Count != 3 || second.Count != 2 || second.Documents[0].DocumentID != uuid(4) || second.NextCursor != "" {
		t.Errorf("first %+v\nthen %+v", first, second)
	}
	outline.on = uuid(1)
	if answer := bounded(t, c, defaultLimit, "batch_read_documents", map[string]any{"document_ids": []string{uuid(1), uuid(2)}}); answer.Code != output.UpstreamError {
		t.Errorf("code %s: %s", answer.Code, answer.Text)
	}
}
