package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A comparedTask is solved by a script for each server, which does what a model does that knows the
// descriptions of its tools. nil means that no tool does it.
type comparedTask struct {
	asked     string
	ours, own func(*meter) error
}

const (
	collection = "Comparison of MCP servers"
	manual     = "Quaymaster reference"
	tides      = "Tide table"
)

// comparedPages are the arguments of batch_create_documents for the pages: one of 27 KB with 60
// sections, one with a table of 300 rows, and ten short ones, half of which name a product.
func comparedPages() (pages []arguments) {
	var long, table strings.Builder
	for n := range 60 {
		fmt.Fprintf(&long, "## Endpoint %d\n\nEndpoint %d allows %d requests a minute.\n\n", n+1, n+1, 100+n)
		long.WriteString(strings.Repeat("Each buoy reports its position, its battery and the state of its light every ten minutes.\n\n", 4))
	}
	table.WriteString("| Harbour | High water | Low water |\n|---|---|---|\n")
	for n := range 300 {
		fmt.Fprintf(&table, "| Harbour %d | %d:%02d | %d:%02d |\n", n+1, n%24, n%60, (n+6)%24, n%60)
	}
	page := func(title, text string) {
		pages = append(pages, arguments{"title": title, "collection_id": collection, "text": text})
	}
	page(manual, long.String())
	page(tides, table.String())
	for n := range 10 {
		text := fmt.Sprintf("The watch of station %d begins at six.\n\n", n+1) + strings.Repeat("Write down what you see, and ring if a light is out.\n\n", 8)
		if n%2 == 0 {
			text += "Reports go into **Quaymaster**.\n\n| Tool | Owner |\n|---|---|\n| Quaymaster | harbour office |\n"
		}
		if n == 7 {
			text += "Recordings of the radar are kept for 45 days.\n"
		}
		page(fmt.Sprintf("Station %d", n+1), text)
	}
	return pages
}

