// Package tools declares what this server offers to AI clients: each tool is
// one mcptool.Spec, from which its schemas, hints, argument checks, both
// renderings and its documentation follow. A file holds a group of tools or
// what several of them share.
package tools

import (
	"embed"
	"io/fs"

	"outline-mcp/internal/mcptool"
)

// The groups, in documentation order.
const (
	Search      mcptool.Group = "search"
	Reading     mcptool.Group = "reading"
	Documents   mcptool.Group = "documents"
	Lifecycle   mcptool.Group = "lifecycle"
	Comments    mcptool.Group = "comments"
	Collections mcptool.Group = "collections"
	Batch       mcptool.Group = "batch"
	AI                        = mcptool.AI
)

// All returns every tool, in documentation order.
func All() []mcptool.Tool {
	return []mcptool.Tool{
		searchDocuments(), listCollections(), getCollectionStructure(), getDocumentIDFromTitle(),
		readDocument(), exportDocument(), getDocumentOutline(), readDocumentSection(),
		createDocument(), updateDocument(), editDocument(), moveDocument(),
		archiveDocument(), unarchiveDocument(), deleteDocument(), restoreDocument(), listArchivedDocuments(), listTrash(),
		addComment(), listDocumentComments(), getComment(), getDocumentBacklinks(),
		createCollection(), updateCollection(), deleteCollection(), exportCollection(), exportAllCollections(),
		batchCreateDocuments(), batchUpdateDocuments(), batchMoveDocuments(), batchArchiveDocuments(), batchDeleteDocuments(),
		askAIAboutDocuments(),
	}
}

// Schemas returns the recorded schemas of all tools, two files for each in the
// folder schemas. Reflecting them from the types takes longer than everything
// else at the start of the program. A test compares them with the types and
// rewrites them.
func Schemas() fs.FS { return recorded }

//go:embed schemas
var recorded embed.FS
