package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// PrepareText plans the update of a document, as DocumentToUpdate has just read it, to
// another whole text, so that what the new text shows as the old one does stays what it
// is. It returns nil if Outline makes the same of the new text alone: if the tree is not
// known, or has nothing that its text does not say. The error is a [*RefusedError] or that of ctx.
func PrepareText(ctx context.Context, before outline.Document, text string) (*Edits, error) {
	if before.Tree == nil || prosemirror.Equal(before.Dialect().Parse(before.Text), before.Tree) {
		return nil, nil
	}
	e := &Edits{Before: before, Now: before, whole: true}
	var err error
	e.First, err = planWhole(&Source{ctx: ctx, Doc: before.Tree, Markdown: before.Markdown()}, text)
	err = cmp.Or(ctx.Err(), err)
	e.edits = make([]Edit, len(e.First.Steps))
	for i := range e.edits {
		e.own = append(e.own, i)
	}
	e.leaveAll()
	return e, err
}

// planWhole plans the update of a document to another whole text. Its steps count as
// the edits. The error is a [*RefusedError].
func planWhole(source *Source, text string) (Plan, error) {
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	plan, err := planChanges(source, text, "")
	if err == nil && len(plan.Lost.CommentAnchors) > 0 { // words between two changes of a line may keep theirs
		if finer, err := planChanges(source, text, signsOfProse); err == nil && finer.Lost.Less(plan.Lost) {
			return finer, nil
		}
	}
	return plan, err
}

// planChanges plans the update in changes of words, and of the given signs.
func planChanges(source *Source, text, signs string) (Plan, error) {
	before := source.Markdown.Text
	steps, now, err := source.steps(before, changesBetween(before, text, signs))
	if err == nil && !source.late() && !prosemirror.SameContent(folded(now.Markdown.Text), folded(text)) {
		err = &RefusedError{
			Reason:  "Outline would store something else than the text says",
			Instead: "Change smaller passages.",
		}
	}
	if err != nil {
		return Plan{}, err
	}
	was, left := emptyParagraphs(source.Doc), emptyParagraphs(now.Doc)
	if was+left > 0 && !sameGaps(now.Markdown.Raw[now.Markdown.RawOffset(0):], text, left < was) {
		return Plan{}, &RefusedError{
			Reason:  "the text has other blank lines than the document where it has empty paragraphs, and which of these it means is not clear",
			Instead: "Copy all blank lines and lines of a backslash from the document, or change these passages on their own.",
		}
	}
	for i := range steps {
		steps[i].Edits = []int{i}
	}
	return Plan{Text: text, Steps: steps, Lost: lossOf(steps), dialect: source.Markdown.Dialect}, nil
}

// folded returns a text without the blanks at the ends of its lines, because Outline does
// not show those at the end of the text, with short fences, as releases write them, and with
// letters that are written as entities, so that emphasis next to them is read, and escapes
// that Outline does not write although it reads the text otherwise without, or the reverse.
func folded(text string) string {
	text = letterEntity().ReplaceAllStringFunc(text, func(entity string) string {
		if letter := html.UnescapeString(entity); !strings.ContainsFunc(letter, isNoWord) {
			return letter
		}
		return entity
	})
	return notShown().ReplaceAllString(escapeNotKept().ReplaceAllString(text, "$1$2"), "$1")
}

