package fakeoutline

import (
	"fmt"
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
