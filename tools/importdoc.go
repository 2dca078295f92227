package tools

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/files"
	"outline-mcp/tools/written"
)

func importDocument() mcptool.Tool {
	return mcptool.Spec[importIn, importedDocument]{
		Name:        "import_document",
		Title:       "Import document",
		Description: "Creates an Outline document from a file. Pass Markdown, HTML, CSV or plain text as text, any file (Word, PDF) as path. The title is the first heading or the file's name.[ To write Markdown, use create_document.]",
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
			file, cells, notes, err := in.openAdapted(ctx, env)
			if err != nil {
				return importedDocument{}, err
			}
			defer file.close()
			params.Name, params.ContentType, params.Size, params.Cells = file.name, file.contentType, file.size, cells
			err = env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
				text := "Import " + in.asked() + " as a document" + below.after(" below ")
				if len(file.pictures) > 0 {
					text += fmt.Sprintf(" with %s beside it", output.Count(len(file.pictures), "picture", "pictures"))
				}
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
			notes = append(notes, in.link(ctx, env, document, file.pictures)...)
			return importedDocument{newDocumentOf(env, document.DocumentSummary, names()), below, notes}, nil
		},
	}
}

type importIn struct {
	fileIn
	CollectionID     string `json:"collection_id,omitempty"`
	ParentDocumentID string `json:"parent_document_id,omitempty"`
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

// openAdapted is open for a file that Outline converts. A text of this machine comes in
// UTF-8, in which Outline reads every text, and what Markdown has in forms of other programs
// is in Outline's. A file that stays as it is is read as it is sent, so that a change of it
// meanwhile is noticed. Of a file that is too large to be read here, the cells are not known.
func (in importIn) openAdapted(ctx context.Context, env mcptool.Env) (file givenFile, cells int, notes []string, err error) {
	if file, err = in.open(env, nil); err != nil || file.size > maxFile {
		return file, 0, nil, err
	}
	defer file.close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return file, 0, nil, notImported(err)
	}
	text := string(data)
	isMarkdown := slices.Contains([]string{".md", ".markdown", ".txt"}, strings.ToLower(path.Ext(file.name)))
	isOwnText := in.Path != "" && (isText(typeOfName(file.name)) || strings.HasPrefix(file.contentType, "text/"))
	if decoded, encoding, ok := files.Text(data, "text/plain"); isOwnText && ok && encoding != "" {
		text, file.contentType = decoded, typeOf(file.name, []byte(decoded))
	}
	cells, err = cellsOf(ctx, file, text)
	if err == nil && isMarkdown {
		if text, notes, err = withoutForeign(ctx, env, text, written.Place{Parse: prosemirror.Parse}); err == nil {
			file.pictures = in.pictures(env, text)
			notes, err = append(notes, localNote(env, text, strings.Join(file.pictures, "\n"))...), checkDropped(prosemirror.Dropped, text, "")
		}
	}
	if pictures := file.pictures; err == nil && text == string(data) {
		file, err = in.open(env, nil)
		file.pictures = pictures
		return file, cells, notes, err
	}
	return givenFile{
		pictures: file.pictures,
		Reader:   strings.NewReader(text), name: file.name, contentType: file.contentType, size: int64(len(text)),
		changed: file.changed, close: func() {},
	}, cells, notes, err
}

// cellsOf counts the cells of a file whose content is text, as Outline finds out what it is.
func cellsOf(ctx context.Context, file givenFile, text string) (int, error) {
	kind, _, _ := strings.Cut(file.contentType, ";")
	if kind == "application/octet-stream" {
		kind = typeOfName(file.name)
	}
	switch kind {
	case "text/csv", "text/tab-separated-values":
		return cellsOfCSV(text), nil
	case "application/zip", typeOfName(".docx"):
		document := files.OpenOffice([]byte(text))
		if document == nil {
			return 0, nil
		}
		markdown, err := document.Markdown(ctx)
		if errors.Is(err, files.ErrTooLarge) {
			return 0, output.Failure{Code: output.TooLarge, Sentence: "nothing was imported: the file is " + document.Name + ", and " + err.Error() + ".", Cause: err}
		}
		return prosemirror.TableCells(markdown), ctx.Err()
	}
	// Markdown, HTML, or mail and archives with HTML.
	html := len(regexp.MustCompile(`(?i)<t[dh][\s/>=]`).FindAllStringIndex(text, -1))
	if !strings.HasPrefix(kind, "text/") || kind == "text/html" {
		return html, nil
	}
	if err := cmp.Or(checkLength(text), checkMarks(text)); err != nil {
		return 0, output.Failure{Code: output.TooLarge, Sentence: "nothing was imported: " + err.Error() + ".", Cause: err}
	}
	return max(html, prosemirror.TableCells(text)), nil
}

// cellsOfCSV counts the cells of a table whose first line has its separator most often.
func cellsOfCSV(text string) (cells int) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	for _, separator := range []rune{';', '\t'} {
		if strings.Count(first, string(separator)) > strings.Count(first, string(r.Comma)) {
			r.Comma = separator
		}
	}
	columns := 0
	for {
		row, err := r.Read()
		if err != nil {
			return cells
		}
		columns = max(columns, len(row))
		cells += columns // with those that short rows are filled with
	}
}

type importedDocument struct {
	newDocument
	parentName
	Notes []string `json:"notes,omitempty"`
}

func (d importedDocument) WriteText(t *output.Text) {
	t.Printf("Imported %s%s%s", d.documentName, d.in(), d.after(" below "))
	t.If(!d.Published).Printf(", as a draft")
	t.Line(", %s", d.URL)
	writeNotes(t, d.Notes...)
}
