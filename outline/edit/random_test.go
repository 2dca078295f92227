package edit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// Random documents are made of these blocks; each # stands for a word.
var randomBlocks = []string{
	"# # #.", "# **# #** and *#* #.", "# `# #` ~~#~~ ==#== #, #.", "[# #](https://example.com/#) # #.", "# :tada: # # $x^2$ # #.",
	"# @[Ann](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) # #.", "# # \\n # #.", "# 1. # - # \\* # \\~ #.",
	"# #", "## # #", "### **#** # :smile:",
	"* #\n* # #\n* #", "* #\n  * # #\n  * #\n* # **#**", "1. #\n2. # #\n3. #", "- [ ] #\n- [x] # #", "* #\n\n  # #\n* #",
	"> # #", "> #\n>\n> * #\n> * #", "```\n# = #\n\n  # { # }\n```", "```go\n# := #(\"#\")\n```", "$$\n#^2 + #\n$$",
	"| # | # |\n|----|----|\n| # # | **#** |\n| # | # |", "---", ":::info\n# #\n:::", ":::warning\n#\n\n* #\n* #\n:::", "+++\n#\n\n# #\n+++", "![#](https://example.com/#.png)",
	"\\", "[# 12](/api/attachments.redirect?id=44444444-4444-4444-8444-444444444444)", "# [#](/doc/44444444-4444-4444-8444-444444444444) #.",
	"# ![#](https://example.com/#.png) #.", "é # 漢字 # 🎉 #.", "# &amp; # < # > #.",
}

var vocabulary = strings.Fields("alpha beta gamma delta omega the quick brown fox a to")

// A randomEdit makes changes of a text.
type randomEdit struct {
	name    string
	changes func(r *rand.Rand, text string) []edit.Change
}

