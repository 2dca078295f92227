package prosemirror

import (
	"slices"
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
		md := Main.ToMarkdown(doc)
		checkBlocks(t, doc, md)
		checkOffsets(t, md)
		if md.Raw != Main.Serialize(doc) || md.Text != ToText(doc) {
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
		md := Main.ToMarkdown(doc)
		if md.Raw != "" && !strings.Contains(md.Raw, find) {
			at := len(find) % len(md.Raw) // a text that occurs goes further
			find = md.Raw[at:min(len(md.Raw), at+1+len(find)%5+len(text)%9)]
		}
		before := string(doc.AppendJSON(nil))
		patched, err := patch(doc, find, text)
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
		Main.ToMarkdown(doc)
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

var sectionSeeds = []string{
	"# a\n\nb\n\n## *c* `d`\n", "a\nb\n===\n\nc\n-\n", "> # a\n> b\n\n- # c\n  d\n- e\n", "```\n# a\n```\n",
	"| a |\n|---|\n| b |\n---\n", ":::info\n# a\n:::\n", "+++ a\n# b\n+++\n", ">\t#\n-\t#\n#\n", "\n> \t:", "-\n  \t+", "[a]: b\n(c\n===\n",
	"# a\\nb &amp; \\# ==c== <br>\r\n\r\n\r\n", "1. a\n\n   ## b\n\n\n\n      # c\n", "<div>\n# a\n\n# b\n", "你好 [x](y) 1) - [ ] z", "# a\n\\\n===\n", "$$\n# a\n\n# b\n",
}

func FuzzSections(f *testing.F) {
	for _, seed := range sectionSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		sections := Sections(source)
		lines := slices.Collect(strings.Lines(source))
		for i, s := range sections {
			switch {
			case s.Level < 1 || s.Level > 6:
				t.Fatalf("%q: level %d", source, s.Level)
			case s.FirstLine < 1 || s.LastLine < s.FirstLine || s.LastLine > len(lines):
				t.Fatalf("%q: section of lines %d to %d of %d", source, s.FirstLine, s.LastLine, len(lines))
			case strings.TrimSpace(lines[s.LastLine-1]) == "":
				t.Fatalf("%q: the section ends with the blank line %d", source, s.LastLine)
			}
			if i == 0 {
				continue
			}
			if s.FirstLine <= sections[i-1].FirstLine {
				t.Fatalf("%q: heading on line %d after one on line %d", source, s.FirstLine, sections[i-1].FirstLine)
			}
			for _, before := range sections[:i] {
				if before.LastLine >= s.FirstLine && before.LastLine < s.LastLine {
					t.Fatalf("%q: sections of lines %d to %d and %d to %d overlap", source,
						before.FirstLine, before.LastLine, s.FirstLine, s.LastLine)
				}
			}
		}
		if !strings.Contains(source, "\r") {
			checkHeadings(t, source, sections)
		}
		// Blank lines before a document change no more than the numbers.
		moved := Sections("\n \n\n" + source)
		for i := range moved {
			moved[i].FirstLine -= 3
			moved[i].LastLine -= 3
		}
		if !slices.Equal(moved, sections) {
			t.Fatalf("%q: %v, below blank lines %v", source, sections, moved)
		}
	})
}

// checkHeadings fails unless the headings are those of the document's tree, and the
// same with carriage returns.
func checkHeadings(t *testing.T, source string, sections []Section) {
	if got, want := headingsOf(sections), headingsIn(Parse(source)); !slices.Equal(got, want) && len(Dropped(source)) == 0 {
		t.Fatalf("%q: headings %q, in the tree %q", source, got, want)
	}
	if got := Sections(strings.ReplaceAll(source, "\n", "\r\n")); !slices.Equal(got, sections) {
		t.Fatalf("%q: %v, with carriage returns %v", source, sections, got)
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range sectionSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if words := Words(source); words > utf8.RuneCountInString(source) {
			t.Fatalf("Words(%q) = %d", source, words)
		}
	})
}