// comparedTasks returns the tasks.
func comparedTasks() []comparedTask {
	return []comparedTask{
		{"find a fact", func(m *meter) error {
			_, err := m.call("search_documents", arguments{"query": "radar recordings kept", "collection_id": collection}, "45 days")
			return err
		}, func(m *meter) error {
			id, err := m.find("radar recordings kept", "Station 8")
			if err != nil {
				return err
			}
			return m.fetch(id, "45 days")
		}},
		{"a number in a page of 27 KB", func(m *meter) error {
			_, err := m.call("read_document_section", arguments{"document_id": manual, "heading": "Endpoint 41"}, "140 requests")
			return err
		}, func(m *meter) error {
			id, err := m.find(manual, manual)
			if err != nil {
				return err
			}
			return m.fetch(id, "140 requests")
		}},
		{"a row of a table of 300 rows", func(m *meter) error {
			_, err := m.call("find_in_documents", arguments{"query": "Harbour 217 |", "document_id": tides}, "0:36")
			return err
		}, func(m *meter) error {
			id, err := m.find(tides, tides)
			if err != nil {
				return err
			}
			return m.fetch(id, "| Harbour 217 ")
		}},
		{"every line with a word, in five pages", func(m *meter) error {
			_, err := m.call("find_in_documents", arguments{"query": "Quaymaster", "collection_id": collection}, "in 6 documents")
			return err
		}, func(m *meter) error {
			list, err := m.search("Quaymaster")
			if err != nil {
				return err
			}
			for n := 1; n < 10; n += 2 {
				if err := m.fetch(idOf(list, fmt.Sprintf("Station %d", n)), "Quaymaster"); err != nil {
					return err
				}
			}
			return nil
		}},
		{"change a number in a page of 27 KB", func(m *meter) error {
			_, err := m.call("edit_document", arguments{"document_id": manual, "edits": []arguments{{"old_text": "Endpoint 41 allows 140", "new_text": "Endpoint 41 allows 200"}}}, "allows 200")
			return err
		}, func(m *meter) error {
			id, err := m.find(manual, manual)
			if err != nil {
				return err
			}
			return m.patch(id, "Endpoint 41 allows 140", "Endpoint 41 allows 200")
		}},
		{"rename a product in five pages, ten places", func(m *meter) error {
			if _, err := m.call("find_in_documents", arguments{"query": "Quaymaster", "collection_id": collection, "in": "text"}, "in 5 documents"); err != nil {
				return err
			}
			var edits []arguments
			for n := 1; n < 10; n += 2 {
				edits = append(edits, arguments{"document_id": fmt.Sprintf("Station %d", n), "old_text": "Quaymaster", "new_text": "Wharfinger", "all_occurrences": true})
			}
			_, err := m.call("edit_document", arguments{"document_id": "Station 1", "edits": edits}, "**Wharfinger**")
			return err
		}, func(m *meter) error {
			list, err := m.search("Quaymaster")
			if err != nil {
				return err
			}
			for n := 1; n < 10; n += 2 {
				id := idOf(list, fmt.Sprintf("Station %d", n))
				if err := m.fetch(id, "Quaymaster"); err != nil {
					return err
				}
				for _, old := range []string{"**Quaymaster**", "| Quaymaster |"} {
					if err := m.patch(id, old, strings.ReplaceAll(old, "Quaymaster", "Wharfinger")); err != nil {
						return err
					}
				}
			}
			return nil
		}},
		{"comment on a passage", func(m *meter) error {
			_, err := m.call("add_comment", arguments{"document_id": "Station 3", "anchor_text": "begins at six", "text": "Seven in winter."}, "Added")
			return err
		}, func(m *meter) error {
			id, err := m.find("Station 3", "Station 3")
			if err != nil {
				return err
			}
			_, err = m.call("create_comment", arguments{"documentId": id, "anchorText": "begins at six", "text": "Seven in winter."}, `"success":true`)
			return err
		}},
		{"create a page below another", func(m *meter) error {
			_, err := m.call("create_document", arguments{"title": "Winter", "parent_document_id": "Station 3", "text": "The watch begins at seven."}, "Winter")
			return err
		}, func(m *meter) error {
			id, err := m.find("Station 3", "Station 3")
			if err != nil {
				return err
			}
			_, err = m.call("create_document", arguments{"title": "Winter", "parentDocumentId": id, "text": "The watch begins at seven.", "publish": true}, "Winter")
			return err
		}},
		{"the tree of a collection", func(m *meter) error {
			_, err := m.call("get_collection_structure", arguments{"collection_id": collection}, "Station 10")
			return err
		}, func(m *meter) error {
			list, err := m.call("list_collections", arguments{"query": collection}, collection)
			if err != nil {
				return err
			}
			_, err = m.call("list_collection_documents", arguments{"collectionId": uuid.FindString(list)}, "Station 10")
			return err
		}},
		{"what a page said before an edit", func(m *meter) error {
			if _, err := m.call("edit_document", arguments{"document_id": "Station 3", "edits": []arguments{{"old_text": "at six", "new_text": "at five"}}}, "at five"); err != nil {
				return err
			}
			_, err := m.call("read_revision", arguments{"document_id": "Station 3", "compare_with": "previous"}, "begins at six")
			return err
		}, nil},
	}
}

// search lists the documents of the collection that have the words of a query.
func (m *meter) search(query string) (string, error) {
	return m.call("list_documents", arguments{"query": query}, "Station")
}

// find searches with Outline's own server for a page with a title, and returns its ID.
func (m *meter) find(query, title string) (string, error) {
	list, err := m.call("list_documents", arguments{"query": query}, title)
	return idOf(list, title), err
}

func (m *meter) fetch(id, want string) error {
	_, err := m.call("fetch", arguments{"resource": "document", "id": id}, want)
	return err
}

func (m *meter) patch(id, old, replacement string) error {
	_, err := m.call("update_document", arguments{"id": id, "editMode": "patch", "findText": old, "text": replacement}, replacement)
	return err
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// idOf returns the ID of the document with a title in an answer of Outline's own server,
// where the ID stands before the title.
func idOf(list, title string) string {
	before, _, _ := strings.Cut(list, `"title":"`+title+`"`)
	return uuid.FindString(before[max(0, strings.LastIndex(before, `"id":"`)):])
}