var randomEdits = []randomEdit{
	{"words", func(r *rand.Rand, text string) []edit.Change {
		start, end := randomWord(r, text)
		return one(start, end, pick(r, "new", "two words", "", "Zoë", "don't", "x, y; z", " ", "1.5%"))
	}},
	{"words inserted", func(r *rand.Rand, text string) []edit.Change {
		_, end := randomWord(r, text)
		return one(end, end, pick(r, " new", " and more words", ", too", ".", "s"))
	}},
	{"marks", func(r *rand.Rand, text string) []edit.Change {
		start, end := randomWord(r, text)
		sign := pick(r, "**", "*", "`", "~~", "==", "__")
		return one(start, end, sign+text[start:end]+sign)
	}},
	{"mark signs", func(r *rand.Rand, text string) []edit.Change {
		at := strings.IndexAny(text, "*`~=[]()")
		if n := r.IntN(len(text) + 1); strings.ContainsAny(text[n:], "*`~=[]()") {
			at = n + strings.IndexAny(text[n:], "*`~=[]()")
		}
		if at < 0 {
			return one(0, 0, "**")
		}
		return one(at, at+1, pick(r, "", "*", "x"))
	}},
	{"links", func(r *rand.Rand, text string) []edit.Change {
		start, end := randomWord(r, text)
		return one(start, end, pick(r, "[t](https://example.com/x_y)", "<https://example.com>", "[**b**](/doc/a)", "https://example.com", "[t]("))
	}},
	{"literals", func(r *rand.Rand, text string) []edit.Change {
		start, end := randomWord(r, text)
		return one(start, end, pick(r, `\*x\*`, "&amp;", "a_b_c", "_x_", `a\b`, "a * b", "<b>", "#", "a|b", "$5", "[x]", "\\"))
	}},
	{"atoms", func(r *rand.Rand, text string) []edit.Change {
		start, end := randomWord(r, text)
		return one(start, end, pick(r, ":tada:", "$x$", "![a](https://example.com/b.png)", "🎉", "\\n", "@[Bo](mention://33333333-3333-4333-8333-333333333333/user/44444444-4444-4444-8444-444444444444)"))
	}},
	{"atoms deleted", func(r *rand.Rand, text string) []edit.Change {
		for _, atom := range []string{":tada:", "$x^2$", "\\n", ":smile:", "🎉"} {
			if at := strings.Index(text, atom); at >= 0 {
				return one(at, at+len(atom), pick(r, "", "x"))
			}
		}
		return nil
	}},
	{"block signs", func(r *rand.Rand, text string) []edit.Change {
		at := randomLine(r, text)
		return one(at, at, pick(r, "# ", "> ", "* ", "1. ", "- [ ] ", "    ", "## ", "  ", "+ ", "| "))
	}},
	{"block signs deleted", func(r *rand.Rand, text string) []edit.Change {
		at := randomLine(r, text)
		end := at
		for end < len(text) && strings.IndexByte("#>*-[]x 1234.|:+`$", text[end]) >= 0 {
			end++
		}
		return one(at, end, "")
	}},
	{"blocks opened", func(r *rand.Rand, text string) []edit.Change {
		at := randomLine(r, text)
		return one(at, at, pick(r, "```\n", ":::info\n", "+++\n", "$$\n", "~~~\n", "---\n"))
	}},
	{"blocks inserted", func(r *rand.Rand, text string) []edit.Change {
		at := randomLine(r, text)
		block := makeText(r, 1)
		if at > 0 && r.IntN(2) == 0 {
			return one(at-1, at-1, pick(r, "\n", "\n\n")+block)
		}
		return one(at, at, block+pick(r, "\n", "\n\n", ""))
	}},
	{"lines broken", func(r *rand.Rand, text string) []edit.Change {
		_, end := randomWord(r, text)
		return one(end, end, pick(r, "\n", "\n\n", "\n* ", "\n  ", "  \n"))
	}},
	{"lines joined", func(r *rand.Rand, text string) []edit.Change {
		at := max(0, randomLine(r, text)-1)
		end := at
		for end < len(text) && text[end] == '\n' && r.IntN(3) > 0 {
			end++
		}
		return one(at, end, pick(r, "", " ", "\n"))
	}},
	{"lines deleted", func(r *rand.Rand, text string) []edit.Change {
		at := randomLine(r, text)
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + r.IntN(2)
		}
		return one(at, end, "")
	}},
	{"blocks deleted", func(r *rand.Rand, text string) []edit.Change {
		parts := strings.SplitAfter(text, "\n\n")
		n := r.IntN(len(parts))
		start := len(strings.Join(parts[:n], ""))
		end := start + len(parts[n])
		if r.IntN(2) == 0 {
			end = start + len(strings.TrimRight(parts[n], "\n"))
		}
		return one(start, end, "")
	}},
	{"ranges across blocks", func(r *rand.Rand, text string) []edit.Change {
		start, _ := randomWord(r, text)
		_, end := randomWord(r, text)
		if start > end {
			start, end = end, start
		}
		return one(start, end, pick(r, "", "new", "a\n\nb", text[start:end]+" x", strings.ReplaceAll(text[start:end], "a", "A"), strings.ToUpper(text[start:end])))
	}},
	{"table cells", func(r *rand.Rand, text string) []edit.Change {
		at := strings.Index(text, "|\n")
		if at < 0 {
			return nil
		}
		return one(at, at+1, pick(r, "x |", "|\n| a | b |", "| c |", "", "x\ny |", "<br> z |"))
	}},
	{"code", func(r *rand.Rand, text string) []edit.Change {
		at := strings.Index(text, "```")
		if at < 0 {
			return nil
		}
		at += strings.Index(text[at:], "\n") + 1
		return one(at, at, pick(r, "self.__init__", "  indented\n", "a[b](c)\n", "# no heading\n", "\n", "````\n", "*\n", "```\n", "&lt;"))
	}},
	{"several", func(r *rand.Rand, text string) []edit.Change {
		var out []edit.Change
		end := 0
		for range 2 + r.IntN(2) {
			if end >= len(text) {
				break
			}
			start, e := randomWord(r, text[end:])
			out = append(out, edit.Change{Match: edit.Match{Start: end + start, End: end + e}, New: pick(r, "one", "**two**", "", "a\n\nb")})
			end += e
		}
		return out
	}},
	{"anything", func(r *rand.Rand, text string) []edit.Change {
		start, end := randomPlace(r, text), randomPlace(r, text)
		from, to := randomPlace(r, text), randomPlace(r, text)
		if r.IntN(3) > 0 {
			end = start + (end-start)/16
		}
		for !boundary(text, end) {
			end--
		}
		return one(min(start, end), max(start, end), text[min(from, to):max(from, to)])
	}},
}

