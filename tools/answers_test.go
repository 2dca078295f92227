package tools_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

// A step of a conversation is a call, and the text that answers it.
type step struct {
	tool      string
	arguments map[string]any
	want      string
}

// converse makes calls one after the other.
func converse(t *testing.T, c *client.Client, steps []step) {
	t.Helper()
	for _, s := range steps {
		answer, err := cli.Call(t.Context(), c, s.tool, s.arguments)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(answer.Text, s.want) {
			t.Errorf("%s %v answers\n%s\nand not\n%s", s.tool, s.arguments, answer.Text, s.want)
		}
	}
}

func document(id string) map[string]any { return map[string]any{"document_id": id} }

func TestAnswersSayWhatWentAlongAndWhatUndoesIt(t *testing.T) {
	converse(t, as(t, newSample(t), fakeoutline.AdminKey), []step{
		{"archive_document", document(voyages), "Archived \"Service voyages\" yzp6FOd3QB and 1 document below it (\"Mooring inspection\").\nunarchive_document brings back what was archived."},
		{"unarchive_document", document(voyages), `Unarchived "Service voyages" yzp6FOd3QB.`},
		{"delete_document", document(voyages), "Moved to the trash: \"Service voyages\" yzp6FOd3QB and 1 document below it (\"Mooring inspection\").\n" +
			"restore_document restores the document itself; the document below it stays in the trash unless include_children is true."},
		{"list_trash", map[string]any{}, `- "Mooring inspection" pVIoCv7LIz, `},
		{"list_trash", map[string]any{}, `, was below "Service voyages" yzp6FOd3QB`},
		{"list_trash", map[string]any{"offset": 50}, "There is nothing from offset 50 on: the list has 4 entries."},
		{"restore_document", document(voyages), "Restored \"Service voyages\" yzp6FOd3QB.\nStill in the trash: 1 document directly below it; see list_trash.\n" +
			"restore_document with include_children true brings back what is below it, too."},
		{"list_trash", map[string]any{}, `, was below "Service voyages" yzp6FOd3QB`}, // which is not in the trash itself
		{"restore_document", map[string]any{"document_id": voyages, "include_children": true}, "Restored \"Service voyages\" yzp6FOd3QB.\n- Restored \"Mooring inspection\" pVIoCv7LIz"},
		{"delete_document", document(voyages), "and 1 document below it"},
		{"restore_document", map[string]any{"document_id": voyages, "include_children": true}, `- Restored "Mooring inspection" pVIoCv7LIz`},
		{"get_collection_structure", map[string]any{"collection_id": operations, "document_id": voyages}, `- "Mooring inspection" pVIoCv7LIz`},
		{"restore_document", document(voyages), "the document is neither archived nor in the trash"},
		{"move_document", map[string]any{"document_id": soup, "index": 0}, `Moved "Friday soup 🍲" 1wPyxUCdt9. It is now at index 0 of `},
	})
}

func TestADraftIsPublishedByAnUpdate(t *testing.T) {
	converse(t, as(t, newSample(t), fakeoutline.AdminKey), []step{
		{"create_document", map[string]any{"title": "Draft", "text": "# Draft\n\nBody.", "publish": false}, "Note: the first line, which repeats the title, was left out."},
		{"update_document", map[string]any{"document_id": soup, "collection_id": handbook, "icon": "🍲"}, "needs publish set to true; move_document moves a document"},
		{"update_document", map[string]any{"document_id": soup, "publish": true}, "Nothing changed: \"Friday soup 🍲\" 1wPyxUCdt9 already has this content"},
	})
	c := as(t, newSample(t), fakeoutline.AdminKey)
	created, err := cli.Call(t.Context(), c, "create_document", map[string]any{"title": "Draft", "text": "Body.", "publish": false})
	if err != nil {
		t.Fatal(err)
	}
	draft := decoded[struct {
		ID string `json:"document_id"`
	}](t, created.Structured).ID
	converse(t, c, []step{
		{"update_document", map[string]any{"document_id": draft, "publish": true}, "the draft is in no collection. To publish it, give the collection_id to publish it in (list_collections shows them)."},
		{"batch_update_documents", map[string]any{"updates": []any{map[string]any{"document_id": draft, "icon": "🚢", "title": "Ship"}}}, "1 of 1 succeeded"},
		{"update_document", map[string]any{"document_id": draft, "publish": true, "collection_id": handbook, "text": "# Ship\n\nAnother body."}, "which is now published"},
		{"read_document", document(draft), "\n\nAnother body."},
		{"get_collection_structure", map[string]any{"collection_id": handbook}, `"Ship"`},
	})
}

