// Package tools declares the tools that this server offers to AI clients. Each
// tool is one mcptool.Spec, which yields its schemas, hints, argument checks,
// text and structured results, and documentation. A file contains a group of
// tools or what several tools share.
package tools

import (
	"embed"
	"io/fs"
	"slices"

	"outline-mcp/internal/mcptool"
)

// The groups of tools, in documentation order.
const (
	Search      mcptool.Group = "search"
	Reading     mcptool.Group = "reading"
	Documents   mcptool.Group = "documents"
	History     mcptool.Group = "history"
	Lifecycle   mcptool.Group = "lifecycle"
	Comments    mcptool.Group = "comments"
	Collections mcptool.Group = "collections"
	Files       mcptool.Group = "files"
	Templates   mcptool.Group = "templates"
	People      mcptool.Group = "people"
	Batch       mcptool.Group = "batch"
	AI                        = mcptool.AI
	ChatGPT     mcptool.Group = "chatgpt"
)

// All returns every tool, in documentation order. At most 42 of them are offered
// by default, because each takes up context in every session; the others are
// Optional.
func All() []mcptool.Tool {
	return slices.Concat(
		mcptool.InGroup(Search, searchDocuments(), findInDocuments(), listDocuments(), listCollections(), getCollectionStructure(), getDocumentIDFromTitle()),
		mcptool.InGroup(Reading, readDocument(), exportDocument(), getDocumentOutline(), readDocumentSection()),
		mcptool.InGroup(Documents, createDocument(), updateDocument(), editDocument(), moveDocument(), duplicateDocument()),
		mcptool.InGroup(History, listRevisions(), readRevision()),
		mcptool.InGroup(Lifecycle, archiveDocument(), unarchiveDocument(), deleteDocument(), restoreDocument(), listArchivedDocuments(), listTrash()),
		mcptool.InGroup(Comments, addComment(), updateComment(), listDocumentComments(), getComment(), deleteComment(), getDocumentBacklinks()),
		mcptool.InGroup(Collections, createCollection(), updateCollection(), deleteCollection(), exportCollection(), exportAllCollections()),
		mcptool.InGroup(Files, readAttachment(), listAttachments(), uploadAttachment(), getExport(), importDocument()),
		mcptool.InGroup(Templates, listTemplates(), createTemplate()),
		mcptool.InGroup(People, listUsers(), getWorkspace()),
		mcptool.InGroup(Batch, batchReadDocuments(), batchCreateDocuments(), batchUpdateDocuments(), batchMoveDocuments(), batchArchiveDocuments(), batchDeleteDocuments()),
		mcptool.InGroup(AI, askAIAboutDocuments()),
		mcptool.InGroup(ChatGPT, chatGPTSearch(), chatGPTFetch()),
	)
}

// Schemas returns the recorded schemas of all tools: schemas/NAME.input.json
// and schemas/NAME.output.json. Deriving them from the types would take longer
// than the rest of the program's start. A test compares them with the types and
// updates them.
func Schemas() fs.FS { return recorded }

//go:embed schemas
var recorded embed.FS
