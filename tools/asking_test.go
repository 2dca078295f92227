package tools_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

// A person answers every question in the same way, and remembers them.
type person struct {
	answer mcp.ElicitationResponse
	mu     sync.Mutex
	asked  []string
}

func (p *person) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, request.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: p.answer}, nil
}

func agrees() *person {
	return &person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"confirm": true}}}
}

func declines() *person {
	return &person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}
}

// picks chooses the option that contains a text.
func picks(option string) *person {
	return &person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"choice": option}}}
}

// commands passes requests on, and remembers those that change something.
type commands struct {
	next   http.RoundTripper
	before func() // happens once, before the first of them
	mu     sync.Mutex
	sent   []string
}

// reading matches the endpoints that change nothing. All others count as commands.
var reading = regexp.MustCompile(`\.(info|list|documents|deleted|archived|drafts|search|search_titles|memberships|group_memberships|redirect|get)$`)

func (c *commands) RoundTrip(r *http.Request) (*http.Response, error) {
	if endpoint := path.Base(r.URL.Path); r.Body != nil && !reading.MatchString(endpoint) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte("00000000-0000-4000-8000-000000000000")) { // the probe of what the server can do
			c.mu.Lock()
			c.sent = append(c.sent, endpoint)
			before := c.before
			c.before = nil
			c.mu.Unlock()
			if before != nil {
				before()
			}
		}
	}
	return c.next.RoundTrip(r)
}

// asks returns a client of a server that asks a person, on a new workspace.
func asks(t *testing.T, p client.ElicitationHandler, settings ...string) (*client.Client, *commands) {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{Answers: true, Now: fakeoutline.SampleDay})
	if err != nil {
		t.Fatal(err)
	}
	return asksOn(t, sample, p, settings...)
}

// asksOn is asks on a workspace.
func asksOn(t *testing.T, on *fakeoutline.Workspace, p client.ElicitationHandler, settings ...string) (*client.Client, *commands) {
	t.Helper()
	sent := &commands{next: on.Transport()}
	server, err := app.New(app.Options{Config: load(t, settings...), Version: "test", Transport: sent, Now: on.Now})
	if err != nil {
		t.Fatal(err)
	}
	c, err := server.ConnectAsking(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, sent
}

func TestThePersonIsAskedWhatACallIsGoingToDoAndNothingIsWrittenBefore(t *testing.T) {
	t.Parallel()
	var questions bytes.Buffer
	for _, tool := range tools.All() {
		info := tool.Info()
		calls := slices.DeleteFunc(exampleCalls(t, info.Name), func(call fixtures.Call) bool { return call.Failed() })
		slices.SortFunc(calls, func(a, b fixtures.Call) int { return strings.Compare(a.Name, b.Name) })
		if info.Effect == mcptool.Reads {
			calls = calls[:1]
		}
		for _, call := range calls {
			t.Run(info.Name+"/"+call.Name, func(t *testing.T) {
				arguments := decoded[map[string]any](t, call.Arguments)
				no, yes := declines(), agrees()
				c, sent := asks(t, no, "OUTLINE_CONFIRM=writes")
				declined, err := cli.Call(t.Context(), c, info.Name, arguments)
				if err != nil {
					t.Fatal(err)
				}
				if len(sent.sent) > 0 && info.Effect != mcptool.Reads {
					t.Errorf("without an answer, %v is sent", sent.sent)
				}
				c, sent = asks(t, yes, "OUTLINE_CONFIRM=writes")
				agreed, err := cli.Call(t.Context(), c, info.Name, arguments)
				if err != nil || agreed.Code != "" {
					t.Fatalf("%v: %s", err, agreed.Text)
				}
				switch {
				case info.Effect == mcptool.Reads:
					for _, question := range yes.asked {
						if !strings.HasPrefix(question, "Which document") {
							t.Errorf("reading asks %q", question)
						}
					}
					return
				case len(yes.asked) > 1 || len(no.asked) != len(yes.asked):
					t.Errorf("%d and %d questions", len(no.asked), len(yes.asked))
				case len(yes.asked) == 0 && len(sent.sent) > 0:
					t.Errorf("without a question, %v is sent", sent.sent)
				case len(yes.asked) > 0 && (declined.Code != output.Forbidden || !strings.Contains(declined.Text, "no one confirmed it: the user declined")):
					t.Errorf("declined: %s", declined.Text)
				}
				question := append(yes.asked, "(not asked)")[0]
				question = randomMention.ReplaceAllString(question, "mention://new/")
				fmt.Fprintf(&questions, "## %s, %s\n\n%s\n\n", info.Name, call.Name, question)
			})
		}
	}
	golden(t, filepath.Join("testdata", "questions.txt"), questions.Bytes())
}

// An interruption is a person who agrees, and before that lets something happen once.
type interruption struct {
	*person
	happen func()
}

func (i *interruption) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	if len(i.asked) == 0 {
		i.happen()
	}
	return i.person.Elicit(ctx, request)
}