func TestANameThatTheCallerMayNotSeeIsLeftOut(t *testing.T) {
	c := connectThrough(t, false, func(outline http.RoundTripper) http.RoundTripper {
		refused := refusing(http.StatusForbidden, nil, func(int) string {
			return `{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`
		})
		var read atomic.Int64 // requests are made side by side
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/documents.info") && read.Add(1) > 1 || strings.HasSuffix(r.URL.Path, "/collections.documents") {
				return refused.RoundTrip(r) // but for the document itself
			}
			return outline.RoundTrip(r)
		})
	})
	converse(t, c, []step{
		{"read_document", document("oiZwZ2tlsC"), ", below document_id 72b54bb5-f99e-4664-a075-9b3081c040b0, revision 14"},
		{"get_comment", map[string]any{"comment_id": "62f746b4-84e6-4ceb-95bd-447e7184d454"}, "# Comment on document_id c22c45ef-ea9d-4196-aaa5-576f1543d36e\n"},
	})
}

func TestACollectionIsNamedWithItsIDWhereAnotherHasItsName(t *testing.T) {
	c := connectThrough(t, false, func(outline http.RoundTripper) http.RoundTripper { return outline })
	query := map[string]any{"query": "soup"}
	converse(t, c, []step{
		{"search_documents", query, `1wPyxUCdt9 in "Handbook", 2`},
		{"create_collection", map[string]any{"name": "Handbook"}, "Created the collection"},
		{"search_documents", query, `in "Handbook" mTem8tcJ8a, 2`},
	})
}

// counting is an Outline that counts the requests for the list of collections, and
// refuses them to one key.
type counting struct {
	http.RoundTripper
	lists atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/collections.list") {
		c.lists.Add(1)
		if strings.HasSuffix(r.Header.Get("Authorization"), fakeoutline.ScopedKey) {
			return refusing(http.StatusForbidden, nil, func(int) string {
				return `{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`
			}).RoundTrip(r)
		}
	}
	return c.RoundTripper.RoundTrip(r)
}

func TestNamesOfCollectionsCostEachCallerOneRequest(t *testing.T) {
	outline := &counting{RoundTripper: newSample(t).Transport()}
	server, err := app.New(app.Options{Config: load(t, "OUTLINE_STRUCTURED_OUTPUT=off"), Version: "test", Transport: outline})
	if err != nil {
		t.Fatal(err)
	}
	handle := func(key, tool string, arguments map[string]any) string {
		t.Helper()
		all := server.Tools()
		bound := all[slices.IndexFunc(all, func(b mcptool.Bound) bool { return b.Name == tool })]
		request := mcp.CallToolRequest{}
		request.Params.Arguments = arguments
		result, err := bound.Handler(auth.NewContext(t.Context(), auth.ForAPIKey(auth.APIKey(key))), request)
		if err != nil || len(result.Content) != 1 {
			t.Fatal(err, result)
		}
		return result.Content[0].(mcp.TextContent).Text
	}
	for _, call := range []struct {
		key, tool string
		arguments map[string]any
		lists     int64
		want      string
	}{
		{fakeoutline.AdminKey, "read_document", document(soup), 1, `in "Handbook" mTem8tcJ8a`},
		{fakeoutline.AdminKey, "search_documents", map[string]any{"query": "soup"}, 1, `in "Handbook"`},
		{fakeoutline.MemberKey, "read_document", document(soup), 2, `in "Handbook" mTem8tcJ8a`},
		{fakeoutline.AdminKey, "update_collection", map[string]any{"collection_id": handbook, "name": "Guide"}, 2, ""},
		{fakeoutline.AdminKey, "read_document", document(soup), 3, `in "Guide" mTem8tcJ8a`},
		{fakeoutline.MemberKey, "read_document", document(soup), 3, `in "Handbook" mTem8tcJ8a`},
		{fakeoutline.ScopedKey, "read_document", document(soup), 4, "in " + handbook},
		{fakeoutline.ScopedKey, "read_document", document(soup), 4, "in " + handbook},
	} {
		text := handle(call.key, call.tool, call.arguments)
		if !strings.Contains(text, call.want) || outline.lists.Load() != call.lists {
			t.Errorf("%s of %s: %d requests for collections, not %d: %s", call.tool, call.key, outline.lists.Load(), call.lists, text)
		}
	}
}

