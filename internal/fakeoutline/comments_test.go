package fakeoutline

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
)

func TestThreads(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "the *one* place"}, Document{Title: "Hidden", CollectionID: closedID})
	type comment struct {
		ID, DocumentID, ParentCommentID, AnchorText string
		ResolvedAt, ResolvedByID                    *string
	}
	create := func(who, more string) comment {
		t.Helper()
		e := call(t, w, keyOf(who), "comments.create", `{"documentId":"`+documentID(0)+`",`+more+`}`)
		return data[comment](t, e)
	}
	list := func(who, body string) []comment {
		t.Helper()
		return data[[]comment](t, call(t, w, keyOf(who), "comments.list", body))
	}
	first := create("viewer", `"id":"`+commentID+`","text":"a","anchorText":"one","anchorPrefix":"the ","anchorSuffix":" place"`)
	reply := create("member", `"text":"b","parentCommentId":"`+commentID+`"`)
	nested := create("member", `"text":"c","parentCommentId":"`+reply.ID+`"`)
	if first.ID != commentID || reply.ParentCommentID != commentID || nested.ParentCommentID != reply.ID {
		t.Errorf("comments are %+v, %+v, %+v", first, reply, nested)
	}
	do(t, w, "comments.create", `{"documentId":"`+documentID(1)+`","text":"hidden"}`)

	if got := list("member", `{}`); len(got) != 4 {
		t.Errorf("the member sees %d comments", len(got))
	}
	if got := list("other", `{}`); len(got) != 3 {
		t.Errorf("the other sees %d comments", len(got))
	}
	expectError(t, call(t, w, keyOf("other"), "comments.list", `{"documentId":"`+documentID(1)+`"}`), 403, "Authorization error")
	if got := list("member", `{"parentCommentId":"`+commentID+`"}`); len(got) != 1 {
		t.Errorf("%d replies", len(got))
	}
	anchors := func() (list []string) {
		for _, c := range data[[]comment](t, do(t, w, "comments.list", `{"documentId":"`+documentID(0)+`","includeAnchorText":true,"direction":"ASC"}`)) {
			list = append(list, c.AnchorText)
		}
		return list
	}
	if got := anchors(); !slices.Equal(got, []string{"one", "", ""}) {
		t.Errorf("anchors are %q", got)
	}
	do(t, w, "documents.update", `{"id":"document00","text":" there","editMode":"append"}`)
	if got := anchors()[0]; got != "one" {
		t.Errorf("after appending the anchor is %q", got)
	}
	do(t, w, "documents.update", `{"id":"document00","text":"the *one* place again"}`)
	if got := anchors()[0]; got != "" {
		t.Errorf("after replacing the text the anchor is %q", got)
	}

	do(t, w, "comments.resolve", `{"id":"`+commentID+`"}`)
	if got := list("member", `{"statusFilter":["resolved"]}`); len(got) != 2 || *got[0].ResolvedByID != people["member"] {
		t.Errorf("resolved are %+v", got)
	}
	if late := create("viewer", `"text":"d","parentCommentId":"`+commentID+`"`); late.ResolvedAt == nil {
		t.Error("the answer in a resolved thread is not resolved")
	}
	do(t, w, "comments.unresolve", `{"id":"`+commentID+`"}`)
	if got := list("member", `{"statusFilter":["unresolved"]}`); len(got) != 5 {
		t.Errorf("%d comments are unresolved", len(got))
	}
	if e := call(t, w, keyOf("viewer"), "comments.delete", `{"id":"`+commentID+`"}`); !e.OK {
		t.Error(e.Message)
	}
	if got := list("member", `{}`); len(got) != 1 {
		t.Errorf("%d comments are left", len(got))
	}
	do(t, w, "documents.delete", `{"id":"document01"}`)
	call(t, w, keyOf("admin"), "documents.delete", `{"id":"document01","permanent":true}`)
	if len(w.store.comments) != len(w.store.commentIDs) {
		t.Error("comments and their order differ")
	}
}

