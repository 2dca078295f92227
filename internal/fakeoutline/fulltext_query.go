package fakeoutline

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxQuery is the maximum length of a query in characters; the rest is ignored.
const maxQuery = 1000

// A textQuery is what Outline makes of a query: an expression of words, and texts that
// must occur as they are.
type textQuery struct {
	words    *queryNode // nil matches nothing
	anyWords bool       // words need not match, as the query is only texts
	literal  []string
}

// A node is a word or a phrase, or two nodes joined by an operator.
type queryNode struct {
	operator    byte // '&' or '|'; 0 for a phrase
	left, right *queryNode
	phrase      phrase
	negated     bool
}

// A phrase is a sequence of words, often of only one. Its length includes stop words.
type phrase struct {
	words  []queryWord
	length int
}

// A queryWord is a lexeme and its distance in words from the beginning of its phrase.
type queryWord struct {
	term   string
	offset int
	prefix bool // it also matches words that begin with it
}

var (
	quotedPattern   = expression(`"([^"]*)"`)
	addressPattern  = expression(`(?i)https?://\S+`)
	orSignPattern   = expression(`(?i)^\s*(?:[|,]|or)`)
	andSignPattern  = expression(`(?i)^(?:[\s&+:|,!-]|and)*`)
	thenSignPattern = expression(`^\s*>`)
	openingPattern  = expression(`^\s*[!-]*[(\[]`)
	closingPattern  = expression(`^\s*[)\]]?`)
	wordPattern     = expression(`^[\s*&+<:,|]*([\s!-]*)[\s*&+<:,|]*(?:("[^"\n]*"|'[^'\n]*')|([^\s,|&+<>:*()[\]!]+))`)
	prefixedPattern = expression(`^(?:\*|:\*)*`)
	betweenPattern  = expression(`(?:[\s<()|&!]|:\*)+`)
)

// parseTextQuery reads a query as Outline does. Words are joined by "and" unless "or" or |
// is between them, - before a word excludes it, * after it finds words that begin with
// it, and a text in double quotes must occur as it is. The last word always finds
// words that begin with it.
func parseTextQuery(text string) textQuery {
	if runes := []rune(text); len(runes) > maxQuery {
		text = string(runes[:maxQuery])
	}
	var q textQuery
	rest := strings.TrimSpace(addressPattern().ReplaceAllString(text, ""))
	for _, m := range quotedPattern().FindAllStringSubmatch(rest, -1) {
		q.literal = append(q.literal, strings.ToLower(m[1]))
	}
	for _, url := range addressPattern().FindAllString(text, -1) {
		q.literal = append(q.literal, strings.ToLower(url))
	}
	q.literal = q.literal[:min(len(q.literal), 3)]
	q.anyWords = len(q.literal) > 0 && quotedPattern().ReplaceAllString(rest, "") == ""

	// An apostrophe inside the query ends a word.
	for i := len(text) - 2; i > 0; i-- {
		if text[i] == '\'' && text[i-1] != '\'' {
			text = text[:i] + "&" + text[i+1:]
		}
	}
	if strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		text = strings.TrimSpace(text)
	} else {
		text = strings.TrimSpace(text) + "*"
	}
	q.words = (&queryParser{rest: text}).all()
	return q
}

// A parser reads an expression as the library pg-tsquery does.
type queryParser struct{ rest string }

// all reads the whole text. After a bracket without a partner, reading continues.
func (p *queryParser) all() *queryNode {
	n := p.either()
	for n != nil && p.rest != "" {
		p.rest = p.rest[1:]
		if right := p.either(); right != nil {
			n = join('&', n, right)
		}
	}
	return simplify(n)
}

func (p *queryParser) either() *queryNode {
	return p.joined('|', p.both, func() string { return orSignPattern().FindString(p.rest) })
}

func (p *queryParser) both() *queryNode {
	return p.joined('&', p.sequence, func() string {
		if orSignPattern().MatchString(p.rest) {
			return ""
		}
		return andSignPattern().FindString(p.rest)
	})
}

func (p *queryParser) sequence() *queryNode {
	return p.joined('>', p.operand, func() string { return thenSignPattern().FindString(p.rest) })
}

// joined reads operands with an operator between them. sign finds the operator; "and"
// may be nothing at all.
func (p *queryParser) joined(operator byte, operand func() *queryNode, sign func() string) *queryNode {
	n := operand()
	for n != nil && p.rest != "" {
		found := sign()
		if found == "" && (operator != '&' || orSignPattern().MatchString(p.rest)) {
			return n
		}
		before := p.rest
		p.rest = p.rest[len(found):]
		right := operand()
		if right == nil {
			p.rest = before
			return n
		}
		right.negated = right.negated || strings.HasSuffix(found, "-") || strings.HasSuffix(found, "!")
		n = join(operator, n, right)
	}
	return n
}

