package faults

import (
	"os"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// A write is a call of a tool that changes something.
type write struct {
	name      string
	group     string // the column of the documentation
	tool      string
	arguments map[string]any
	items     []string // for a batch, the object of each item
	edited    string   // the document that another user edits in the meantime; "" if they create a collection
}

// writesOn are the writes that a version can make. Releases cannot attach comments to
// passages of documents that nobody has opened in the editor.
func writesOn(v version) []write {
	return slices.DeleteFunc(writes(), func(w write) bool {
		return !v.guards() && w.arguments["anchor_text"] != nil
	})
}

// updates reports whether the call changes the contents of documents, which Outline
// may guard against changes by others.
func (w write) updates() bool {
	return w.restores() || w.arguments["insert"] != nil || slices.Contains([]string{"edit_document", "update_document", "batch_update_documents"}, w.tool)
}

// once reports whether the server sends the only request of the call that writes once:
// its file is read once.
func (w write) once() bool { return w.tool == "import_document" }

// restores reports whether the call sets a document back to a revision, which no
// version guards.
func (w write) restores() bool { return w.arguments["revision_id"] != nil }

// guarded reports whether a version refuses to overwrite what others write meanwhile.
// Making a draft writes no text.
func (w write) guarded(v version) bool {
	return v.guards() && !w.restores() && w.arguments["publish"] != false
}

// writes are the calls that faults are injected into.
func writes() []write {
	type args = map[string]any
	ids := []string{beta, gamma, bystander}
	return []write{
		{"create a document", "create document", "create_document", args{"title": "New page", "text": "Hello.", "collection_id": handbook}, nil, bystander},
		{"create a document below another", "create document", "create_document", args{"title": "New page", "text": "Hello.", "parent_document_id": alpha}, nil, bystander},
		{"create a draft", "create document", "create_document", args{"title": "New draft", "text": "Hello.", "publish": false}, nil, bystander},
		{"create a document that mentions a user", "create document", "create_document", args{"title": "New page", "text": "Ask @[Human].", "collection_id": handbook}, nil, bystander},
		{"comment", "add comment", "add_comment", args{"document_id": alpha, "text": "A new remark."}, nil, alpha},
		{"comment on a passage", "add comment", "add_comment", args{"document_id": alpha, "text": "A new remark.", "anchor_text": "Second paragraph"}, nil, alpha},
		{"mention a user in a comment", "add comment", "add_comment", args{"document_id": alpha, "text": "@[Human], look."}, nil, alpha},
		{"resolve a comment", "change comment", "update_comment", args{"comment_id": remark, "resolved": true}, nil, alpha},
		{"replace the text of a comment", "change comment", "update_comment", args{"comment_id": remark, "text": "Another **remark**."}, nil, alpha},
		{"replace the text of a comment and resolve it", "change comment", "update_comment", args{"comment_id": alphaRemark, "text": "Another remark.", "resolved": true}, nil, alpha},
		{"mention a user in the text of a comment", "change comment", "update_comment", args{"comment_id": remark, "text": "Another remark for @[human@example.com]."}, nil, alpha},
		{"delete a comment", "change comment", "delete_comment", args{"comment_id": remark}, nil, alpha},
		{"create a document from a template", "create document", "create_document", args{"template_id": template, "collection_id": handbook}, nil, bystander},
		{"duplicate a document with what is below it", "create document", "duplicate_document", args{"document_id": alpha, "recursive": true, "title": "New copy"}, nil, bystander},
		{"duplicate a document below its namesake", "create document", "duplicate_document", args{"document_id": gamma, "parent_document_id": gamma}, nil, bystander},
		{"duplicate a document as a draft", "create document", "duplicate_document", args{"document_id": beta, "collection_id": elsewhere, "publish": false}, nil, bystander},
		{"create a template", "create document", "create_template", args{"document_id": alpha, "title": "New template"}, nil, alpha},
		{"replace the text", "update, edit", "update_document", args{"document_id": beta, "text": "Wholly new."}, nil, beta},
		{"replace the text of a revision", "update, edit", "update_document", args{"document_id": beta, "text": "Wholly new.", "expected_revision": 3}, nil, beta},
		{"replace the text, and retitle", "update, edit", "update_document", args{"document_id": beta, "text": "Wholly new.", "title": "Beta 2"}, nil, beta},
		{"append", "update, edit", "update_document", args{"document_id": beta, "text": "One more line.", "append": true}, nil, beta},
		{"append, and retitle", "update, edit", "update_document", args{"document_id": beta, "text": "One more line.", "title": "Beta 2", "append": true}, nil, beta},
		{"put at the beginning", "update, edit", "update_document", args{"document_id": beta, "text": "One line before.", "prepend": true}, nil, beta},
		{"append to a section", "update, edit", "update_document", args{"document_id": alphaSub, "heading": "Tools", "text": "- a net", "append": true}, nil, alphaSub},
		{"append to the last section", "update, edit", "update_document", args{"document_id": alphaSub, "heading": "Care", "text": "One more line.", "append": true}, nil, alphaSub},
		{"put at the beginning of a section", "update, edit", "update_document", args{"document_id": alphaSub, "heading": "Tools", "text": "One line before.", "prepend": true}, nil, alphaSub},
		{"replace a section", "update, edit", "update_document", args{"document_id": alphaSub, "heading": "Tools", "text": "Take ==a lamp==.\n\n* a net\n* a rope"}, nil, alphaSub},
		{"replace the last section, and retitle", "update, edit", "update_document", args{"document_id": alphaSub, "heading": "Care", "text": "Wholly new.", "title": "New child"}, nil, alphaSub},
		{"make a draft", "update, edit", "update_document", args{"document_id": beta, "publish": false}, nil, beta},
		{"retitle", "update, edit", "update_document", args{"document_id": beta, "title": "Beta, renamed", "icon": "🚀"}, nil, beta},
		{"edit", "update, edit", "edit_document", args{"document_id": alpha, "edits": []any{
			args{"old_text": "the one to change", "new_text": "the one that was changed"},
		}}, nil, alpha},
		{"edit in three places", "update, edit", "edit_document", args{"document_id": alpha, "edits": []any{
			args{"old_text": "First paragraph", "new_text": "Opening paragraph"},
			args{"old_text": "* a point\n", "new_text": ""},
			args{"old_text": "Last paragraph.", "new_text": "Closing paragraph.\n\nAnd one more."},
		}}, nil, alpha},
		{"edit a passage with a comment", "update, edit", "edit_document", args{"document_id": beta, "edits": []any{
			args{"old_text": "Text to keep", "new_text": "Text to amend"},
		}}, nil, beta},
		{"edit at the cost of a comment", "update, edit", "edit_document", args{"document_id": gamma, "allow_loss": true, "edits": []any{
			args{"old_text": "Text of gamma.", "new_text": "* Text of gamma."},
		}}, nil, gamma},
		{"edit so that it mentions a user", "update, edit", "edit_document", args{"document_id": alpha, "edits": []any{
			args{"old_text": "of the guide", "new_text": "for @[Human]"},
		}}, nil, alpha},
		{"restore a revision", "restore a revision", "restore_document", args{"document_id": bystander, "revision_id": bystanderOnce}, nil, bystander},
		{"restore a revision at the cost of a comment", "restore a revision", "restore_document", args{"document_id": gamma, "revision_id": gammaOnce, "allow_loss": true}, nil, gamma},
		{"move to another collection", "move, archive, restore", "move_document", args{"document_id": alpha, "collection_id": elsewhere}, nil, alpha},
		{"move below another", "move, archive, restore", "move_document", args{"document_id": gamma, "parent_document_id": alpha, "index": 0}, nil, gamma},
		{"move among its siblings", "move, archive, restore", "move_document", args{"document_id": alpha, "index": 2}, nil, alpha},
		{"archive", "move, archive, restore", "archive_document", args{"document_id": alpha}, nil, alpha},
		{"unarchive", "move, archive, restore", "unarchive_document", args{"document_id": archived}, nil, bystander},
		{"restore", "move, archive, restore", "restore_document", args{"document_id": binned}, nil, bystander},
		{"restore elsewhere", "move, archive, restore", "restore_document", args{"document_id": binned, "collection_id": elsewhere}, nil, bystander},
		{"delete", "delete", "delete_document", args{"document_id": alpha}, nil, alpha},
		{"delete for good", "delete for good", "delete_document", args{"document_id": binned, "permanent": true}, nil, bystander},
		{"delete for good what is not in the trash", "delete for good", "delete_document", args{"document_id": gamma, "permanent": true}, nil, bystander},
		{"create a collection", "create collection", "create_collection", args{"name": "New collection", "permission": "read_write"}, nil, bystander},
		{"create a private collection", "create collection", "create_collection", args{"name": "New collection", "description": "Mine."}, nil, bystander},
		{"create a collection that has a namesake", "create collection", "create_collection", args{"name": "Elsewhere", "permission": "read_write"}, nil, bystander},
		{"create a collection as another user does", "create collection", "create_collection", args{"name": "New collection", "permission": "read_write"}, nil, ""},
		{"rename a collection", "update, delete collection", "update_collection", args{"collection_id": elsewhere, "name": "Somewhere", "color": "#4E5C6E"}, nil, bystander},
		{"archive a collection", "update, delete collection", "update_collection", args{"collection_id": elsewhere, "archived": true}, nil, bystander},
		{"rename a collection and archive it", "update, delete collection", "update_collection", args{"collection_id": elsewhere, "name": "Somewhere", "archived": true}, nil, bystander},
		{"make a collection private, with an icon", "update, delete collection", "update_collection", args{"collection_id": elsewhere, "permission": "private", "icon": "🧭"}, nil, bystander},
		{"delete a collection", "update, delete collection", "delete_collection", args{"collection_id": handbook}, nil, bystander},
		{"upload a file", "files", "upload_attachment", args{"name": "lamp.txt", "text": "On.", "document_id": beta}, nil, bystander},
		{"let another user upload a file", "files", "upload_attachment", args{"name": "lamp.mp4", "size": 1000}, nil, bystander},
		{"upload a file and append it", "files", "upload_attachment", args{"name": "lamp.txt", "text": "On.", "document_id": beta, "insert": "append"}, nil, beta},
		{"upload a file into the middle", "files", "upload_attachment", args{"name": "lamp.txt", "text": "On.", "document_id": alpha, "insert": "after", "after_text": "Second paragraph"}, nil, alpha},
		{"import a file", "files", "import_document", args{"name": "new.md", "text": "# New page\n\nHello.", "collection_id": handbook}, nil, bystander},
		{"make a public link", "share", "share_document", args{"document_id": alpha, "link": "on"}, nil, alpha},
		{"make a public link with a name", "share", "share_document", args{"document_id": alpha, "link": "on", "link_name": "alpha", "include_children": true}, nil, alpha},
		{"close a public link", "share", "share_document", args{"document_id": beta, "link": "off"}, nil, beta},
		{"end a public link", "share", "share_document", args{"document_id": beta, "link": "end"}, nil, beta},
		{"give access to a document", "share", "share_document", args{"document_id": alpha, "user": humanUser, "role": "read"}, nil, alpha},
		{"change access to a document", "share", "share_document", args{"document_id": beta, "user": humanUser, "role": "read"}, nil, beta},
		{"take access to a document", "share", "share_document", args{"document_id": beta, "user": humanUser, "role": "none"}, nil, beta},
		{"give a group access to a collection", "share", "share_document", args{"collection_id": elsewhere, "group": "Readers", "role": "read"}, nil, bystander},
		{"create several", "batch", "batch_create_documents", args{"documents": []any{
			args{"title": "One", "text": "First.", "collection_id": handbook},
			args{"title": "Two", "text": "Second.", "collection_id": handbook},
			args{"title": "Three", "text": "Third.", "parent_document_id": alpha},
		}}, []string{"document One", "document Two", "document Three"}, bystander},
		{"update several", "batch", "batch_update_documents", args{"updates": []any{
			args{"id": beta, "text": "Wholly new."}, args{"id": gamma, "text": "More.", "append": true}, args{"id": bystander, "title": "Renamed"},
		}}, ids, gamma},
		{"append to several", "batch", "batch_update_documents", args{"updates": []any{
			args{"id": beta, "text": "More.", "append": true}, args{"id": gamma, "text": "More.", "append": true}, args{"id": bystander, "text": "More.", "append": true},
		}}, ids, gamma},
		{"archive several", "batch", "batch_archive_documents", args{"document_ids": ids}, ids, gamma},
		{"delete several", "batch", "batch_delete_documents", args{"document_ids": ids}, ids, gamma},
		{"delete several for good", "batch", "batch_delete_documents", args{"document_ids": []string{beta, binned, archived}, "permanent": true}, []string{beta, binned, archived}, bystander},
		{"move several", "batch", "batch_move_documents", args{"document_ids": ids, "collection_id": elsewhere}, ids, gamma},
	}
}

// human changes a workspace concurrently with the server and leaves a mark.
func (w write) human(space *fakeoutline.Workspace, mark string) error {
	if w.edited == "" {
		return direct(space, humanKey, "collections.create", map[string]any{"name": w.arguments["name"], "description": "Made by " + mark, "permission": "read_write"}, nil)
	}
	return appendTo(space, w.edited, mark)
}

// appendTo appends a paragraph to a document, as another user.
func appendTo(space *fakeoutline.Workspace, id, words string) error {
	return direct(space, humanKey, "documents.update", map[string]any{"id": id, "text": "\n\n" + words, "append": true}, nil)
}

// The pages that the tests write to.
const (
	promises = "../../docs/project/reliability.md"
	results  = "../../docs/project/reliability.csv"
)

// section returns the text between two lines of a page and a function that replaces
// it.
func section(t *testing.T, document, begin, end string) (text string, replace func(string)) {
	t.Helper()
	all, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, began := strings.Cut(string(all), begin+"\n")
	text, tail, ended := strings.Cut(rest, end+"\n")
	if !began || !ended {
		t.Fatalf("%s lacks the line %s or %s", document, begin, end)
	}
	return text, func(text string) {
		if err := os.WriteFile(document, []byte(head+begin+"\n"+text+end+"\n"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
