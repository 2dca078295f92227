package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/elicit"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func importDocument() mcptool.Tool {
	return mcptool.Spec[importIn, importedDocument]{
		Name:        "import_document",
		Title:       "Import document",
		Description: "Creates an Outline document from a file that Outline converts: Markdown, HTML, CSV or plain text as text or path, Word, PDF and others as path. The title is the first heading or the name of the file.[ To write Markdown, use create_document.]",
		Endpoints:   []string{"documents.import"},
		Effect:      mcptool.Adds,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, in importIn) (importedDocument, error) {
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return importedDocument{}, err
			}
			params := outline.ImportDocumentParams{CollectionID: collection, Publish: in.Publish}
			var below parentName
			if in.ParentDocumentID != "" {
				parent, err := fetchActive(ctx, env, in.ParentDocumentID)
				if err != nil {
					return importedDocument{}, err
				}
				if params.CollectionID != "" && params.CollectionID != parent.CollectionID {
					return importedDocument{}, output.Invalid("collection_id is not the collection of parent_document_id. Leave it out")
				}
				params.ParentDocumentID, params.CollectionID = parent.ID, parent.CollectionID
				below = parentNameOf(nameOf(parent.DocumentSummary))
			}
			file, err := in.open(env, nil)
			if err != nil {
				return importedDocument{}, err
			}
			defer file.close()
			params.Name, params.ContentType, params.Size = file.name, file.contentType, file.size
			err = env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
				text := "Import " + in.asked() + " as a document" + below.after(" below ")
				return elicit.Question{Text: text + inCollection(ctx, env, params.CollectionID) + "?", Details: in.Text, Bound: file.changed}, nil
			})
			if err != nil {
				return importedDocument{}, err
			}
			names := env.Collections.Begin(ctx)
			document, err := env.Outline.ImportDocument(ctx, params, file)
			if err != nil {
				return importedDocument{}, tooLarge(notImported(err))
			}
			return importedDocument{newDocumentOf(env, document.DocumentSummary, names()), below}, nil
		},
	}
}

type importIn struct {
	fileIn
	CollectionID     string `json:"collection_id,omitempty" jsonschema:"ID or URL"`
	ParentDocumentID string `json:"parent_document_id,omitempty" jsonschema:"ID or URL"`
	Publish          bool   `json:"publish,omitempty" default:"true" jsonschema:"false creates a draft"`
}

// Validate checks that there is one file, and a place for the document.
func (in importIn) Validate() error {
	switch {
	case (in.Path == "") == (in.Text == ""):
		return errors.New("give the file as path or as text")
	case in.Text != "" && in.Name == "":
		return errors.New("name is missing: its extension tells what text is, such as page.html")
	case in.CollectionID == "" && in.ParentDocumentID == "":
		return errors.New("give collection_id or parent_document_id")
	}
	return checkName(in.Name)
}

// notImported explains an error of reading the file. Outline's own are explained as
// those of any call.
func notImported(err error) error {
	if _, ok := errors.AsType[*outline.Error](err); ok {
		return err
	}
	return output.Failure{Code: output.Conflict, Sentence: "nothing was imported: " + err.Error() + ".", Cause: err}
}

type importedDocument struct {
	newDocument
	parentName
}

func (d importedDocument) WriteText(t *output.Text) {
	t.Printf("Imported %s%s%s", d.documentName, d.in(), d.after(" below "))
	t.If(!d.Published).Printf(", as a draft")
	t.Line(", %s", d.URL)
}

// maxDrops is the maximum number of dropped parts of a text that are named.
const maxDrops = 5

// fileLinksMoved is the note on a text that was changed before it was sent.
const fileLinksMoved = "links to files were put into paragraphs of their own, because Outline drops text next to them"

// storable returns a text in a form that Outline stores without dropping anything,
// and a note on what was changed for that, or "". It fails if there is no such
// form.
func storable(text string) (sent, note string, err error) {
	if sent = prosemirror.IsolateFileLinks(text); sent != text {
		note = fileLinksMoved
	}
	return sent, note, checkDropped(sent)
}

// withoutTitle returns a text without a first line that repeats the title as a
// heading: Outline shows the title above the text. The note says so; it is "" if
// nothing was left out.
func withoutTitle(text, title string) (rest, note string) {
	sections := prosemirror.Sections(text)
	trimmed := strings.TrimLeft(text, "\n")
	line, rest, _ := strings.Cut(trimmed, "\n")
	first := len(text) - len(trimmed) + 1
	if len(sections) == 0 || sections[0].FirstLine != first || sections[0].Level != 1 || !strings.HasPrefix(line, "#") ||
		!strings.EqualFold(sections[0].Heading, output.OneLine(title)) || strings.TrimSpace(rest) == "" {
		return text, ""
	}
	return strings.TrimLeft(rest, "\n"), "the first line, which repeats the title, was left out"
}

// checkDropped refuses a text if Outline would silently drop parts of it.
func checkDropped(text string) error {
	drops := prosemirror.Dropped(text)
	if len(drops) == 0 {
		return nil
	}
	var list []string
	for _, d := range drops[:min(len(drops), maxDrops)] {
		list = append(list, fmt.Sprintf("line %d, %s: %s", d.Line, d.Construct, output.Quote(output.Excerpt(d.Text, 80))))
	}
	if more := len(drops) - maxDrops; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return output.Invalid("nothing was written: Outline would silently drop parts of the text: %s. Leave them out, or put them somewhere else.", strings.Join(list, "; "))
}