func TestAnAnswerCountsOnlyForTheDocumentAsItWasShown(t *testing.T) {
	yes := &interruption{person: agrees()}
	c, _ := asks(t, yes, "OUTLINE_CONFIRM=deletes")
	yes.happen = func() {
		answer, err := cli.Call(t.Context(), c, "update_document", map[string]any{"document_id": soup, "title": "Saturday soup"})
		if err != nil || answer.Code != "" {
			t.Errorf("%v: %s", err, answer.Text)
		}
	}
	answer, err := cli.Call(t.Context(), c, "delete_document", document(soup))
	if err != nil || answer.Code != "" {
		t.Fatalf("%v: %s", err, answer.Text)
	}
	if len(yes.asked) != 2 || !strings.Contains(yes.asked[0], "Friday soup") ||
		!strings.HasPrefix(yes.asked[1], "What this is about has changed since you were asked.\n\nMove the document \"Saturday soup\"") {
		t.Errorf("asked %q", yes.asked)
	}
}

func TestAnEditThatWasConfirmedIsMadeToTheRevisionThatWasShownOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, settings := range [][]string{nil, {"OUTLINE_CONFIRM=writes"}} {
		on := newSample(t)
		other, _ := asksOn(t, on, nil)
		c, sent := asksOn(t, on, agrees(), settings...)
		sent.before = func() {
			answer, err := cli.Call(t.Context(), other, "update_document", map[string]any{"document_id": soup, "text": "In between.", "append": true})
			if err != nil || answer.Code != "" {
				t.Errorf("%v: %s", err, answer.Text)
			}
		}
		answer, err := cli.Call(t.Context(), c, "edit_document", map[string]any{"document_id": soup, "edits": []map[string]any{{"old_text": "€60 a pot", "new_text": "€75 a pot"}}})
		want := output.Code("") // the edit is made to what is there now
		if settings != nil {
			want = output.Conflict
		}
		if err != nil || answer.Code != want {
			t.Errorf("with %v: %v: %s", settings, err, answer.Text)
		}
	}
}

func TestADocumentThatChangesAllTheTimeIsNotAskedAboutForever(t *testing.T) {
	var c *client.Client
	changes := 0
	yes := agrees()
	changing := elicits(func(request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		changes++
		answer, err := cli.Call(t.Context(), c, "update_document", map[string]any{"document_id": soup, "title": fmt.Sprintf("Soup %d", changes)})
		if err != nil || answer.Code != "" {
			t.Errorf("%v: %s", err, answer.Text)
		}
		return yes.Elicit(t.Context(), request)
	})
	c, sent := asks(t, changing, "OUTLINE_CONFIRM=deletes")
	answer, err := cli.Call(t.Context(), c, "delete_document", document(soup))
	if err != nil || answer.Code != output.Conflict || slices.Contains(sent.sent, "documents.delete") || changes > 20 {
		t.Errorf("after %d questions: %v, %v: %s", changes, err, sent.sent, answer.Text)
	}
}

// elicits answers questions with a function.
type elicits func(mcp.ElicitationRequest) (*mcp.ElicitationResult, error)

func (e elicits) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return e(request)
}