func TestCommentsArePaged(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	for i := range 7 {
		do(t, w, "comments.create", fmt.Sprintf(`{"documentId":%q,"text":"%d"}`, documentID(0), i))
	}
	var texts []string
	for offset := 0; offset < 9; offset += 3 {
		e := do(t, w, "comments.list", fmt.Sprintf(`{"documentId":%q,"limit":3,"offset":%d}`, documentID(0), offset))
		for _, c := range data[[]struct{ Data prosemirror.Node }](t, e) {
			texts = append(texts, c.Data.Content[0].Content[0].Text)
		}
		if *e.Pagination.Total != 7 {
			t.Errorf("the total is %d", *e.Pagination.Total)
		}
	}
	if got := strings.Join(texts, ""); got != "6543210" {
		t.Errorf("the comments are %s", got)
	}
}

func TestSampleComments(t *testing.T) {
	w := newSample(t)
	var onPassage, resolved, replies int
	marks := make(map[string]bool)
	check := func(n *prosemirror.Node) bool {
		marks[n.Type] = true
		for _, m := range n.Marks {
			marks[m.Type] = true
		}
		if len(n.Marks) > 0 {
			if href := n.Marks[0].Attrs.String("href"); strings.HasPrefix(href, "/doc/") {
				if d, ok := w.store.findDocument(strings.TrimPrefix(href, "/doc/")); !ok || d.path != href {
					t.Errorf("a comment links to %s", href)
				}
			}
		}
		if id := n.Attrs.String("modelId"); id != "" && w.store.users[id] == nil {
			t.Errorf("a comment mentions the unknown user %s", id)
		}
		return true
	}
	var last time.Time
	for _, id := range w.store.commentIDs {
		c := w.store.comments[id]
		d := w.store.documents[c.DocumentID]
		if c.Anchor != "" {
			onPassage++
			if got := d.body.read().Anchors[id]; got != c.Anchor {
				t.Errorf("%q is attached to %q of %q", c.Anchor, got, d.Title)
			}
		}
		if !c.ResolvedAt.IsZero() {
			resolved++
		}
		if c.ParentID != "" {
			replies++
		}
		if c.CreatedAt.Before(d.CreatedAt) || c.CreatedAt.Before(last) {
			t.Errorf("the comment %s on %q is of %s", id, d.Title, c.CreatedAt)
		}
		last = c.CreatedAt
		if u, ok := w.store.user(c.CreatedBy); !ok || !w.store.rightsOn(d, &caller{User: u}).Read {
			t.Errorf("the author of the comment %s cannot read %q", id, d.Title)
		}
		var root prosemirror.Node
		decode(t, c.Data, &root)
		prosemirror.Walk(&root, check)
	}
	if n := len(w.store.commentIDs); n < 8 || n > 12 || onPassage < 1 || resolved < 1 || replies < 2 {
		t.Errorf("%d comments, %d on a passage, %d resolved, %d replies", n, onPassage, resolved, replies)
	}
	for _, what := range []string{"mention", "bullet_list", "code_inline", "link", "strong"} {
		if !marks[what] {
			t.Errorf("no comment has a %s", what)
		}
	}
}

func TestCommentsAreSortedByTheirAgeOrTheirLastChange(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	var ids []string
	for minute := range 3 {
		w.store.now = func() time.Time { return noon.Add(time.Duration(minute) * time.Minute) }
		ids = append(ids, data[titled](t, do(t, w, "comments.create", `{"documentId":"`+documentID(0)+`","text":"x"}`)).ID)
	}
	w.store.now = func() time.Time { return noon.Add(time.Hour) }
	do(t, w, "comments.update", `{"id":"`+ids[1]+`","data":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"y"}]}]}}`)
	for body, want := range map[string][]int{
		`{}`:                                     {2, 1, 0},
		`{"sort":"createdAt"}`:                   {2, 1, 0},
		`{"sort":"updatedAt"}`:                   {1, 2, 0},
		`{"sort":"updatedAt","direction":"ASC"}`: {0, 2, 1},
	} {
		for i, c := range data[[]titled](t, do(t, w, "comments.list", body)) {
			if c.ID != ids[want[i]] {
				t.Errorf("%s: comment %d is not the one made in minute %d", body, i, want[i])
			}
		}
	}
}