func one(start, end int, text string) []edit.Change {
	return []edit.Change{{Match: edit.Match{Start: start, End: end}, New: text}}
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func boundary(text string, at int) bool { return at >= len(text) || text[at]&0xC0 != 0x80 }

func randomPlace(r *rand.Rand, text string) int {
	at := r.IntN(len(text) + 1)
	for !boundary(text, at) {
		at--
	}
	return at
}

// randomWord is where a word of the text begins and ends.
func randomWord(r *rand.Rand, text string) (start, end int) {
	isLetter := func(c byte) bool { return c|32 >= 'a' && c|32 <= 'z' }
	start = randomPlace(r, text)
	for start < len(text) && !isLetter(text[start]) {
		start++
	}
	for start > 0 && isLetter(text[start-1]) {
		start--
	}
	for !boundary(text, start) {
		start++
	}
	end = start
	for end < len(text) && isLetter(text[end]) {
		end++
	}
	return start, end
}

// randomLine is where a line of the text begins.
func randomLine(r *rand.Rand, text string) int {
	return strings.LastIndexByte(text[:randomPlace(r, text)], '\n') + 1
}

func makeText(r *rand.Rand, blocks int) string {
	var out []string
	for range blocks {
		parts := strings.Split(randomBlocks[r.IntN(len(randomBlocks))], "#")
		var block strings.Builder
		block.WriteString(parts[0])
		for i, part := range parts[1:] {
			// At the start of a line # may be a heading's sign.
			if before := block.String(); (before == "" || strings.HasSuffix(before, "\n")) && strings.HasPrefix(part, " ") && i == 0 && r.IntN(4) == 0 {
				block.WriteString("#")
			} else {
				block.WriteString(pick(r, vocabulary...))
			}
			block.WriteString(part)
		}
		out = append(out, block.String())
	}
	return strings.Join(out, "\n\n")
}

// decorate adds what Markdown cannot carry to a tree: comments, colors, widths.
func decorate(r *rand.Rand, n *prosemirror.Node, id *int) *prosemirror.Node {
	var content []*prosemirror.Node
	for _, child := range n.Content {
		if !child.IsText() || n.Type == prosemirror.CodeBlock || n.Type == prosemirror.MathBlock || n.Type == prosemirror.MathInline {
			content = append(content, decorate(r, child, id))
			continue
		}
		c := *child
		for i, m := range c.Marks {
			if m.Type == prosemirror.Highlight && r.IntN(2) == 0 {
				c.Marks = slices.Clone(c.Marks)
				c.Marks[i].Attrs = prosemirror.Attrs{{Name: "color", Value: "#FDEA9B"}}
			}
		}
		start, end := randomWord(r, c.Text)
		if start == end || r.IntN(6) > 0 {
			content = append(content, &c)
			continue
		}
		*id++
		comment := prosemirror.Mark{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: fmt.Sprint("comment-", *id)}, {Name: "userId", Value: "u"}}}
		for i, part := range []string{c.Text[:start], c.Text[start:end], c.Text[end:]} {
			piece := c
			piece.Text = part
			if i == 1 {
				piece.Marks = append([]prosemirror.Mark{comment}, c.Marks...)
			}
			if part != "" {
				content = append(content, &piece)
			}
		}
	}
	out := *n.With(content)
	if n.Type == prosemirror.TableHeader && r.IntN(4) == 0 {
		out.Attrs = slices.Clone(n.Attrs)
		for i := range out.Attrs {
			if out.Attrs[i].Name == "colwidth" {
				out.Attrs[i].Value = []any{120.0}
			}
		}
	}
	return &out
}

func randomDocument(r *rand.Rand) *prosemirror.Node {
	doc := prosemirror.Parse(makeText(r, 1+r.IntN(7)))
	if r.IntN(2) == 0 {
		id := 0
		doc = decorate(r, doc, &id)
	}
	return doc
}

// meaning is what Markdown can say of nodes, written out character by
// character.
func meaning(nodes ...*prosemirror.Node) string {
	var out strings.Builder
	for _, n := range nodes {
		writeMeaning(&out, n)
	}
	return out.String()
}

func writeMeaning(out *strings.Builder, n *prosemirror.Node) {
	var marks []string
	for _, m := range n.Marks {
		switch m.Type {
		case prosemirror.Comment:
		case prosemirror.Highlight:
			marks = append(marks, m.Type)
		default:
			attrs, _ := json.Marshal(m.Attrs)
			marks = append(marks, m.Type+string(attrs))
		}
	}
	sign := strings.Join(marks, ",")
	if n.IsText() {
		for _, c := range n.Text {
			fmt.Fprintf(out, "%c{%s}", c, sign)
		}
		return
	}
	fmt.Fprintf(out, "<%s %s", n.Type, sign)
	for _, a := range n.Attrs {
		if a.Name != "colwidth" {
			fmt.Fprintf(out, " %s=%v", a.Name, a.Value)
		}
	}
	out.WriteString(">")
	for _, child := range n.Content {
		writeMeaning(out, child)
	}
	out.WriteString("</>")
}

