package tools

import (
	"fmt"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// paging holds the arguments of paged lists.
type paging struct {
	Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25"`
	Offset int `json:"offset,omitempty" minimum:"0"`
}

// entry is an entry of a list.
type entry interface {
	// write writes the entry on one line, without the line break.
	write(t *output.Text)
}

// entriesOf converts items to entries. The result is never nil, because lists
// in answers are never null.
func entriesOf[Item, Entry any](items []Item, entryOf func(Item) Entry) []Entry {
	entries := make([]Entry, len(items))
	for i, item := range items {
		entries[i] = entryOf(item)
	}
	return entries
}

// firstOf lists the first items in a sentence, at most most, and how many more there are,
// after and.
func firstOf[Item any](items []Item, most int, separator, and string, textOf func(Item) string) string {
	texts := entriesOf(items[:min(most, len(items))], textOf)
	if more := len(items) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%s%d more", and, more))
	}
	return strings.Join(texts, separator)
}

// cutEntries returns the way to shorten a list by dropping entries from its
// end. After entries are dropped, show is called with the number of entries
// left.
func cutEntries[Entry any](entries *[]Entry, show func(n int)) []output.Cut {
	return []output.Cut{{Units: len(*entries), Keep: func(n int) {
		if n < len(*entries) {
			*entries = (*entries)[:n]
			show(n)
		}
	}}}
}

// writeList writes the heading and the entries of a list. columns explains the
// parts of an entry; an empty list does not show it.
func writeList[Entry entry](t *output.Text, heading, columns string, entries []Entry) {
	t.Line("# %s", heading)
	t.If(len(entries) > 0).Line("%s", columns)
	t.Blank()
	writeEntries(t, entries)
}

func writeEntries[Entry entry](t *output.Text, entries []Entry) {
	for _, e := range entries {
		t.Printf("- ")
		e.write(t)
		t.Blank()
	}
}

// writeNotes writes the notes of an answer that are not empty.
func writeNotes(t *output.Text, notes ...string) {
	for _, note := range notes {
		t.If(note != "").Line("Note: %s.", note)
	}
}

// pageOf returns the part of a list that a call asks for.
func pageOf[Item any](all []Item, asked paging) []Item {
	rest := all[min(asked.Offset, len(all)):]
	return rest[:min(asked.Limit, len(rest))]
}

// nextOffset returns the offset of the next page, or 0 if the shown entries
// from offset on are the last.
func nextOffset(offset, shown, total int) int {
	if offset+shown < total {
		return offset + shown
	}
	return 0
}

// rangeShown returns the range of the rangeShown entries as the end of a heading, or ""
// if all entries are rangeShown.
func rangeShown(offset, count, total int) string {
	if count == 0 || count == total {
		return ""
	}
	return fmt.Sprintf(", %d–%d shown", offset+1, offset+count)
}

// writePastTheEnd says that an offset is past the end of a list. total is 0 if it is
// not known.
func writePastTheEnd(t *output.Text, offset, total int) {
	t.Printf("There is nothing from offset %d on: the list ", offset)
	if total > 0 {
		t.Line("has %s.", output.Count(total, "entry", "entries"))
	} else {
		t.Line("is shorter.")
	}
}

// writeListEnd writes what follows the count entries of a list from offset on. next is
// the offset of the next page, or 0.
func writeListEnd(t *output.Text, offset, count, total, next int) {
	if count == 0 && total > 0 {
		writePastTheEnd(t, offset, total)
	}
	writeNextOffset(t, next)
}

func writeNextOffset(t *output.Text, next int) {
	if next > 0 {
		t.Blank()
		t.Line("More: call again with offset %d.", next)
	}
}

// countedList is the end of a list of which Outline tells the total.
type countedList struct {
	Total      int `json:"total"`
	Offset     int `json:"offset"`
	NextOffset int `json:"next_offset,omitempty"`
}

func (l *countedList) show(n int) { l.NextOffset = nextOffset(l.Offset, n, l.Total) }

// writeCounted writes a list. one and many are what its entries are called.
func writeCounted[Entry entry](t *output.Text, l countedList, one, many, columns string, entries []Entry) {
	writeList(t, output.Count(l.Total, one, many)+rangeShown(l.Offset, len(entries), l.Total), columns, entries)
	writeListEnd(t, l.Offset, len(entries), l.Total, l.NextOffset)
}

// wholeList is the end of a page of a list that is known as a whole.
type wholeList struct {
	Count      int `json:"count"`
	Total      int `json:"total"`
	NextOffset int `json:"next_offset,omitempty"`

	offset int
}

func (l *wholeList) show(n int) { l.Count, l.NextOffset = n, nextOffset(l.offset, n, l.Total) }

// rangeShown returns the range of the shown entries as the end of a heading.
func (l wholeList) shown() string { return rangeShown(l.offset, l.Count, l.Total) }

func (l wholeList) writeEnd(t *output.Text) {
	writeListEnd(t, l.offset, l.Count, l.Total, l.NextOffset)
}

// documentList is a page of a list of documents. Outline does not say how many
// documents there are, so a full page may be the last.
type documentList[Entry entry] struct {
	Documents  []Entry `json:"documents"`
	Count      int     `json:"count"`
	HasMore    bool    `json:"has_more" jsonschema:"There may be more"`
	NextOffset int     `json:"next_offset,omitempty"`

	offset  int
	total   int    // if it is known
	where   string // the end of the heading
	columns string // the parts of an entry after title and ID
}

// documentsOf returns the list for a page of documents. asked holds the
// arguments of the call.
func documentsOf[Entry entry](page []outline.DocumentSummary, asked paging, where, columns string, entryOf func(outline.DocumentSummary) Entry) documentList[Entry] {
	list := documentList[Entry]{Documents: entriesOf(page, entryOf), Count: len(page), offset: asked.Offset, where: where, columns: columns}
	if len(page) == asked.Limit {
		list.endAt(len(page))
	}
	return list
}

// of records how many documents all pages have, if that is not below 0.
func (l *documentList[Entry]) of(total int) {
	if total >= 0 {
		l.total, l.HasMore = total, l.offset+l.Count < total
		l.NextOffset = nextOffset(l.offset, l.Count, total)
	}
}

// endAt records that only n documents are shown and more may follow.
func (l *documentList[Entry]) endAt(n int) {
	l.Count, l.HasMore, l.NextOffset = n, true, l.offset+n
}

// Cuts implements output.Cuttable.
func (l *documentList[Entry]) Cuts() []output.Cut { return cutEntries(&l.Documents, l.endAt) }

// WriteText implements output.Result.
func (l documentList[Entry]) WriteText(t *output.Text) {
	heading := output.Count(l.Count, "document", "documents") + " " + l.where
	switch {
	case l.Count == 0 && l.offset > 0:
		heading = "Documents " + l.where
	case l.offset > 0 || l.HasMore:
		heading = fmt.Sprintf("Documents %s, %d–%d", l.where, l.offset+1, l.offset+l.Count)
	}
	writeList(t, heading, "Each line: title, document_id, "+l.columns, l.Documents)
	if l.Count == 0 && l.offset > 0 {
		writePastTheEnd(t, l.offset, l.total)
	}
	writeNextOffset(t, l.NextOffset)
}
