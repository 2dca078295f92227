package edit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func carryOutAll(t *testing.T, doc *prosemirror.Node, plan edit.Plan) *prosemirror.Node {
	for _, step := range plan.Steps {
		doc = carryOut(t, edit.NewSource(doc), step.Request)
	}
	return doc
}

func TestRandomWholeTextsKeepWhatTheEditorMakes(t *testing.T) {
	made, refused := 0, 0
	for i := range fixtures.Count(200, 20_000) {
		r := rand.New(rand.NewPCG(4, uint64(i)))
		doc, words := editorDocument(t, r)
		if words == 0 {
			continue
		}
		// What stands at the ends of a text is not shown.
		paragraph := func(text string) *prosemirror.Node { return prosemirror.Parse(text).Content[0] }
		doc = doc.With(slices.Concat([]*prosemirror.Node{paragraph("Start.")}, doc.Content, []*prosemirror.Node{paragraph("End.")}))
		text, want := prosemirror.ToText(doc), doc
		for range 1 + r.IntN(3) {
			word := fmt.Sprint("w", 1+r.IntN(words), "w")
			if strings.Count(text, word) == 1 && strings.Count(prosemirror.ToText(want), word) == 1 {
				want = rewritten(want, word, pick(r, "new", "two words", "Zoë"))
			}
		}
		content := slices.Clone(want.Content)
		switch at := 1 + r.IntN(len(content)-2); r.IntN(4) {
		case 0:
			content = slices.Insert(content, at, paragraph("A new paragraph."))
		case 1:
			if !strings.HasSuffix(content[at-1].Type, "_list") || content[at-1].Type != content[at+1].Type { // one list of two
				content = slices.Delete(content, at, at+1)
			}
		}
		want, err := prosemirror.Decode(want.With(content).AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := edit.PlanWhole(doc, prosemirror.ToText(want))
		if err != nil {
			refused++
			continue
		}
		made++
		if got := carryOutAll(t, doc, plan); meaning(got) != meaning(want) && (prosemirror.ToText(got) != prosemirror.ToText(want) || withoutEmpty(got) != withoutEmpty(want)) {
			t.Errorf("text %d: %q in %q\n got %q\nwant %q", i, prosemirror.ToText(want), prosemirror.Main.Serialize(doc), prosemirror.Main.Serialize(got), prosemirror.Main.Serialize(want))
			for _, step := range plan.Steps {
				t.Logf("by %s %q → %q", step.Request.EditMode, step.Request.FindText, step.Request.Text)
			}
		}
	}
	t.Logf("%d made, %d refused", made, refused)
	if refused*50 > made {
		t.Errorf("%d texts are refused, %d made", refused, made)
	}
}

// withoutEmpty is the meaning of a tree apart from its empty paragraphs, which its text
// does not show in all places.
func withoutEmpty(doc *prosemirror.Node) string {
	return strings.ReplaceAll(meaning(doc), "<paragraph ></>", "")
}

func TestAWholeTextWithoutThePaddingOfTablesChangesOnlyWhatItChanges(t *testing.T) {
	doc := prosemirror.Parse("| Name | Value |\n|:---:|---:|\n| a long cell | b |\n\nSome words")
	doc.Content = append(doc.Content, textParagraph("End"))
	doc.Content[2].Content[0].Marks = []prosemirror.Mark{{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: "c"}}}}
	read := prosemirror.Unpadded(prosemirror.ToText(doc))
	for _, text := range []string{read, strings.Replace(read, "words", "other words", 1), strings.Replace(read, "| b", "| c", 1), strings.Replace(read, "long", "very long", 1)} {
		plan, err := edit.PlanWhole(doc, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := carryOutAll(t, doc, plan)
		if prosemirror.Unpadded(prosemirror.ToText(got)) != text || !edit.Lost(doc, got).IsZero() || len(plan.Steps) > 1 || text == read && len(plan.Steps) > 0 {
			t.Errorf("%q became %q in %d steps", text, prosemirror.ToText(got), len(plan.Steps))
		}
	}
}

