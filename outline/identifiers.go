package outline

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/google/uuid"

	"outline-mcp/internal/text"
)

// IsUUID reports whether s is a UUID in its text form of 36 characters
// (RFC 9562, section 4), in upper or lower case, of any version.
func IsUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }

// ParseDocumentID returns the identifier of a document in the form that the id
// field of documents.* takes: a UUID in lower case, or a URL id such as
// 1FF9VyHA4X.
//
// It accepts those two, a slug (deploy-guide-1FF9VyHA4X), a path
// (/doc/deploy-guide-1FF9VyHA4X) and a full URL, including that of a document in a
// share (/s/…/doc/…), with anything after the slug, the URI of a resource of this
// program (outline://documents/1FF9VyHA4X), and the Markdown or HTML of a link to any of
// them. The host does not matter here; see [Client.ParseDocumentID].
// Spaces, quotes and angle brackets around the value are removed. Anything else,
// such as the URL of a collection or several values separated by commas or
// spaces, is an [*IdentifierError].
func ParseDocumentID(s string) (string, error) { return parseID("document", s) }

// ParseCollectionID is like [ParseDocumentID], for a collection
// (/collection/handbook-MrSBIwKq5R).
func ParseCollectionID(s string) (string, error) { return parseID("collection", s) }

// An IdentifierError reports a value that does not identify a document, a collection,
// a revision or an attachment.
type IdentifierError struct {
	Kind  string // document, collection, revision or attachment
	Value string // the value without API keys (see Redact), at most 80 characters
	Hint  string // what the value seems to be instead or, if it is Unknown, what has a name like it, after ". "; may be empty

	ForeignHost string // the host of a URL that is not of the client's instance; else empty
	Unknown     bool   // the value may be a name, which nothing has
}

// Error returns one sentence with the value and the accepted forms.
func (e *IdentifierError) Error() string {
	segment, slug := pathSegment(e.Kind), "deploy-guide-1FF9VyHA4X"
	if e.Kind == "collection" {
		slug = "handbook-MrSBIwKq5R"
	}
	hint := ""
	if e.Hint != "" {
		hint = " (" + e.Hint + ")"
	}
	if e.Unknown {
		return fmt.Sprintf("no %s that you can see is called %q%s", e.Kind, e.Value, e.Hint)
	}
	if e.Kind == "revision" {
		return fmt.Sprintf("%q does not identify a revision%s: give its UUID, or its URL (https://…/history/…)", e.Value, hint)
	}
	if e.Kind == "attachment" {
		return fmt.Sprintf("%q does not identify an attachment%s: give its UUID or its address as in Markdown (/api/attachments.redirect?id=…)", e.Value, hint)
	}
	return fmt.Sprintf("%q does not identify a %s%s: give its UUID, its URL id (%s), its slug (%s) or its URL (https://…/%s/%s)",
		e.Value, e.Kind, hint, slug[strings.LastIndexByte(slug, '-')+1:], slug, segment, slug)
}

// pathSegment returns what precedes the slug in an address.
func pathSegment(kind string) string {
	if kind == "document" {
		return "doc"
	}
	return kind
}

func parseID(kind, value string) (string, error) {
	value = bareAddress(value)
	fail := func(hint string) (string, error) { return failedID(kind, value, hint) }
	if value == "" {
		return fail("it is empty")
	}
	address := value
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	// Otherwise the last of several would be taken for all.
	if strings.Contains(address, ",") {
		return fail("it holds a comma: give one at a time")
	}
	if strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return fail("")
	}
	if !strings.Contains(address, "/") {
		if id, ok := lastPart(address); ok {
			return id, nil
		}
		if looksLikeUUID(address) {
			return fail("a UUID has 8-4-4-4-12 hexadecimal digits")
		}
		return fail("")
	}
	if id, ok := afterSegment(address, pathSegment(kind)); ok {
		return id, nil
	}
	for _, other := range []string{"document", "collection"} {
		if _, ok := afterSegment(address, pathSegment(other)); ok {
			return fail("it is the address of a " + other)
		}
	}
	return fail("the address has no /" + pathSegment(kind) + "/ followed by a slug")
}

// failedID returns the error for a value that does not identify something.
func failedID(kind, value, hint string) (string, error) {
	if Redact(value) != value {
		hint = "that looks like an API key"
	}
	return "", &IdentifierError{Kind: kind, Value: shownID(value), Hint: hint}
}

// shownID returns a value as an error shows it.
func shownID(value string) string {
	// Redact first: cutting could leave the beginning of a key.
	return text.Truncate(strings.ToValidUTF8(Redact(value), "\uFFFD"), 80)
}

// trimQuotes removes spaces, quotes and angle brackets around a value.
func trimQuotes(value string) string {
	return strings.TrimFunc(value, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’<>", r)
	})
}

// bareAddress returns the value without what is around it, the address of a link, and
// the path for the URI of a resource.
func bareAddress(value string) string {
	value = linkAddress(trimQuotes(value))
	for kind, segment := range map[string]string{"documents": "doc", "collections": "collection", "revisions": "history", "attachments": "attachments"} {
		if rest, found := strings.CutPrefix(value, "outline://"+kind+"/"); found {
			return "/" + segment + "/" + rest
		}
	}
	return value
}

