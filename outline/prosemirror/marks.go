package prosemirror

// MaxMarks is how many lines and Markdown marks of a text are parsed. Each takes up to some
// hundred bytes while it is. The longest text that Outline stores has as many if every
// seventh character is one.
const MaxMarks = 200_000

// A MarkCounter counts the lines and Markdown marks of a text, whose bytes are added one by
// one: the number of pieces that [Parse] makes of a text grows with no other.
type MarkCounter struct {
	Marks int
	last  byte
}

// Add adds the next byte.
func (c *MarkCounter) Add(b byte) {
	switch b {
	case '\n', '\r', '\\', '$', '`', '*', '_', '[', ']', '<', '>', '&', '|':
		c.Marks++
	case '=', '!', '~':
		if c.last == b {
			c.Marks++
		}
	case ' ', '\t', '.', ')': // behind the sign of a list, which may be in the item of another
		if c.last == '-' || c.last == '+' || b > ' ' && isDigit(c.last) {
			c.Marks++
		}
	default: // the name of an emoji
		if c.last == ':' {
			c.Marks++
		}
	}
	c.last = b
}

// CountMarks returns how many lines and Markdown marks a text has.
func CountMarks(markdown string) int {
	_, marks := parsed(markdown, len(markdown))
	return marks
}

// parsed returns the part of a text with no more than some marks, and their number.
func parsed(markdown string, most int) (part string, marks int) {
	var c MarkCounter
	for i := range len(markdown) {
		if c.Add(markdown[i]); c.Marks > most {
			return markdown[:i], most
		}
	}
	return markdown, c.Marks
}