func TestAWholeTextKeepsTheCommentsOnWordsBetweenItsChanges(t *testing.T) {
	doc := prosemirror.Parse("The tank of house nine holds forty litres. It rings at thirty. Nobody changes this.")
	words := doc.Content[0].Content[0]
	before, behind := *words, *words
	before.Text, behind.Text = "The tank of ", " holds forty litres. It rings at thirty. Nobody changes this."
	words.Text = "house nine"
	words.Marks = []prosemirror.Mark{{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: "c"}}}}
	doc.Content[0].Content = []*prosemirror.Node{&before, words, &behind}
	for _, text := range []string{
		"The pool of house nine holds forty litres. It rings at twenty-five. Nobody changes this.",
		"The old, cold tank of house nine holds forty litres; it rings at thirty. Nobody changes this!",
	} {
		plan, err := edit.PlanWhole(doc, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := carryOutAll(t, doc, plan); prosemirror.ToText(got) != text || !edit.Lost(doc, got).IsZero() {
			t.Errorf("%q became %q, lost %+v", text, prosemirror.ToText(got), edit.Lost(doc, got))
		}
	}
}

func TestAWholeTextBesideAnEmptyParagraphMeansWhatItsMarkdownMeans(t *testing.T) {
	const table = "| A   | B   |\n|-----|-----|\n| 1   | 2   |"
	for _, test := range []struct{ before, after, stored string }{
		{"* a\n* b", "* a\n* b\nnew line", "* a\n* b new line"},
		{"Words", "Words\nnew line", "Words new line"},
		{"> Words", "> Words\nnew line", "> Words new line"},
		{"# Heading", "# Heading\nnew line", "# Heading\n\nnew line"},
		{"```\ncode\n```", "```\ncode\n```\nnew line", "```\ncode\n```\n\nnew line"},
		{table, strings.Replace(table, "-----|-----", ":----|----:", 1), strings.Replace(table, "-----|-----", ":----|----:", 1)},
		{table, strings.Replace(table, "-----|-----", ":---:|-----", 1), strings.Replace(table, "-----|-----", ":---:|-----", 1)},
		{table, table + "\nnew line", table[:len(table)-len("| 1   | 2   |")] + "| 1   | 2   |\n| new line |     |"},
	} {
		for _, start := range []string{"", "Start.\n\n\\\n\n"} {
			doc := prosemirror.Parse(start + test.before)
			plan, err := edit.PlanWhole(doc, start+test.after)
			if err != nil {
				t.Errorf("%q: %v", start+test.after, err)
				continue
			}
			if got, want := carryOutAll(t, doc, plan), prosemirror.Parse(start+test.stored); meaning(got) != meaning(want) {
				t.Errorf("%q became %q", start+test.after, prosemirror.Main.Serialize(got))
			}
		}
	}
}

func TestALongTextIsChangedInFewParts(t *testing.T) {
	var blocks []*prosemirror.Node
	var wanted []string
	for i := range 8000 {
		p := textParagraph(fmt.Sprint("Paragraph ", i, " with a few words that fill its line."))
		if i%100 == 99 { // which one request for everything would detach
			p.Content[0].Marks = []prosemirror.Mark{{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: fmt.Sprint(i)}}}}
		}
		blocks = append(blocks, p)
		text := p.Content[0].Text
		if i%160 == 0 {
			text = strings.Replace(text, "words", "other words", 1)
		}
		wanted = append(wanted, text)
	}
	doc := &prosemirror.Node{Type: prosemirror.Doc, Content: blocks}
	plan, err := edit.PlanWhole(doc, strings.Join(wanted, "\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) == 0 || len(plan.Steps) > 9 {
		t.Errorf("%d requests for a text of %d bytes", len(plan.Steps), len(prosemirror.ToText(doc)))
	}
}
