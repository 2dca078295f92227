package edit_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// An editorEdit is an edit of a shown text, and what it makes of the document.
type editorEdit struct {
	old, new string
	want     *prosemirror.Node
}

// A drawing draws edits of a document. A function returns no edit if the document has no
// place for its kind.
type drawing struct {
	*rand.Rand
	doc   *prosemirror.Node
	words int
	md    prosemirror.Markdown
}

var editorEdits = []struct {
	name string
	draw func(d drawing) editorEdit
}{
	{"a word", drawing.word},
	{"a mark", drawing.mark},
	{"words of two blocks", drawing.twoWords},
	{"a paragraph for empty ones", drawing.fillGap},
	{"no empty paragraphs", drawing.closeGap},
	{"an empty paragraph", drawing.openGap},
	{"a new paragraph", drawing.paragraph},
	{"a block less", drawing.without},
	{"a new item", drawing.item},
	{"a ticked task", drawing.tick},
	{"another level", drawing.level},
	{"an inner empty paragraph less", drawing.innerGap},
	{"a paragraph in two", drawing.split},
	{"two paragraphs in one", drawing.join},
	{"a word less", drawing.lessWord},
	{"a new row", drawing.row},
}

func (d drawing) anyWord() string { return fmt.Sprint("w", 1+d.IntN(d.words), "w") }

func (d drawing) word() editorEdit {
	word := d.anyWord()
	by := pick(d.Rand, "new", "two words", "Zoë")
	return editorEdit{word, by, rewritten(d.doc, word, by)}
}

func (d drawing) mark() editorEdit {
	word, sign := d.anyWord(), d.IntN(3)
	by := []string{"**", "*", "~~"}[sign]
	mark := []string{prosemirror.Strong, prosemirror.Emphasis, prosemirror.Strikethrough}[sign]
	want := rewritten(d.doc, word, word, prosemirror.Mark{Type: mark})
	text := meaning(want)
	for _, a := range []string{"", "{}", "null"} {
		for _, b := range []string{"", "{}", "null"} {
			if strings.Contains(text, mark+a+","+mark+b) {
				return editorEdit{} // it has the mark
			}
		}
	}
	if strings.Contains(d.md.Raw, "`") {
		return editorEdit{} // it may be in code
	}
	return editorEdit{word, by + word + by, want}
}

var numbered = regexp.MustCompile(`w\d+w`)

// neighbors draws two blocks of text with only empty paragraphs between them, the text
// from the last word of the first to the first word of the second, and where in it the
// lines between them are.
func (d drawing) neighbors(empty bool) (first, last int, passage string, gap [2]int, ok bool) {
	for range 4 {
		first = d.IntN(len(d.doc.Content))
		last = first + 1
		for last < len(d.doc.Content) && d.isEmpty(last) {
			last++
		}
		if last >= len(d.doc.Content) || d.isEmpty(first) || empty != (last > first+1) {
			continue
		}
		text := d.md.Text
		a, b := d.md.Blocks[first].Text, d.md.Blocks[last].Text
		before, behind := numbered.FindAllStringIndex(text[a.Start:a.End], -1), numbered.FindStringIndex(text[b.Start:b.End])
		if before == nil || behind == nil {
			continue
		}
		start, end := a.Start+before[len(before)-1][0], b.Start+behind[1]
		from, to := a.End, b.Start
		for from > start && text[from-1] == '\n' {
			from--
		}
		for to < end && (text[to] == '\n' || text[to] == '\\' && text[to+1] == '\n') {
			to++
		}
		if empty && d.doc.Content[first].Type == prosemirror.Toggle {
			continue // the first one behind it is not shown
		}
		return first, last, text[start:end], [2]int{from - start, to - start}, true
	}
	return 0, 0, "", gap, false
}

func (d drawing) isEmpty(i int) bool {
	n := d.doc.Content[i]
	return n.Type == prosemirror.Paragraph && len(n.Content) == 0
}

// between is the document with other blocks between two of its blocks.
func (d drawing) between(first, last int, blocks ...*prosemirror.Node) *prosemirror.Node {
	return d.doc.With(slices.Concat(d.doc.Content[:first+1], blocks, d.doc.Content[last:]))
}

func (d drawing) twoWords() editorEdit {
	_, _, old, gap, ok := d.neighbors(d.IntN(2) == 0)
	if !ok {
		return editorEdit{}
	}
	words := numbered.FindAllString(old, -1)
	a, b := words[0], words[len(words)-1]
	new := strings.Replace(old[:gap[0]], a, "uno", 1) + old[gap[0]:gap[1]] + strings.Replace(old[gap[1]:], b, "dos", 1)
	return editorEdit{old, new, rewritten(rewritten(d.doc, a, "uno"), b, "dos")}
}

func textParagraph(text string) *prosemirror.Node {
	return &prosemirror.Node{Type: prosemirror.Paragraph, Content: []*prosemirror.Node{{Type: prosemirror.Text, Text: text}}}
}

