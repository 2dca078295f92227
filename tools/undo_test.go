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
	"outline-mcp/outline/prosemirror"
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
	if testing.Short() {
		t.Skip("takes long, one call after the other")
	}
	const cases = 200
	for _, release := range []fakeoutline.Release{"", "1.9.2", "1.7"} {
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
