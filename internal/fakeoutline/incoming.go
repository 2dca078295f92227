package fakeoutline

import (
	"regexp"
	"strings"
	"sync"
)

// embedURL matches a paragraph that is the URL of an embed. Of the services
// that Outline embeds these are recorded.
var embedURL = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^https://(?:www\.youtube\.com/watch\?v=|vimeo\.com/\d|gist\.github\.com/\w+/)[^\s<>]*$`)
})

// linkEmbeds makes links of the URLs of embeds, as documents.create does;
// documents.update leaves them as text.
func linkEmbeds(markdown string) string {
	if !strings.Contains(markdown, "https://") {
		return markdown
	}
	var out strings.Builder
	last := 0
	for _, at := range embedURL().FindAllStringIndex(markdown, -1) {
		if !alone(markdown, at[0], at[1]) {
			continue
		}
		out.WriteString(markdown[last:at[0]] + "<" + markdown[at[0]:at[1]] + ">")
		last = at[1]
	}
	return out.String() + markdown[last:]
}

// alone reports whether the lines above and below a line are blank or not
// there.
func alone(text string, start, end int) bool {
	above, below := text[:start], text[end:]
	return (above == "" || strings.HasSuffix(above, "\n\n")) && (strings.TrimSpace(below) == "" || strings.HasPrefix(below, "\n\n"))
}

// inlineImage matches an image whose data are in its URL.
var inlineImage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(!\[[^\]]*\]\()data:image/[^\s;)]+;base64,[^\s)]+`)
})

// storeImages gives images whose data are in the text the address of an
// attachment with a new ID. The attachment itself is not there: the workspace
// stores no files.
func storeImages(markdown string, newID func() string) string {
	if !strings.Contains(markdown, "data:image/") {
		return markdown
	}
	return inlineImage().ReplaceAllStringFunc(markdown, func(image string) string {
		opening := inlineImage().FindStringSubmatch(image)[1]
		return opening + "/api/attachments.redirect?id=" + newID()
	})
}
