package edit_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// strays are signs of marks that stand alone, as text.
var strays = []string{"==", "*", "**", "~~", "__", "_", "`", "!!", "$"}

// strayDocument returns paragraphs of words with marks, each word another one, and signs
// without their counterparts beside them.
func strayDocument(t *testing.T, r *rand.Rand) (doc *prosemirror.Node, words int) {
	doc = &prosemirror.Node{Type: prosemirror.Doc}
	for range 1 + r.IntN(2) {
		sign := pick(r, strays...)
		p := &prosemirror.Node{Type: prosemirror.Paragraph}
		for range 2 + r.IntN(4) {
			var text strings.Builder
			for range 1 + r.IntN(3) {
				words++
				if r.IntN(3) == 0 {
					text.WriteString(pick(r, sign+" ", " "+sign+" ", sign))
				}
				fmt.Fprintf(&text, "w%dw%s", words, pick(r, " ", " ", " ", "", sign, " "+sign))
			}
			n := &prosemirror.Node{Type: prosemirror.Text, Text: text.String()}
			if r.IntN(2) == 0 {
				n.Text = strings.TrimSpace(n.Text)
				n.Marks = []prosemirror.Mark{{Type: pick(r, prosemirror.Strong, prosemirror.Strong, prosemirror.Emphasis, prosemirror.Strikethrough, prosemirror.Highlight, prosemirror.Code)}}
			}
			p.Content = append(p.Content, n)
			if r.IntN(2) == 0 {
				p.Content = append(p.Content, &prosemirror.Node{Type: prosemirror.Text, Text: pick(r, " ", " "+sign+" ", ", ", sign+" ")})
			}
		}
		doc.Content = append(doc.Content, p)
	}
	doc, err := prosemirror.Decode(doc.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	return doc, words
}

// stray writes a sign between blanks beside bold words.
func (d drawing) stray() editorEdit {
	word, sign, marked := d.anyWord(), pick(d.Rand, strays...), false
	prosemirror.Walk(d.doc, func(n *prosemirror.Node) bool {
		marked = marked || len(n.Marks) > 0 && strings.Contains(n.Text, word)
		return true
	})
	if marked || sign == "`" { // it would begin code
		return editorEdit{}
	}
	form := strings.ReplaceAll(pick(d.Rand, "a # zbz c", "a zbz # c", "a # zbz", "zbz # c", "a zbz # d"), "#", sign)
	want := rewritten(rewritten(d.doc, word, form), "zbz", "b", prosemirror.Mark{Type: prosemirror.Strong})
	return editorEdit{word, strings.Replace(form, "zbz", "**b**", 1), want}
}

// noStray removes a sign between two words.
func (d drawing) noStray() editorEdit {
	found := betweenWords.FindAllString(d.md.Text, -1)
	if found == nil {
		return editorEdit{}
	}
	old := found[d.IntN(len(found))]
	words := numbered.FindAllString(old, -1)
	plain := strings.ReplaceAll(old, `\\`, "")
	want := rewritten(d.doc, plain, words[0]+" "+words[1])
	if meaning(want) == meaning(d.doc) {
		return editorEdit{}
	}
	return editorEdit{old, words[0] + " " + words[1], want}
}

var betweenWords = regexp.MustCompile(`w\d+w [^ w$]+ w\d+w`)

func TestNoSignOfAMarkBesideNewWordsBecomesText(t *testing.T) {
	for _, test := range []struct{ text, old, new string }{
		{"**one**two", "one", "~~one~~"}, {"~~\\* one~~ **\\* two**three", "two", "~~two~~"}, {"*_one***two**", "one", "**one**"},
	} {
		source := edit.NewSource(prosemirror.Parse(test.text))
		changes, err := edit.Changes(source.Markdown.Text, edit.Edit{Old: test.old, New: test.new})
		if err != nil {
			t.Fatal(err)
		}
		if request, err := source.Request(changes); err == nil {
			t.Errorf("%q → %q in %q: stored %q", test.old, test.new, test.text, prosemirror.Main.Serialize(request.Result))
		}
	}
}

func TestSignsWithoutCounterpartsStayWhereTheyAre(t *testing.T) {
	made, refused := 0, 0
	for i := range fixtures.Count(300, 20_000) {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		doc, words := strayDocument(t, r)
		source := edit.NewSource(doc)
		d := drawing{r, doc, words, source.Markdown}
		kinds := []func(drawing) editorEdit{drawing.word, drawing.mark, drawing.lessWord, drawing.twoWords, drawing.join, drawing.split, drawing.stray, drawing.noStray}
		drawn := kinds[i%len(kinds)](d)
		if drawn.want == nil || strings.Count(source.Markdown.Text, drawn.old) != 1 {
			continue
		}
		want, err := prosemirror.Decode(drawn.want.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := edit.Changes(source.Markdown.Text, edit.Edit{Old: drawn.old, New: drawn.new})
		var request edit.Request
		if err == nil {
			request, err = source.Request(changes)
		}
		if err != nil {
			refused++
			continue
		}
		made++
		if got := carryOut(t, source, request); meaning(got) != meaning(want) {
			t.Errorf("edit %d, %q → %q in %q\nby %s %q → %q:\n got %q\nwant %q", i, drawn.old, drawn.new, source.Markdown.Raw, request.EditMode, request.FindText, request.Text,
				prosemirror.Main.Serialize(got), prosemirror.Main.Serialize(want))
		}
	}
	if made < 3*refused {
		t.Errorf("%d made, %d refused", made, refused)
	}
}