func (d drawing) fillGap() editorEdit {
	first, last, old, gap, ok := d.neighbors(true)
	if !ok {
		return editorEdit{}
	}
	return editorEdit{old, old[:gap[0]] + "\n\nSomething new\n\n" + old[gap[1]:], d.between(first, last, textParagraph("Something new"))}
}

func (d drawing) closeGap() editorEdit {
	first, last, old, gap, ok := d.neighbors(true)
	if !ok || d.doc.Content[first].Type == d.doc.Content[last].Type && strings.HasSuffix(d.doc.Content[first].Type, "_list") {
		return editorEdit{}
	}
	return editorEdit{old, old[:gap[0]] + "\n\n" + old[gap[1]:], d.between(first, last)}
}

func (d drawing) openGap() editorEdit {
	first, last, old, gap, ok := d.neighbors(false)
	if !ok {
		return editorEdit{}
	}
	return editorEdit{old, old[:gap[0]] + pick(d.Rand, "\n\n\\\n", "\n\n\\\n\n") + old[gap[1]:], d.between(first, last, &prosemirror.Node{Type: prosemirror.Paragraph})}
}

func (d drawing) paragraph() editorEdit {
	i := d.IntN(len(d.doc.Content))
	at := d.md.Blocks[i].Text
	words := numbered.FindAllStringIndex(d.md.Text[at.Start:at.End], -1)
	if d.doc.Content[i].Type != prosemirror.Paragraph || words == nil || i == len(d.doc.Content)-1 && strings.HasSuffix(d.md.Raw, " ") {
		return editorEdit{} // a blank at the end of the text is not shown
	}
	old := strings.TrimRight(d.md.Text[at.Start+words[len(words)-1][0]:at.End], "\n")
	return editorEdit{old, old + "\n\nSomething new", d.between(i, i+1, textParagraph("Something new"))}
}

func (d drawing) without() editorEdit {
	i := d.IntN(len(d.doc.Content))
	at := d.md.Blocks[i].Text
	if i == 0 || i == len(d.doc.Content)-1 || d.isEmpty(i-1) || d.isEmpty(i) || d.isEmpty(i+1) || d.doc.Content[i-1].Type == d.doc.Content[i+1].Type && d.doc.Content[i-1].Type != prosemirror.Paragraph {
		return editorEdit{}
	}
	old := strings.Trim(d.md.Text[at.Start:at.End], "\n")
	return editorEdit{old, "", d.between(i-1, i+1)}
}

func (d drawing) item() editorEdit {
	i := d.IntN(len(d.doc.Content))
	list, at := d.doc.Content[i], d.md.Blocks[i].Text
	if list.Type != prosemirror.BulletList {
		return editorEdit{}
	}
	item := list.Content[len(list.Content)-1]
	words := numbered.FindAllStringIndex(d.md.Text[at.Start:at.End], -1)
	if words == nil || len(item.Content) != 1 || i == len(d.doc.Content)-1 && strings.HasSuffix(d.md.Raw, " ") {
		return editorEdit{}
	}
	old := strings.TrimRight(d.md.Text[at.Start+words[len(words)-1][0]:at.End], "\n")
	content := slices.Concat(list.Content, []*prosemirror.Node{item.With([]*prosemirror.Node{textParagraph("Something new")})})
	return editorEdit{old, old + "\n* Something new", d.between(i-1, i+1, list.With(content))}
}

func (d drawing) tick() editorEdit {
	tasks := openTask.FindAllStringSubmatch(d.md.Text, -1)
	if tasks == nil {
		return editorEdit{}
	}
	task := tasks[d.IntN(len(tasks))]
	ticked := d.doc.Map(func(n *prosemirror.Node) *prosemirror.Node {
		if n.Type != prosemirror.CheckboxItem || !strings.Contains(textOf(n.Content[0]), task[1]) {
			return n
		}
		out := *n
		out.Attrs = prosemirror.Attrs{{Name: "checked", Value: true}}
		return &out
	})
	return editorEdit{task[0], strings.Replace(task[0], "[ ]", "[x]", 1), ticked}
}

