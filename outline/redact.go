package outline

import "regexp"

// apiKey is what an API key of Outline looks like, and all that is stuck to it.
var apiKey = regexp.MustCompile(`(?i)ol_api_\S+`)

// Redact returns s with "****" in place of everything that looks like an API
// key of Outline: ol_api_ in upper or lower case, up to the next space. It is
// for values that are shown to somebody, into which a key may have been pasted.
func Redact(s string) string { return apiKey.ReplaceAllLiteralString(s, "****") }
