package fakeoutline

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func TestBacklinks(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Target"},
		Document{Title: "Source", Text: "see [it](/doc/target-document00)"},
		Document{Title: "Neither", Text: "/doc/target-document00"},
	)
	expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"backlinkDocumentId":"`+documentID(0)+`"}`), "Source")
	expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"backlinkDocumentId":"`+documentID(77)+`"}`))
}

func TestExport(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: `Q"uote é`, Text: `a\nb`})
	if got := data[string](t, call(t, w, keyOf("member"), "documents.export", `{"id":"document00"}`)); got != "# Q\"uote é\n\na  \nb" {
		t.Errorf("export is %q", got)
	}
	req := newCall(t, keyOf("member"), "documents.export", `{"id":"document00"}`)
	req.Header.Set("Accept", "text/markdown")
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="quote-e.md"` {
		t.Errorf("the file is %s", got)
	}
	expectError(t, call(t, w, keyOf("member"), "documents.export", `{"id":"document00","includeChildDocuments":"yes"}`), 400,
		"includeChildDocuments: Invalid input: expected boolean, received string")
}

func TestInstallationInfo(t *testing.T) {
	got := data[map[string]any](t, call(t, newTestWorkspace(t), keyOf("viewer"), "installation.info", `{}`))
	if !strings.HasPrefix(got["version"].(string), "1.") || got["versionsBehind"] != 0.0 {
		t.Errorf("installation is %v", got)
	}
}

func TestEditsThatOutlineDoesNotCarryOut(t *testing.T) {
	const mention = "Hi @[Annabel Lee Montgomery](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) inside."
	w := newTestWorkspace(t, Document{Title: "Page", Text: mention})
	before := show(t, w, documentID(0))
	for name, test := range map[string]struct {
		fields  string
		status  int
		message string
	}{
		"a patch behind a mention":     {`"editMode":"patch","findText":" inside.","text":" outside."`, 500, "Internal error"},
		"a patch of an absent passage": {`"editMode":"patch","findText":"outside","text":"x"`, 404, "Resource not found"},
		"a patch of nothing":           {`"editMode":"patch","findText":"","text":"x"`, 400, "findText is required when using patch editMode"},
		"a patch without a new text":   {`"editMode":"patch","findText":"Hi"`, 400, "text is required when using patch editMode"},
		"an empty append":              {`"editMode":"append","text":""`, 400, "text is required when using append, prepend, or editMode"},
		"an empty append in old style": {`"append":true,"text":""`, 400, "text is required when using append, prepend, or editMode"},
		"a mode without text":          {`"editMode":"replace"`, 400, "text is required when using append, prepend, or editMode"},
	} {
		t.Run(name, func(t *testing.T) {
			expectError(t, call(t, w, keyOf("member"), "documents.update", `{"id":"document00",`+test.fields+`}`), test.status, test.message)
			if got := show(t, w, documentID(0)); got.Text != before.Text || got.Revision != before.Revision {
				t.Errorf("the document is %+v", got)
			}
		})
	}
}

func TestImagesInTheTextBecomeAttachments(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "one"})
	do(t, w, "documents.update", `{"id":"document00","text":"![a](data:image/gif;base64,R0lGODlhAQABAAAAACw=) end"}`)
	image := regexp.MustCompile(`^!\[a\]\(/api/attachments\.redirect\?id=[0-9a-f-]{36}\) end$`)
	if got := show(t, w, documentID(0)).Text; !image.MatchString(got) {
		t.Errorf("the text is %q", got)
	}
}

func TestTextWithoutMarkdown(t *testing.T) {
	tests := []struct{ name, markdown, want string }{
		{"headings, emphasis and code spans", "# A *head*\n\nSome **bold** and `co*de*`.", "A head\nSome bold and co*de*."},
		{"lists", "* one\n* two\n  * three\n\n1. four", "one\ntwo\nthree\nfour"},
		{"task lists", "- [ ] open\n- [x] done", "open\ndone"},
		{"tables", "| a | b |\n|---|---|\n| 1 | 2 |", "a\nb\n1\n2"},
		{"code blocks", "```sh\n# comment\nls *.go\n```\n\nafter", "# comment\nls *.go\nafter"},
		{"links and images", "[text](https://example.com) ![alt](/a.png) <https://go.dev>", "text alt https://go.dev"},
		{"emoji, mentions and mathematics", "a :tada: @[Ann](mention://user/22222222-2222-4222-8222-222222222222) $x$", "a :tada: @Ann x"},
		{"files", "a\n\n[f.pdf 12](/api/attachments.redirect?id=aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa)", "a\nf.pdf"},
		{"rules", "a\n\n---\n\nb", "a\nb"},
		{"quotes", "> said\n> so", "said so"},
		{"notices", ":::info\nMind this\n\n:::\n\nend", "Mind this\nend"},
		{"hard breaks", "one\\ntwo\nthree", "one\ntwo three"},
		{"escapes and entities", "\\*star\\* &amp; \\\\n", "*star* & \\n"},
		{"HTML", "a <b>c</b>", "a <b>c</b>"},
		{"empty paragraphs", "a\n\n\\\n\nb", "a\n\nb"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := readContent(prosemirror.Parse(test.markdown)).Plain; got != test.want {
				t.Errorf("text is %q, want %q", got, test.want)
			}
		})
	}
}

