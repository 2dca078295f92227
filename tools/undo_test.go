package tools_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// undone is what answers say of how they are undone.
type undone struct {
	Changed           bool   `json:"changed"`
	EarlierRevisionID string `json:"earlier_revision_id"`
	Note              string
	Notes             []string
	Results           []struct {
		Unchanged         bool
		EarlierRevisionID string `json:"earlier_revision_id"`
		Note              string
	}
}

// TestTheRevisionThatAnAnswerNamesUndoesTheWrite makes random writes to recorded
// documents, each time with more or less time since the one before, and restores the
// revision that the answer names.
func TestTheRevisionThatAnAnswerNamesUndoesTheWrite(t *testing.T) {
	t.Parallel()
	cases := fixtures.Count(20, 200)
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		t.Run("release "+string(release), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(7, uint64(len(release))))
				e, texts := newShelf(t, fakeoutline.Options{Release: release, Latency: 5 * time.Millisecond, RevisionTime: 400 * time.Millisecond, UpdateTime: 5 * time.Millisecond})
				named, calls := 0, 0
				for n := 0; n < cases; {
					if calls++; calls > 2*cases {
						t.Fatalf("only %d of %d calls change anything", n, calls)
					}
					e.id = uuid(1 + random.IntN(len(texts)))
					time.Sleep([]time.Duration{0, 100 * time.Millisecond, time.Second, 10 * time.Minute}[random.IntN(4)])
					before, err := e.calm.DocumentWithTree(t.Context(), e.id)
					if err != nil {
						t.Fatal(err)
					}
					tool, arguments := randomWrite(random, e.id, before.Text, texts)
					answer, err := cli.Call(t.Context(), e.c, tool, arguments)
					if err != nil {
						t.Fatal(err)
					}
					if answer.Code != "" {
						continue
					}
					var told undone
					if err := json.Unmarshal(answer.Structured, &told); err != nil {
						t.Fatal(err)
					}
					if len(told.Results) == 1 {
						told.Changed, told.EarlierRevisionID, told.Note = !told.Results[0].Unchanged, told.Results[0].EarlierRevisionID, told.Results[0].Note
					}
					if !told.Changed {
						continue
					}
					n++
					if told.EarlierRevisionID == "" {
						if !strings.Contains(told.Note+strings.Join(told.Notes, "; "), "no revision can be named that undoes this") {
							t.Fatalf("write %d, %s, names no revision and does not say why: %s", n, tool, answer.Text)
						}
						t.Logf("write %d, %s: %s%s", n, tool, told.Note, told.Notes)
						continue
					}
					named++
					if !strings.Contains(answer.Text, told.EarlierRevisionID) {
						t.Errorf("write %d, %s: the text does not name revision %s: %s", n, tool, told.EarlierRevisionID, answer.Text)
					}
					time.Sleep(time.Second)
					restored, err := cli.Call(t.Context(), e.c, "restore_document", map[string]any{"document_id": e.id, "revision_id": told.EarlierRevisionID})
					if err != nil || restored.Code != "" || !strings.Contains(string(restored.Structured), `"changed":true,"verified":true`) {
						t.Fatalf("write %d, %s: %v %s", n, tool, err, restored.Text)
					}
					now, err := e.calm.DocumentWithTree(t.Context(), e.id)
					if err != nil {
						t.Fatal(err)
					}
					if now.Title != before.Title || now.Icon != before.Icon || !prosemirror.EqualWithoutComments(now.Tree, before.Tree) {
						t.Fatalf("write %d, %s %v: restored %q\n%s\nwant %q\n%s", n, tool, arguments, now.Title, now.Text, before.Title, before.Text)
					}
				}
				if named < cases {
					t.Errorf("%d of %d answers name a revision", named, cases)
				}
			})
		})
	}
}