var (
	letterEntity  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&#\d+;`) })
	escapeNotKept = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^([ \t>]*(?:[A-Za-z]|[-*+] \[[ xX]\] ))\\|\\([_\]])`)
	})
	notShown = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)[\\t\\v\\f\\r\\x{85}\\p{Z}]+$|`+(```)") })
)

// sameGaps reports whether a stored text has the empty paragraphs that a wanted text shows.
// Other additional blank lines are only how it is written, unless there are fewer empty
// paragraphs than before. So is a line break within a paragraph, which Outline stores as a
// space.
func sameGaps(stored, wanted string, fewer bool) bool {
	want := gapsOf(wanted)
	for _, line := range gapsOf(stored) {
		if len(want) == 0 || line.least > want[0].gap || line.gap < want[0].gap && fewer {
			return false
		}
		rest, inside := strings.CutPrefix(line.letters, want[0].letters)
		want = want[1:]
		for inside && len(want) > 0 && want[0].gap < 0 && want[0].letters != "" {
			if rest, inside = strings.CutPrefix(rest, want[0].letters); inside {
				want = want[1:]
			}
		}
	}
	return len(want) == 0
}

func emptyParagraphs(doc *prosemirror.Node) (count int) {
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		if isEmpty(n) {
			count++
		}
		return true
	})
	return count
}

// A gapLine is a line of a text, with what precedes it.
type gapLine struct {
	gap     int    // number of blank lines but one, and of lines of a backslash; -1 if there are none
	least   int    // gap without the blank line that only ends a block
	letters string // and digits, which any form of the line has
}

// gapsOf returns the lines of a text that are not blank, apart from code.
func gapsOf(text string) (lines []gapLine) {
	fenced, gap, least := false, -1, -1
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimSpace(line)
		code := fenced
		fenced = fenced != isFence(line)
		if line == "" || line == `\` {
			if gap++; line != "" || gap > 0 {
				least = gap
			}
			continue
		}
		if !code {
			lines = append(lines, gapLine{gap, least, strings.Join(strings.FieldsFunc(line, isNoWord), "")})
		}
		gap, least = -1, -1
	}
	return lines
}

// steps returns the requests that make the changes of a text, from its end to its
// start: one if that loses nothing, or else one for each part of the changes. The source
// is the one behind the last request.
func (s *Source) steps(text string, changes []Change) ([]Step, *Source, error) {
	if len(changes) == 0 {
		return nil, s, nil
	}
	there := make([]Change, len(changes))
	for i, c := range changes {
		there[i] = c.moved(text, s.Markdown.Text)
	}
	request, err := s.request(there, s.target)
	if err != nil && len(changes) == 1 {
		refused := changes[0].refused(text, err)
		if request, err = s.request(there, s.rewritten); err != nil {
			err = refused
		}
	}
	one := func() ([]Step, *Source, error) {
		if err != nil || request.EditMode == "" {
			return nil, s, err
		}
		return []Step{{Request: request}}, s.behind(request.Result), nil
	}
	if err == nil && request.Lost.IsZero() || len(changes) == 1 {
		return one()
	}
	half := len(changes) / 2
	apart, behind, apartErr := s.steps(text, changes[half:])
	if apartErr == nil {
		var rest []Step
		rest, behind, apartErr = behind.steps(text, changes[:half])
		apart = append(apart, rest...)
	}
	if err != nil {
		return apart, behind, apartErr
	}
	if apartErr != nil || !lossOf(apart).Less(request.Lost) {
		return one()
	}
	return apart, behind, nil
}

// refused returns the refusal of a change of a text with the line where it begins.
func (c Change) refused(text string, err error) error {
	refused, ok := errors.AsType[*RefusedError](err)
	if line := text[strings.LastIndexByte(text[:c.Start], '\n')+1 : indexFrom(text, '\n', c.Start)]; ok && strings.TrimSpace(line) != "" {
		return &RefusedError{Reason: fmt.Sprintf("in the line %q, %s", beginning(line), refused.Reason), Instead: refused.Instead}
	}
	return err
}

// rewritten is the target of changes that put blocks between others or rewrite blocks. The
// others stay as they are, whatever their Markdown means.
func (s *Source) rewritten(e rawEdit) (target, error) {
	raw := s.Markdown.Raw
	for _, e := range e.slides(raw) {
		first, last := e.blocks(s.Markdown.Blocks)
		r := s.region(e, first, last)
		t := target{s.Doc.Content, first, last, r.new, r, e}
		before := raw[:e.start] + e.text[:len(e.text)-len(strings.TrimLeft(e.text, "\n"))]
		behind := e.text[len(strings.TrimRight(e.text, "\n")):] + raw[e.end:]
		apart := e.start == e.end && (behind == "" || strings.HasPrefix(behind, "\n\n"))
		switch {
		case apart && e.start == 0:
			t.blocks = slices.Concat(s.parse(e.text), r.blocks())
		case apart && strings.HasSuffix(before, "\n\n") && strings.Trim(raw[e.end:s.Markdown.Blocks[last].Raw.End], "\n") == "":
			t.blocks = slices.Concat(r.blocks(), s.parse(e.text))
		case !r.isRewritten():
			continue
		}
		return t, nil
	}
	return target{}, errors.New("the new text keeps what its Markdown does not mean")
}

// isRewritten reports whether new Markdown keeps nothing of what the Markdown of blocks says
// and they do not hold. If that differs in its order only, little of the rest may be kept.
func (r *region) isRewritten() bool {
	holds, said, says := contents(r.blocks()), contents(r.old), contents(r.new)
	differs := false
	for item, count := range said {
		if count > holds[item] {
			if differs = true; says[item] > holds[item] {
				return false
			}
		}
	}
	words := wordsOf([]string{r.oldRaw, r.newRaw})
	return differs || strings.TrimSpace(r.oldRaw) != "" && sharedWords(r.oldRaw, r.newRaw, words[0], words[1]) == 0
}

// contents counts the words and the signs of blocks by their marks, and the other nodes
// without their content.
func contents(nodes []*prosemirror.Node) map[string]int {
	items := map[string]int{}
	prosemirror.Walk(&prosemirror.Node{Content: nodes}, func(n *prosemirror.Node) bool {
		if n = bare(n); !n.IsText() {
			items[string(n.With(nil).AppendJSON(nil))]++
			return true
		}
		for _, word := range strings.Fields(n.Text) {
			for _, signs := range append(strings.FieldsFunc(word, isWord), "") { // "" stands for the word
				items[string((&prosemirror.Node{Type: n.Type, Text: signs, Marks: n.Marks}).AppendJSON(nil))]++
			}
		}
		return true
	})
	return items
}

// moved returns a change of a text at its place in another, which differs behind it, and
// before it in the padding of tables. The change is empty if it has no place there.
func (c Change) moved(text, other string) Change {
	if len(other) >= c.End && text[:c.End] == other[:c.End] {
		return c
	}
	at, line := 0, 0 // behind what precedes the change, apart from padding
	for i := 0; i < c.Start; i++ {
		if isPadding(text[i]) {
			continue
		}
		for at < len(other) && isPadding(other[at]) {
			at++
		}
		at++
		line = i + 1
	}
	at += c.Start - line
	end := at + c.End - c.Start
	if at > len(other) || end > len(other) || other[at:end] != text[c.Start:c.End] {
		return Change{Match: Match{Start: len(other), End: len(other)}}
	}
	c.Start, c.End = at, end
	return c
}

func isPadding(c byte) bool { return c == ' ' || c == '-' }

// keepMentions returns raw text in which a link that is written as a mention in the
// document is shown is such a mention.
func (s *Source) keepMentions(text string) string {
	if !strings.Contains(text, "](/") {
		return text
	}
	for _, mention := range prosemirror.LinkedMentions(s.Doc) {
		text = mention.In(text)
	}
	return text
}