func TestTheWaysNotToAgreeAreToldApart(t *testing.T) {
	accept := mcp.ElicitationResponseActionAccept
	tests := []struct {
		name   string
		answer mcp.ElicitationResponse
		code   output.Code
		says   string
	}{
		{"declined", mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}, output.Forbidden, "the user declined"},
		{"closed", mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}, output.Cancelled, "the user closed the question"},
		{"accepted with no", mcp.ElicitationResponse{Action: accept, Content: map[string]any{"confirm": false}}, output.Forbidden, "the user declined"},
		{"declined with yes", mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline, Content: map[string]any{"confirm": true}}, output.Forbidden, "the user declined"},
		{"an unknown action", mcp.ElicitationResponse{Action: "maybe", Content: map[string]any{"confirm": true}}, output.Cancelled, "the user closed the question"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, sent := asks(t, &person{answer: test.answer}, "OUTLINE_CONFIRM=writes")
			answer, err := cli.Call(t.Context(), c, "delete_document", document(soup))
			if err != nil || answer.Code != test.code || !strings.Contains(answer.Text, test.says) || len(sent.sent) > 0 {
				t.Errorf("%v, sent %v: %s", err, sent.sent, answer.Text)
			}
		})
	}
}

func TestTheButtonOfTheFormConfirms(t *testing.T) {
	for _, content := range []any{nil, map[string]any{}, map[string]any{"confirm": true}} {
		c, sent := asks(t, &person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: content}}, "OUTLINE_CONFIRM=writes")
		answer, err := cli.Call(t.Context(), c, "delete_document", document(soup))
		if err != nil || answer.Code != "" || !slices.Contains(sent.sent, "documents.delete") {
			t.Errorf("%v, sent %v: %s", err, sent.sent, answer.Text)
		}
	}
}

func TestTheFirstLineOfAQuestionIsTheChange(t *testing.T) {
	yes := agrees()
	c, _ := asks(t, yes, "OUTLINE_CONFIRM=writes")
	for change, want := range map[[2]string]string{
		{"€60 a pot", "€75 a pot"}:                   `"Friday soup 🍲" (Handbook): "* Budget: €60 a pot," → "* Budget: €75 a pot,"`,
		{" in the Slip", ""}:                         `"Friday soup 🍲" (Handbook): "12:30 on Fridays in the Slip, next to" → "12:30 on Fridays, next to"`,
		{"* One pot", "* Bring a spoon.\n* One pot"}: `"Friday soup 🍲" (Handbook): added: "* Bring a spoon."`,
	} {
		yes.asked = nil
		if _, err := cli.Call(t.Context(), c, "edit_document", map[string]any{"document_id": soup, "edits": []any{map[string]any{"old_text": change[0], "new_text": change[1]}}}); err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(strings.Join(yes.asked, ""), "\n"); first != want {
			t.Errorf("%q is asked as %s, want %s", change, first, want)
		}
	}
}

func TestNoChangeHidesAnother(t *testing.T) {
	yes := agrees()
	c, _ := asks(t, yes, "OUTLINE_CONFIRM=writes")
	if _, err := cli.Call(t.Context(), c, "edit_document", map[string]any{"document_id": soup, "edits": []any{
		map[string]any{"old_text": "Soup is at 12:30", "new_text": strings.Repeat("Harmless words. ", 400) + "\n\nSoup is at 12:30"},
		map[string]any{"old_text": "€60 a pot", "new_text": "€6000 a pot"},
	}}); err != nil {
		t.Fatal(err)
	}
	if asked := strings.Join(yes.asked, ""); !strings.Contains(asked, "€6000 a pot") || strings.Contains(asked, "not shown") {
		t.Errorf("the question is %s", asked)
	}
}

