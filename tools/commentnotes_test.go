package tools_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/test/fixtures"
)

const commented = "The ferry leaves at noon.\n\nThe crew paints the masts in May.\n\nSome words here.\n\n- one berth is free\n- two berths are taken"

func TestADryRunTellsWhatHappensToComments(t *testing.T) {
	e := newEditing(t, commented, fakeoutline.Options{Now: passing()})
	removed, shrunk, lost := e.comment(t, "noon"), e.comment(t, "paints the masts"), e.comment(t, "words")
	edits := []string{"at noon", "at one", "the masts in", "them in", "Some words", "* Some words"}
	tried, answer := e.edit(t, map[string]any{"dry_run": true, "allow_loss": true}, edits...)
	result, made := e.edit(t, map[string]any{"allow_loss": true}, edits...)
	if answer.Code != "" || made.Code != "" {
		t.Fatal(answer.Text, made.Text)
	}
	for _, of := range []edited{tried, result} {
		notes := strings.Join(of.Notes, "\n")
		if of.Lost == nil || !slices.Equal(of.Lost.CommentAnchors, []string{lost}) || !strings.Contains(notes, "on text that goes") || !strings.Contains(notes, "fewer words of the passage than before: "+shrunk) || strings.Contains(notes, removed) {
			t.Errorf("lost %+v, notes %s", of.Lost, notes)
		}
	}
}

func TestTheQuestionAboutAnUpdateTellsWhatHappensToComments(t *testing.T) {
	on := newSample(t)
	e := newEditingOn(t, on)
	created, err := e.calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "Under test", Text: commented})
	if err != nil {
		t.Fatal(err)
	}
	e.id = created.ID
	e.comment(t, "noon")
	shrunk := e.comment(t, "paints the masts")
	yes := agrees()
	c, _ := asksOn(t, on, yes, "OUTLINE_CONFIRM=writes")
	answer := call(t, c, "update_document", map[string]any{"document_id": e.id, "text": strings.NewReplacer("at noon", "at one", "the masts in", "them in").Replace(commented)})
	if answer.Code != "" || len(yes.asked) != 1 {
		t.Fatalf("asked %q: %s", yes.asked, answer.Text)
	}
	for _, says := range []string{"comments on text that goes", "fewer words of the passage than before: " + shrunk} {
		if !strings.Contains(yes.asked[0], says) {
			t.Errorf("the question does not say %q: %s", says, yes.asked[0])
		}
	}
}

func TestNoCommentIsToldAsLostAndAsKept(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 10))
	told := 0
	for range fixtures.Count(10, 100) {
		e := newEditing(t, commented, fakeoutline.Options{Now: passing()})
		for _, anchor := range []string{"ferry leaves at", "paints the masts", "Some words here", "berth is", "berths are taken"} {
			e.comment(t, anchor)
		}
		text := e.text(t)
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' })
		for range 10 {
			at := r.IntN(len(words) - 3)
			old := text[strings.Index(text, words[at]):]
			old = old[:strings.Index(old, words[at+1+r.IntN(2)])+len(words[at+1])]
			if strings.Count(text, old) != 1 {
				continue
			}
			last := strings.Fields(old)
			text := []string{"", "* " + old, "new\n\n" + old, last[len(last)-1], strings.ReplaceAll(old, "e", "ee"), "## " + old, strings.ToUpper(old) + " " + last[0]}[r.IntN(7)]
			if text == old {
				continue
			}
			tried, _ := e.edit(t, map[string]any{"dry_run": true, "allow_loss": true}, old, text)
			if tried.Lost == nil {
				continue
			}
			told++
			for _, id := range tried.Lost.CommentAnchors {
				if notes := strings.Join(tried.Notes, "\n"); strings.Contains(notes, id) {
					t.Errorf("%q → %q: %s is lost, and %s", old, text, id, notes)
				}
			}
		}
	}
	if told == 0 {
		t.Error("no edit loses a comment")
	}
}