func TestOnlyCommentsAreTakenAsData(t *testing.T) {
	paragraph := func(content string) string {
		return `{"type":"doc","content":[{"type":"paragraph","content":[` + content + `]}]}`
	}
	tests := []struct {
		name, data string
		want       bool
	}{
		{"a text", paragraph(`{"type":"text","text":"a"}`), true},
		{"a mention alone", paragraph(`{"type":"mention","attrs":{"label":"Ada"}}`), true},
		{"a block without its document", `{"type":"paragraph","content":[{"type":"text","text":"a"}]}`, true},
		{"a code fence", `{"type":"doc","content":[{"type":"code_fence","content":[{"type":"text","text":"a"}]}]}`, true},
		{"a heading", `{"type":"doc","content":[{"type":"heading","content":[{"type":"text","text":"a"}]}]}`, false},
		{"a highlight", paragraph(`{"type":"text","text":"a","marks":[{"type":"highlight"}]}`), false},
		{"white space", paragraph(`{"type":"text","text":" "}`), false},
		{"an empty document", `{"type":"doc"}`, false},
		{"a string", `"a"`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := isComment([]byte(test.data)); got != test.want {
				t.Errorf("IsComment is %t", got)
			}
		})
	}
}

func FuzzCommentText(f *testing.F) {
	for _, text := range []string{"a **b**", "- a\n  1. b", "@[A](mention://x/user/y)", "![a](b)", "`", "<https://a.b>", "__*a*__", "# a\n> b", "&#0;", "==a== $b$ !!c!!", "|a|\n|-|\n|b|", "a\n===", "---", "+++\na\n+++", ":::info\na\n:::"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := parseComment(text)
		if !isComment(data) && len(text) < 2*maxNesting && commentLength(data) > len("\u00a0") {
			t.Errorf("%q becomes %s", text, data)
		}
	})
}