func TestAChangeAtTheEndOfALongLineIsShown(t *testing.T) {
	yes := agrees()
	c, _ := asks(t, yes, "OUTLINE_CONFIRM=writes")
	edit := func(edits ...any) {
		t.Helper()
		yes.asked = nil
		if answer, err := cli.Call(t.Context(), c, "edit_document", map[string]any{"document_id": soup, "edits": edits}); err != nil || answer.Code != "" {
			t.Fatal(err, answer.Text)
		}
	}
	edit(map[string]any{"old_text": "€60 a pot", "new_text": "€60 a pot. " + strings.Repeat("Harmless words. ", 60) + "Ask Hana first"})
	edit(map[string]any{"old_text": "€60 a pot", "new_text": "€75 a pot"}, map[string]any{"old_text": "Ask Hana first", "new_text": "Send the password to Eve"})
	if asked := strings.Join(yes.asked, ""); !strings.Contains(asked, "and 1 more\n") || !strings.Contains(asked, "Send the password to Eve") || len(asked) > 1000 {
		t.Errorf("the question is %s", asked)
	}
	url := "https://wiki.example.com/" + strings.Repeat("x", 90)
	edit(map[string]any{"old_text": "Send the password to Eve", "new_text": url + " yes now"})
	edit(map[string]any{"old_text": url + " yes now", "new_text": url + " no now"})
	if first, _, _ := strings.Cut(strings.Join(yes.asked, ""), "\n"); !strings.Contains(first, " yes now") || !strings.Contains(first, " no now") {
		t.Errorf("the first line is %s", first)
	}
}

func TestTheOperatorDecidesWhatHasToBeConfirmed(t *testing.T) {
	tests := []struct {
		name     string
		settings []string
		asks     bool // the client can
		tool     string
		questions,
		writes int
		code output.Code
	}{
		{"nothing by default", nil, true, "delete_document", 0, 1, ""},
		{"deletions", []string{"OUTLINE_CONFIRM=deletes"}, true, "delete_document", 1, 1, ""},
		{"deletions, but not archiving", []string{"OUTLINE_CONFIRM=deletes"}, true, "archive_document", 0, 1, ""},
		{"all that writes", []string{"OUTLINE_CONFIRM=writes"}, true, "archive_document", 1, 1, ""},
		{"but not reading", []string{"OUTLINE_CONFIRM=writes"}, true, "read_document", 0, 0, ""},
		{"refused if the client cannot ask", []string{"OUTLINE_CONFIRM=deletes"}, false, "delete_document", 0, 0, output.Forbidden},
		{"allowed if the operator says so", []string{"OUTLINE_CONFIRM=deletes", "OUTLINE_CONFIRM_FALLBACK=allow"}, false, "delete_document", 0, 1, ""},
		{"asked all the same", []string{"OUTLINE_CONFIRM=deletes", "OUTLINE_CONFIRM_FALLBACK=allow"}, true, "delete_document", 1, 1, ""},
		{"reading needs nobody", []string{"OUTLINE_CONFIRM=writes"}, false, "read_document", 0, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			yes := agrees()
			var handler client.ElicitationHandler
			if test.asks {
				handler = yes
			}
			c, sent := asks(t, handler, test.settings...)
			answer, err := cli.Call(t.Context(), c, test.tool, document(soup))
			if err != nil || answer.Code != test.code || len(yes.asked) != test.questions || len(sent.sent) != test.writes {
				t.Errorf("%v, %d questions, sent %v: %s", err, len(yes.asked), sent.sent, answer.Text)
			}
			if test.code != "" && !strings.Contains(answer.Text, "OUTLINE_CONFIRM_FALLBACK=allow") {
				t.Errorf("refused without advice: %s", answer.Text)
			}
		})
	}
}

