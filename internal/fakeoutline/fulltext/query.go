package fulltext

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxQuery is the maximum length of a query in characters; the rest is ignored.
const maxQuery = 1000

// A Query is what Outline makes of a query: an expression of words, and texts that
// must occur as they are.
type Query struct {
	words    *node // nil matches nothing
	anyWords bool  // words need not match, as the query is only texts
	literal  []string
}

// A node is a word or a phrase, or two nodes joined by an operator.
type node struct {
	operator    byte // '&' or '|'; 0 for a phrase
	left, right *node
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
	quoted   = expression(`"([^"]*)"`)
	address  = expression(`(?i)https?://\S+`)
	orSign   = expression(`(?i)^\s*(?:[|,]|or)`)
	andSign  = expression(`(?i)^(?:[\s&+:|,!-]|and)*`)
	thenSign = expression(`^\s*>`)
	opening  = expression(`^\s*[!-]*[(\[]`)
	closing  = expression(`^\s*[)\]]?`)
	word     = expression(`^[\s*&+<:,|]*([\s!-]*)[\s*&+<:,|]*(?:("[^"\n]*"|'[^'\n]*')|([^\s,|&+<>:*()[\]!]+))`)
	prefixed = expression(`^(?:\*|:\*)*`)
	between  = expression(`(?:[\s<()|&!]|:\*)+`)
)

// ParseQuery reads a query as Outline does. Words are joined by "and" unless "or" or |
// is between them, - before a word excludes it, * after it finds words that begin with
// it, and a text in double quotes must occur as it is. The last word always finds
// words that begin with it.
func ParseQuery(text string) Query {
	if runes := []rune(text); len(runes) > maxQuery {
		text = string(runes[:maxQuery])
	}
	var q Query
	rest := strings.TrimSpace(address().ReplaceAllString(text, ""))
	for _, m := range quoted().FindAllStringSubmatch(rest, -1) {
		q.literal = append(q.literal, strings.ToLower(m[1]))
	}
	for _, url := range address().FindAllString(text, -1) {
		q.literal = append(q.literal, strings.ToLower(url))
	}
	q.literal = q.literal[:min(len(q.literal), 3)]
	q.anyWords = len(q.literal) > 0 && quoted().ReplaceAllString(rest, "") == ""

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
	q.words = (&parser{rest: text}).all()
	return q
}

// A parser reads an expression as the library pg-tsquery does.
type parser struct{ rest string }

// all reads the whole text. After a bracket without a partner, reading goes on.
func (p *parser) all() *node {
	n := p.either()
	for n != nil && p.rest != "" {
		p.rest = p.rest[1:]
		if right := p.either(); right != nil {
			n = join('&', n, right)
		}
	}
	return simplify(n)
}

func (p *parser) either() *node {
	return p.joined('|', p.both, func() string { return orSign().FindString(p.rest) })
}

func (p *parser) both() *node {
	return p.joined('&', p.sequence, func() string {
		if orSign().MatchString(p.rest) {
			return ""
		}
		return andSign().FindString(p.rest)
	})
}

func (p *parser) sequence() *node {
	return p.joined('>', p.operand, func() string { return thenSign().FindString(p.rest) })
}

// joined reads operands with an operator between them. sign finds the operator; "and"
// may be nothing at all.
func (p *parser) joined(operator byte, operand func() *node, sign func() string) *node {
	n := operand()
	for n != nil && p.rest != "" {
		found := sign()
		if found == "" && (operator != '&' || orSign().MatchString(p.rest)) {
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

func (p *parser) operand() *node {
	rest := strings.TrimLeft(p.rest, " \t\n\r")
	if open := opening().FindString(rest); open != "" {
		before := p.rest
		p.rest = rest[len(open):]
		n := p.either()
		if n == nil {
			p.rest = before
			return nil
		}
		n.negated = n.negated || len(open) > 1
		p.rest = p.rest[len(closing().FindString(p.rest)):]
		return n
	}
	m := word().FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	rest = rest[len(m[0]):]
	star := prefixed().FindString(rest)
	p.rest = rest[len(star):]
	n := &node{negated: m[1] != ""}
	if m[3] != "" {
		n.phrase = phraseOf(strings.ReplaceAll(m[3], "'", ""), star != "")
		return n
	}
	for i, part := range between().Split(m[2][1:len(m[2])-1], -1) {
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

func join(operator byte, left, right *node) *node {
	if operator == '>' {
		if left.operator == 0 && right.operator == 0 {
			return &node{phrase: left.phrase.then(right.phrase)}
		}
		operator = '&'
	}
	return &node{operator: operator, left: left, right: right}
}

// simplify removes what consists of stop words only.
func simplify(n *node) *node {
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
func (q Query) Match(x *Index) (rank float64, ok bool) {
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

func (n *node) matches(x *Index) bool {
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
func (p phrase) occurs(x *Index) bool {
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
func (n *node) terms(list []queryWord) []queryWord {
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
