package prosemirror

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzParse(f *testing.F) {
	for _, r := range records[roundtrip](f, "roundtrip") {
		f.Add(r.Markdown)
	}
	for _, text := range hostile {
		f.Add(text(200))
	}
	f.Add(codeBehindItem)
	f.Fuzz(func(t *testing.T, markdown string) {
		doc := Parse(markdown)
		checkTree(t, doc)
		decoded, err := Decode(doc.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(markdown) && !Equal(decoded, doc) {
			t.Fatalf("tree changes in JSON: %s", doc.AppendJSON(nil))
		}
		md := ToMarkdown(doc)
		checkBlocks(t, doc, md)
		checkOffsets(t, md)
		if md.Raw != Serialize(doc) || md.Text != ToText(doc) {
			t.Fatal("the Markdown with positions differs from that without")
		}
		checkTree(t, Parse(md.Raw))
		checkUnpadded(t, markdown)
		checkUnpadded(t, md.Raw)
		if isolated := IsolateFileLinks(markdown); !strings.Contains(markdown, "/api/") && isolated != markdown {
			t.Fatalf("isolating links changes a text without any to %q", isolated)
		}
		for _, drop := range Dropped(markdown) {
			if drop.Construct == "" || drop.Line < 1 || drop.Line > strings.Count(normalizeLines(markdown), "\n")+1 {
				t.Fatalf("dropped: %+v", drop)
			}
		}
	})
}

func FuzzPatch(f *testing.F) {
	for i, r := range records[write](f, "patches") {
		if i%7 == 0 && r.Request.Text != nil {
			f.Add(r.Before.Text, r.Request.FindText, *r.Request.Text)
		}
	}
	f.Fuzz(func(t *testing.T, markdown, find, text string) {
		doc := Parse(markdown)
		md := ToMarkdown(doc)
		if md.Raw != "" && !strings.Contains(md.Raw, find) {
			at := len(find) % len(md.Raw) // a text that occurs goes further
			find = md.Raw[at:min(len(md.Raw), at+1+len(find)%5+len(text)%9)]
		}
		before := string(doc.AppendJSON(nil))
		patched, err := Patch(doc, find, text)
		if string(doc.AppendJSON(nil)) != before {
			t.Fatal("a patch changes the tree that it is given")
		}
		if err != nil {
			return
		}
		for i := range patched.First {
			if patched.Doc.Content[i] != doc.Content[i] {
				t.Fatal("a block before the match is not shared")
			}
		}
		after := len(doc.Content) - patched.Last - 1
		for i := range after {
			if patched.Doc.Content[len(patched.Doc.Content)-1-i] != doc.Content[len(doc.Content)-1-i] {
				t.Fatal("a block behind the match is not shared")
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for i, r := range records[roundtrip](f, "roundtrip") {
		if i%9 == 0 {
			f.Add(r.Data.AppendJSON(nil))
		}
	}
	f.Add([]byte(`{"type":"doc","content":[{"type":"x","attrs":{"a":[1,{"b":"\u00e9"}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(doc.AppendJSON(nil))
		if err != nil || !Equal(doc, again) {
			t.Fatalf("decoded tree does not survive: %v %s", err, doc.AppendJSON(nil))
		}
		ToMarkdown(doc)
		doc.WithoutMarks(Comment)
	})
}

// checkTree fails unless the tree follows the schema.
func checkTree(t *testing.T, n *Node) {
	t.Helper()
	content, ok := fill(n.Type, n.Content)
	if !ok || len(content) != len(n.Content) {
		t.Fatalf("%s holds what it must not: %s", n.Type, n.AppendJSON(nil))
	}
	for i, child := range n.Content {
		if n.IsTextblock() && IsBlock(child.Type) {
			t.Fatalf("block in a textblock: %s", n.AppendJSON(nil))
		}
		if child.IsText() && child.Text == "" {
			t.Fatalf("empty text: %s", n.AppendJSON(nil))
		}
		if i > 0 && child.IsText() && n.Content[i-1].IsText() && sameMarks(child.Marks, n.Content[i-1].Marks) {
			t.Fatalf("text in two pieces: %s", n.AppendJSON(nil))
		}
		checkTree(t, child)
	}
}

// checkBlocks fails unless the blocks follow each other without a gap.
func checkBlocks(t *testing.T, doc *Node, md Markdown) {
	t.Helper()
	if len(md.Blocks) != len(doc.Content) {
		t.Fatalf("%d places for %d blocks", len(md.Blocks), len(doc.Content))
	}
	raw, text := 0, 0
	for i, block := range md.Blocks {
		if block.Raw.Start != raw || block.Raw.End < raw {
			t.Fatalf("block %d is at %v, the one before ends at %d", i, block.Raw, raw)
		}
		if block.Text.Start < text || block.Text.End < block.Text.Start || block.Text.End > len(md.Text) {
			t.Fatalf("block %d is at %v of a text of %d", i, block.Text, len(md.Text))
		}
		raw, text = block.Raw.End, block.Text.Start
	}
	if raw != len(md.Raw) {
		t.Fatalf("the blocks end at %d of %d", raw, len(md.Raw))
	}
}