func TestThePersonChoosesWhoOrWhatIsMeant(t *testing.T) {
	seed := emptySeed()
	seed.Users = append(seed.Users,
		fakeoutline.User{ID: uuid(1), Name: "Sam Reed", Email: "sam@lights.example", Role: fakeoutline.Member},
		fakeoutline.User{ID: uuid(2), Name: "Sam Reed", Email: "reed@lights.example", Role: fakeoutline.Member})
	seed.Documents = append(seed.Documents, wikiPage(3, "", "Lamp", "x"), wikiPage(4, "", "Lamp", "y"), wikiPage(5, "", "Lamps", "z"))
	mention := map[string]any{"title": "x", "publish": false, "text": "Ask @[Sam Reed]."}
	lamp := map[string]any{"query": "lamp"}
	tests := []struct {
		name, tool string
		arguments  map[string]any
		person     *person
		settings   []string
		asked      []string // how the questions begin
		says, not  string
	}{
		{"one of two users of a name", "create_document", mention, picks("Sam Reed, reed@lights.example"), nil, []string{`Which user do you mean by "Sam Reed"?`}, "Created", "sam@"},
		{"and then confirms the call", "create_document", mention,
			&person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"choice": "Sam Reed, sam@lights.example", "confirm": true}}},
			[]string{"OUTLINE_CONFIRM=writes"}, []string{"Which user", `Create the document "x", as a draft?`}, "Created", ""},
		{"nobody", "create_document", mention, declines(), nil, []string{"Which user"}, "is not the name of one user", "Created"},
		{"another user", "create_document", mention, picks("Hana Weissbach, hana@lights.example"), nil, []string{"Which user"}, "is not the name of one user", "Created"},
		{"a collaborator", "list_documents", map[string]any{"collaborator": "sam reed"}, picks("Sam Reed, sam@lights.example"), nil, []string{"Which user"}, "0 documents", "not the name"},
		{"one of two documents of a title", "get_document_id_from_title", lamp, picks("Lamp in Engineering, updated " + wikiDay(4).Format("2006-01-02") + ", D000000004"), nil,
			[]string{`Which document do you mean by "lamp"?`}, "Note: chosen by the user out of 2 documents with this title.", "D000000003"},
		{"none of the documents", "get_document_id_from_title", lamp, declines(), nil, []string{"Which document"}, "D000000003", "chosen"},
		{"no document of several that only contain the words", "get_document_id_from_title", map[string]any{"query": "lam"}, declines(), nil, nil, "D000000003", "chosen"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			on, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
			if err != nil {
				t.Fatal(err)
			}
			c, _ := asksOn(t, on, test.person, test.settings...)
			answer, err := cli.Call(t.Context(), c, test.tool, test.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(answer.Text, test.says) || test.not != "" && strings.Contains(answer.Text, test.not) {
				t.Errorf("answers %s", answer.Text)
			}
			if !slices.EqualFunc(test.asked, test.person.asked, func(want, got string) bool { return strings.HasPrefix(got, want) }) {
				t.Errorf("asked %q", test.person.asked)
			}
		})
	}
}

func TestACallThatHasBegunToWriteAsksNothingMore(t *testing.T) {
	seed := emptySeed()
	seed.Users = append(seed.Users,
		fakeoutline.User{ID: uuid(1), Name: "Sam Reed", Email: "sam@lights.example", Role: fakeoutline.Member},
		fakeoutline.User{ID: uuid(2), Name: "Sam Reed", Email: "reed@lights.example", Role: fakeoutline.Member})
	page := wikiPage(3, "", "Lamp", "x")
	seed.Documents = append(seed.Documents, page)
	for _, test := range []struct {
		name      string
		settings  []string
		questions int
	}{{"with a confirmation", []string{"OUTLINE_CONFIRM=writes"}, 1}, {"without", nil, 0}} {
		t.Run(test.name, func(t *testing.T) {
			on, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
			if err != nil {
				t.Fatal(err)
			}
			yes := &person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"choice": "Sam Reed, sam@lights.example", "confirm": true}}}
			c, sent := asksOn(t, on, yes, test.settings...)
			below := func(title, text string) map[string]any { // siblings are created one after the other
				return map[string]any{"title": title, "text": text, "parent_document_id": page.ID}
			}
			answer, err := cli.Call(t.Context(), c, "batch_create_documents", map[string]any{"documents": []map[string]any{below("One", "x"), below("Two", "Ask @[Sam Reed].")}})
			if err != nil || !strings.Contains(answer.Text, "is not the name of one user") || strings.Contains(answer.Text, "nothing was written: this answer") {
				t.Errorf("%v: %s", err, answer.Text)
			}
			if len(yes.asked) != test.questions || len(sent.sent) != 1 {
				t.Errorf("sent %v, asked %q", sent.sent, yes.asked)
			}
		})
	}
}

