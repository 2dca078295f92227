package mcptool

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
)

// ValueKind is what the value of an argument identifies.
type ValueKind string

// The kinds that can be suggested.
const (
	KindDocument   ValueKind = "document"
	KindCollection ValueKind = "collection"
	KindPerson     ValueKind = "person"
	KindTemplate   ValueKind = "template"
	KindStatus     ValueKind = "status" // of a document
)

// ValueKindOf returns what an argument identifies, judging by its name: collection,
// parent_document_id and document_ids, for example, are known. It is "" for a name
// that does not say so.
func ValueKindOf(argument string) ValueKind {
	name := strings.TrimSuffix(strings.ToLower(argument), "s")
	name = "_" + strings.TrimSuffix(name, "_id")
	for _, known := range []struct {
		suffix string
		kind   ValueKind
	}{
		{"_document", KindDocument},
		{"_collection", KindCollection},
		{"_template", KindTemplate},
		{"_statu", KindStatus}, // without its s
		{"_person", KindPerson}, {"_user", KindPerson}, {"_author", KindPerson}, {"_collaborator", KindPerson},
	} {
		if strings.HasSuffix(name, known.suffix) {
			return known.kind
		}
	}
	return ""
}

// Tools returns the tools whose answers contain what is suggested for a kind. A
// request that may use none of them gets no suggestions.
func (k ValueKind) Tools() []string {
	switch k {
	case KindDocument:
		return []string{"get_document_id_from_title", "search_documents", "list_documents", "search"}
	case KindCollection:
		return []string{"list_collections", "search_documents"}
	case KindPerson:
		return []string{"list_users", "search_documents", "list_documents"} // a collaborator is given by name
	case KindTemplate:
		return []string{"list_templates"}
	case KindStatus:
		return []string{"search_documents", "list_documents"}
	}
	return nil
}

// A candidate is something that may be meant. All of it is on one line.
type candidate struct {
	// value is what to fill in: the slug of a document or a collection, which tells
	// its title; the title of a template and the name of a person, or what is unique
	// if others have the same.
	value string
	id    string // UUID; "" for a status
	name  string // title or name; may be ""
}

// candidates are the answer to what has been typed.
type candidates struct {
	list []candidate // the best first
	more bool        // there may be others
}

// Suggestions complete the ID, name or status that a user has begun to type,
// for the caller of a context. A lookup of documents takes one request, or two if no title contains what is typed;
// collections and templates are kept for a minute. They are safe for concurrent use.
type Suggestions struct {
	// Within is how long Complete waits for Outline. NewSuggestions sets it to 300 ms: a
	// person is typing.
	Within time.Duration

	client      *outline.Client
	collections *Collections
	templates   auth.PerCaller[[]outline.Template]
}

// NewSuggestions returns suggestions that use a client and what is known about collections.
func NewSuggestions(client *outline.Client, collections *Collections) *Suggestions {
	return &Suggestions{Within: 300 * time.Millisecond, client: client, collections: collections}
}

// find returns the completions of a typed text, which may be "". Requests
// are not repeated. An error is that of the Outline client.
func (s *Suggestions) find(ctx context.Context, kind ValueKind, typed string) (candidates, error) {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	typed = strings.TrimSpace(typed)
	switch kind {
	case KindDocument:
		return s.documents(ctx, typed)
	case KindCollection:
		return s.findCollections(ctx, typed), nil
	case KindPerson:
		return s.people(ctx, typed)
	case KindTemplate:
		return s.findTemplates(ctx, typed), nil
	case KindStatus:
		all := []candidate{{value: "draft"}, {value: "published"}, {value: "archived"}}
		return candidates{list: slices.DeleteFunc(all, func(c candidate) bool {
			return !strings.HasPrefix(c.value, strings.ToLower(typed))
		})}, nil
	}
	return candidates{}, nil
}

const (
	// mostDocuments keeps the server's own share below 5 ms.
	mostDocuments = 25
	// mostChars is how many characters the values have at most, in code points. The
	// lowest OUTLINE_MAX_RESPONSE_CHARS is more.
	mostChars = 9000
)

// Complete returns an MCP completion of what is typed: the values of the candidates,
// because MCP has no hints. There are at most 100 (MCP specification,
// server/utilities/completion), as in a page of Outline. If Outline does not answer in
// time, it fails.
func (s *Suggestions) Complete(ctx context.Context, kind ValueKind, typed string) (*mcp.Completion, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	found, err := s.find(ctx, kind, typed)
	if err != nil {
		return nil, err
	}
	completion, chars := &mcp.Completion{Values: []string{}, HasMore: found.more}, 0
	for _, c := range found.list {
		chars += utf8.RuneCountInString(c.value)
		if chars > mostChars {
			completion.HasMore = true
			break
		}
		completion.Values = append(completion.Values, c.value)
	}
	if !found.more {
		completion.Total = len(found.list)
	}
	return completion, nil
}