func TestTasksAndLinksAreCollected(t *testing.T) {
	p := readContent(prosemirror.Parse("- [ ] a\n- [x] b\n- [X] c\n\n```\n- [ ] no\n```\n\n[x](/doc/a-title-abcdefghij) [y](https://example.com/doc/other-0123456789#h) [z](/collection/c-0123456789) [w](/doc/short) @[v](mention://00000000-0000-4000-8000-000000000001/document/00000000-0000-4000-8000-000000000002)"))
	if p.Tasks != (taskCounts{Completed: 2, Total: 3}) {
		t.Errorf("tasks are %+v", p.Tasks)
	}
	if !slices.Equal(p.Links, []string{"abcdefghij", "0123456789", "00000000-0000-4000-8000-000000000002"}) {
		t.Errorf("links are %q", p.Links)
	}
}

func TestBadInputOfWrites(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Page", Text: "one two"},
		Document{Title: "Child", ParentID: documentID(0)},
		Document{Title: "Draft", Revision: draftRevision},
		Document{Title: "Archived", ArchivedAt: noon},
		Document{Title: "Trashed", DeletedAt: noon},
	)
	comment := data[titled](t, call(t, w, keyOf("member"), "comments.create", `{"documentId":"`+documentID(0)+`","text":"x"}`)).ID
	reply := data[titled](t, call(t, w, keyOf("member"), "comments.create", `{"documentId":"`+documentID(0)+`","text":"y","parentCommentId":"`+comment+`"}`)).ID
	long := func(n int) string { return strings.Repeat("x", n) }
	const unknown = "00000000-0000-4000-8000-000000000000"

	tests := []struct {
		name, endpoint, body string
		status               int
		message              string
	}{
		{"a title of 101 characters", "documents.create", `{"title":"` + long(101) + `"}`, 400, "Document title must be 100 characters or less (title)"},
		{"a text over the limit", "documents.create", `{"text":"` + long(maxText+1) + `"}`, 400, "Document text must be 1536000 characters or less (text)"},
		{"publishing nowhere", "documents.create", `{"publish":true}`, 400, "collectionId or parentDocumentId is required to publish"},
		{"an id that is no UUID", "documents.create", `{"id":"x"}`, 400, "id: Invalid UUID"},
		{"an id that is taken", "documents.create", `{"id":"` + documentID(0) + `"}`, 400, "id must be unique (id)"},
		{"a collection by urlId", "documents.create", `{"collectionId":"openopen01"}`, 400, "collectionId: Invalid UUID"},
		{"an unknown collection", "documents.create", `{"collectionId":"` + unknown + `"}`, 403, "Authorization error"},
		{"an unknown parent", "documents.create", `{"parentDocumentId":"` + unknown + `"}`, 403, "Authorization error"},
		{"a draft as parent", "documents.create", `{"parentDocumentId":"` + documentID(2) + `","publish":true}`, 403, "Authorization error"},
		{"an archived parent", "documents.create", `{"parentDocumentId":"` + documentID(3) + `"}`, 403, "Authorization error"},
		{"an unknown template", "documents.create", `{"templateId":"` + unknown + `"}`, 403, "Authorization error"},
		{"an empty icon", "documents.create", `{"icon":""}`, 400, "icon: Invalid input"},
		{"an icon that is no emoji and no name", "documents.create", `{"icon":"bookk"}`, 400, "icon: Invalid input"},
		{"a number as icon", "documents.create", `{"icon":5}`, 400, "icon: Invalid input"},
		{"a negative index", "documents.create", `{"index":-1}`, 400, "index: Too small: expected number to be >=0"},
		{"a number as text", "documents.create", `{"text":5}`, 400, "text: Invalid input: expected string, received number"},

		{"an update without id", "documents.update", `{"title":"x"}`, 400, "id: Must be a valid UUID or slug"},
		{"an update of an unknown document", "documents.update", `{"id":"` + unknown + `"}`, 403, "Authorization error"},
		{"an update of an archived document", "documents.update", `{"id":"document03","title":"x"}`, 403, "Authorization error"},
		{"an update of a document in the trash", "documents.update", `{"id":"document04","title":"x"}`, 403, "Authorization error"},
		{"an update to a long title", "documents.update", `{"id":"document00","title":"` + long(101) + `"}`, 400, "Document title must be 100 characters or less (title)"},
		{"an update to an unknown icon", "documents.update", `{"id":"document00","icon":"rocketship"}`, 400, "icon: Invalid input"},
		{"an update to an empty icon", "documents.update", `{"id":"document00","icon":""}`, 400, "icon: Invalid input"},
		{"an unknown edit mode", "documents.update", `{"id":"document00","text":"x","editMode":"merge"}`, 400, `editMode: Invalid option: expected one of "replace"|"append"|"prepend"|"patch"`},
		{"an edit mode without text", "documents.update", `{"id":"document00","editMode":"append"}`, 400, "text is required when using append, prepend, or editMode"},
		{"a patch without what to find", "documents.update", `{"id":"` + unknown + `","text":"x","editMode":"patch"}`, 400, "findText is required when using patch editMode"},
		{"a patch of what is not there", "documents.update", `{"id":"document00","text":"x","editMode":"patch","findText":"three"}`, 404, "Resource not found"},
		{"a revision that is no number", "documents.update", `{"id":"` + unknown + `","lastRevision":"x"}`, 400, "lastRevision: Invalid input: expected number, received string"},
		{"a stale revision", "documents.update", `{"id":"document00","title":"x","lastRevision":7}`, 409, "Document has been modified since the provided revision"},

		{"a move nowhere", "documents.move", `{"id":"document00"}`, 400, "collectionId or parentDocumentId is required"},
		{"a move below itself", "documents.move", `{"id":"document00","parentDocumentId":"` + documentID(0) + `"}`, 400, "infinite loop detected, cannot nest a document inside itself"},
		{"a move below a child", "documents.move", `{"id":"document00","parentDocumentId":"` + documentID(1) + `"}`, 400, "infinite loop detected, cannot nest a document inside itself"},
		{"a move into a draft", "documents.move", `{"id":"document00","parentDocumentId":"` + documentID(2) + `"}`, 400, "Cannot move document inside a draft"},
		{"a move below an archived document", "documents.move", `{"id":"document00","parentDocumentId":"` + documentID(3) + `"}`, 403, "Authorization error"},
		{"a move of an archived document", "documents.move", `{"id":"document03","collectionId":"` + openID + `"}`, 403, "Authorization error"},
		{"a move of an unknown document", "documents.move", `{"id":"` + unknown + `","collectionId":"` + openID + `"}`, 403, "Authorization error"},
		{"a move into an unknown collection", "documents.move", `{"id":"document00","collectionId":"` + unknown + `"}`, 403, "Authorization error"},

		{"archiving an unknown document", "documents.archive", `{"id":"` + unknown + `"}`, 404, "Resource not found"},
		{"archiving a draft", "documents.archive", `{"id":"document02"}`, 403, "Authorization error"},
		{"archiving twice", "documents.archive", `{"id":"document03"}`, 403, "Authorization error"},
		{"archiving what is in the trash", "documents.archive", `{"id":"document04"}`, 403, "Authorization error"},
		{"restoring an unknown document", "documents.restore", `{"id":"` + unknown + `"}`, 404, "Resource not found"},
		{"restoring an active document", "documents.restore", `{"id":"document00"}`, 400, "revisionId is required"},
		{"restoring into an unknown collection", "documents.restore", `{"id":"document03","collectionId":"` + unknown + `"}`, 403, "Authorization error"},
		{"deleting an unknown document", "documents.delete", `{"id":"` + unknown + `"}`, 403, "Authorization error"},
		{"deleting twice", "documents.delete", `{"id":"document04"}`, 403, "Authorization error"},
		{"deleting an active document for good", "documents.delete", `{"id":"document00","permanent":true}`, 403, "Authorization error"},
		{"deleting for good as a member", "documents.delete", `{"id":"document04","permanent":true}`, 403, "Authorization error"},
		{"unpublishing a draft", "documents.unpublish", `{"id":"document02"}`, 403, "Authorization error"},
		{"unpublishing a parent", "documents.unpublish", `{"id":"document00"}`, 400, "Cannot unpublish document with child documents"},

		{"a comment without document", "comments.create", `{"text":"x"}`, 400, "documentId: Invalid input: expected string, received undefined"},
		{"a comment by urlId", "comments.create", `{"documentId":"document00","text":"x"}`, 400, "documentId: Invalid UUID"},
		{"a comment on an unknown document", "comments.create", `{"documentId":"` + unknown + `","text":"x"}`, 403, "Authorization error"},
		{"a comment on an archived document", "comments.create", `{"documentId":"` + documentID(3) + `","text":"x"}`, 403, "Authorization error"},
		{"an empty comment", "comments.create", `{"documentId":"` + documentID(0) + `","text":""}`, 400, "body: One of data or text is required"},
		{"a comment of 1,001 characters", "comments.create", `{"documentId":"` + documentID(0) + `","text":"` + long(1001) + `"}`, 400, "Comment must be less than 1000 characters (data)"},
		{"a comment with a heading as data", "comments.create", `{"documentId":"` + documentID(0) + `","data":{"type":"doc","content":[{"type":"heading"}]}}`, 400, "data: Invalid data"},
		{"a comment with no data", "comments.create", `{"documentId":"` + documentID(0) + `","data":null}`, 400, "data: Invalid data"},
		{"a comment with empty data", "comments.create", `{"documentId":"` + documentID(0) + `","data":{"type":"doc","content":[{"type":"paragraph"}]}}`, 400, "data: Invalid data"},
		{"a comment with an id that is taken", "comments.create", `{"id":"` + comment + `","documentId":"` + documentID(0) + `","text":"x"}`, 400, "id must be unique (id)"},
		{"a comment on a passage that is not there", "comments.create", `{"documentId":"` + documentID(0) + `","text":"x","anchorText":"three"}`, 404, "Resource not found"},
		{"a comment on a passage in another place", "comments.create", `{"documentId":"` + documentID(0) + `","text":"x","anchorText":"one","anchorPrefix":"two "}`, 404, "Resource not found"},
		{"a reply to an unknown comment", "comments.create", `{"documentId":"` + documentID(0) + `","text":"x","parentCommentId":"` + unknown + `"}`, 400, "Parent comment must belong to the same document"},
		{"a reply on another document", "comments.create", `{"documentId":"` + documentID(1) + `","text":"x","parentCommentId":"` + comment + `"}`, 400, "Parent comment must belong to the same document"},
		{"an unknown comment", "comments.info", `{"id":"` + unknown + `"}`, 404, "Resource not found"},
		{"a comment without id", "comments.info", `{}`, 400, "id: Invalid input: expected string, received undefined"},
		{"comments by an unknown order", "comments.list", `{"documentId":"` + documentID(0) + `","sort":"name"}`, 400, "sort: Invalid input"},
		{"comments of an unknown document", "comments.list", `{"documentId":"` + unknown + `"}`, 403, "Authorization error"},
		{"resolving a reply", "comments.resolve", `{"id":"` + reply + `"}`, 403, "Authorization error"},
		{"unresolving what is open", "comments.unresolve", `{"id":"` + comment + `"}`, 403, "Authorization error"},

		{"a collection without name", "collections.create", `{}`, 400, "name: Invalid input: expected string, received undefined"},
		{"a collection with an unknown icon", "collections.create", `{"name":"x","icon":"bookk"}`, 400, "icon: Invalid input"},
		{"a collection with a long name", "collections.create", `{"name":"` + long(101) + `"}`, 400, "name: Too big: expected string to have <=100 characters"},
		{"a collection named as an address", "collections.create", `{"name":"see https://example.com"}`, 400, "name: Name cannot contain a URL"},
		{"a long description", "collections.create", `{"name":"x","description":"` + long(100_001) + `"}`, 400, "description: Too big: expected string to have <=100000 characters"},
		{"a colour by name", "collections.create", `{"name":"x","color":"red"}`, 400, "color: Must be a hex value (please use format #FFFFFF)"},
		{"a colour that is not hexadecimal", "collections.create", `{"name":"x","color":"#12345g"}`, 400, "color: Must be a hex value (please use format #FFFFFF)"},
		{"an unknown permission", "collections.create", `{"name":"x","permission":"write"}`, 400, `permission: Invalid option: expected one of "read"|"read_write"`},
		{"an update of an unknown collection", "collections.update", `{"id":"` + unknown + `","name":"x"}`, 403, "Authorization error"},
		{"deleting an unknown collection", "collections.delete", `{"id":"` + unknown + `"}`, 403, "Authorization error"},
		{"archiving an unknown collection", "collections.archive", `{"id":"` + unknown + `"}`, 404, "Resource not found"},
		{"exporting an unknown collection", "collections.export", `{"id":"` + unknown + `"}`, 403, "Authorization error"},
		{"exporting to an unknown format", "collections.export", `{"id":"` + openID + `","format":"docx"}`, 400, `format: Invalid option: expected one of "outline-markdown"|"json"|"html"|"pdf"`},
		{"an unknown export", "fileOperations.info", `{"id":"` + unknown + `"}`, 404, "Resource not found"},

		{"no question", "documents.answerQuestion", `{}`, 400, "query: Invalid input: expected string, received undefined"},
		{"a blank question", "documents.answerQuestion", `{"query":" "}`, 400, "query: Too small: expected string to have >=1 characters"},
		{"a question in an unknown collection", "documents.answerQuestion", `{"query":"x","collectionId":"` + unknown + `"}`, 403, "Authorization error"},
		{"a question about an unknown document", "documents.answerQuestion", `{"query":"x","documentId":"` + unknown + `"}`, 403, "Authorization error"},
	}
	before := fmt.Sprint(w.store.children, w.store.commentIDs, len(w.store.documents), w.store.collectionIDs, w.store.documents[documentID(0)].Revision)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expectError(t, call(t, w, keyOf("member"), test.endpoint, test.body), test.status, test.message)
		})
	}
	if after := fmt.Sprint(w.store.children, w.store.commentIDs, len(w.store.documents), w.store.collectionIDs, w.store.documents[documentID(0)].Revision); after != before {
		t.Errorf("what was refused has left traces: %s, before %s", after, before)
	}
}

