// Package views holds the views that clients with MCP Apps show to people beside the
// answers of tools. Each is an HTML page that loads nothing, built from the TypeScript
// in src by build.mjs. It gets the answer from the client (SEP-1865).
//
// The View of a tool's declaration names the page that shows its answers. Clients that
// show views find its URI in lists of tools, and get structured content in _meta if it is
// not switched on: they pass _meta on to the view, but not to the model. For all other
// clients, nothing changes.
package views

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"outline-mcp/internal/mcp/wire"
)

// A View shows answers of the tools whose declarations name it.
type View string

// The views.
const (
	Difference View = "difference" // what an edit changes, or how two revisions differ
	Document   View = "document"   // a document, or a section of it
	Finding    View = "finding"    // documents that were found or listed
)

const (
	// Extension is the capability of clients that show views (SEP-1865).
	Extension = "io.modelcontextprotocol/ui"
	// MIMEType is that of the pages.
	MIMEType = "text/html;profile=mcp-app"
	// StructuredContent is the key of structured content in _meta of a result. Clients
	// pass it on to views, but not to models, which may pay twice for structuredContent.
	// src/shared/answer.ts has the same key.
	StructuredContent = "outline-mcp/structuredContent"
)

const scheme = "ui://outline/"

//go:embed dist/*.html.gz
var pages embed.FS

// All returns the views.
func All() []View { return []View{Difference, Document, Finding} }

// At returns the view with a URI.
func At(uri string) (View, bool) {
	name, ok := strings.CutPrefix(uri, scheme)
	return View(name), ok && slices.Contains(All(), View(name))
}

// URI returns the URI of the page.
func (v View) URI() string { return scheme + string(v) }

// HTML returns the page.
func (v View) HTML() (string, error) {
	page, err := v.decompress()
	if err != nil {
		return "", fmt.Errorf("read the view %s: %w", v, err)
	}
	return string(page), nil
}

func (v View) decompress() ([]byte, error) {
	compressed, err := pages.ReadFile("dist/" + string(v) + ".html.gz")
	if err != nil {
		return nil, err
	}
	page, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(page)
}

// Shown reports whether the client of a request declares that it shows views. It is
// false if that is not known; see wire.ClientCapabilities.
func Shown(ctx context.Context) bool {
	settings, _ := wire.ClientCapabilities(ctx).Extensions[Extension].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	return slices.Contains(types, any(MIMEType))
}