func (p *queryParser) operand() *queryNode {
	rest := strings.TrimLeft(p.rest, " \t\n\r")
	if open := openingPattern().FindString(rest); open != "" {
		before := p.rest
		p.rest = rest[len(open):]
		n := p.either()
		if n == nil {
			p.rest = before
			return nil
		}
		n.negated = n.negated || len(open) > 1
		p.rest = p.rest[len(closingPattern().FindString(p.rest)):]
		return n
	}
	m := wordPattern().FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	rest = rest[len(m[0]):]
	star := prefixedPattern().FindString(rest)
	p.rest = rest[len(star):]
	n := &queryNode{negated: m[1] != ""}
	if m[3] != "" {
		n.phrase = phraseOf(strings.ReplaceAll(m[3], "'", ""), star != "")
		return n
	}
	for i, part := range betweenPattern().Split(m[2][1:len(m[2])-1], -1) {
		next := phraseOf(part, false)
		if i == 0 {
			n.phrase = next
		} else {
			n.phrase = n.phrase.then(next)
		}
	}
	return n
}

// phraseOf returns the phrase of what stands for one word in a query, such as "on-call".
func phraseOf(text string, prefix bool) phrase {
	var p phrase
	tokens(text, func(token string) {
		if term, ok := lexeme(token); ok {
			p.words = append(p.words, queryWord{term, p.length, prefix})
		}
		p.length++
	})
	p.length = max(p.length, 1)
	return p
}

// then returns a phrase followed by another.
func (p phrase) then(next phrase) phrase {
	words := slices.Clone(p.words)
	for _, w := range next.words {
		w.offset += p.length
		words = append(words, w)
	}
	return phrase{words, p.length + next.length}
}

func join(operator byte, left, right *queryNode) *queryNode {
	if operator == '>' {
		if left.operator == 0 && right.operator == 0 {
			return &queryNode{phrase: left.phrase.then(right.phrase)}
		}
		operator = '&'
	}
	return &queryNode{operator: operator, left: left, right: right}
}

// simplify removes what consists of stop words only.
func simplify(n *queryNode) *queryNode {
	if n == nil || n.operator == 0 {
		if n == nil || len(n.phrase.words) == 0 {
			return nil
		}
		first := n.phrase.words[0].offset
		for i := range n.phrase.words {
			n.phrase.words[i].offset -= first
		}
		return n
	}
	n.left, n.right = simplify(n.left), simplify(n.right)
	switch {
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	}
	return n
}

// Match reports whether a document matches, and how well.
func (q textQuery) Match(x *textIndex) (rank float64, ok bool) {
	for _, literal := range q.literal {
		if !strings.Contains(strings.ToLower(x.title), literal) && !strings.Contains(strings.ToLower(x.text), literal) {
			return 0, false
		}
	}
	if q.words == nil || !q.anyWords && !q.words.matches(x) {
		return 0, q.anyWords
	}
	return q.words.rank(x), true
}

func (n *queryNode) matches(x *textIndex) bool {
	var ok bool
	switch n.operator {
	case '&':
		ok = n.left.matches(x) && n.right.matches(x)
	case '|':
		ok = n.left.matches(x) || n.right.matches(x)
	default:
		ok = n.phrase.occurs(x)
	}
	return ok != n.negated
}

// occurs reports whether the words occur at their distances.
func (p phrase) occurs(x *textIndex) bool {
	var starts []int32 // where the words up to now begin
	for i, word := range p.words {
		at := make(map[int32]bool)
		for _, positions := range x.find(word.term, word.prefix) {
			for _, position := range positions {
				at[position-int32(word.offset)] = true
			}
		}
		if i == 0 {
			for start := range at {
				starts = append(starts, start)
			}
			continue
		}
		starts = slices.DeleteFunc(starts, func(start int32) bool { return !at[start] })
	}
	return len(starts) > 0
}

// terms returns the words of the expression, each once, in the order of the alphabet.
func (n *queryNode) terms(list []queryWord) []queryWord {
	if n.operator != 0 {
		return n.right.terms(n.left.terms(list))
	}
	for _, w := range n.phrase.words {
		if !slices.ContainsFunc(list, func(other queryWord) bool { return other.term == w.term && other.prefix == w.prefix }) {
			list = append(list, w)
		}
	}
	return list
}

// expression compiles a regular expression when it is first used.
func expression(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}
