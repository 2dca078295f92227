package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func batchReadDocuments() mcptool.Tool {
	return mcptool.Spec[batchReadIn, batchReading]{
		Name:        "batch_read_documents",
		Title:       "Read documents",
		Description: "Reads up to 50 Outline documents, or all of a collection or subtree in tree order.",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in batchReadIn) (batchReading, error) {
			ids, err := in.documents(ctx, env)
			if err != nil {
				return batchReading{}, err
			}
			if len(ids) == 0 {
				return batchReading{Documents: []readEntry{}}, nil
			}
			from, err := in.position(ids)
			if err != nil {
				return batchReading{}, err
			}
			return readShared(ctx, env, in, ids, from)
		},
	}
}

type batchReadIn struct {
	DocumentIDs  []string `json:"document_ids,omitempty" maxItems:"50"`
	CollectionID string   `json:"collection_id,omitempty" jsonschema:"Instead: a whole collection"`
	Below        string   `json:"below,omitempty" names:"document" jsonschema:"Instead: a page and its subpages"`
	MaxCharsEach int      `json:"max_chars_each,omitempty" minimum:"1" jsonschema:"Only the beginning of each"`
	Cursor       string   `json:"cursor,omitempty" jsonschema:"From next_cursor"`
}

// Validate requires one way to say which documents.
func (in batchReadIn) Validate() error {
	if len(nonEmpty(cmp.Or(in.DocumentIDs...), in.CollectionID, in.Below)) != 1 {
		return errors.New("give one of document_ids, collection_id and below")
	}
	return nil
}

