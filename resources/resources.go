// Package resources declares the resources that this server offers to AI clients:
// documents, collections, attachments and revisions of Outline under URIs of the
// scheme outline. People pick them, where models call tools. Each resource gives
// what one of the tools gives, and is offered if that tool is: the operator's
// choice of tools, the limits of a request and of a credential apply to both.
package resources

import (
	"context"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
	"outline-mcp/output"
	"outline-mcp/views"
)

// Options are what resources need.
type Options struct {
	Env      mcptool.Env // of all requests
	Pipeline pipeline.Pipeline
	MaxChars int            // of text in an answer, in code points; 0 means no limit
	Tools    []mcptool.Tool // that the server offers
	// Permitted returns which tools the credential of a request allows; nil allows
	// all. It only shortens lists.
	Permitted func(context.Context) func(tool string) bool
	Views     []views.View // that clients may read, beside the resources
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
)

// A declaration declares one resource.
type declaration struct {
	name, title, description string
	icon                     string // of the template; see internal/icons

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

// named returns the declaration with a name, or an empty one.
func named(name string) declaration {
	for _, d := range declarations() {
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
func (d declaration) item() pipeline.Item { return pipeline.Item{Name: d.name, Tool: d.tool} }
