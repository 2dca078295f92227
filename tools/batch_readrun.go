package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"outline-mcp/internal/batch"
	"outline-mcp/internal/cursor"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// readPosition is where batch_read_documents goes on, as a cursor keeps it. The
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
	err := cursor.Decode(in.Cursor, "batch_read_documents", readVersion, in.boundTo(), &from)
	switch {
	case errors.Is(err, cursor.ErrArguments):
		return from, output.Invalid("%s. Repeat the arguments of the call that gave it, or leave cursor out to begin again.", err)
	case err != nil:
		return from, output.Invalid("%s. Copy next_cursor as it is, or leave cursor out to begin again.", err)
	case from.Order != begin.Order:
		return from, output.Failure{Code: output.Conflict,
			Sentence: "documents were added, moved or removed since the cursor was made, so that it leads to others: leave cursor out to begin again, or name the documents that are missing."}
	case from.First >= from.Next || int(from.Next) > len(ids) || from.Next-from.First > maxTogether || from.Pending == 0:
		return from, output.Invalid("%s. Copy next_cursor as it is, or leave cursor out to begin again.", cursor.ErrDamaged)
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
	batch.New(ctx, batch.Options{Total: len(pending), Concurrency: env.BatchConcurrency, ItemTime: env.RequestTimeout, Progress: env.Progress}).
		Run(ctx, pending, batch.SideBySide, func(ctx context.Context, n int) (err error) {
			documents[n], err = fetchDocument(ctx, env, ids[first+n])
			return err
		}, func(n int, err error) { errs[n] = err })

	reading := batchReading{Total: len(ids), Documents: []readEntry{}, from: from, cursorAt: func(p readPosition) string {
		return cursor.Encode("batch_read_documents", readVersion, in.boundTo(), p)
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
		entry := readEntry{documentName: nameOf(d.DocumentSummary), Revision: d.Revision, UpdatedAt: d.UpdatedAt, Status: d.Status(),
			text: newSharedText(d.Text, in.MaxCharsEach), index: i}
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