func TestCommentsAreAttachedToPassagesAsRecorded(t *testing.T) {
	source, err := os.ReadFile("testdata/anchors.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Markdown, Text string
		Data           *prosemirror.Node
		Users, Anchors map[string]string
		Comments       []map[string]any
	}
	decode(t, source, &recorded)
	var seed Seed
	for role, id := range recorded.Users {
		seed.Users = append(seed.Users, User{ID: id, Name: role, Role: Role(role)})
		seed.Keys = append(seed.Keys, Key{ID: id, Secret: keyOf(role), UserID: id})
	}
	author := recorded.Users["admin"]
	seed.Collections = []Collection{{ID: openID, URLID: "openopen01", Name: "Open", Permission: ReadWrite}}
	seed.Documents = []Document{{
		ID: documentID(0), URLID: "document00", Title: "Commented", Text: recorded.Markdown, CollectionID: openID,
		CreatedBy: author, UpdatedBy: author, PublishedAt: noon, Revision: 3,
	}}
	w, err := Empty(Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	revision := 3
	for _, comment := range recorded.Comments {
		as, ok := comment["as"].(string)
		if !ok {
			as = "admin"
		}
		if anchor := comment["anchorText"]; ok && anchor != "" {
			revision++
		}
		body := maps.Clone(comment)
		body["documentId"], body["text"] = documentID(0), "A comment."
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		e := call(t, w, keyOf(as), "comments.create", string(encoded))
		if message, _ := comment["message"].(string); e.Status != int(comment["status"].(float64)) || e.Message != message {
			t.Errorf("%s is answered with %d %s", encoded, e.Status, e.Message)
		}
	}

	e := editor{w}
	var shown struct {
		Text     string
		Revision int
	}
	_, _, data := e.ask(t, 1, "documents.info", map[string]any{"id": documentID(0)})
	decode(t, data, &shown)
	if shown.Text != recorded.Text || shown.Revision != revision {
		t.Errorf("revision %d is %q, recorded %d %q", shown.Revision, shown.Text, revision, recorded.Text)
	}
	// Outline's tree ends with an empty paragraph, which its text does not show.
	want := recorded.Data.Content[:len(recorded.Data.Content)-1]
	if got := e.tree(t, documentID(0)); !slices.EqualFunc(got.Content, want, prosemirror.Equal) {
		t.Errorf("the tree is %s", got.AppendJSON(nil))
	}
	for id, want := range recorded.Anchors {
		var comment struct{ AnchorText string }
		_, _, data := e.ask(t, 1, "comments.info", map[string]any{"id": id, "includeAnchorText": true})
		decode(t, data, &comment)
		if comment.AnchorText != want {
			t.Errorf("the anchor of %s is %q, recorded %q", id, comment.AnchorText, want)
		}
	}
}

func TestSeededCommentsAreAttachedToTheirPassages(t *testing.T) {
	var seed Seed
	author := people["member"]
	seed.Users = []User{{ID: author, Name: "Author", Role: Member}}
	seed.Keys = []Key{{ID: author, Secret: keyOf("member"), UserID: author}}
	seed.Documents = []Document{
		{ID: documentID(0), URLID: "document00", Title: "Text", Text: "one *two* three", CreatedBy: author, UpdatedBy: author},
		{ID: documentID(1), URLID: "document01", Title: "Tree", Tree: prosemirror.Parse("one two three"), CreatedBy: author, UpdatedBy: author},
	}
	data := json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"x"}]}]}`)
	for i, c := range []Comment{{Anchor: "two three", ResolvedAt: noon, ResolvedBy: author}, {Anchor: "absent"}} {
		for d := range seed.Documents {
			c.ID = documentID(100 + 10*i + d)
			c.DocumentID, c.Data, c.CreatedBy = documentID(d), data, author
			seed.Comments = append(seed.Comments, c)
		}
	}
	w, err := Empty(Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	for d := range seed.Documents {
		if got := w.store.documents[documentID(d)].body.read().Anchors; !maps.Equal(got, map[string]string{documentID(100 + d): "two three"}) {
			t.Errorf("anchors are %q", got)
		}
	}
	tree := editor{w}.tree(t, documentID(0))
	mark, _ := tree.Content[0].Content[1].Mark(prosemirror.Comment)
	if resolved, _ := mark.Attrs.Get("resolved"); resolved != true || mark.Attrs.String("userId") != author {
		t.Errorf("the mark is %v", mark)
	}
}

func FuzzAttach(f *testing.F) {
	for _, markdown := range []string{"one *two* three", "* a\n* b", "a $x$ :tada: b", "| a |\n|---|\n| b |", "a\n\n\\\n\nb", "![a](b.png) c", "```\na\nb\n```", "[f 1](/api/attachments.redirect?id=x)"} {
		f.Add(markdown, 0, 3)
		f.Add(markdown, 2, 4)
	}
	f.Fuzz(func(t *testing.T, markdown string, start, length int) {
		doc := prosemirror.Parse(markdown)
		text := readContent(doc).Plain
		if start < 0 || length <= 0 || start > len(text) || length > len(text)-start {
			return
		}
		passage := prosemirror.Passage{Prefix: text[:start], Text: text[start : start+length], Suffix: text[start+length:]}
		attached, ok := prosemirror.Attach(doc, passage, prosemirror.CommentMark("id", "user", false))
		if !ok {
			t.Fatalf("%q is not found in %q", passage.Text, text)
		}
		if !prosemirror.EqualWithoutComments(attached, doc) {
			t.Errorf("%q on %q becomes %s", passage.Text, markdown, attached.AppendJSON(nil))
		}
		after := readContent(attached)
		if after.Plain != text {
			t.Errorf("the text is %q, was %q", after.Plain, text)
		}
		// Inline nodes such as line breaks and images carry no mark.
		if got := after.Anchors["id"]; len(got) > length {
			t.Errorf("%q is attached to %q", passage.Text, got)
		}
	})
}

func TestCommentsComeInTheOrderInWhichTheyBeginInTheBlock(t *testing.T) {
	doc := prosemirror.Parse("one two\n\nthree four")
	for _, c := range []struct{ id, passage string }{
		{"a", "two"}, {"b", "three"}, {"c", "one two"}, {"d", "two\nthree"}, {"e", "three four"},
	} {
		var ok bool
		if doc, ok = prosemirror.Attach(doc, prosemirror.Passage{Text: c.passage}, prosemirror.CommentMark(c.id, "user", false)); !ok {
			t.Fatalf("%q is not found", c.passage)
		}
	}
	got := map[string]string{}
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		for _, mark := range n.Marks {
			got[n.Text] += mark.Attrs.String("id")
		}
		return true
	})
	if want := map[string]string{"one ": "c", "two": "cad", "three": "bde", " four": "e"}; !maps.Equal(got, want) {
		t.Errorf("comments are %v, want %v", got, want)
	}
}