// newShelf returns a server on a workspace with published documents, and their texts.
func newShelf(t *testing.T, opts fakeoutline.Options) (*editing, []string) {
	t.Helper()
	at := time.Date(1999, 11, 20, 10, 0, 0, 0, time.UTC) // before the clock of synctest starts
	seed := fakeoutline.Seed{
		Users:       []fakeoutline.User{{ID: uuid(90001), Name: "Ada", Role: fakeoutline.Admin}},
		Keys:        []fakeoutline.Key{{Secret: fakeoutline.AdminKey, UserID: uuid(90001)}},
		Collections: []fakeoutline.Collection{{ID: uuid(90002), URLID: "shelf12345", Name: "Shelf", Permission: fakeoutline.ReadWrite, CreatedAt: at, UpdatedAt: at}},
	}
	var texts []string
	for _, r := range recordedPatches(t) {
		if len(texts) == 40 {
			break
		}
		if r.Before == nil || len(r.Before.Text) < 20 {
			continue
		}
		texts = append(texts, r.Before.Text)
		n := len(texts)
		seed.Documents = append(seed.Documents, fakeoutline.Document{
			ID: uuid(n), URLID: fmt.Sprintf("document%02d", n), Title: fmt.Sprintf("Document %d", n), Tree: r.Before.Data,
			CollectionID: uuid(90002), CreatedBy: uuid(90001), UpdatedBy: uuid(90001), Revision: 1, CreatedAt: at, UpdatedAt: at, PublishedAt: at,
		})
	}
	w, err := fakeoutline.Empty(opts, seed)
	if err != nil {
		t.Fatal(err)
	}
	return newEditingOn(t, w), texts
}

var word = regexp.MustCompile(`[A-Za-z]{3,}`)

// randomWrite returns a call that changes a document.
func randomWrite(random *rand.Rand, id, text string, texts []string) (tool string, arguments map[string]any) {
	other := texts[random.IntN(len(texts))]
	switch random.IntN(7) {
	case 0, 1:
		for _, found := range random.Perm(20) {
			if words := word.FindAllString(text, -1); found < len(words) && strings.Count(text, words[found]) == 1 {
				return "edit_document", map[string]any{"document_id": id, "allow_loss": true, "edits": []any{map[string]any{"old_text": words[found], "new_text": "changed" + fmt.Sprint(random.IntN(1000))}}}
			}
		}
		fallthrough
	case 2:
		return "update_document", map[string]any{"document_id": id, "text": other, "allow_shrink": true}
	case 3:
		return "update_document", map[string]any{"document_id": id, "text": other, "append": true}
	case 4:
		return "update_document", map[string]any{"document_id": id, "title": fmt.Sprintf("Title %d", random.IntN(1000))}
	case 5:
		return "update_document", map[string]any{"document_id": id, "icon": []string{"🚀", "📘", "none"}[random.IntN(3)]}
	default:
		return "batch_update_documents", map[string]any{"updates": []any{map[string]any{"id": id, "title": fmt.Sprintf("Title %d", random.IntN(1000)), "text": other, "allow_shrink": true}}}
	}
}

