package prosemirror

import "unicode"

// Words returns the number of words that a reader of a text would count in the
// document that [Parse] makes of it. White space and long dashes separate
// words, and a word has a letter or a digit. In Chinese and Japanese, each
// character is a word. Code counts, and so do the names of files.
func Words(markdown string) int {
	p := readBlocks(markdown)
	var c wordCounter
	for _, block := range rewrite(p.tokens, p.references, documentDialect, 0, nil) {
		c.inWord = false
		if block.kind != inlineToken {
			c.count(block.content)
			continue
		}
		for _, t := range block.children {
			switch t.kind {
			case softBreakToken, hardBreakToken, breakToken:
				c.inWord = false
			default:
				c.count(t.content)
			}
		}
	}
	return c.words
}

// A wordCounter counts the words of a text that comes in pieces.
type wordCounter struct {
	words  int
	inWord bool
}

func (c *wordCounter) count(text string) {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || r == '—' || r == '…':
			c.inWord = false
		case r >= 0x80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			c.words++
			c.inWord = false
		case !c.inWord && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			c.words++
			c.inWord = true
		}
	}
}
