package tools

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// mostDocuments is in how many documents of a collection one call replaces passages.
const mostDocuments = 100

// inCollection makes the edits wherever their passages occur in a collection. What is
// already part of the new text stays, so that a call that is repeated changes nothing
// twice.
func (in editDocumentIn) inCollection(ctx context.Context, env mcptool.Env) (output.Result, error) {
	collection, err := collectionID(ctx, env, in.CollectionID)
	if err != nil {
		return nil, aboutArgument("collection_id", in.CollectionID, err)
	}
	in.Edits = slices.Clone(in.Edits)
	for i := range in.Edits {
		in.Edits[i].AllOccurrences = true
	}
	var left leftovers
	pages, err := in.pagesWithPassages(ctx, env, collection, &left)
	switch {
	case err != nil:
		return nil, err
	case len(pages) == 0:
		return nil, output.Failure{Code: output.NotFound, CollectionID: collection,
			Sentence: "nothing was written: no published document of the collection has old_text, other than in the passages of except and in what already reads like new_text" + strings.Join(append([]string{""}, left.notes()...), "; ") + ".",
			Next:     "Upper and lower case count.[ find_in_documents shows other forms.]"}
	case len(pages) > mostDocuments:
		return nil, output.Invalid("nothing was written: more than %d documents of the collection have old_text. Replace it in some of them at a time, with document_id in each of the edits.", mostDocuments)
	}
	return in.runPages(ctx, env, pages, left.notes()...)
}

// pagesWithPassages returns the documents of a collection in which edits change something,
// each with those edits, up to one more than a call may change. It counts what the edits leave.
func (in editDocumentIn) pagesWithPassages(ctx context.Context, env mcptool.Env, collection string, left *leftovers) (pages []page, err error) {
	changes := func(d outline.Document) (edits []int) {
		text := prosemirror.Unpadded(d.Text)
		for i, e := range in.Edits {
			if in.changes(e, text) {
				edits = append(edits, i)
			}
		}
		return edits
	}
	absent := in.Except
	scan := newTextScan(env, collection, nil, func(_ context.Context, d outline.Document) bool { return len(changes(d)) > 0 })
	for listed, err := range scan.pages(ctx) {
		if err != nil {
			return nil, err
		}
		for _, d := range listed {
			absent = missing(absent, d.Text)
			left.count(in, d.Document)
			if edits := changes(d.Document); d.looked && len(edits) > 0 {
				pages = append(pages, page{id: d.ID, edits: edits})
			}
		}
		if len(pages) > mostDocuments {
			return pages, nil
		}
	}
	return pages, checkExcept(absent)
}

// leftovers are what edits of a collection leave that looks like old_text.
type leftovers struct {
	titles                   []string
	addresses, cases, marked int
}

// unmarked leaves out the marks that can be in the middle of a word.
var unmarked = strings.NewReplacer("*", "", "~~", "", "==", "", "__", "", "`", "")

// count adds what edits leave in a document.
func (l *leftovers) count(in editDocumentIn, d outline.Document) {
	rest, lower := d.Text, strings.ToLower(unmarked.Replace(d.Text))
	if slices.ContainsFunc(in.Edits, func(e textEdit) bool { return in.changes(e, d.Title) }) {
		l.titles = append(l.titles, output.Quote(output.Excerpt(d.Title, 60)))
	}
	near := slices.DeleteFunc(slices.Clone(in.Edits), func(e textEdit) bool { return !strings.Contains(lower, strings.ToLower(e.OldText)) })
	for _, e := range near {
		if in.words(e) {
			for _, address := range edit.Address().FindAllString(d.Text, -1) {
				l.addresses += strings.Count(address, e.OldText)
			}
		}
		rest = strings.ReplaceAll(in.without(e, rest), e.OldText, "\x00")
		if e.NewText != "" {
			rest = strings.ReplaceAll(rest, e.NewText, "\x00")
		}
	}
	for _, e := range near {
		l.cases += strings.Count(strings.ToLower(rest), strings.ToLower(e.OldText))
		l.marked += strings.Count(unmarked.Replace(rest), e.OldText)
	}
}

// notes returns the note on what is left, if anything is.
func (l *leftovers) notes() []string {
	var of []string
	if n := len(l.titles); n > 0 {
		of = append(of, output.Count(n, "title", "titles")+" ("+strings.Join(l.titles[:min(n, mostLonger)], ", ")+")")
	}
	if l.addresses > 0 {
		of = append(of, output.Count(l.addresses, "place", "places")+" in addresses")
	}
	if l.cases > 0 {
		of = append(of, fmt.Sprintf("%d in other upper or lower case", l.cases))
	}
	if l.marked > 0 {
		of = append(of, fmt.Sprintf("%d with marks inside", l.marked))
	}
	if of == nil {
		return nil
	}
	return []string{"left as they are: " + strings.Join(of, ", ")}
}

// missing returns the passages of except that a text does not have.
func missing(except []string, text string) (absent []string) {
	for _, passage := range except {
		if !slices.ContainsFunc(forms(passage, text), func(form string) bool { return strings.Contains(text, form) }) {
			absent = append(absent, passage)
		}
	}
	return absent
}

