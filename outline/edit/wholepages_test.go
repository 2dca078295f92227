package edit_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// A recordedPage is a page as a version of Outline stores it.
type recordedPage struct {
	id      string
	dialect prosemirror.Dialect
	tree    *prosemirror.Node
}

// recordedPages returns the pages that both versions have made of whole texts, and the trees
// that were put there as they are.
func recordedPages(t *testing.T) (pages []recordedPage) {
	type stored struct{ Tree *prosemirror.Node }
	for _, r := range fixtures.Recorded[struct {
		ID   string
		Head stored
		Rel  *stored
	}](t, "whole") {
		pages = append(pages,
			recordedPage{r.ID, prosemirror.Main, r.Head.Tree},
			recordedPage{r.ID, prosemirror.Until192, cmp.Or(r.Rel, &r.Head).Tree})
	}
	for _, r := range fixtures.Recorded[struct {
		ID   string
		Tree *prosemirror.Node
	}](t, "trees") {
		pages = append(pages, recordedPage{r.ID, prosemirror.Main, r.Tree}, recordedPage{r.ID, prosemirror.Until192, r.Tree})
	}
	return pages
}

// write makes a page of a whole text, as an update does, or returns nil if that is refused.
func (p recordedPage) write(t *testing.T, text string) *prosemirror.Node {
	if prosemirror.Equal(p.dialect.Parse(p.dialect.ToText(p.tree)), p.tree) {
		return p.dialect.Parse(text)
	}
	plan, err := edit.PlanWholeIn(p.dialect, p.tree, text)
	if err != nil {
		return nil
	}
	doc := p.tree
	for _, step := range plan.Steps {
		doc = carryOut(t, &edit.Source{Doc: doc, Markdown: p.dialect.ToMarkdown(doc)}, step.Request)
	}
	return doc
}

// shown returns the number of blocks without the empty paragraphs at the end, which the text
// does not show.
func shown(tree *prosemirror.Node) int {
	at := len(tree.Content)
	for at > 0 && isEmptyParagraph(tree.Content[at-1]) {
		at--
	}
	return at
}

func isEmptyParagraph(n *prosemirror.Node) bool {
	return n.Type == prosemirror.Paragraph && len(n.Content) == 0
}

// apart returns the text before and behind the first place between two blocks that are no
// empty paragraphs, and the number of blocks before it, or 0.
func (p recordedPage) apart() (before, behind string, at int) {
	md := p.dialect.ToMarkdown(p.tree)
	for at := 1; at < len(md.Blocks); at++ {
		if slices.ContainsFunc(p.tree.Content[at-1:at+1], isEmptyParagraph) {
			continue
		}
		start := md.Blocks[at].Text.Start
		return strings.TrimRight(md.Text[:start], "\n"), strings.TrimLeft(md.Text[start:], "\n"), at
	}
	return "", "", 0
}

// anyWord matches a word that means itself anywhere.
var anyWord = regexp.MustCompile(`\pL{3,}`)

func TestWholeTextsOfRecordedPagesChangeOnlyWhatTheyChange(t *testing.T) {
	pages := fixtures.Some(recordedPages(t), 800)
	fixtures.InYear(t, func(t *testing.T) {
		for _, change := range []struct {
			name string
			make func(p recordedPage, text string) (after string, want *prosemirror.Node)
		}{
			{"nothing", func(p recordedPage, text string) (string, *prosemirror.Node) { return text, p.tree }},
			{"a paragraph at the end", func(p recordedPage, text string) (string, *prosemirror.Node) {
				at := shown(p.tree)
				if at == 0 {
					return text, p.tree
				}
				return text + "\n\nA new paragraph.", p.tree.With(slices.Insert(slices.Clone(p.tree.Content), at, textParagraph("A new paragraph.")))
			}},
			{"a paragraph between two blocks", func(p recordedPage, text string) (string, *prosemirror.Node) {
				before, behind, at := p.apart()
				if at == 0 {
					return text, p.tree
				}
				return before + "\n\nA new paragraph.\n\n" + behind, p.tree.With(slices.Insert(slices.Clone(p.tree.Content), at, textParagraph("A new paragraph.")))
			}},
			{"all but the first blocks", func(p recordedPage, text string) (string, *prosemirror.Node) {
				before, _, at := p.apart()
				if at == 0 {
					return text, p.tree
				}
				return before, p.tree.With(slices.Concat(p.tree.Content[:at], p.tree.Content[shown(p.tree):]))
			}},
			{"a word", func(p recordedPage, text string) (string, *prosemirror.Node) {
				for _, word := range anyWord.FindAllString(text, -1) {
					want := p.tree.Map(func(n *prosemirror.Node) *prosemirror.Node {
						if !n.IsText() || !strings.Contains(n.Text, word) {
							return n
						}
						c := *n
						c.Text = strings.Replace(n.Text, word, "Another", 1)
						return &c
					})
					after := strings.Replace(text, word, "Another", 1)
					// Not one of a label, an address or a name.
					if strings.Count(text, word) == 1 && prosemirror.Unpadded(p.dialect.ToText(want)) == prosemirror.Unpadded(after) {
						return after, want
					}
				}
				return text, p.tree
			}},
		} {
			refused, wrong := 0, 0
			for _, p := range pages {
				text := p.dialect.ToText(p.tree)
				after, want := change.make(p, text)
				switch got := p.write(t, after); {
				case got == nil:
					refused++
				case !prosemirror.Equal(got, want):
					if wrong++; wrong < 10 {
						t.Errorf("%s, %s, dialect %d: %s", change.name, p.id, p.dialect, quoted(after, got, want))
					}
				}
			}
			t.Logf("%s: %d of %d pages refused, %d wrong", change.name, refused, len(pages), wrong)
			if refused*100 > len(pages) {
				t.Errorf("%s: %d of %d pages are refused", change.name, refused, len(pages))
			}
		}
	})
}

