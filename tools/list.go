package tools

import (
	"fmt"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// paging holds the arguments of lists that are read page by page.
type paging struct {
	Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25"`
	Offset int `json:"offset,omitempty" minimum:"0"`
}

// entry is an element of a list.
type entry interface {
	// write writes the entry on one line, and leaves the end of the line out.
	write(t *output.Text)
}

// entriesOf returns an entry for each item. It is never nil, as lists in
// answers are never null.
func entriesOf[Item, Entry any](items []Item, entryOf func(Item) Entry) []Entry {
	entries := make([]Entry, len(items))
	for i, item := range items {
		entries[i] = entryOf(item)
	}
	return entries
}

// cutEntries returns the way to shorten a list by its last entries. show is
// called with the number of those that are left, if that is not all.
func cutEntries[Entry any](entries *[]Entry, show func(n int)) []output.Cut {
	return []output.Cut{{Units: len(*entries), Keep: func(n int) {
		if n < len(*entries) {
			*entries = (*entries)[:n]
			show(n)
		}
	}}}
}

// writeList writes a heading, a line that says what each entry holds, and the
// entries.
func writeList[Entry entry](t *output.Text, heading, columns string, entries []Entry) {
	t.Line("# %s", heading)
	t.If(len(entries) > 0).Line("%s", columns)
	t.Blank()
	for _, e := range entries {
		t.Printf("- ")
		e.write(t)
		t.Line("")
	}
}

// nextOffset returns where the next page of a list starts, and 0 when shown
// entries from offset on reach the end.
func nextOffset(offset, shown, total int) int {
	if offset+shown < total {
		return offset + shown
	}
	return 0
}

// shown says which entries of a list are shown, where that is not all.
func shown(offset, count, total int) string {
	if count == 0 || count == total {
		return ""
	}
	return fmt.Sprintf(", %d–%d shown", offset+1, offset+count)
}

func writeNextOffset(t *output.Text, next int) {
	if next > 0 {
		t.Blank()
		t.Line("More: call again with offset %d.", next)
	}
}

// documentList is a page of documents of which Outline does not say how many
// there are: a full page may be the last.
type documentList[Entry entry] struct {
	Documents  []Entry `json:"documents"`
	Count      int     `json:"count"`
	HasMore    bool    `json:"has_more" jsonschema:"There may be more"`
	NextOffset int     `json:"next_offset,omitempty"`

	offset int
}

// documentsOf returns the list of a page that was asked for.
func documentsOf[Entry entry](page []outline.DocumentSummary, asked paging, entryOf func(outline.DocumentSummary) Entry) documentList[Entry] {
	list := documentList[Entry]{Documents: entriesOf(page, entryOf), Count: len(page), offset: asked.Offset}
	if len(page) == asked.Limit {
		list.endAt(len(page))
	}
	return list
}

// endAt says that there may be more documents than the first n of the page.
func (l *documentList[Entry]) endAt(n int) {
	l.Count, l.HasMore, l.NextOffset = n, true, l.offset+n
}

// Cuts implements output.Cuttable.
func (l *documentList[Entry]) Cuts() []output.Cut { return cutEntries(&l.Documents, l.endAt) }

// write writes the list. where says where its documents are, columns what a
// line holds beside title and ID.
func (l documentList[Entry]) write(t *output.Text, where, columns string) {
	writeList(t, output.Count(l.Count, "document", "documents")+" "+where,
		fmt.Sprintf("From offset %d; each line: title, document_id, %s", l.offset, columns), l.Documents)
	writeNextOffset(t, l.NextOffset)
}
