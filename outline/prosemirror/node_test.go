package prosemirror

import (
	"errors"
	"strings"
	"testing"
)

func TestEqualCountsMarksAndAttributes(t *testing.T) {
	base := Parse("Some **bold** text.")
	for name, other := range map[string]*Node{
		"a mark less":     Parse("Some bold text."),
		"another mark":    Parse("Some *bold* text."),
		"another text":    Parse("Some **bold** test."),
		"another block":   Parse("# Some **bold** text."),
		"one block more":  Parse("Some **bold** text.\n\nMore."),
		"no block at all": {Type: Doc},
	} {
		if Equal(base, other) {
			t.Errorf("equal with %s", name)
		}
	}
	if !Equal(base, Parse("Some **bold** text.")) {
		t.Error("not equal to the same tree")
	}
	if Equal(Parse("```go\nx\n```"), Parse("```js\nx\n```")) {
		t.Error("equal with another attribute")
	}
}

func TestOrderOfAttributesDoesNotCount(t *testing.T) {
	a := decode(t, `{"type":"doc","content":[{"type":"hr","attrs":{"markup":"---","id":[1,{"a":null}]}}]}`)
	b := decode(t, `{"content":[{"attrs":{"id":[1,{"a":null}],"markup":"---"},"type":"hr"}],"type":"doc"}`)
	if !Equal(a, b) {
		t.Error("trees differ by the order of keys")
	}
}

func TestCommentsCanBeLeftOut(t *testing.T) {
	const commented = `{"type":"doc","content":[{"type":"paragraph","content":[
		{"type":"text","text":"one "},
		{"type":"text","text":"two","marks":[{"type":"comment","attrs":{"id":"c1","userId":"u1"}}]},
		{"type":"text","text":" three"}]}]}`
	doc := decode(t, commented)
	plain := Parse("one two three")
	if Equal(doc, plain) {
		t.Error("equal in spite of the comment")
	}
	if !EqualWithoutComments(doc, plain) {
		t.Errorf("not equal without comments: %s", doc.WithoutMarks(Comment).AppendJSON(nil))
	}
	if EqualWithoutComments(doc, Parse("one **two** three")) {
		t.Error("equal without a mark that is no comment")
	}
	if !Equal(doc, decode(t, commented)) {
		t.Error("leaving out comments changed the tree")
	}
}

func TestUnknownTypesAndAttributesSurvive(t *testing.T) {
	const data = `{"type":"doc","content":[{"type":"future","attrs":{"n":1.5,"deep":{"a":["b",true,null]}},"content":[{"type":"text","marks":[{"type":"glow","attrs":{"x":-2}}],"text":"a\u2028\"b"}]}]}`
	doc := decode(t, data)
	if !Equal(doc, decode(t, string(doc.AppendJSON(nil)))) {
		t.Errorf("changed: %s", doc.AppendJSON(nil))
	}
	if got, _ := doc.Content[0].Attrs.Get("n"); got != 1.5 {
		t.Errorf("attribute is %v", got)
	}
}

func TestDecodeRefusesWhatIsNoDocument(t *testing.T) {
	for _, data := range []string{
		"", "null", "[]", `"doc"`, `{}`, `{"type":""}`, `{"type":"doc"`, `{"type":"doc"}}`, `{"type":"doc","content":{}}`,
		`{"type":"doc","content":[{"type":"text","text":1}]}`, `{"type":"doc","attrs":{"a":tru}}`, "{\"type\":\"d\noc\"}",
		`{"type":"doc","content":[{}]}`, `{"type":"doc\x"}`, `{"type":"doc",}`, `{"type" "doc"}`,
		strings.Repeat(`{"type":"doc","content":[`, 2000),
		`{"type":"doc","attrs":{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`,
	} {
		if doc, err := Decode([]byte(data)); err == nil {
			t.Errorf("%.60q decoded as %s", data, doc.AppendJSON(nil))
		}
	}
}

