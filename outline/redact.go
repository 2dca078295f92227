package outline

import (
	"regexp"
	"strings"
	"sync"
)

// apiKey matches an API key of Outline, a token, code or client secret of its OAuth
// (shared/oauth in its source), or one that this server issues (omcp_), and everything
// up to the next space.
var apiKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:ol_(?:api|at|rt|ac|sk|rat)|omcp_(?:at|rt|ac))_\S+`)
})

// Redact replaces everything in s that looks like an API key of Outline (ol_api_ in
// upper or lower case, up to the next space), or a secret of OAuth, with "****". It is
// for values that are shown and into which somebody may have pasted a key.
func Redact(s string) string {
	if !hasPrefix(s) || !apiKey().MatchString(s) {
		return s // ReplaceAll would copy it
	}
	return apiKey().ReplaceAllLiteralString(s, "****")
}

// hasPrefix reports whether the first letters of what apiKey matches occur in s. Most
// texts do not have them, and a regular expression that ignores case takes longer to
// say so than writing a log line.
func hasPrefix(s string) bool {
	for {
		before, after, found := strings.Cut(s, "_")
		if !found {
			return false
		}
		if endsWith(before, "ol") || endsWith(before, "omcp") {
			return true
		}
		s = after
	}
}

// endsWith reports whether s ends with letters, in upper or lower case.
func endsWith(s, letters string) bool {
	return len(s) >= len(letters) && strings.EqualFold(s[len(s)-len(letters):], letters)
}