// anchors are the texts that comments are anchored to.
func anchors(n *prosemirror.Node, into map[string]string) {
	for _, m := range n.Marks {
		if m.Type == prosemirror.Comment {
			into[m.Attrs.String("id")] += n.Text
		}
	}
	for _, child := range n.Content {
		anchors(child, into)
	}
}

// withBlankLines returns the texts with changes in which blank lines separate the new text
// of one from the lines before and behind it.
func withBlankLines(md prosemirror.Markdown, changes []edit.Change) (texts []string) {
	for i := range changes {
		for _, blanks := range [][2]string{{"", "\n"}, {"\n", ""}, {"\n", "\n"}} {
			text := md.Raw
			for n, c := range slices.Backward(changes) {
				at := md.RawRange(c.Start, c.End)
				if n != i {
					text = text[:at.Start] + c.New + text[at.End:]
					continue
				}
				line, end := strings.LastIndexByte(text[:at.Start], '\n')+1, at.End
				if strings.HasPrefix(c.New, "\n") && line < at.Start {
					line = at.Start
				}
				if !strings.HasSuffix(c.New, "\n") || at.End > 0 && md.Raw[at.End-1] != '\n' {
					end += strings.IndexByte(text[at.End:]+"\n", '\n')
				}
				signs := func(at int) string { return quoteSigns.FindString(text[at:]) }
				before, behind := blanks[0], blanks[1]
				if before != "" {
					before = signs(line) + before
				}
				if behind != "" {
					behind += signs(min(end+1, len(text)))
				}
				text = text[:line] + before + text[line:at.Start] + c.New + text[at.End:end] + behind + text[end:]
			}
			texts = append(texts, text)
		}
	}
	return texts
}

var quoteSigns = regexp.MustCompile(`^(?:> ?)*`)

// judge says what is wrong with the outcome of changes. It knows nothing of
// how they were planned: what the whole text means is the reference.
func judge(source *edit.Source, changes []edit.Change, request edit.Request, got *prosemirror.Node) string {
	md := source.Markdown
	var naive strings.Builder
	at := 0
	for _, c := range changes {
		raw := md.RawRange(c.Start, c.End)
		naive.WriteString(md.Raw[min(at, raw.Start):raw.Start])
		naive.WriteString(c.New)
		at = raw.End
	}
	naive.WriteString(md.Raw[at:])
	if letters(prosemirror.Main.Serialize(got)) < letters(naive.String()) {
		return fmt.Sprintf("stored %s\nwant the words of %s", prosemirror.Main.Serialize(got), naive.String())
	}
	// Where Outline would not read back the document, or would drop words of the
	// whole text, that is no reference.
	mean := func(raw string) string { return raw }
	if strings.Contains(md.Raw, "\\\n") || meaning(prosemirror.Parse(md.Raw)) != meaning(source.Doc) {
		mean = correctedRaw
	}
	for _, c := range changes {
		near := md.Text[max(0, c.Start-2):min(len(md.Text), c.End+6)]
		if mean(md.Raw) != md.Raw && (strings.ContainsAny(c.New+md.Text[c.Start:c.End], "!\\[]()") || blank.MatchString(near)) ||
			strings.Contains(md.Raw, "\\\n") && strings.Contains(near, "\n\n\n") {
			mean = func(string) string { return "" } // what the whole text means is not clear
		}
	}
	if md.Text != "" && !strings.Contains(md.Raw, "\\\n\\\n") && meaning(prosemirror.Parse(mean(md.Raw))) == meaning(source.Doc) {
		if strings.Contains(naive.String(), "\n\n\\\n") && !strings.Contains(md.Raw, "\\\n") {
			mean = correctedRaw // a line with a backslash is an empty paragraph
			if strings.Contains(md.Raw, "```") || strings.Contains(md.Raw, "$$") {
				mean = func(string) string { return "" } // if it is not in code
			}
		}
		want := prosemirror.Parse(mean(naive.String()))
		images := func(doc *prosemirror.Node) int { return strings.Count(meaning(doc), "<image") }
		for _, text := range withBlankLines(md, changes) {
			if apart := prosemirror.Parse(mean(text)); meaning(apart) == meaning(got) {
				want = apart
			}
		}
		if letters(prosemirror.Main.Serialize(want)) >= letters(naive.String()) && images(want) >= images(source.Doc) && meaning(want) != meaning(got) {
			return fmt.Sprintf("stored %s\nwant %s", prosemirror.Main.Serialize(got), prosemirror.Main.Serialize(want))
		}
	}
	// Blocks that the changes do not touch stay as they are.
	first, last := 0, len(md.Blocks)-1
	for first < last && md.Blocks[first].Text.End < changes[0].Start {
		first++
	}
	for last > first && md.Blocks[last].Text.Start > changes[len(changes)-1].End {
		last--
	}
	behind := len(source.Doc.Content) - last - 1
	inner := len(got.Content) - behind
	if first > 0 && len(got.Content) >= first && meaning(got.Content[:first-1]...) != meaning(source.Doc.Content[:first-1]...) {
		return "blocks before the change differ"
	}
	if behind > 0 && inner >= 0 && meaning(got.Content[inner+1:]...) != meaning(source.Doc.Content[last+2:]...) {
		return "blocks behind the change differ"
	}
	before, after := map[string]string{}, map[string]string{}
	anchors(source.Doc, before)
	anchors(got, after)
	text := prosemirror.ToText(got)
	for id, anchor := range before {
		if after[id] == "" && strings.Count(md.Text, anchor) == strings.Count(text, anchor) && !slices.Contains(request.Lost.CommentAnchors, id) {
			return "the anchor " + id + " on " + anchor + " is gone without a word"
		}
		if after[id] != "" && slices.Contains(request.Lost.CommentAnchors, id) && after[id] == anchor {
			return "the anchor " + id + " is said to go, but stays"
		}
	}
	return ""
}