func TestIconsAreEmojiNamesOrCustomEmoji(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	for _, icon := range []string{"🚀", "⚡", "🛠️", "👩‍🚀", "🇩🇪", "1️⃣", "book", "academicCap", "00000000-0000-4000-8000-000000000000"} {
		if e := call(t, w, keyOf("member"), "documents.update", `{"id":"document00","icon":"`+icon+`"}`); e.Status != 200 {
			t.Errorf("%s: %d %s", icon, e.Status, e.Message)
		}
	}
}

func TestACollectionNeedsNoNameInWords(t *testing.T) {
	w := newTestWorkspace(t)
	created := data[struct{ ID, Name, URL, URLID string }](t, do(t, w, "collections.create", `{"name":""}`))
	if created.Name != "" || created.URL != "/collection/untitled-"+created.URLID {
		t.Errorf("the collection is %+v", created)
	}
}

func TestAnExportCompletesByTheClock(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "text"})
	now := noon
	w.store.now = func() time.Time { return now }
	type operation struct{ ID, State, Size, Name, Format string }
	admin := func(endpoint, body string) envelope { return call(t, w, keyOf("admin"), endpoint, body) }
	started := data[struct{ FileOperation operation }](t, admin("collections.export", `{"id":"openopen01"}`)).FileOperation
	if started.State != "creating" || started.Size != "0" || started.Format != "outline-markdown" || started.Name != "Open" {
		t.Errorf("started %+v", started)
	}
	id := `{"id":"` + started.ID + `"}`
	expectError(t, admin("fileOperations.redirect", id), 400, "export is not complete yet")
	expectError(t, call(t, w, keyOf("member"), "fileOperations.info", id), 403, "Authorization error")
	now = now.Add(exportTime)
	if got := data[operation](t, admin("fileOperations.info", id)); got.State != "complete" || got.Size == "0" {
		t.Errorf("later it is %+v", got)
	}
	res, err := w.Transport().RoundTrip(newCall(t, keyOf("admin"), "fileOperations.redirect", id))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	if at := res.Header.Get("Location"); res.StatusCode != 302 || !strings.HasPrefix(at, "http://outline.demo.invalid/api/files.get?sig=") {
		t.Errorf("redirected with %d to %q", res.StatusCode, at)
	}
	link, err := http.NewRequestWithContext(t.Context(), http.MethodGet, res.Header.Get("Location"), nil) // without a key
	if err != nil {
		t.Fatal(err)
	}
	if res, err = w.Transport().RoundTrip(link); err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(archive.File) != 1 || res.Header.Get("Content-Type") != "application/zip" {
		t.Errorf("the file is of type %s: %v", res.Header.Get("Content-Type"), err)
	}
}

