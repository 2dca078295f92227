package fakeoutline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// outlineOf returns the tree of a collection as "A(B C) D".
func outlineOf(t testing.TB, w *Workspace, collectionID string) string {
	t.Helper()
	var write func(nodes []node) string
	write = func(nodes []node) string {
		var list []string
		for _, n := range nodes {
			text := n.Title
			if len(n.Children) > 0 {
				text += "(" + write(n.Children) + ")"
			}
			list = append(list, text)
		}
		return strings.Join(list, " ")
	}
	return write(data[[]node](t, call(t, w, keyOf("member"), "collections.documents", `{"id":"`+collectionID+`"}`)))
}

func do(t testing.TB, w *Workspace, endpoint, body string) envelope {
	t.Helper()
	e := call(t, w, keyOf("member"), endpoint, body)
	if !e.OK {
		t.Fatalf("%s %s: %d %s", endpoint, body, e.Status, e.Message)
	}
	return e
}

func TestOrderOfSiblings(t *testing.T) {
	create := func(title, more string) string {
		return fmt.Sprintf(`documents.create {"title":%q,"collectionId":%q,"publish":true%s}`, title, openID, more)
	}
	move := func(i int, more string) string {
		return fmt.Sprintf(`documents.move {"id":%q,"collectionId":%q%s}`, documentID(i), openID, more)
	}
	below := func(i int) string { return fmt.Sprintf(`,"parentDocumentId":%q`, documentID(i)) }
	tests := []struct {
		name, call, want string
	}{
		{"a new document comes first", create("N", ""), "N A B C D(E)"},
		{"index 0 is first", create("N", `,"index":0`), "N A B C D(E)"},
		{"an index in the middle", create("N", `,"index":2`), "A B N C D(E)"},
		{"an index beyond the end", create("N", `,"index":99`), "A B C D(E) N"},
		{"a new child comes first", create("N", below(3)), "A B C D(N E)"},
		{"a new child at an index", create("N", below(3)+`,"index":1`), "A B C D(E N)"},
		{"a move without index is last", move(0, ""), "B C D(E) A"},
		{"from 0 to index 1 nothing moves", move(0, `,"index":1`), "A B C D(E)"},
		{"from 0 to index 2 is one place on", move(0, `,"index":2`), "B A C D(E)"},
		{"from 2 to index 0", move(2, `,"index":0`), "C A B D(E)"},
		{"from 2 to index 1", move(2, `,"index":1`), "A C B D(E)"},
		{"below another document", move(0, below(3)), "B C D(E A)"},
		{"below another document at an index", move(0, below(3)+`,"index":0`), "B C D(A E)"},
		{"up to the top level", move(4, `,"index":1`), "A E B C D"},
		{"archived documents leave the tree with what is below", `documents.archive {"id":"document03"}`, "A B C"},
		{"so do deleted ones", `documents.delete {"id":"document03"}`, "A B C"},
		{"and unpublished ones", `documents.unpublish {"id":"document00"}`, "B C D(E)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newTestWorkspace(t, Document{Title: "A"}, Document{Title: "B"}, Document{Title: "C"}, Document{Title: "D"}, Document{Title: "E", ParentID: documentID(3)})
			endpoint, body, _ := strings.Cut(test.call, " ")
			do(t, w, endpoint, body)
			if got := outlineOf(t, w, openID); got != test.want {
				t.Errorf("the tree is %q, want %q", got, test.want)
			}
		})
	}
}

func TestDocumentsCreatedAtRisingIndexesKeepTheirOrder(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "old"})
	for i := range 5 {
		do(t, w, "documents.create", fmt.Sprintf(`{"title":"%d","collectionId":%q,"publish":true,"index":%d}`, i, openID, i))
	}
	if got := outlineOf(t, w, openID); got != "0 1 2 3 4 old" {
		t.Errorf("the tree is %q", got)
	}
}

func TestMovingTakesDescendantsToTheOtherCollection(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "A"}, Document{Title: "B", ParentID: documentID(0)}, Document{Title: "C", ParentID: documentID(1)},
		Document{Title: "Old", ParentID: documentID(0), ArchivedAt: noon})
	moved := data[struct {
		Documents []struct {
			Title, CollectionID string
			Revision            int
		}
		Collections []any
	}](t, do(t, w, "documents.move", `{"id":"document00","collectionId":"`+closedID+`"}`))
	var titles []string
	for _, d := range moved.Documents {
		titles = append(titles, d.Title)
		if d.CollectionID != closedID {
			t.Errorf("%s is in %s", d.Title, d.CollectionID)
		}
	}
	if !slices.Equal(titles, []string{"B", "C", "Old", "A"}) || len(moved.Collections) != 0 {
		t.Errorf("moved %q and %v", titles, moved.Collections)
	}
	if moved.Documents[3].Revision != w.store.documents[documentID(0)].Revision || moved.Documents[3].Revision != 1 {
		t.Errorf("the revision is %d", moved.Documents[3].Revision)
	}
	if got := outlineOf(t, w, openID) + "|" + outlineOf(t, w, closedID); got != "|A(B(C))" {
		t.Errorf("the trees are %q", got)
	}
}