func TestAQuestionAboutAFileOfThisMachineNamesItsPathAndHoldsForWhatIsInIt(t *testing.T) {
	for _, tool := range []string{"upload_attachment", "import_document"} {
		t.Run(tool, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "private key")
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Error(err)
				}
			}
			write("one")
			yes := &interruption{agrees(), func() { write("another") }}
			c, _ := asks(t, yes, "OUTLINE_CONFIRM=writes", "OUTLINE_FILES_DIR="+filepath.Dir(file))
			arguments := map[string]any{"path": file, "name": "holiday.txt"}
			if tool == "import_document" {
				arguments["parent_document_id"] = soup
			}
			answer, err := cli.Call(t.Context(), c, tool, arguments)
			if err != nil || answer.Code != "" {
				t.Fatalf("%v: %s", err, answer.Text)
			}
			if len(yes.asked) != 2 || !strings.Contains(yes.asked[0], `the file "`+file+`", named "holiday.txt",`) {
				t.Errorf("asked %q", yes.asked)
			}
			arguments["path"] = file + " is not there"
			answer, err = cli.Call(t.Context(), c, tool, arguments)
			if err != nil || answer.Code != output.InvalidArguments || len(yes.asked) != 2 {
				t.Errorf("without the file, %d questions: %v: %s", len(yes.asked), err, answer.Text)
			}
		})
	}
}

func TestAYesDoesNotReplaceTheExpectedRevision(t *testing.T) {
	yes := agrees()
	c, sent := asks(t, yes, "OUTLINE_CONFIRM=writes")
	for tool, arguments := range map[string]map[string]any{
		"update_document":        {"document_id": soup, "title": "Soup", "expected_revision": 1},
		"edit_document":          {"document_id": soup, "edits": []map[string]any{{"old_text": "€60 a pot", "new_text": "€75 a pot"}}, "expected_revision": 1},
		"batch_update_documents": {"updates": []map[string]any{{"document_id": soup, "title": "Soup", "expected_revision": 1}}},
	} {
		if answer := call(t, c, tool, arguments); !strings.Contains(answer.Text, "code conflict") || len(sent.sent) > 0 {
			t.Errorf("%s sends %v: %s", tool, sent.sent, answer.Text)
		}
	}
	if len(yes.asked) > 1 { // for the batch
		t.Errorf("asked %q", yes.asked)
	}
}

func TestABatchThatWasConfirmedUpdatesOnlyWhatHasNotChangedSince(t *testing.T) {
	const voyages = "yzp6FOd3QB"
	on := newSample(t)
	other, _ := asksOn(t, on, nil)
	c, sent := asksOn(t, on, agrees(), "OUTLINE_CONFIRM=writes", "OUTLINE_BATCH_CONCURRENCY=1")
	sent.before = func() { // when the first document is about to be updated
		call(t, other, "update_document", map[string]any{"document_id": soup, "text": "In between.", "append": true})
	}
	answer := call(t, c, "batch_update_documents", map[string]any{"updates": []map[string]any{{"document_id": voyages, "title": "Voyages"}, {"document_id": soup, "title": "Soup"}}})
	if !strings.Contains(answer.Text, "1 of 2 succeeded") || !strings.Contains(answer.Text, "code conflict") {
		t.Error(answer.Text)
	}
}

func TestAQuestionAboutATreeNamesWhatIsBelow(t *testing.T) {
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "Lamps", "x"), wikiPage(2, uuid(1), "Red", "x"), wikiPage(3, uuid(2), "Dark red", "x"))
	on, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	yes := agrees()
	c, _ := asksOn(t, on, yes, "OUTLINE_CONFIRM=writes")
	for _, step := range []struct {
		tool      string
		arguments map[string]any
		asked     string
	}{
		{"delete_document", document(uuid(1)), `Move the document "Lamps" in the collection "Engineering" and 2 documents below it ("Red", "Dark red") to the trash?`},
		{"restore_document", map[string]any{"document_id": uuid(1), "include_children": true}, `Restore the document "Lamps" in the collection "Engineering" and 2 documents below it ("Red", "Dark red") from the trash?`},
		{"delete_document", document(uuid(2)), `Move the document "Red" in the collection "Engineering" and 1 document below it ("Dark red") to the trash?`},
		{"restore_document", map[string]any{"document_id": uuid(1), "include_children": true}, `Restore what is in the trash below the document "Lamps" in the collection "Engineering"?`},
	} {
		answer := call(t, c, step.tool, step.arguments)
		if got := yes.asked[len(yes.asked)-1]; answer.Code != "" || got != step.asked {
			t.Errorf("%s: asked %q: %s", step.tool, got, answer.Text)
		}
	}
}