// documents returns the IDs of the documents, in order and each once. A malformed ID
// is among them as it was given.
func (in batchReadIn) documents(ctx context.Context, env mcptool.Env) (ids []string, err error) {
	for _, given := range in.DocumentIDs {
		id, err := documentID(ctx, env, given)
		if err != nil {
			id = given
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var nodes []outline.Node
	switch {
	case in.CollectionID != "":
		collection, err := collectionID(ctx, env, in.CollectionID)
		if err != nil {
			return nil, err
		}
		tree, err := env.Outline.CollectionDocuments(ctx, collection)
		if err != nil {
			return nil, err
		}
		nodes = flatten(tree)
	case in.Below != "":
		tree, err := subtreeOf(ctx, env, in.Below)
		if err != nil {
			return nil, err
		}
		nodes = tree.nodes
	}
	for _, node := range nodes {
		ids = append(ids, node.ID)
	}
	return ids, nil
}

// readFailure is a document that could not be read.
type readFailure struct {
	ID    string      `json:"id" jsonschema:"UUID, or as given"`
	Error string      `json:"error"`
	Code  output.Code `json:"code"`

	index int // in the list of all documents
}

type batchReading struct {
	Documents  []readEntry   `json:"documents"`
	Count      int           `json:"count"`
	Total      int           `json:"total" jsonschema:"All that were asked for"`
	Failures   []readFailure `json:"failures,omitempty"`
	NextCursor string        `json:"next_cursor,omitempty"`
	Note       string        `json:"note,omitempty"`

	mark     string
	from     readPosition
	cursorAt func(readPosition) string
}

// Items returns how many of the documents shown were read and how many were not.
func (r batchReading) Items() (succeeded, failed int) { return len(r.Documents), len(r.Failures) }

// The least that each text shows of an answer that is too long: of texts that begin in
// it, for which fewer documents may be shown, and of others.
const (
	leastBegun  = 2000
	leastGoneOn = 2 * maxGivenUp
)

// Shown is called when it is decided which lines an answer shows.
func (r batchReading) Shown() {
	for _, e := range r.Documents {
		e.seen(max(1, e.StartLine), e.last, e.NextStartLine > 0)
	}
}

// Cuts implements output.Cuttable. Texts are shortened first, then failures.
func (b *batchReading) Cuts() []output.Cut {
	return append(b.cutTexts(), output.Cut{Units: longestError, Keep: func(n int) {
		b.Failures = slices.Clone(b.Failures)
		for i := range b.Failures {
			b.Failures[i].Error = output.Excerpt(b.Failures[i].Error, n)
		}
	}})
}

func (b *batchReading) cutTexts() []output.Cut {
	if len(b.Documents) == 0 {
		return nil
	}
	texts := entriesOf(b.Documents, func(e readEntry) sharedText { return e.text })
	from, least := int(b.from.Shown), leastGoneOn
	if from == 0 {
		least = leastBegun
	}
	all := shownBetween(texts, from, from+longestOf(texts))
	chars := output.Cut{Units: all, Least: shownBetween(texts, from, from+least), Keep: func(n int) {
		if n < all {
			b.show(fairLimit(texts, from, n))
		}
	}}
	if from > 0 {
		return []output.Cut{chars}
	}
	return []output.Cut{chars, {Units: len(texts), Least: 1, Keep: func(n int) {
		if n < len(b.Documents) {
			b.from.Next = uint32(b.Documents[n].index)
			b.Documents = b.Documents[:n]
			b.Failures = slices.DeleteFunc(slices.Clone(b.Failures), func(f readFailure) bool { return f.index >= int(b.from.Next) })
			b.show(from + least)
		}
	}}}
}

// show shows the texts up to a position, and sets the cursor for what follows.
func (b *batchReading) show(limit int) {
	b.Documents = slices.Clone(b.Documents)
	b.Count, b.NextCursor = len(b.Documents), ""
	next := b.from
	next.Shown, next.Pending = uint32(limit), 0
	for i := range b.Documents {
		e := &b.Documents[i]
		end := e.text.end(limit)
		e.show(e.text.end(int(b.from.Shown)), end)
		if end < e.text.length {
			next.Pending |= 1 << (e.index - int(next.First))
			next.Latest = max(next.Latest, e.UpdatedAt.UnixMilli())
		}
	}
	switch {
	case next.Pending != 0:
		b.NextCursor = b.cursorAt(next)
	case int(b.from.Next) < b.Total:
		b.NextCursor = b.cursorAt(beginAt(int(b.from.Next), b.Total, b.from.Order))
	}
}

func (b batchReading) WriteText(t *output.Text) {
	heading := output.Count(b.Total, "document", "documents")
	if b.Count < b.Total {
		heading = fmt.Sprintf("%d of %s", b.Count, heading)
	}
	if b.Count > 0 {
		heading += fmt.Sprintf(". Before each: %s title, document_id, revision, updated", b.mark)
	}
	t.Line("# %s", heading)
	t.If(b.NextCursor != "").Line("More: call again with cursor %s.", b.NextCursor) // a client may cut the end
	for _, e := range b.Documents {
		t.Blank()
		e.write(t, b.mark)
	}
	cut := slices.ContainsFunc(b.Documents, func(e readEntry) bool { return e.NextStartLine > 0 })
	if len(b.Failures) > 0 || b.Note != "" || b.NextCursor != "" || cut {
		t.Blank()
		t.Line("%s End", b.mark)
	}
	for _, f := range b.Failures {
		t.Line("- FAILED %s: %s (code %s)", output.OneLine(f.ID), f.Error, f.Code)
	}
	writeNotes(t, b.Note)
	t.If(cut && b.NextCursor == "").Advice("read_document with start_line reads on.")
	t.If(b.NextCursor != "").Line("More: call again with cursor %s.", b.NextCursor)
}

// readPosition is where batch_read_documents continues, as a cursor keeps it. The
// documents from First up to Next, without Next, are read side by side; those that are
// Pending have more than Shown characters.
type readPosition struct {
	First, Next uint32 // indexes in the list of all documents
	Shown       uint32 // characters of each text
	Pending     uint64 // a bit for each document from First on
	Order       uint32 // checksum of the list
	Latest      int64  // when the last of the pending documents was updated, in Unix milliseconds
}

const (
	readVersion = 1  // of readPosition
	maxTogether = 50 // documents that are read side by side; no more than bits of Pending
)

// beginAt returns the position that begins with a document.
func beginAt(first, total int, order uint32) readPosition {
	next := min(first+maxTogether, total)
	return readPosition{First: uint32(first), Next: uint32(next), Pending: 1<<(next-first) - 1, Order: order}
}

// boundTo returns what a cursor is bound to.
func (in batchReadIn) boundTo() batchReadIn {
	in.Cursor = ""
	return in
}

// position returns where to begin: at the cursor, if there is one.
func (in batchReadIn) position(ids []string) (readPosition, error) {
	begin := beginAt(0, len(ids), crc32.ChecksumIEEE([]byte(strings.Join(ids, " "))))
	if in.Cursor == "" {
		return begin, nil
	}
	var from readPosition
	err := output.DecodeCursor(in.Cursor, "batch_read_documents", readVersion, in.boundTo(), &from)
	switch {
	case errors.Is(err, output.ErrArguments):
		return from, output.Invalid("%s. Repeat the arguments of the call that gave it, or leave cursor out to begin again.", err)
	case err != nil:
		return from, output.Invalid("%s. Copy next_cursor as it is, or leave cursor out to begin again.", err)
	case from.Order != begin.Order:
		return from, output.Failure{Code: output.Conflict,
			Sentence: "documents were added, moved or removed since the cursor was made, so that it leads to others: leave cursor out to begin again, or name the documents that are missing."}
	case from.First >= from.Next || int(from.Next) > len(ids) || from.Next-from.First > maxTogether || from.Pending == 0:
		return from, output.Invalid("%s. Copy next_cursor as it is, or leave cursor out to begin again.", output.ErrDamaged)
	}
	return from, nil
}

// readShared reads the documents of a position.
func readShared(ctx context.Context, env mcptool.Env, in batchReadIn, ids []string, from readPosition) (batchReading, error) {
	var pending []int // counted from first
	first := int(from.First)
	for n := range int(from.Next) - first {
		if from.Pending>>n&1 == 1 {
			pending = append(pending, n)
		}
	}
	documents, errs := make([]outline.Document, maxTogether), make([]error, maxTogether)
	mcptool.NewBatch(ctx, env, len(pending)).
		Run(ctx, pending, mcptool.SideBySide, func(ctx context.Context, n int) (err error) {
			documents[n], err = fetchDocument(ctx, env, ids[first+n])
			return err
		}, func(n int, err error) { errs[n] = err })

	reading := batchReading{Total: len(ids), Documents: []readEntry{}, from: from, cursorAt: func(p readPosition) string {
		return output.EncodeCursor("batch_read_documents", readVersion, in.boundTo(), p)
	}}
	var texts []sharedText
	changed := 0
	for _, n := range pending {
		i := first + n
		if errs[n] != nil {
			failure, final := readingFailed(env, errs[n])
			if !final && from.Shown == 0 && n != pending[0] { // what follows is for the next call
				reading.from.Next = uint32(i)
				break
			}
			if !final {
				return batchReading{}, errs[n]
			}
			failure.ID, failure.index = output.Excerpt(outline.Redact(ids[i]), 60), i
			reading.Failures = append(reading.Failures, failure)
			continue
		}
		d := documents[n]
		entry := readEntry{documentLink: linkTo(env, d.DocumentSummary), Revision: d.Revision, UpdatedAt: d.UpdatedAt, Status: d.Status(),
			text: newSharedText(prosemirror.Unpadded(d.Text), in.MaxCharsEach), index: i, seen: sees(ctx, env, d)}
		if from.Latest > 0 && d.UpdatedAt.UnixMilli() > from.Latest {
			changed++
		}
		reading.Documents, texts = append(reading.Documents, entry), append(texts, entry.text)
	}
	if len(reading.Documents) == 0 && len(reading.Failures) > 0 && int(reading.from.Next) == len(ids) {
		first := reading.Failures[0]
		return batchReading{}, output.Failure{Code: first.Code, Sentence: "no document was read. First error: " + first.Error}
	}
	reading.mark = Mark(slices.Values(entriesOf(texts, func(t sharedText) string { return t.text })))
	if changed > 0 {
		reading.Note = fmt.Sprintf("%s changed since the call before, so that the parts may not fit together", output.Count(changed, "document was", "documents were"))
	}
	reading.show(max(int(from.Shown), longestOf(texts)))
	return reading, nil
}

// readingFailed returns the failure for a document, and whether it would fail again.
func readingFailed(env mcptool.Env, err error) (readFailure, bool) {
	failure := itemFailure(env, err)
	final := slices.Contains([]output.Code{output.NotFound, output.Forbidden, output.InvalidArguments, output.BadAnswer, output.TooLarge}, failure.Code)
	return readFailure{Error: failure.Sentence, Code: cmp.Or(failure.Code, output.Internal)}, final
}