func TestOnAReleaseAnAnswerSaysWhatOthersDid(t *testing.T) {
	t.Parallel()
	edits := []any{map[string]any{"old_text": "two", "new_text": "2"}}
	for name, test := range map[string]struct {
		tool      string
		arguments map[string]any
		theirs    string // the whole text that another user writes after the first update
		code      output.Code
		says      []string
		text      string
	}{
		"an edit": {"edit_document", map[string]any{"edits": edits}, "", "", []string{"guarded false", `"verified":true`}, "one 2\n\nend"},
		"an edit beside theirs": {"edit_document", map[string]any{"edits": edits}, "one 2\n\nENDE", "",
			[]string{`"verified":true`, "after this change, which is still there"}, "one 2\n\nENDE"},
		"an edit in the same paragraph": {"edit_document", map[string]any{"edits": edits}, "ONE 2\n\nend", output.OutcomeUnknown,
			[]string{"changed the same part of the document", "add only what is missing"}, "ONE 2\n\nend"},
		"an edit that is overwritten": {"edit_document", map[string]any{"edits": edits}, "one two\n\nENDE", output.Conflict,
			[]string{"overwrote this change, which is not in the document", "Read it again"}, "one two\n\nENDE"},
		"a text that is added": {"update_document", map[string]any{"text": "more", "append": true}, "", "", []string{"guarded false"}, "one two\n\nend\n\nmore"},
		"a text that is added twice": {"update_document", map[string]any{"text": "more", "append": true}, "one two\n\nend\n\nmore\n\nmore", output.OutcomeUnknown,
			[]string{"changed the same part of the document"}, "one two\n\nend\n\nmore\n\nmore"},
		"a text that is overwritten": {"update_document", map[string]any{"text": "mine"}, "theirs", output.Conflict,
			[]string{"overwrote this change, which is not in the document", "Read it again"}, "theirs"},
		"a text of which a half stays": {"update_document", map[string]any{"text": "first words\n\nof mine"}, "first words\n\nof theirs", output.OutcomeUnknown,
			[]string{"add only what is missing"}, "first words\n\nof theirs"},
		"several": {"batch_update_documents", nil, "", "", []string{"guarded false"}, "one two\n\nend\n\nmore"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEditing(t, "one two\n\nend", fakeoutline.Options{Release: "1.9.2"})
			e.update = func(n int, _ map[string]any) {
				if n == 1 && test.theirs != "" {
					e.answered = func() {
						if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Text: &test.theirs}); err != nil {
							t.Error(err)
						}
					}
				}
			}
			arguments := map[string]any{"document_id": e.id}
			for k, v := range test.arguments {
				arguments[k] = v
			}
			if test.tool == "batch_update_documents" {
				arguments = map[string]any{"updates": []any{map[string]any{"id": e.id, "text": "more", "append": true}}}
			}
			answer, err := cli.Call(t.Context(), e.c, test.tool, arguments)
			if err != nil || answer.Code != test.code {
				t.Errorf("%v, %s", err, answer.Text)
			}
			for _, words := range test.says {
				if !strings.Contains(answer.Text+string(answer.Structured), words) {
					t.Errorf("it does not say %q: %s", words, answer.Text)
				}
			}
			if test.code == "" && !strings.Contains(string(answer.Structured), `"guarded":false`) {
				t.Errorf("%s", answer.Structured)
			}
			if got := e.text(t); got != test.text {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestAnotherTitleThanTheWantedOneIsNotBlamedOnOthers(t *testing.T) {
	for name, arguments := range map[string]map[string]any{
		"title":          {"title": "Ours"},
		"title and text": {"title": "Ours", "text": "more", "append": true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, "one two", fakeoutline.Options{Release: "1.9.2"})
			e.update = func(_ int, request map[string]any) { request["title"] = "Cut" }
			arguments["document_id"] = e.id
			answer, err := cli.Call(t.Context(), e.c, "update_document", arguments)
			if err != nil || answer.Code != output.WriteMismatch || !strings.Contains(answer.Text, `the title is "Cut"`) {
				t.Errorf("%v, %s", err, answer.Text)
			}
		})
	}
}

// TestAnEditThatIsOverwrittenAfterTheNextIsTold lets another user overwrite
// several requests of one call at once.
func TestAnEditThatIsOverwrittenAfterTheNextIsTold(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "one two\n\nend", fakeoutline.Options{Release: "1.9.2", NoTree: true})
	e.update = func(n int, _ map[string]any) {
		if n == 2 {
			e.answered = func() {
				if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Text: new("one two\n\nend\n\ntheirs")}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	_, answer := e.edit(t, nil, "one", "1", "end", "END")
	if answer.Code != output.Conflict || !strings.Contains(answer.Text, "another user has overwritten this change: 1 edit of 2 had been made") {
		t.Error(answer.Text)
	}
	if text := e.text(t); text != "one two\n\nend\n\ntheirs" {
		t.Errorf("it says %q", text)
	}
}

// TestNoRevisionIsNamedIfOthersWriteBetweenTheRequestsOfACall lets another user
// write between two requests, the first of which leaves a revision to return to.
func TestNoRevisionIsNamedIfOthersWriteBetweenTheRequestsOfACall(t *testing.T) {
	t.Parallel()
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		for _, meddled := range []bool{false, true} {
			t.Run(fmt.Sprintf("like %q, meddled %v", release, meddled), func(t *testing.T) {
				t.Parallel()
				e := newEditing(t, "one two\n\nmiddle\n\nend", fakeoutline.Options{Release: release, NoTree: true})
				collections, err := e.calm.Collections(t.Context(), outline.ListParams{Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Publish: new(true), CollectionID: collections.Items[0].ID}); err != nil {
					t.Fatal(err)
				}
				e.update = func(_ int, request map[string]any) {
					if meddled && request["findText"] == "end" {
						meddled = false
						e.theirs(t, "middle", "theirs")
					}
				}
				named := !meddled
				result, answer := e.edit(t, nil, "one", "1", "end", "END")
				if answer.Code != "" || result.EditsApplied != 2 {
					t.Fatal(answer.Text)
				}
				if strings.Contains(answer.Text, "To undo: restore_document with") != named {
					t.Error(answer.Text)
				}
			})
		}
	}
}
