// Package resources declares the resources that this server offers to AI clients:
// documents, collections, attachments and revisions of Outline under URIs of the
// scheme outline. People pick them, where models call tools. Each resource gives
// what one of the tools gives, and is offered if that tool is: the operator's
// choice of tools, the limits of a request and of a credential apply to both.
package resources

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools"
	"outline-mcp/views"
)

// Options are what resources need.
type Options struct {
	Env      mcptool.Env // of all requests
	Pipeline mcptool.Pipeline
	MaxChars int            // of text in an answer, in code points; 0 means no limit
	Tools    []mcptool.Tool // that the server offers
	// Permitted returns which tools the credential of a request allows; nil allows
	// all. It only shortens lists.
	Permitted func(context.Context) func(tool string) bool
	Views     []views.View // that clients may read, beside the resources
	// HasGuidance reports whether the admins of the caller's workspace have set guidance.
	HasGuidance func(context.Context) bool
	// SkillsCollection is that of which each document at the top level is a skill, by any
	// form of its ID; "" for none.
	SkillsCollection string
	Log              *slog.Logger // nil discards
}

// The names of the resources.
const (
	Document          = "document"
	DocumentOutline   = "document_outline"
	DocumentComments  = "document_comments"
	DocumentBacklinks = "document_backlinks"
	Collection        = "collection"
	Attachment        = "attachment"
	Revision          = "revision"
	Guidance          = "guidance"
	Icons             = "icons"
)

// GuidanceURI is the URI of the resource Guidance.
const GuidanceURI = "outline://" + Guidance

// A declaration declares one resource.
type declaration struct {
	name, title, description string
	icon                     string // of the template; see mcptool.Icons

	path     string // after the scheme, with {id}
	tool     string // that gives the same
	mimeType string // "" if it depends on the resource
	priority float64
	read     func(context.Context, source, URI) (output.Result, error)
}

// source is what reading a resource may use.
type source struct {
	mcptool.Env
	tool mcptool.Tool // of the declaration
}

const markdown = "text/markdown"

// declarations returns all resources, in the order of the documentation.
func declarations() []declaration {
	return []declaration{
		{
			name: Document, icon: "documents", title: "Document", path: "documents/{id}", tool: "read_document", mimeType: markdown, priority: 0.8,
			description: "A document of the Outline wiki as Markdown, under its title, ID, collection and revision.",
			read:        inParts("document_id"),
		},
		{
			name: DocumentOutline, icon: "outline", title: "Document outline", path: "documents/{id}/outline", tool: "get_document_outline", mimeType: markdown, priority: 0.5,
			description: "The headings of an Outline document with their lines; of a short document, the whole text.",
			read:        inParts("document_id"),
		},
		{
			name: DocumentComments, icon: "comments", title: "Comments", path: "documents/{id}/comments", tool: "list_document_comments", mimeType: markdown, priority: 0.5,
			description: "All comments on an Outline document by thread, resolved ones too.",
			read:        byLines("document_id", map[string]any{"limit": everything, "resolved": "all", "order": "oldest", "include_anchor_text": true}),
		},
		{
			name: DocumentBacklinks, icon: "search", title: "Backlinks", path: "documents/{id}/backlinks", tool: "get_document_backlinks", mimeType: markdown, priority: 0.4,
			description: "The Outline documents that link to a document.",
			read:        byLines("document_id", nil),
		},
		{
			name: Collection, icon: "collections", title: "Collection", path: "collections/{id}", tool: "get_collection_structure", mimeType: markdown, priority: 0.6,
			description: "The tree of published documents in an Outline collection: titles and IDs.",
			read:        byLines("collection_id", map[string]any{"max_depth": -1}),
		},
		{
			name: Attachment, icon: "files", title: "Attachment", path: "attachments/{id}", tool: "read_attachment", priority: 0.4,
			description: "A file in Outline: text, or any other as it is, up to 5 MB.",
			read:        attachment,
		},
		{
			name: Revision, icon: "history", title: "Revision", path: "revisions/{id}", tool: "read_revision", mimeType: markdown, priority: 0.3,
			description: "An earlier revision of an Outline document as Markdown.",
			read:        inParts("revision_id"),
		},
	}
}