// checkExcept refuses edits if passages of except are in no document: what they were to keep
// would be overwritten.
func checkExcept(absent []string) error {
	if len(absent) == 0 {
		return nil
	}
	quoted := entriesOf(absent, func(passage string) string { return output.Quote(output.Excerpt(passage, 60)) })
	return output.Invalid("nothing was written: no document has the passage of except %s. Upper and lower case count, and titles are not changed. Leave it out, or write it as it is in the text.", strings.Join(quoted, ", "))
}

// forms returns a passage in the forms in which a text may have it: with no-break spaces, the
// padding of a table, and marks beside its spaces.
func forms(passage, text string) []string {
	forms := []string{passage}
	words := strings.Split(strings.ReplaceAll(passage, "\u00a0", " "), " ")
	if len(words) > 1 && len(passage) <= 1000 && strings.Contains(text, words[0]) {
		words = entriesOf(words, regexp.QuoteMeta)
		forms = append(forms, regexp.MustCompile(strings.Join(words, "[*_~=`]*[ \u00a0]+[*_~=`]*")).FindAllString(text, -1)...)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// changes reports whether an edit changes a text.
func (in editDocumentIn) changes(e textEdit, text string) bool {
	return strings.Contains(text, e.OldText) && strings.Contains(in.without(e, text), e.OldText)
}

// without returns a text without the passages in which an edit changes nothing.
func (in editDocumentIn) without(e textEdit, text string) string {
	if in.words(e) {
		text = edit.Address().ReplaceAllString(text, "\x00")
	}
	for _, passage := range in.kept(e, text) {
		text = strings.ReplaceAll(text, passage, "\x00")
	}
	return text
}

// notesOnWords returns a note for each edit of a collection that changes only a part of
// some words.
func (b *documentBatch) notesOnWords(in editDocumentIn, all []*editing) (notes []string) {
	form := "edits[%d] also changed longer words: %s"
	if in.DryRun {
		form = "edits[%d] also matches inside longer words: %s. To keep any of them, add them to except"
	}
	for i, one := range in.Edits {
		var words []string
		for p, e := range all {
			if len(words) < mostLonger && b.results[p].Status == "success" && slices.Contains(e.own, i) && (in.DryRun || !slices.Contains(e.Left, i)) {
				words = in.longerWords(words, one, e.Before.Text)
			}
		}
		if len(words) > 0 {
			notes = append(notes, fmt.Sprintf(form, i, strings.Join(words, ", ")))
		}
	}
	return notes
}

// mostLonger is how many longer words the note on an edit names.
const mostLonger = 3

// longerWords adds to words those of a text of which an edit of a collection changes only a
// part. It leaves out the plurals of words of four letters or more; "Mars" is no plural.
func (in editDocumentIn) longerWords(words []string, e textEdit, text string) []string {
	const longest = 40 // bytes before and after what is replaced
	if in.CollectionID == "" || e.OldText == "" {
		return nil
	}
	text = in.without(e, text)
	first, _ := utf8.DecodeRuneInString(e.OldText)
	last, _ := utf8.DecodeLastRuneInString(e.OldText)
	for at := 0; len(words) < mostLonger; {
		i := strings.Index(text[at:], e.OldText)
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(e.OldText)
		at = end
		before, after := text[max(0, start-longest):start], text[end:min(len(text), end+longest)]
		word := e.OldText
		if isOfWord(first) {
			word = strings.TrimLeft(before[len(strings.TrimRightFunc(before, isOfWord)):], "_") + word
		}
		if isOfWord(last) {
			word += strings.TrimRight(after[:len(after)-len(strings.TrimLeftFunc(after, isOfWord))], "_")
		}
		plural := utf8.RuneCountInString(e.OldText) >= 4 && (word == e.OldText+"s" || word == e.OldText+"es")
		if word != e.OldText && !plural && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// isOfWord reports whether a character belongs to a word with those beside it, as in
// scripts that have spaces between words.
func isOfWord(r rune) bool {
	return (r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// checkChains refuses edits of a collection of which one would change what another has
// written, if the call were repeated.
func (in editDocumentIn) checkChains() error {
	for i, one := range in.Edits {
		for j, other := range in.Edits {
			if i != j && in.changes(other, one.NewText) {
				return fmt.Errorf("edits[%d] would change what edits[%d] writes if this call were repeated. Make two calls, edits[%d] first", j, i, j)
			}
		}
	}
	return nil
}

// words reports whether an edit leaves the addresses of links alone: in a whole collection, a
// word that is replaced there would break the links that have it. An edit of an address does not.
func (in editDocumentIn) words(e textEdit) bool {
	return in.CollectionID != "" && !strings.ContainsAny(e.OldText, "/:](")
}

// kept returns the passages of a text in which an edit of a collection changes nothing, longest
// first.
func (in editDocumentIn) kept(e textEdit, text string) (kept []string) {
	for _, passage := range in.Except {
		kept = append(kept, forms(passage, text)...)
	}
	if in.CollectionID != "" && strings.Contains(e.NewText, e.OldText) {
		kept = append(kept, forms(e.NewText, text)...)
	}
	slices.SortStableFunc(kept, func(a, b string) int { return len(b) - len(a) })
	return kept
}
