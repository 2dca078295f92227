package clientfile

import (
	"bytes"
	"fmt"
)

// maxDepth is how deep objects and lists may be nested, the limit of
// encoding/json. The parser of hujson is limited by the stack alone.
const maxDepth = 10000

// checkDepth returns an error for a file that is nested too deep.
func checkDepth(src []byte) error {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("line %d: objects and lists are more than %d deep in one another", 1+bytes.Count(src[:i], []byte("\n")), maxDepth)
			}
		case ']', '}':
			depth--
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '/':
			i += comment(src[i:]) // up to its last byte
		}
	}
	return nil
}

// comment returns how many bytes of a comment follow its first one, 0 if text
// is no comment.
func comment(text []byte) int {
	for opening, closing := range map[string]string{"//": "\n", "/*": "*/"} {
		if !bytes.HasPrefix(text, []byte(opening)) {
			continue
		}
		if end := bytes.Index(text[2:], []byte(closing)); end >= 0 {
			return 2 + end + len(closing) - 1
		}
		return len(text) - 1
	}
	return 0
}