var target = regexp.MustCompile(`\]\(([^()]|\([^()]*\))*\)|<?https?:[^ ]*`)

var (
	emptyLine = regexp.MustCompile(`(?m)^\\\n`)
	blank     = regexp.MustCompile(`\n\n\n|!\[|\A\n|\n\z`)
)

// correctedRaw is a raw form that Outline reads back, if only empty paragraphs and
// images keep it from that.
func correctedRaw(raw string) string {
	return strings.ReplaceAll(emptyLine.ReplaceAllString(raw, "\\\n\n"), " ![", "![")
}

// letters counts the letters of a text, without those that are signs: of
// entities, breaks and boxes, and the targets of links.
func letters(text string) int {
	count := 0
	for _, c := range html.UnescapeString(target.ReplaceAllString(text, "")) {
		if unicode.IsLetter(c) && c != 'n' && c|32 != 'x' {
			count++
		}
	}
	return count
}

func TestRandomEditsAreExactOrRefused(t *testing.T) {
	type count struct{ done, refused int }
	counts := make([]count, len(randomEdits))
	for i := range fixtures.Count(2000, 20_000) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		doc := randomDocument(r)
		source := edit.NewSource(doc)
		kind := i % len(randomEdits)
		changes := randomEdits[kind].changes(r, source.Markdown.Text)
		if changes == nil {
			continue
		}
		before := string(doc.AppendJSON(nil))
		request, err := source.Request(changes)
		if string(doc.AppendJSON(nil)) != before {
			t.Fatalf("edit %d: Plan changes the document", i)
		}
		if err != nil {
			var refused *edit.RefusedError
			if !errors.As(err, &refused) || refused.Reason == "" {
				t.Errorf("edit %d: %v", i, err)
			}
			counts[kind].refused++
			continue
		}
		counts[kind].done++
		got := carryOut(t, source, request)
		if problem := judge(source, changes, request, got); problem != "" {
			t.Errorf("edit %d, %s: %+v in %q\nby %s %q → %q: %s", i, randomEdits[kind].name, changes, source.Markdown.Raw, request.EditMode, request.FindText, request.Text, problem)
		}
		if !request.Verify(got) {
			t.Errorf("edit %d, %s: the result is not verified", i, randomEdits[kind].name)
		}
		if wrong, how := damaged(r, got); wrong != nil && request.Verify(wrong) {
			t.Errorf("edit %d, %s: %s is verified\n%s", i, randomEdits[kind].name, how, wrong.AppendJSON(nil))
		}
	}
	done, all := 0, 0
	for i, c := range counts {
		done += c.done
		all += c.done + c.refused
		t.Logf("%-24s %5d done, %4d refused", randomEdits[i].name, c.done, c.refused)
	}
	if done*100 < all*87 {
		t.Errorf("%d of %d edits are made", done, all)
	}
}
