package main

import (
	"fmt"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// The IDs in the generated workspaces.
const (
	teamID       = "5b0f0d6e-6a3c-4a55-9d0c-1f5d6c2a7e10"
	userID       = "6a9bed57-fbb3-40d2-aa9b-09de10784476"
	collectionID = "31bd1765-434e-4d1a-82a2-2674f972cc48"
	documentID   = "488d6e14-db91-4e8e-99b4-c468545e6dc7"
)

// numbered returns the ID of the nth item.
func numbered(n int) string { return fmt.Sprintf("7c1e55d0-0000-4000-8000-%012d", n) }

// manual returns Markdown of about size bytes as it is common in workspaces:
// paragraphs of one line, lists, tables, code, notices and links.
func manual(size int) string {
	var b strings.Builder
	for chapter := 1; b.Len() < size; chapter++ {
		fmt.Fprintf(&b, "## %d. Running **service %d**\n\n", chapter, chapter)
		for range 4 {
			b.WriteString("Each buoy reports its position, its battery and the state of its light every ten minutes; whoever is on call sees the ones that do not. " +
				"Read [the watch rota](/doc/watch-rota-hDYep1TPAM) first, then run `buoyctl status`: *nothing* is repaired by a **restart** alone.\n\n")
		}
		fmt.Fprintf(&b, "### Steps for `service-%d`\n\n", chapter)
		b.WriteString("* Say in the channel that you begin\n* Look at [the chart](https://charts.example.com/d/42)\n  * voltage above 11.8\n  * no gap in the last hour\n* Write down what you did\n\n" +
			"| Step | Who | Minutes |\n|------|-----|---------|\n| Swap the cell | Ada | 12 |\n| Light test | Max | 30 |\n\n" +
			"```sh\n# the old one first\nbuoyctl stop --all\n```\n\n:::info\nAsk before you take a light out of service.\n\n:::\n\n")
	}
	return b.String()
}

// withDocument returns a workspace with one document.
func withDocument(text string) (*fakeoutline.Workspace, error) {
	return withDocuments(1, func(int) fakeoutline.Document { return page(documentID, "", "Running the services", text) })
}

// withTree returns a workspace whose collection has that many documents, ten
// below each.
func withTree(documents int) (*fakeoutline.Workspace, error) {
	return withDocuments(documents, func(n int) fakeoutline.Document {
		parent := ""
		if n >= 10 {
			parent = numbered(n/10 - 1)
		}
		return page(numbered(n), parent, fmt.Sprintf("Service %d: what to do when it fails", n), "Ask the watch.")
	})
}

// withDocuments returns a workspace with one collection, which holds the
// documents that of returns for the numbers below count.
func withDocuments(count int, of func(n int) fakeoutline.Document) (*fakeoutline.Workspace, error) {
	return fakeoutline.Empty(fakeoutline.Options{}, seedOf(count, of))
}

func seedOf(count int, of func(n int) fakeoutline.Document) fakeoutline.Seed {
	seed := fakeoutline.Seed{
		Team:        fakeoutline.Team{ID: teamID, Name: "Lights"},
		Users:       []fakeoutline.User{{ID: userID, Name: "Hana Weissbach", Email: "hana@lights.example", Role: fakeoutline.Admin, CreatedAt: day(0)}},
		Keys:        []fakeoutline.Key{{ID: numbered(999_999), Secret: fakeoutline.AdminKey, Name: "bench", UserID: userID, CreatedAt: day(0)}},
		Collections: []fakeoutline.Collection{{ID: collectionID, URLID: "xVj43W43Sy", Name: "Engineering", Permission: fakeoutline.ReadWrite, CreatedAt: day(0), UpdatedAt: day(0)}},
	}
	for n := range count {
		seed.Documents = append(seed.Documents, of(n))
	}
	return seed
}

func page(id, parent, title, text string) fakeoutline.Document {
	return fakeoutline.Document{
		ID: id, URLID: "D" + id[len(id)-9:], Title: title, Text: text, CollectionID: collectionID, ParentID: parent,
		CreatedBy: userID, UpdatedBy: userID, Collaborators: []string{userID}, Revision: 1,
		CreatedAt: day(1), UpdatedAt: day(2), PublishedAt: day(1),
	}
}

func day(n int) time.Time { return time.Date(2026, 1, 1+n, 9, 0, 0, 0, time.UTC) }
