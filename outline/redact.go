package outline

import "regexp"

// apiKey matches an API key of Outline and everything up to the next space.
var apiKey = regexp.MustCompile(`(?i)ol_api_\S+`)

// Redact replaces everything in s that looks like an API key of Outline (ol_api_
// in upper or lower case, up to the next space) with "****". It is for values that
// are shown and into which somebody may have pasted a key.
func Redact(s string) string {
	if !apiKey.MatchString(s) {
		return s // ReplaceAll would copy it
	}
	return apiKey.ReplaceAllLiteralString(s, "****")
}
