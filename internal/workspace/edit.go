package workspace

import (
	"errors"
	"net/http"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
	"outline-mcp/outline/prosemirror"
)

// An edit is what documents.update does to the text of a document.
type edit struct {
	mode string // replace, append, prepend or patch
	text string // Markdown
	find string // what a patch replaces
}

// readEdit reads the fields of documents.update that edit the text, including
// "append": true, the deprecated form of the append mode. newID makes the IDs
// of attachments.
func readEdit(f *api.Fields, modes []string, newID func() string) edit {
	e := edit{
		text: text.StoreImages(f.String("text"), newID),
		mode: f.OneOf("editMode", "replace", modes...),
		find: f.String("findText"),
	}
	if f.Bool("append") && !f.Has("editMode") {
		e.mode = "append"
	}
	switch {
	case f.Err != nil:
	case e.mode == "patch" && e.find == "":
		f.Err = api.Invalid("findText is required when using patch editMode")
	case e.mode == "patch" && !f.Has("text"):
		f.Err = api.Invalid("text is required when using patch editMode")
	case f.Has("editMode") && !f.Has("text"), e.text == "" && (e.mode == "append" || e.mode == "prepend"):
		f.Err = api.Invalid("text is required when using append, prepend, or editMode")
	}
	return e
}

// apply edits a content. It returns the same content if the edit changes
// nothing.
func (e edit) apply(c *content) (*content, error) {
	var tree *prosemirror.Node
	var err error
	switch e.mode {
	case "append":
		tree, err = prosemirror.Append(c.tree(), e.text)
	case "prepend":
		tree, err = prosemirror.Prepend(c.tree(), e.text)
	case "patch":
		var patched prosemirror.Patched
		patched, err = c.markdown().Patch(c.tree(), e.find, e.text)
		tree = patched.Doc
	default:
		tree = prosemirror.Replace(e.text)
	}
	switch {
	case errors.Is(err, prosemirror.ErrNotFound):
		return nil, api.NotFound()
	case errors.Is(err, prosemirror.ErrServer):
		return nil, &api.Error{Status: http.StatusInternalServerError, Code: "internal_error", Message: "Internal error"}
	case err != nil:
		return nil, api.Invalid("%s", err)
	case prosemirror.Equal(tree, c.tree()):
		return c, nil
	}
	return &content{root: tree}, nil
}
