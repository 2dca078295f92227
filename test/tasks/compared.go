package tasks

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// A Comparison is a call that Outline's own MCP server was given, too.
type Comparison struct {
	Asked string
	Tool  string
	Given Arguments
	Ours  int // characters of our text for it, when both were recorded
	Own   int // characters of the answer of Outline's own server
}

// Comparisons returns the calls. The figures of both servers were recorded on another
// workspace, of which only these sizes are known; Compared is made to resemble it. So a
// ratio shows the order of magnitude, no more.
func Comparisons() []Comparison {
	return []Comparison{
		{"a search of 25 hits", "search_documents", Arguments{"query": "buoy", "limit": 25}, 8729, 39_407},
		{"a tree of 25 documents", "get_collection_structure", Arguments{"collection_id": comparedCollection}, 1652, 3830},
		{"a section of a page of 27 KB", "read_document_section", Arguments{"document_id": comparedID(0), "heading": "Mooring 7"}, 1654, 26_910},
		{"an edit of a page of 27 KB", "edit_document", Arguments{"document_id": comparedID(0), "edits": []any{Arguments{"old_text": "Mooring 7 lies", "new_text": "Mooring 7 now lies"}}}, 948, 26_898},
	}
}

const comparedCollection = "31bd1765-434e-4d1a-82a2-2674f972cc48"

func comparedID(n int) string { return fmt.Sprintf("7c1e55d0-0000-4000-8000-%012d", n) }

// Compared returns an Outline with 25 documents, five below each of the first four, of
// which the first has 27 KB of text in 20 sections, and the others one section.
func Compared() (http.RoundTripper, error) {
	const user = "6a9bed57-fbb3-40d2-aa9b-09de10784476"
	day := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	seed := fakeoutline.Seed{
		Team:        fakeoutline.Team{ID: comparedID(998), Name: "Lights"},
		Users:       []fakeoutline.User{{ID: user, Name: "Hana Weissbach", Email: "hana@lights.example", Role: fakeoutline.Admin, CreatedAt: day}},
		Keys:        []fakeoutline.Key{{ID: comparedID(999), Secret: fakeoutline.AdminKey, Name: "tasks", UserID: user, CreatedAt: day}},
		Collections: []fakeoutline.Collection{{ID: comparedCollection, URLID: "xVj43W43Sy", Name: "Moorings", Permission: fakeoutline.ReadWrite, CreatedAt: day, UpdatedAt: day}},
	}
	for n := range 25 {
		d := fakeoutline.Document{
			ID: comparedID(n), URLID: fmt.Sprintf("D%09d", n), Title: fmt.Sprintf("Moorings of station %d", n+1), Text: mooring(n + 1), CollectionID: comparedCollection,
			CreatedBy: user, UpdatedBy: user, Collaborators: []string{user}, Revision: 1, CreatedAt: day, UpdatedAt: day, PublishedAt: day,
		}
		if n >= 5 {
			d.ParentID = comparedID(n/5 - 1)
		}
		for section := 2; n == 0 && section <= 20; section++ {
			d.Text += "\n\n" + mooring(section)
		}
		seed.Documents = append(seed.Documents, d)
		seed.Revisions = append(seed.Revisions, fakeoutline.Revision{
			ID: comparedID(1000 + n), DocumentID: d.ID, Title: d.Title, Text: d.Text, AuthType: "app", CreatedBy: user, CreatedAt: day,
		})
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		return nil, err
	}
	return w.Transport(), nil
}

// mooring is a section of about 1,350 bytes.
func mooring(n int) string {
	return fmt.Sprintf("## Mooring %d\n\nMooring %d lies north of the light.\n\n", n, n) +
		strings.Repeat("Each buoy reports its position, its battery and the state of its light every ten minutes; whoever is on call sees the ones that do not.\n\n", 6) +
		"* Say in the channel that you begin\n* Write down what you did\n\n" +
		strings.Repeat("The chain is measured at the swivel, at the middle and at the sinker.\n\n", 5) + "Below 32 mm it is replaced."
}
