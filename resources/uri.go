package resources

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// maxURI is the maximum length of a URI, in bytes.
const maxURI = 2000

// A URI names a resource, or the part of it from a line on.
type URI struct {
	Name      string // of the resource: the Name of its declaration
	ID        string // of what it shows, in any form that the tools take
	StartLine int    // 0 for the beginning
	StartChar int    // in StartLine; 0 for its beginning
}

// Parse reads a URI. It fails with an output.Failure: output.NotFound if no resource
// has such a URI; with output.InvalidArguments, and the Name, if the ID or the query is
// wrong.
func Parse(uri string) (URI, error) {
	address, query, _ := strings.Cut(uri, "?")
	path, ok := strings.CutPrefix(address, "outline://")
	if !ok || len(uri) > maxURI || strings.Contains(uri, "#") {
		return URI{}, unknown(uri)
	}
	parts := strings.Split(path, "/")
	for _, d := range declarations() {
		pattern := strings.Split(d.path, "/")
		if len(parts) != len(pattern) || parts[0] != pattern[0] || len(parts) == 3 && parts[2] != pattern[2] {
			continue
		}
		u := URI{Name: d.name}
		var err error
		u.ID, err = url.PathUnescape(parts[1])
		if err != nil || strings.Trim(u.ID, ". ") == "" || !utf8.ValidString(u.ID) || strings.ContainsFunc(u.ID, unicode.IsControl) {
			return u, output.Invalid("%s has no valid ID. Put a UUID, a URL id or a percent-encoded address in the place of {id} in %s", shown(uri), d.uri())
		}
		return u, u.readQuery(query, uri)
	}
	return URI{}, unknown(uri)
}

// Item returns the resource as the pipeline knows it; one named other if there is none.
func (u URI) Item() pipeline.Item {
	if u.Name == "" {
		return pipeline.Item{Name: "other"} // not the URI, which can be anything
	}
	return named(u.Name).item()
}

// readQuery reads the parameters of a URI.
func (u *URI) readQuery(query, uri string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return output.Invalid("the part of %s after the question mark is malformed", shown(uri))
	}
	known := map[string]*int{"start_line": &u.StartLine, "start_char": &u.StartChar}
	for name, given := range values {
		number, ok := known[name]
		if !ok {
			return output.Invalid("%s has the unknown parameter %s. Valid parameters: start_line, start_char", shown(uri), output.Quote(output.Excerpt(name, 60)))
		}
		n, err := strconv.Atoi(given[0])
		if err != nil || n < 1 || len(given) > 1 {
			return output.Invalid("%s must be given once in %s, as a whole number from 1 on", name, shown(uri))
		}
		*number = n
	}
	return nil
}

// unknown is the failure for a URI that no resource has.
func unknown(uri string) error {
	var known []string
	for _, d := range declarations() {
		known = append(known, d.uri())
	}
	return output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("%s is not the URI of a resource. Resources: %s.", shown(uri), strings.Join(known, ", "))}
}

// shown returns a URI for a sentence, without keys.
func shown(uri string) string {
	return output.Quote(text.Truncate(outline.Redact(strings.ToValidUTF8(uri, "\uFFFD")), 200))
}
