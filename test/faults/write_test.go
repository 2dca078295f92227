package faults

import "outline-mcp/internal/workspace"

// A write is a call of a tool that changes something.
type write struct {
	name      string
	group     string // the column of the documentation
	tool      string
	arguments map[string]any
	items     []string // of a batch: what each of its items is about
	human     human    // what somebody else does meanwhile
}

// writes are the calls that faults are tried on.
func writes() []write {
	type args = map[string]any
	ids := []string{beta, gamma, bystander}
	return []write{
		{"create a document", "create document", "create_document", args{"title": "New page", "text": "Hello.", "collection_id": handbook}, nil, edits(bystander)},
		{"create a document below another", "create document", "create_document", args{"title": "New page", "text": "Hello.", "parent_document_id": alpha}, nil, edits(bystander)},
		{"create a draft", "create document", "create_document", args{"title": "New draft", "text": "Hello.", "publish": false}, nil, edits(bystander)},
		{"comment", "add comment", "add_comment", args{"document_id": alpha, "text": "A new remark."}, nil, edits(alpha)},
		{"comment on a passage", "add comment", "add_comment", args{"document_id": alpha, "text": "A new remark.", "anchor_text": "Second paragraph"}, nil, edits(alpha)},
		{"replace the text", "update, edit", "update_document", args{"document_id": beta, "text": "Wholly new."}, nil, edits(beta)},
		{"replace the text of a revision", "update, edit", "update_document", args{"document_id": beta, "text": "Wholly new.", "expected_revision": 3}, nil, edits(beta)},
		{"append", "update, edit", "update_document", args{"document_id": beta, "text": "One more line.", "append": true}, nil, edits(beta)},
		{"append, and retitle", "update, edit", "update_document", args{"document_id": beta, "text": "One more line.", "title": "Beta 2", "append": true}, nil, edits(beta)},
		{"retitle", "update, edit", "update_document", args{"document_id": beta, "title": "Beta, renamed", "icon": "🚀"}, nil, edits(beta)},
		{"edit", "update, edit", "edit_document", args{"document_id": alpha, "edits": []any{
			args{"old_text": "the one to change", "new_text": "the one that was changed"},
		}}, nil, edits(alpha)},
		{"edit in three places", "update, edit", "edit_document", args{"document_id": alpha, "edits": []any{
			args{"old_text": "First paragraph", "new_text": "Opening paragraph"},
			args{"old_text": "* a point\n", "new_text": ""},
			args{"old_text": "Last paragraph.", "new_text": "Closing paragraph.\n\nAnd one more."},
		}}, nil, edits(alpha)},
		{"edit a passage with a comment", "update, edit", "edit_document", args{"document_id": beta, "edits": []any{
			args{"old_text": "Text to keep", "new_text": "Text to amend"},
		}}, nil, edits(beta)},
		{"edit at the cost of a comment", "update, edit", "edit_document", args{"document_id": gamma, "allow_loss": true, "edits": []any{
			args{"old_text": "Text of gamma.", "new_text": "Before it.\n\nText of gamma."},
		}}, nil, edits(gamma)},
		{"move to another collection", "move, archive, restore", "move_document", args{"document_id": alpha, "collection_id": elsewhere}, nil, edits(alpha)},
		{"move below another", "move, archive, restore", "move_document", args{"document_id": gamma, "parent_document_id": alpha, "index": 0}, nil, edits(gamma)},
		{"move among its siblings", "move, archive, restore", "move_document", args{"document_id": alpha, "index": 2}, nil, edits(alpha)},
		{"archive", "move, archive, restore", "archive_document", args{"document_id": alpha}, nil, edits(alpha)},
		{"unarchive", "move, archive, restore", "unarchive_document", args{"document_id": archived}, nil, edits(bystander)},
		{"restore", "move, archive, restore", "restore_document", args{"document_id": binned}, nil, edits(bystander)},
		{"restore elsewhere", "move, archive, restore", "restore_document", args{"document_id": binned, "collection_id": elsewhere}, nil, edits(bystander)},
		{"delete", "delete", "delete_document", args{"document_id": alpha}, nil, edits(alpha)},
		{"delete for good", "delete for good", "delete_document", args{"document_id": binned, "permanent": true}, nil, edits(bystander)},
		{"delete for good what is not in the trash", "delete for good", "delete_document", args{"document_id": gamma, "permanent": true}, nil, edits(bystander)},
		{"create a collection", "create collection", "create_collection", args{"name": "New collection", "permission": "read_write"}, nil, edits(bystander)},
		{"create a private collection", "create collection", "create_collection", args{"name": "New collection", "description": "Mine."}, nil, edits(bystander)},
		{"create a collection that has a namesake", "create collection", "create_collection", args{"name": "Elsewhere", "permission": "read_write"}, nil, edits(bystander)},
		{"create a collection as somebody else does", "create collection", "create_collection", args{"name": "New collection", "permission": "read_write"}, nil, founds("New collection")},
		{"rename a collection", "update, delete collection", "update_collection", args{"collection_id": elsewhere, "name": "Somewhere", "color": "#4E5C6E"}, nil, edits(bystander)},
		{"delete a collection", "update, delete collection", "delete_collection", args{"collection_id": handbook}, nil, edits(bystander)},
		{"create several", "batch", "batch_create_documents", args{"documents": []any{
			args{"title": "One", "text": "First.", "collection_id": handbook},
			args{"title": "Two", "text": "Second.", "collection_id": handbook},
			args{"title": "Three", "text": "Third.", "parent_document_id": alpha},
		}}, []string{"document One", "document Two", "document Three"}, edits(bystander)},
		{"update several", "batch", "batch_update_documents", args{"updates": []any{
			args{"id": beta, "text": "Wholly new."}, args{"id": gamma, "text": "More.", "append": true}, args{"id": bystander, "title": "Renamed"},
		}}, ids, edits(gamma)},
		{"append to several", "batch", "batch_update_documents", args{"updates": []any{
			args{"id": beta, "text": "More.", "append": true}, args{"id": gamma, "text": "More.", "append": true}, args{"id": bystander, "text": "More.", "append": true},
		}}, ids, edits(gamma)},
		{"archive several", "batch", "batch_archive_documents", args{"document_ids": ids}, ids, edits(gamma)},
		{"delete several", "batch", "batch_delete_documents", args{"document_ids": ids}, ids, edits(gamma)},
		{"delete several for good", "batch", "batch_delete_documents", args{"document_ids": []string{beta, binned, archived}, "permanent": true}, []string{beta, binned, archived}, edits(bystander)},
		{"move several", "batch", "batch_move_documents", args{"document_ids": ids, "collection_id": elsewhere}, ids, edits(gamma)},
	}
}

// A human changes a workspace beside the server and leaves a mark.
type human func(w *workspace.Workspace, mark string) error

// edits is a human who appends to a document.
func edits(id string) human {
	return func(w *workspace.Workspace, mark string) error {
		return direct(w, humanKey, "documents.update", map[string]any{"id": id, "text": "\n\n" + mark, "append": true}, nil)
	}
}

// founds is a human who creates a collection.
func founds(name string) human {
	return func(w *workspace.Workspace, mark string) error {
		return direct(w, humanKey, "collections.create", map[string]any{"name": name, "description": "Made by " + mark, "permission": "read_write"}, nil)
	}
}