// ParseShareID returns the identifier of a public share, as [Client.SharedDocument] takes
// it, for the address of its first document at this instance (https://…/s/handbook).
func (c *Client) ParseShareID(s string) (id string, found bool) {
	address, host := bareAddress(s), hostOf(bareAddress(s))
	if host != "" && !c.isOwn(host) {
		return "", false
	}
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	if host == "" && !strings.HasPrefix(address, "/s/") {
		return "", false // a title
	}
	_, after, found := strings.Cut("/"+strings.TrimLeft(address, "/"), "/s/")
	id = strings.Trim(after, "/")
	return strings.ToLower(id), found && id != "" && len(id) <= 255 && strings.Trim(id, shareLetters) == ""
}

const shareLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// afterSegment returns the identifier in the part of a path that follows
// segment.
func afterSegment(path, segment string) (string, bool) {
	parts := strings.Split(path, "/")
	for i, part := range parts[:len(parts)-1] {
		if part != segment {
			continue
		}
		if id, ok := lastPart(parts[i+1]); ok {
			return id, true
		}
	}
	return "", false
}

// lastPart returns the identifying part of a UUID, a URL id or a slug. In a slug
// that is the part after the last hyphen; Outline ignores the rest, which follows
// the title. A URL id has 10 to 15 letters and digits.
func lastPart(s string) (string, bool) {
	if IsUUID(s) {
		return strings.ToLower(s), true
	}
	if looksLikeUUID(s) {
		return "", false
	}
	id := s[strings.LastIndexByte(s, '-')+1:]
	return id, urlID().MatchString(id)
}

// urlID matches a URL id.
var urlID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]{10,15}$`) })

// mistypedUUID matches five groups of hexadecimal digits.
var mistypedUUID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[[:xdigit:]]*(-[[:xdigit:]]*){4}$`) })

// looksLikeUUID reports whether s is a UUID that may be mistyped. The last group of
// one could pass for a URL id.
func looksLikeUUID(s string) bool {
	return len(s) >= 30 && len(s) <= 42 && mistypedUUID().MatchString(s)
}

// ParseAttachmentID returns the UUID of an attachment in lower case, given that, or
// an address of the file at this instance: the one in Markdown
// (/api/attachments.redirect?id=…, with or without the host) or one that names where
// the file is stored (/api/files.get?key=…), or the Markdown or HTML of an image or a
// link. Spaces, quotes and angle brackets around the value are removed. Anything else is an [*IdentifierError].
func (c *Client) ParseAttachmentID(s string) (string, error) {
	value := bareAddress(s)
	fail := func(hint string) (string, error) {
		return "", &IdentifierError{Kind: "attachment", Value: shownID(value), Hint: hint}
	}
	if id := strings.TrimPrefix(value, "/attachments/"); IsUUID(id) {
		return strings.ToLower(id), nil
	}
	if host := hostOf(value); host != "" && !c.isOwn(host) {
		return "", c.foreignID("attachment", value, host)
	}
	u, err := url.Parse(value)
	if err != nil {
		return fail("")
	}
	query := u.Query()
	switch {
	case strings.HasSuffix(u.Path, "/attachments.redirect") && IsUUID(query.Get("id")):
		return strings.ToLower(query.Get("id")), nil
	case strings.HasSuffix(u.Path, filesGet):
		// The file is stored under uploads/USER/ATTACHMENT/NAME.
		key := cmp.Or(query.Get("key"), signedKey(query.Get("sig")))
		if parts := strings.Split(key, "/"); len(parts) > 2 && IsUUID(parts[2]) {
			return strings.ToLower(parts[2]), nil
		}
		return fail("this link does not tell which attachment it is")
	}
	return fail("")
}

// linkAddress returns the address in the Markdown or HTML of a link or an image, which may
// have a title and a size. Other text is an address itself.
func linkAddress(s string) string {
	begun := false
	for _, begin := range []string{"](", `src="`, `href="`, "]: "} {
		if _, after, found := strings.Cut(s, begin); found {
			s, begun = after, true
		}
	}
	if strings.HasPrefix(s, "<") {
		s, begun = s[1:], true
	}
	if !begun {
		return s
	}
	s = strings.TrimSpace(s)
	if end := strings.IndexAny(s, " \t\n)>\""); end >= 0 {
		s = s[:end]
	}
	return s
}

// signedKey returns the key that a signature of Outline names, which is a JSON Web Token,
// or "". Only Outline can verify it; what the key names is asked of Outline with the
// credential of the caller.
func signedKey(signature string) string {
	_, rest, _ := strings.Cut(signature, ".")
	payload, _, _ := strings.Cut(rest, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(payload)
	var claims struct {
		Key string `json:"key"`
	}
	if err != nil || json.Unmarshal(decoded, &claims) != nil {
		return ""
	}
	return claims.Key
}
