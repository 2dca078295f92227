package fulltext

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// Snippet returns the part of a document's plain text around the first occurrence of a
// query, with <b> and </b> around words that are the query's as they are written, as
// Outline cuts it. Outline knows no syntax here, so that a query with | marks nothing.
// The text is not escaped.
func Snippet(plain, query string) string {
	query = strings.ToValidUTF8(query, "")
	whole := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(query))
	alternatives := []string{regexp.QuoteMeta(query)}
	if phrases := quoted().FindAllStringSubmatch(query, -1); phrases != nil {
		for _, m := range phrases {
			alternatives = append(alternatives, regexp.QuoteMeta(m[1]))
		}
	} else {
		var kept []string
		for w := range strings.SplitSeq(query, " ") {
			if !isUnmarked(w) {
				kept = append(kept, w)
			}
		}
		for w := range strings.SplitSeq(strings.TrimSpace(strings.Join(kept, " ")), " ") {
			alternatives = append(alternatives, `\b`+regexp.QuoteMeta(w)+`\b`)
		}
	}
	marked := regexp.MustCompile(`(?i)` + strings.Join(alternatives, "|"))

	at := whole.FindStringIndex(plain)
	if at == nil {
		at = marked.FindStringIndex(plain)
	}
	units := func(s string) []uint16 { return utf16.Encode([]rune(s)) } // Outline counts them
	start := -1
	if at != nil {
		start = len(units(plain[:at[0]]))
	}
	text := units(plain)
	if start -= 65; start > 0 {
		for start < len(text) && !breaks(text[start]) {
			start++
		}
	}
	start = max(0, start)
	context := units(marked.ReplaceAllString(plain, "<b>$0</b>"))
	end := min(start+250, len(context)-1)
	for end >= 0 && !breaks(context[end]) {
		end--
	}
	if end < 0 { // -1 counts from the end
		end = len(context) - 1
	}
	if end <= start {
		return ""
	}
	return string(utf16.Decode(context[start:end]))
}

func breaks(unit uint16) bool { return strings.ContainsRune(" .,\"'\n。！？!?…", rune(unit)) }

// isUnmarked reports whether Outline never marks a word: its list has all stop words but
// these.
func isUnmarked(word string) bool {
	switch word {
	case "while", "between", "to", "up", "in", "out", "on", "further", "how", "all", "more", "most", "no", "not", "own", "can", "will", "just", "now":
		return false
	}
	return isStopWord(word)
}