func TestTheNameOfAnUnknownToolIsAnsweredWithTheNearest(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for name, want := range map[string]string{"serch_documents": "did you mean search_documents?", "frobnicate": "there is no tool frobnicate"} {
		if _, err := cli.Call(t.Context(), c, name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATitleInPlaceOfAnIDLeadsToTheToolThatFindsIt(t *testing.T) {
	converse(t, as(t, newSample(t), fakeoutline.AdminKey), []step{
		{"read_document", document("Friday supper"), `Nearest titles: "Friday soup`},
		{"search_documents", map[string]any{"query": "zebra xylophone"}, "Nothing found, not even some of the words or similar ones"},
	})
}

func TestAListOfDocumentsBelowWhatDoesNotExistFails(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	answer := call(t, c, "list_documents", map[string]any{"parent_document_id": uuid(4444)})
	if answer.Code != output.NotFound || !strings.Contains(answer.Text, "no document has this ID") {
		t.Error(answer.Text)
	}
}

func TestOnlyACommentWhoseTextChangedIsShownAsEdited(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	add := func(arguments map[string]any) string {
		arguments["document_id"] = voyages
		return decoded[struct {
			CommentID string `json:"comment_id"`
		}](t, call(t, c, "add_comment", arguments).Structured).CommentID
	}
	thread := add(map[string]any{"text": "Whole thread"})
	reply := add(map[string]any{"text": "A reply", "parent_comment_id": thread})
	edited := func() bool {
		return strings.Contains(call(t, c, "get_comment", map[string]any{"comment_id": reply}).Text, "(edited ")
	}
	call(t, c, "update_comment", map[string]any{"comment_id": thread, "resolved": true})
	if edited() {
		t.Error("a reply in a resolved thread is shown as edited")
	}
	call(t, c, "update_comment", map[string]any{"comment_id": thread, "resolved": false})
	call(t, c, "update_comment", map[string]any{"comment_id": reply, "text": "Another reply"})
	if !edited() {
		t.Error("a reply with another text is not shown as edited")
	}
}

func TestARefusedRevisionSaysWhoChangedTheDocument(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	call(t, c, "update_document", map[string]any{"document_id": voyages, "text": "Changed.", "append": true})
	for tool, arguments := range map[string]map[string]any{
		"update_document": {"text": "x"},
		"edit_document":   {"edits": []any{map[string]any{"old_text": "Changed.", "new_text": "y"}}},
	} {
		arguments["document_id"], arguments["expected_revision"] = voyages, 999
		if answer := call(t, c, tool, arguments); answer.Code != output.Conflict || !strings.Contains(answer.Text, "Isla Renwick changed it last, at 2") {
			t.Error(answer.Text)
		}
	}
}

func TestAnswersAboutADocumentHaveItsLink(t *testing.T) {
	const link = "http://outline.demo.invalid/doc/service-voyages-yzp6FOd3QB"
	in := func(more map[string]any) map[string]any {
		arguments := document(voyages)
		maps.Copy(arguments, more)
		return arguments
	}
	converse(t, as(t, newSample(t), fakeoutline.AdminKey), []step{
		{"read_document", document(voyages), link},
		{"get_document_outline", document(voyages), link},
		{"export_document", document(voyages), link},
		{"update_document", in(map[string]any{"icon": "⛵"}), link},
		{"move_document", in(map[string]any{"index": 0}), link},
		{"archive_document", document(voyages), link},
		{"unarchive_document", document(voyages), link},
		{"delete_document", document(voyages), ""},
		{"restore_document", document(voyages), link},
		{"batch_create_documents", map[string]any{"documents": []any{map[string]any{"title": "Voyage 63", "parent_document_id": voyages}}},
			"http://outline.demo.invalid/doc/voyage-63-"},
	})
}

func TestAPageIsMadeAsWideAsTheWindowAndNarrowAgain(t *testing.T) {
	converse(t, as(t, newSample(t), fakeoutline.AdminKey), []step{
		{"create_document", map[string]any{"title": "Wide table", "collection_id": operations, "full_width": true}, "Created"},
		{"read_document", document("Wide table"), ", full width, "},
		{"update_document", map[string]any{"document_id": "Wide table", "full_width": true}, "Nothing changed"},
		{"update_document", map[string]any{"document_id": "Wide table", "full_width": false}, `Updated "Wide table"`},
		{"read_document", document("Wide table"), `created 2026-11-02, http`},
	})
}

// controls end a line, ring the bell, color what follows, and reverse its
// direction.
const controls = "\n\r\x00\a\x1b[31m\u009b2J\u2028\u202e"

// forbidden are the control characters that no answer may contain. Line breaks are
// allowed.
const forbidden = "\r\x00\a\x1b\u009b\u2028\u202e"

// A controlling Outline ends all titles, names and messages with controls.
type controlling struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (c controlling) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	var answer any
	if json.Unmarshal(raw, &answer) == nil {
		endLabels(answer)
		if raw, err = json.Marshal(answer); err != nil {
			return nil, err
		}
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	response.Header.Del("Content-Length")
	return response, nil
}

// endLabels ends the labels in a JSON value with controls, but not those in the
// tree of a document.
func endLabels(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			endLabels(item)
		}
	case map[string]any:
		if value["type"] == "doc" {
			return
		}
		for key, member := range value {
			label, ok := member.(string)
			if ok && (key == "title" || key == "name" || key == "message" || key == "anchorText") {
				value[key] = label + controls
			}
			endLabels(member)
		}
	}
}

// TestNoTitleOrNameBringsControlCharactersIntoAnAnswer makes the recorded calls of
// all tools.
func TestNoTitleOrNameBringsControlCharactersIntoAnAnswer(t *testing.T) {
	t.Parallel()
	labels := 0
	for _, declared := range fixtures.Some(tools.All(), 30) {
		tool := declared.Info().Name
		for _, call := range fixtures.Some(exampleCalls(t, tool), 2) {
			t.Run(tool+"/"+call.Name, func(t *testing.T) {
				c := connectThrough(t, true, func(workspace http.RoundTripper) http.RoundTripper { return controlling{workspace} })
				answer, err := cli.Call(t.Context(), c, tool, decoded[map[string]any](t, call.Arguments))
				if err != nil {
					t.Fatal(err)
				}
				if at := strings.IndexAny(answer.Text, forbidden); at >= 0 {
					t.Errorf("the text holds %q", answer.Text[max(0, at-60):min(len(answer.Text), at+20)])
				}
				var structured any
				if err := json.Unmarshal(answer.Structured, &structured); err != nil {
					t.Fatal(err)
				}
				labels += checkLabels(t, "", structured)
			})
		}
	}
	if labels < fixtures.Count(20, 100) {
		t.Errorf("the answers hold %d labels, too few to say anything", labels)
	}
}

// checkLabels reports control characters in the strings of a JSON value, and
// returns how many of the strings are labels. Only texts may have line breaks.
func checkLabels(t *testing.T, key string, value any) (labels int) {
	t.Helper()
	switch value := value.(type) {
	case string:
		if strings.ContainsAny(value, forbidden) || strings.Contains(value, "\uFFFD") && strings.Contains(value, "\n") {
			t.Errorf("%s is %q", key, value)
		}
		labels += strings.Count(value, "\uFFFD[31m")
	case []any:
		for _, item := range value {
			labels += checkLabels(t, key, item)
		}
	case map[string]any:
		for key, member := range value {
			labels += checkLabels(t, key, member)
		}
	}
	return labels
}