func TestBlocksOwnTheSeparatorBeforeThem(t *testing.T) {
	md := Main.ToMarkdown(Parse("# One\n\n\\\n\nTwo.\n\n* a\n* b\n\n:::info\nNote.\n:::"))
	want := []struct{ raw, text string }{
		{"# One", "# One"},
		{"\n\n\\\n", "\n\n\n"},
		{"Two.", "Two."},
		{"\n\n* a\n* b", "\n\n* a\n* b"},
		{"\n\n\n:::info\nNote.\n\n:::", "\n\n\n:::info\nNote.\n\n:::"},
	}
	if len(md.Blocks) != len(want) {
		t.Fatalf("%d blocks: %q", len(md.Blocks), md.Raw)
	}
	for i, block := range md.Blocks {
		raw := md.Raw[block.Raw.Start:block.Raw.End]
		text := md.Text[block.Text.Start:block.Text.End]
		if raw != want[i].raw || text != want[i].text {
			t.Errorf("block %d is %q in raw and %q in text, want %q and %q", i, raw, text, want[i].raw, want[i].text)
		}
	}
}

func TestTextBegins(t *testing.T) {
	// The blanks that the API cuts belong to no block in text.
	md := Main.ToMarkdown(Parse("![i](p.png)\n\nEnd.\n\n\\\n"))
	if first := md.Blocks[0]; md.Text[first.Text.Start:first.Text.End] != "![i](p.png)" {
		t.Errorf("first block is %q", md.Text[first.Text.Start:first.Text.End])
	}
	if last := md.Blocks[2]; last.Text.Start != len(md.Text) || last.Text.End != len(md.Text) {
		t.Errorf("empty last block is at %v of %d", last.Text, len(md.Text))
	}
}

// patch is Patch of one text of a document.
func patch(doc *Node, find, text string) (Patched, error) {
	md := Main.ToMarkdown(doc)
	return md.Patch(doc, find, text)
}

func TestPatchTellsWhichBlocksItTouches(t *testing.T) {
	doc := Parse("One word.\n\n* item a\n* item b\n\nLast.")
	for _, test := range []struct {
		find, text  string
		first, last int
	}{
		{"word", "term", 0, 0},
		{"item b", "item c", 1, 1},
		{"Last.", "# Title", 2, 2},
		{"Last.", "A.\n\nB.", 2, 2},
		{"word.\n", "term.\n", 0, 1},
		{"item b\n\nLast", "item b\n\nEnd", 1, 2},
	} {
		got, err := patch(doc, test.find, test.text)
		if err != nil || got.First != test.first || got.Last != test.last {
			t.Errorf("%q: blocks %d to %d, error %v; want %d to %d", test.find, got.First, got.Last, err, test.first, test.last)
		}
	}
}

func TestRefusedEditsSayWhy(t *testing.T) {
	doc := Parse("See @[A person with a long name](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) inside.")
	for name, test := range map[string]struct {
		err  error
		want error
	}{
		"nothing to find":     {patchError(doc, "", "x"), ErrEmptyText},
		"absent text":         {patchError(doc, "absent", "x"), ErrNotFound},
		"text behind mention": {patchError(doc, " inside", " outside"), ErrServer},
		"empty append":        {appendError(doc, ""), ErrEmptyText},
	} {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: %v, want %v", name, test.err, test.want)
		}
	}
}

func patchError(doc *Node, find, text string) error {
	_, err := patch(doc, find, text)
	return err
}

func appendError(doc *Node, text string) error {
	_, err := Main.Append(doc, text)
	return err
}

func decode(t *testing.T, data string) *Node {
	t.Helper()
	doc, err := Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestADecoderSharesTheBlocksThatDidNotChange(t *testing.T) {
	before := Parse("One.\n\nTwo **bold**.\n\n* three")
	after := Parse("One.\n\nTwo **changed**.\n\n* three\n\nOne.")
	var d Decoder
	first, err := d.Decode(before.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.Decode(after.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	if !Equal(first, before) || !Equal(second, after) {
		t.Error("a shared tree is another one")
	}
	for i, shared := range []bool{true, false, true} {
		if (first.Content[i] == second.Content[i]) != shared {
			t.Errorf("block %d: shared is not %v", i, shared)
		}
	}
	if second.Content[3] != first.Content[0] {
		t.Error("a block that occurs again is not shared")
	}
	if _, err := d.Decode([]byte(`{"type":"doc","content":[{"type":"hr"`)); err == nil {
		t.Error("a cut document was decoded")
	}
}