// favorites is the data of stars.list and pins.list.
type favorites struct {
	Stars, Pins, Documents []map[string]any
}

func TestFavoritesHaveTheRecordedKeys(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	w.store.stars = []Favorite{{ID: "star", UserID: people["member"], DocumentID: documentID(0)}}
	w.store.pins = []Favorite{{ID: "pin", DocumentID: documentID(0)}}
	keys := func(list []map[string]any) []string {
		if len(list) == 0 {
			return nil
		}
		return slices.Sorted(maps.Keys(list[0]))
	}
	for _, r := range fixtures.Recorded[recording](t, "favorites") {
		if number := r.number(); number != "117" && number != "120" { // the others are of other documents
			continue
		}
		var want struct{ Data favorites }
		decode(t, r.Response.Body, &want)
		have := data[favorites](t, do(t, w, r.endpoint(), `{}`))
		for part, lists := range map[string][2][]map[string]any{
			"stars": {have.Stars, want.Data.Stars}, "pins": {have.Pins, want.Data.Pins}, "documents": {have.Documents, want.Data.Documents},
		} {
			recordedKeys := slices.DeleteFunc(keys(lists[1]), func(key string) bool { return key == "lastViewedAt" }) // views are not kept
			if got := keys(lists[0]); !slices.Equal(got, recordedKeys) {
				t.Errorf("%s: %s have the keys %q, recorded %q", r.Name, part, got, recordedKeys)
			}
		}
	}
}