// checkTree fails unless every active document stands in the tree of its
// collection exactly once, below its parent, and nothing else does.
func checkTree(t testing.TB, s *store) {
	t.Helper()
	seen := make(map[string]string)
	for above, below := range s.children {
		if len(below) == 0 {
			t.Errorf("%s has an empty list of children", above)
		}
		for _, id := range below {
			d, ok := s.documents[id]
			switch {
			case !ok:
				t.Errorf("%s below %s does not exist", id, above)
			case seen[id] != "":
				t.Errorf("%s is below %s and %s", id, seen[id], above)
			case d.container() != above:
				t.Errorf("%s is below %s and says %s", id, above, d.container())
			case !d.isActive():
				t.Errorf("%s is not active and in the tree", id)
			}
			seen[id] = above
		}
	}
	for id, d := range s.documents {
		if d.isActive() && seen[id] == "" {
			t.Errorf("%s is active and not in the tree", id)
		}
		if parent, ok := s.documents[d.ParentID]; d.ParentID != "" && d.isActive() {
			if !ok || !parent.isActive() || parent.CollectionID != d.CollectionID {
				t.Errorf("%s is active, its parent %s is not or elsewhere", id, d.ParentID)
			}
		}
		if parent, ok := s.documents[d.ParentID]; ok && s.within(parent, id) {
			t.Errorf("%s is below itself", id)
		}
	}
	for col := range s.collections {
		if got := len(s.activeBelow(col)); got != count(s, func(d *document) bool { return d.isActive() && d.CollectionID == col }) {
			t.Errorf("the tree of %s has %d documents", col, got)
		}
	}
}

func count(s *store, which func(*document) bool) int {
	return len(slices.Collect(func(yield func(string) bool) {
		for id, d := range s.documents {
			if which(d) && !yield(id) {
				return
			}
		}
	}))
}

// steps calls endpoints that change the tree, three numbers a step.
func steps(t testing.TB, w *Workspace, choices []byte) {
	for ; len(choices) >= 3; choices = choices[3:] {
		ids := slices.Sorted(maps.Keys(w.store.documents))
		collections := []string{openID, closedID, readOnlyID}
		id, other := ids[int(choices[1])%len(ids)], ids[int(choices[2])%len(ids)]
		col, index := collections[int(choices[2])%3], int(choices[2])%5
		call(t, w, keyOf([]string{"admin", "member"}[choices[1]%2]), []string{
			"documents.create", "documents.create", "documents.move", "documents.move", "documents.archive", "documents.delete",
			"documents.restore", "documents.restore", "documents.delete", "documents.unpublish", "documents.update",
			"collections.archive", "collections.restore",
		}[choices[0]%13], []string{
			fmt.Sprintf(`{"title":"new","collectionId":%q,"publish":%v}`, col, choices[1]%4 != 0),
			fmt.Sprintf(`{"title":"new","parentDocumentId":%q,"publish":%v,"index":%d}`, id, choices[2]%4 != 0, index),
			fmt.Sprintf(`{"id":%q,"parentDocumentId":%q,"index":%d}`, id, other, index),
			fmt.Sprintf(`{"id":%q,"collectionId":%q}`, id, col),
			fmt.Sprintf(`{"id":%q}`, id),
			fmt.Sprintf(`{"id":%q}`, id),
			fmt.Sprintf(`{"id":%q}`, id),
			fmt.Sprintf(`{"id":%q,"collectionId":%q}`, id, col),
			fmt.Sprintf(`{"id":%q,"permanent":true}`, id),
			fmt.Sprintf(`{"id":%q}`, id),
			fmt.Sprintf(`{"id":%q,"publish":true,"collectionId":%q}`, id, col),
			fmt.Sprintf(`{"id":%q}`, col),
			fmt.Sprintf(`{"id":%q}`, col),
		}[choices[0]%13])
		if checkTree(t, w.store); t.Failed() {
			t.Fatalf("after % d", choices[:3])
		}
		if len(w.store.documents) == 0 {
			return
		}
	}
}

func TestTheTreeStaysCompleteWhateverHappens(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		choices := make([]byte, 600)
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		steps(t, treeWorkspace(t), choices)
	}
}

func treeWorkspace(t testing.TB) *Workspace {
	w := newTestWorkspace(t, Document{Title: "A"}, Document{Title: "B", ParentID: documentID(0)}, Document{Title: "C", ParentID: documentID(1)},
		Document{Title: "D", CollectionID: closedID}, Document{Title: "E", Revision: draftRevision}, Document{Title: "F", DeletedAt: noon},
		Document{Title: "G", ArchivedAt: noon})
	checkTree(t, w.store)
	return w
}

func FuzzTree(f *testing.F) {
	f.Add([]byte{0, 1, 2, 2, 0, 1, 5, 0, 0, 6, 0, 0})
	f.Add([]byte{11, 0, 0, 6, 1, 1, 12, 0, 0})
	f.Fuzz(func(t *testing.T, choices []byte) {
		steps(t, treeWorkspace(t), choices[:min(len(choices), 120)])
	})
}
