package prosemirror

import (
	_ "embed"
	"strings"
	"sync"
)

// emojiList holds the emoji that Outline knows, one a line: the name, a blank,
// the characters. It was made from @emoji-mart/data 1.2.1 (MIT), the first
// skin of each, names as Outline writes them.
//
//go:embed emoji.txt
var emojiList string

// emojiByName is made when the first :name: is looked up.
var emojiByName = sync.OnceValue(func() map[string]string {
	byName := make(map[string]string, 2000)
	for line := range strings.Lines(emojiList) {
		name, characters, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		byName[name] = characters
	}
	return byName
})

// emojiText is the character by which an emoji node counts in Outline.
func emojiText(name string) string {
	if characters, ok := emojiByName()[strings.ReplaceAll(name, ":", "")]; ok {
		return characters
	}
	return "?"
}

// findEmoji finds the first :name: of a known emoji in s.
func findEmoji(s string) (start, end int) {
	start = strings.IndexByte(s, ':')
	for start >= 0 {
		length := strings.IndexByte(s[start+1:], ':')
		if length < 0 {
			return -1, -1
		}
		end = start + 1 + length
		if _, ok := emojiByName()[s[start+1:end]]; ok {
			return start, end + 1
		}
		start = end
	}
	return -1, -1
}