// innerGap removes an empty paragraph of a quote, an item or a callout.
func (d drawing) innerGap() editorEdit {
	var found []int
	var parents []*prosemirror.Node
	prosemirror.Walk(d.doc, func(n *prosemirror.Node) bool {
		for i, child := range n.Content {
			if n.Type != prosemirror.Doc && i > 0 && i < len(n.Content)-1 && child.Type == prosemirror.Paragraph && len(child.Content) == 0 &&
				len(n.Content[i-1].Content) > 0 && len(n.Content[i+1].Content) > 0 {
				found, parents = append(found, i), append(parents, n)
			}
		}
		return true
	})
	if found == nil {
		return editorEdit{}
	}
	n := d.IntN(len(found))
	at, parent := found[n], parents[n]
	above := numbered.FindAllString(textOf(parent.Content[at-1]), -1)
	below := numbered.FindString(textOf(parent.Content[at+1]))
	if above == nil || below == "" || parent.Content[at-1].Type == parent.Content[at+1].Type && strings.HasSuffix(parent.Content[at-1].Type, "_list") {
		return editorEdit{}
	}
	from := strings.Index(d.md.Text, above[len(above)-1])
	to := strings.Index(d.md.Text, below)
	if from < 0 || to < from {
		return editorEdit{}
	}
	to += len(below)
	old := d.md.Text[from:to]
	lines := strings.Split(old, "\n")
	var kept []string
	for _, line := range lines { // one blank line stays
		if strings.Trim(line, " >\\") == "" && len(kept) > 0 && strings.Trim(kept[len(kept)-1], " >\\") == "" {
			continue
		}
		kept = append(kept, line)
	}
	for i, line := range kept {
		kept[i] = strings.TrimSuffix(line, `\`)
	}
	new := strings.Join(kept, "\n")
	if new == old {
		return editorEdit{}
	}
	return editorEdit{old, new, replacedNode(d.doc, parent, parent.With(slices.Delete(slices.Clone(parent.Content), at, at+1)))}
}

// textOf is the text of one block.
func textOf(n *prosemirror.Node) string {
	return prosemirror.ToText(&prosemirror.Node{Type: prosemirror.Doc, Content: []*prosemirror.Node{n}})
}

// replacedNode is a tree with another node in place of one.
func replacedNode(n, old, by *prosemirror.Node) *prosemirror.Node {
	if n == old {
		return by
	}
	var content []*prosemirror.Node
	for _, child := range n.Content {
		content = append(content, replacedNode(child, old, by))
	}
	return n.With(content)
}

// split makes two of a paragraph of one text.
func (d drawing) split() editorEdit {
	i := d.IntN(len(d.doc.Content))
	p := d.doc.Content[i]
	word := d.anyWord()
	if p.Type != prosemirror.Paragraph || len(p.Content) != 1 || len(p.Content[0].Marks) > 0 {
		return editorEdit{}
	}
	before, behind, found := strings.Cut(p.Content[0].Text, word)
	if !found {
		return editorEdit{}
	}
	return editorEdit{word, "one.\n\nThen " + word, d.between(i-1, i+1, textParagraph(before+"one."), textParagraph("Then "+word+behind))}
}

// join makes one of two paragraphs.
func (d drawing) join() editorEdit {
	first, last, old, gap, ok := d.neighbors(false)
	if !ok || d.doc.Content[first].Type != prosemirror.Paragraph || d.doc.Content[last].Type != prosemirror.Paragraph {
		return editorEdit{}
	}
	content := slices.Concat(d.doc.Content[first].Content, []*prosemirror.Node{{Type: prosemirror.Text, Text: " and "}}, d.doc.Content[last].Content)
	return editorEdit{old, old[:gap[0]] + " and " + old[gap[1]:], d.between(first-1, last+1, d.doc.Content[first].With(content))}
}

// lessWord removes a word with the blank before it.
func (d drawing) lessWord() editorEdit {
	word := d.anyWord()
	at := strings.Index(d.md.Text, word)
	if at < 2 || strings.HasSuffix(d.md.Text, word) {
		return editorEdit{}
	}
	start := at
	for start > 0 && d.md.Text[start-1] != ' ' && d.md.Text[start-1] != '\n' {
		start--
	}
	if start < 2 || d.md.Text[start-1] != ' ' || strings.Trim(d.md.Text[start-2:start-1], "abcdefghijklmnopqrstuvwxyz") != "" || strings.Trim(d.md.Text[start:at], "abcdefghijklmnopqrstuvwxyz") != "" {
		return editorEdit{}
	}
	old := d.md.Text[start-1 : at+len(word)]
	return editorEdit{old, "", rewritten(d.doc, old, "")}
}

// row adds a row to a table.
func (d drawing) row() editorEdit {
	i := d.IntN(len(d.doc.Content))
	table, at := d.doc.Content[i], d.md.Blocks[i].Text
	if table.Type != prosemirror.Table {
		return editorEdit{}
	}
	text := strings.TrimRight(d.md.Text[at.Start:at.End], "\n")
	old := text[strings.LastIndexByte(text, '\n')+1:]
	last := table.Content[len(table.Content)-1]
	var cells []*prosemirror.Node
	line := "|"
	for range last.Content {
		cells = append(cells, prosemirror.Parse("| a |\n|---|\n| new |").Content[0].Content[1].Content[0])
		line += " new |"
	}
	return editorEdit{old, old + "\n" + line, d.between(i-1, i+1, table.With(slices.Concat(table.Content, []*prosemirror.Node{last.With(cells)})))}
}

var openTask = regexp.MustCompile(`- \[ \] [^\n]*?(w\d+w)`)

func (d drawing) level() editorEdit {
	i := d.IntN(len(d.doc.Content))
	if d.doc.Content[i].Type != prosemirror.Heading {
		return editorEdit{}
	}
	at := d.md.Blocks[i].Text
	old := strings.Trim(d.md.Text[at.Start:at.End], "\n")
	heading := *d.doc.Content[i]
	heading.Attrs = slices.Clone(heading.Attrs)
	for i, a := range heading.Attrs {
		if level, ok := a.Value.(float64); ok && a.Name == "level" {
			heading.Attrs[i].Value = level + 1
		}
	}
	return editorEdit{old, "#" + old, d.between(i-1, i+1, &heading)}
}
