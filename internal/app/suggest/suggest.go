// Package suggest finds what somebody may mean who has begun to type an ID, a name
// or a status. MCP completions and the shell completion share it.
package suggest

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/auth"
	"outline-mcp/outline"
)

// Kind is what the value of an argument identifies. The names tags of the arguments
// of tools have these values, too.
type Kind string

// The kinds that can be suggested.
const (
	Documents   Kind = "document"
	Archived    Kind = "archived document"
	Deleted     Kind = "deleted document" // in the trash
	Collections Kind = "collection"
	People      Kind = "person"
	Templates   Kind = "template"
	Statuses    Kind = "status" // of a document
)

// KindOf returns what an argument identifies, judging by its name: collection,
// parent_document_id and document_ids, for example, are known. It is "" for a name
// that does not say so.
func KindOf(argument string) Kind {
	name := strings.TrimSuffix(strings.ToLower(argument), "s")
	name = "_" + strings.TrimSuffix(name, "_id")
	for _, known := range []struct {
		suffix string
		kind   Kind
	}{
		{"_document", Documents},
		{"_collection", Collections},
		{"_template", Templates},
		{"_statu", Statuses}, // without its s
		{"_person", People}, {"_user", People}, {"_author", People}, {"_collaborator", People},
	} {
		if strings.HasSuffix(name, known.suffix) {
			return known.kind
		}
	}
	return ""
}

// Tools returns the tools whose answers contain what is suggested for a kind. A
// request that may use none of them gets no suggestions.
func (k Kind) Tools() []string {
	switch k {
	case Documents:
		return []string{"get_document_id_from_title", "search_documents", "list_documents", "search"}
	case Archived:
		return []string{"list_archived_documents"}
	case Deleted:
		return []string{"list_trash"}
	case Collections:
		return []string{"list_collections", "search_documents"}
	case People:
		return []string{"list_users", "search_documents", "list_documents"} // a collaborator is given by name
	case Templates:
		return []string{"list_templates"}
	case Statuses:
		return []string{"search_documents", "list_documents"}
	}
	return nil
}

// A Candidate is something that may be meant. All of it is on one line.
type Candidate struct {
	// Value is what to fill in: the slug of a document or a collection, which tells
	// its title; the title of a template and the name of a person, or what is unique
	// if others have the same.
	Value string
	ID    string // UUID; "" for a status
	Name  string // title or name; may be ""
	Place string // name of the collection that it is in; "" if it is in none or unknown
}

// Hint describes a candidate to somebody who sees only its value: its name and
// collection.
func (c Candidate) Hint() string {
	if c.Place == "" {
		return c.Name
	}
	return c.Name + " (" + c.Place + ")"
}

// Found is the answer to what has been typed.
type Found struct {
	Candidates []Candidate // the best first
	More       bool        // there may be others
}

// A Source looks up candidates in Outline for the caller of a context. A lookup of
// documents takes one request, or two if no title contains what is typed; collections
// and templates are kept for a minute. It is safe for concurrent use.
type Source struct {
	// Within is how long Complete waits for Outline. New sets it to 300 ms: a person is
	// typing.
	Within time.Duration

	client      *outline.Client
	collections *mcptool.Collections
	templates   auth.PerCaller[[]outline.Template]
}

// New returns a source that uses a client and what is known about collections.
func New(client *outline.Client, collections *mcptool.Collections) *Source {
	return &Source{Within: 300 * time.Millisecond, client: client, collections: collections}
}

// Find returns what somebody may mean who has typed a text, which may be "". Requests
// are not repeated. An error is that of the Outline client.
func (s *Source) Find(ctx context.Context, kind Kind, typed string) (Found, error) {
	return s.find(ctx, kind, typed, extent{documents: 50, places: s.collections.Begin})
}

// extent is how much is asked for.
type extent struct {
	documents int // at most; an answer of Outline holds their texts
	// places starts to ask for the names of collections, and returns a function that
	// waits for them.
	places func(context.Context) (wait func() mcptool.CollectionNames)
}

// noPlaces leaves out the places of candidates, and the request that they take.
func noPlaces(context.Context) func() mcptool.CollectionNames {
	return func() mcptool.CollectionNames { return nil }
}

func (s *Source) find(ctx context.Context, kind Kind, typed string, most extent) (Found, error) {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	typed = strings.TrimSpace(typed)
	switch kind {
	case Documents, Archived, Deleted:
		return s.documents(ctx, kind, typed, most)
	case Collections:
		return s.findCollections(ctx, typed), nil
	case People:
		return s.people(ctx, typed)
	case Templates:
		return s.findTemplates(ctx, typed, most), nil
	case Statuses:
		all := []Candidate{{Value: "draft"}, {Value: "published"}, {Value: "archived"}}
		return Found{Candidates: slices.DeleteFunc(all, func(c Candidate) bool {
			return !strings.HasPrefix(c.Value, strings.ToLower(typed))
		})}, nil
	}
	return Found{}, nil
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
func (s *Source) Complete(ctx context.Context, kind Kind, typed string) (*mcp.Completion, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	found, err := s.find(ctx, kind, typed, extent{mostDocuments, noPlaces})
	if err != nil {
		return nil, err
	}
	completion, chars := &mcp.Completion{Values: []string{}, HasMore: found.More}, 0
	for _, candidate := range found.Candidates {
		chars += utf8.RuneCountInString(candidate.Value)
		if chars > mostChars {
			completion.HasMore = true
			break
		}
		completion.Values = append(completion.Values, candidate.Value)
	}
	if !found.More {
		completion.Total = len(found.Candidates)
	}
	return completion, nil
}
