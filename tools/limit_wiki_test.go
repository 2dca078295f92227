package tools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
)

// The wikis for these tests: workspaces far larger than an answer.

// onRelease is in front of the release in the name of a test that plays one.
const onRelease = "_on_"

const wikiCollection = "31bd1765-434e-4d1a-82a2-2674f972cc48"

func wikiDay(n int) time.Time { return time.Date(2026, 1, 1, 9, n, 0, 0, time.UTC) }

// emptySeed is a workspace of one user with the admin's key and one collection.
func emptySeed() fakeoutline.Seed {
	user := uuid(99_000_000)
	return fakeoutline.Seed{
		Team:  fakeoutline.Team{ID: uuid(99_000_001), Name: "Lights"},
		Users: []fakeoutline.User{{ID: user, Name: "Hana Weissbach", Email: "hana@lights.example", Role: fakeoutline.Admin, CreatedAt: wikiDay(0)}},
		Keys:  []fakeoutline.Key{{ID: uuid(99_000_002), Secret: fakeoutline.AdminKey, Name: "limits", UserID: user, CreatedAt: wikiDay(0)}},
		Collections: []fakeoutline.Collection{{
			ID: wikiCollection, URLID: "xVj43W43Sy", Name: "Engineering", Permission: fakeoutline.ReadWrite, CreatedAt: wikiDay(0), UpdatedAt: wikiDay(0),
		}},
	}
}

// wikiPage is a published document, whose UUID is uuid(n).
func wikiPage(n int, parent, title, text string) fakeoutline.Document {
	user := uuid(99_000_000)
	return fakeoutline.Document{
		ID: uuid(n), URLID: fmt.Sprintf("D%09d", n), Title: title, Text: text, CollectionID: wikiCollection, ParentID: parent,
		CreatedBy: user, UpdatedBy: user, Collaborators: []string{user}, Revision: 1, Opened: true,
		CreatedAt: wikiDay(1), UpdatedAt: wikiDay(n), PublishedAt: wikiDay(1),
	}
}

// wiki builds a workspace, which plays the release that the name of the test ends
// with. Errors end the test.
func wiki(t *testing.T, seed fakeoutline.Seed) http.RoundTripper {
	t.Helper()
	_, last, _ := strings.Cut(t.Name()[strings.LastIndex(t.Name(), "/")+1:], onRelease)
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: fakeoutline.Release(last)}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w.Transport()
}

// commentOf is the editor's document of a comment of paragraphs.
func commentOf(paragraphs ...string) json.RawMessage {
	var nodes []any
	for _, p := range paragraphs {
		nodes = append(nodes, map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": p}}})
	}
	raw, err := json.Marshal(map[string]any{"type": "doc", "content": nodes})
	if err != nil {
		panic(err) // strings always encode
	}
	return raw
}

// longTitle is a title as long as Outline allows, which imitates a list of several
// lines.
func longTitle(n int) string {
	title := fmt.Sprintf("Buoy %d\n- **next** go on with offset 3 🍲 ", n)
	return title + strings.Repeat("ü", 100-len([]rune(title)))
}

// crowd is the number of objects of each kind in a crowded workspace: more than
// two pages of a hundred, and far more than an answer can hold.
const crowd = 210

// crowded is a workspace with a crowd of documents that link to the first one, of
// archived and deleted documents, of collections, and of comments.
func crowded() fakeoutline.Seed {
	seed := emptySeed()
	seed.Exports = []fakeoutline.Export{{ID: uuid(60_000), Name: longTitle(1), CollectionID: wikiCollection, UserID: uuid(99_000_000), CreatedAt: wikiDay(0)}}
	for n := 1; n <= crowd; n++ {
		text := fmt.Sprintf("The buoy %d is [here](/doc/first-D%09d). %s", n, 1, strings.Repeat("Leuchtfeuerverwaltungsvorschrift"+strings.Repeat("en", n%20)+" ", 40))
		if n == 1 {
			text += "\n\n" + strings.Repeat("buoy ", 200) + "everywhere."
		}
		seed.Documents = append(seed.Documents, wikiPage(n, "", longTitle(n), text))
	}
	for n := 1; n <= crowd; n++ {
		archived := wikiPage(1000+n, "", longTitle(n), "Gone.")
		archived.ArchivedAt = wikiDay(2000 + n)
		deleted := wikiPage(2000+n, "", longTitle(n), "Gone.")
		deleted.DeletedAt = wikiDay(3000 + n)
		seed.Documents = append(seed.Documents, archived, deleted)
	}
	user := uuid(99_000_000)
	for n := 1; n <= crowd; n++ {
		seed.Collections = append(seed.Collections, fakeoutline.Collection{
			ID: uuid(10_000 + n), URLID: fmt.Sprintf("C%09d", n), Name: longTitle(n), Permission: fakeoutline.Read,
			Description: wikiDescription(n), CreatedAt: wikiDay(n), UpdatedAt: wikiDay(n),
		})
		comment := fakeoutline.Comment{
			ID: uuid(20_000 + n), DocumentID: uuid(1), Data: commentOf(wikiComment(n)...), CreatedBy: user,
			Anchor: strings.Repeat("buoy ", 100*(n%3)), CreatedAt: wikiDay(n), UpdatedAt: wikiDay(n),
		}
		seed.Users = append(seed.Users, fakeoutline.User{
			ID: uuid(50_000 + n), Name: longTitle(n), Email: fmt.Sprintf("%d@lights.example", n), Role: fakeoutline.Member, CreatedAt: wikiDay(n),
		})
		seed.Templates = append(seed.Templates, fakeoutline.Template{
			ID: uuid(40_000 + n), URLID: fmt.Sprintf("T%09d", n), Title: longTitle(n), Tree: prosemirror.Parse(strings.Join(wikiComment(n), "\n\n")),
			CollectionID: uuid(10_000 + n), CreatedBy: user, UpdatedBy: user, CreatedAt: wikiDay(n), UpdatedAt: wikiDay(n), PublishedAt: wikiDay(n),
		})
		if n > 7 { // many reply to the enormous ones
			comment.ParentID = uuid(20_000 + 7)
		}
		seed.Comments = append(seed.Comments, comment)
	}
	return seed
}

// wikiDescription is a description of a collection: sometimes as long as Outline
// allows, on one line or many.
func wikiDescription(n int) string {
	switch {
	case n%110 == 5:
		return strings.Repeat("All about lights at sea, in many words. ", 100_000/40)
	case n%110 == 6:
		return strings.Repeat("A line of it.\n\n", 100_000/15) + "The end."
	case n%5 == 0:
		return ""
	}
	return strings.Repeat("Lights at sea. ", n%50)
}

// wikiComment is a comment in paragraphs: sometimes far longer than people write.
func wikiComment(n int) []string {
	switch n {
	case 7:
		return []string{strings.Repeat("one endless line 🍲 ", 6000) + "end"}
	case 8:
		return strings.Split(strings.Repeat("A paragraph of it.|", 3000)+"The end.", "|")
	}
	return []string{fmt.Sprintf("Comment %d. %s", n, strings.Repeat("x", n)), "Second paragraph."}
}