func quoted(text string, got, want *prosemirror.Node) string {
	return strings.Join([]string{text, "got " + string(got.AppendJSON(nil)), "want " + string(want.AppendJSON(nil))}, "\n")
}

// boldCode is a page that holds bold code, which no Markdown means.
func boldCode(t *testing.T) *prosemirror.Node {
	t.Helper()
	doc, err := prosemirror.Decode([]byte(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Run "},` +
		`{"type":"text","text":"make install","marks":[{"type":"strong"},{"type":"code_inline"}]},{"type":"text","text":" as root now."}]},` +
		`{"type":"paragraph","content":[{"type":"text","text":"Some words."}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestAWholeTextKeepsWhatItsMarkdownCannotSayOrIsRefused(t *testing.T) {
	for _, test := range []struct{ old, with, refused, stored string }{
		{old: "words", with: "other words"},
		{old: "words.", with: "words.\n\n* and\n* a list"},
		{old: "Run", with: "Execute"},
		{old: "as root now.", with: "as root."},
		{old: "Run ", with: "First: run, "},
		{old: "now.", with: "**now**, please!"},
		{old: "`**make install**` as", with: "`**make install**` *as*"},
		{old: "install", with: "uninstall", refused: "in the line \"Run `**make install**` as root now.\""},
		{old: "install", with: "all -k", refused: "in the line \"Run "},
		{old: "`**make install**`", with: "the tool `**make install -n**`", refused: "in the line \"Run "},
		{old: "Run `**make install**` as root now.", with: "Use the `setup` program, not this one:\n\n`**make install**`", refused: "in the line \"Run "},
		{old: "Run `**make install**` as root now.", with: "Use the *setup* program.", stored: "Use the *setup* program.\n\nSome words."},
		{old: "Run `**make install**` as root now.", with: "Run **remake in** or `**a**`.", refused: "in the line \"Run "},
		{old: "Run `**make install**` as root now.", with: "Please run it as root.", stored: "Please run it as root.\n\nSome words."},
		{old: "`**make install**`", with: "it", stored: "Run it as root now.\n\nSome words."},
		{old: "`**make install**` ", stored: "Run as root now.\n\nSome words."},
		{old: "Run `**make install**` as root now.\n\n", stored: "Some words."},
	} {
		doc := boldCode(t)
		text := strings.Replace(prosemirror.ToText(doc), test.old, test.with, 1)
		plan, err := edit.PlanWhole(doc, text)
		switch {
		case test.refused != "":
			if err == nil || !strings.HasPrefix(err.Error(), test.refused) {
				t.Errorf("%q: error %v", text, err)
			}
		case err != nil:
			t.Errorf("%q: %v", text, err)
		default:
			got := carryOutAll(t, doc, plan)
			if want := cmp.Or(test.stored, text); prosemirror.ToText(got) != want {
				t.Errorf("%q became %q, want %q", text, prosemirror.ToText(got), want)
			}
			if _, bold := got.Content[0].Content[min(1, len(got.Content[0].Content)-1)].Mark(prosemirror.Strong); bold != (test.stored == "") {
				t.Errorf("%q became %s", text, got.AppendJSON(nil))
			}
		}
	}
}

func TestAReleasesWholeTextKeepsCodeWhoseFenceIsTooShort(t *testing.T) {
	const d = prosemirror.Until192
	for _, code := range []string{"x\n```\ny", "```\nx\n```", "a ``` b", "````md\n```js\nx\n```\n````"} {
		fence := "`````"
		block := fence + "md\n" + code + "\n" + fence
		indented := strings.ReplaceAll("\n"+block, "\n", "\n  ")
		cell := "| A |\n|---|\n| " + fence + "<br>" + strings.ReplaceAll(code, "\n", "<br>") + "<br>" + fence + " |"
		for _, page := range []string{block, "* a\n" + indented + "\n* b", "> q\n>" + strings.ReplaceAll("\n"+block, "\n", "\n> "), ":::info\nNote\n\n" + block + "\n:::", "+++ \nHead\n\n" + block + "\n+++", cell} {
			page = "Some words.\n\n" + page + "\n\nAn end."
			doc := d.Parse(page)
			text := d.ToText(doc)
			for name, test := range map[string][2]string{
				"a word":               {"words", "other words"},
				"a word behind it":     {"end", "other end"},
				"a block":              {"An end.", "An end.\n\n" + block},
				"a paragraph at start": {"Some words.", "New.\n\nSome words."},
			} {
				after, want := strings.Replace(text, test[0], test[1], 1), d.Parse(strings.Replace(page, test[0], test[1], 1))
				if got := (recordedPage{name, d, doc}).write(t, after); got == nil || !prosemirror.Equal(got, want) {
					t.Errorf("%s: %q became %s", name, after, quoted(page, got, want))
				}
			}
			// A caller that thinks writes fences that are long enough.
			for _, after := range []string{page, strings.Replace(page, "words", "other words", 1), strings.Replace(page, "end", "other end", 1)} {
				if got := (recordedPage{"", d, doc}).write(t, after); got == nil || !prosemirror.Equal(got, d.Parse(after)) {
					t.Errorf("%q became %s", after, quoted(page, got, d.Parse(after)))
				}
			}
		}
	}
}