// guidance declares what the admins of the workspace tell AI clients. It is offered if
// any other resource is: instructions point at it.
func guidance() declaration {
	return declaration{
		name: Guidance, title: "Guidance of this workspace", path: Guidance, mimeType: markdown, priority: 1,
		description: "What the admins of this Outline workspace tell AI clients about it.",
		read: func(ctx context.Context, s source, u URI) (output.Result, error) {
			who, err := s.Outline.AuthInfo(ctx)
			if err != nil {
				return nil, err
			}
			told := tools.Guidance(who.Team.GuidanceMCP)
			if told == "" {
				return nil, output.Failure{Code: output.NotFound, Sentence: "the admins of this workspace have set no guidance for AI clients."}
			}
			return linesOf(told, markdown, u)
		},
	}
}

// icons declares the names that the argument icon of tools takes beside emoji. It is
// offered as guidance is.
func icons() declaration {
	return declaration{
		name: Icons, title: "Icon names", path: Icons, mimeType: "text/plain", priority: 0.1,
		description: "The names of Outline's icons, for the argument icon of tools, which also takes an emoji or its shortcode.",
		read: func(_ context.Context, _ source, u URI) (output.Result, error) {
			return linesOf(strings.Join(prosemirror.IconNames(), "\n"), "text/plain", u)
		},
	}
}

// singletons returns the resources of which there is one, with a URI and no template.
func singletons() []declaration { return []declaration{guidance(), icons()} }

// declarationOf returns the declaration with a name, or an empty one.
func declarationOf(name string) declaration {
	for _, d := range append(declarations(), singletons()...) {
		if d.name == name {
			return d
		}
	}
	return declaration{}
}

// everything is a limit on entries that no list reaches.
const everything = 1 << 30

func (d declaration) uri() string { return "outline://" + d.path }

// template returns the URI template (RFC 6570).
func (d declaration) template() string { return d.uri() + "{?start_line,start_char}" }

// item returns the resource as the pipeline knows it.
func (d declaration) item() mcptool.Item { return mcptool.Item{Name: d.name, Tool: d.tool} }

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
	for _, d := range singletons() {
		if path == d.path {
			u := URI{Name: d.name}
			return u, u.readQuery(query, uri)
		}
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
			return u, output.Invalid("%s has no valid ID. Put a UUID, a URL id or a percent-encoded address in the place of {id} in %s", quoteURI(uri), d.uri())
		}
		return u, u.readQuery(query, uri)
	}
	return URI{}, unknown(uri)
}

// Item returns the resource as the pipeline knows it; one named other if there is none.
func (u URI) Item() mcptool.Item {
	if u.Name == "" {
		return mcptool.Item{Name: "other"} // not the URI, which can be anything
	}
	return declarationOf(u.Name).item()
}

// readQuery reads the parameters of a URI.
func (u *URI) readQuery(query, uri string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return output.Invalid("the part of %s after the question mark is malformed", quoteURI(uri))
	}
	known := map[string]*int{"start_line": &u.StartLine, "start_char": &u.StartChar}
	for name, given := range values {
		number, ok := known[name]
		if !ok {
			return output.Invalid("%s has the unknown parameter %s. Valid parameters: start_line, start_char", quoteURI(uri), output.Quote(output.Excerpt(name, 60)))
		}
		n, err := strconv.Atoi(given[0])
		if err != nil || n < 1 || len(given) > 1 {
			return output.Invalid("%s must be given once in %s, as a whole number from 1 on", name, quoteURI(uri))
		}
		*number = n
	}
	return nil
}

// unknown is the failure for a URI that no resource has.
func unknown(uri string) error {
	var known []string
	for _, d := range append(declarations(), singletons()...) {
		known = append(known, d.uri())
	}
	return output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("%s is not the URI of a resource. Resources: %s.", quoteURI(uri), strings.Join(known, ", "))}
}

// quoteURI returns a URI for a sentence, without keys.
func quoteURI(uri string) string {
	return output.Quote(text.Truncate(outline.Redact(strings.ToValidUTF8(uri, "\uFFFD")), 200))
}