func TestStarsBelongToOneUserAndPinsToAll(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Open"}, Document{Title: "Closed", CollectionID: closedID}, Document{Title: "Later"})
	w.store.stars = []Favorite{{ID: "star", UserID: people["member"], DocumentID: documentID(0)}}
	for i := range 3 {
		w.store.pins = slices.Insert(w.store.pins, 0, Favorite{ID: "pin", DocumentID: documentID(i)})
	}
	listed := func(who, endpoint string) []string {
		var list []string
		for _, d := range data[favorites](t, call(t, w, keyOf(who), endpoint, `{}`)).Documents {
			list = append(list, d["title"].(string))
		}
		return list
	}
	for _, test := range []struct {
		who, endpoint string
		want          []string
	}{
		{"member", "stars.list", []string{"Open"}},
		{"other", "stars.list", nil},
		{"other", "pins.list", []string{"Later", "Open"}},
	} {
		if got := listed(test.who, test.endpoint); !slices.Equal(got, test.want) {
			t.Errorf("%s of %s: %q, not %q", test.endpoint, test.who, got, test.want)
		}
	}
	do(t, w, "documents.archive", `{"id":"`+documentID(2)+`"}`)
	if got := listed("other", "pins.list"); !slices.Equal(got, []string{"Open"}) {
		t.Errorf("after archiving one, the pins are %q", got)
	}
}
