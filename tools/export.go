package tools

import (
	"context"
	"errors"
	"io"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func exportDocument() mcptool.Tool {
	return mcptool.Spec[exportDocumentIn, documentExport]{
		Name:        "export_document",
		Title:       "Export document",
		Description: "Returns an Outline document as standalone CommonMark under its title.[ To read or edit, use read_document.]",
		Endpoints:   []string{"documents.export", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in exportDocumentIn) (documentExport, error) {
			id, err := documentID(ctx, env, in.DocumentID)
			if err != nil {
				return documentExport{}, err
			}
			document, exported, err := concurrently(ctx, id, env.Outline.Document, env.Outline.ExportDocument)
			if err != nil {
				return documentExport{}, err
			}
			content, reading, err := readPart(document, exported, output.Window{StartLine: in.StartLine, StartChar: in.StartChar})
			return documentExport{linkTo(env, document.DocumentSummary), content, "markdown", reading}, withDocument(document, err)
		},
	}
}

type exportDocumentIn struct {
	documentIn
	StartLine int `json:"start_line,omitempty" minimum:"1" default:"1"`
	StartChar int `json:"start_char,omitempty" minimum:"1"`
}

type documentExport struct {
	documentLink
	Content string `json:"content"`
	Format  string `json:"format" const:"markdown"`
	reading
}

func (e documentExport) WriteText(t *output.Text) {
	t.Line("Export of %s as %s, %s", e.documentName, e.Format, e.URL)
	e.reading.write(t, e.Content)
}

func (e *documentExport) Cuts() []output.Cut { return e.CutText(&e.Content) }

func getExport() mcptool.Tool {
	return mcptool.Spec[getExportIn, exportState]{
		Name:        "get_export",
		Title:       "Get export",
		Description: "Shows the state of an Outline export and a short-lived link to its file; with path, saves it.",
		Optional:    true,
		Endpoints:   []string{"fileOperations.info", "fileOperations.redirect"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in getExportIn) (exportState, error) {
			if in.Path != "" && env.Files == nil {
				return exportState{}, output.Invalid("path names a file on the caller's machine, which a server over HTTP cannot write. Leave it out, and download from url")
			}
			operation, err := env.Outline.FileOperation(ctx, in.ExportID)
			if errors.Is(err, outline.ErrNotFound) {
				err = output.Failure{Code: output.NotFound, Sentence: "there is no export with this ID: it may be deleted.", Cause: err}
			}
			if errors.Is(err, outline.ErrForbidden) && !outline.OutOfScope(err) && !outline.Suspended(err) {
				err = output.Failure{Code: output.Forbidden, Cause: err, Next: "Use the key that started it.",
					Sentence: "Outline refused to show the export: a key sees those that its owner started."}
			}
			if err != nil {
				return exportState{}, err
			}
			answer := exportState{
				ExportID: operation.ID, State: output.OneLine(operation.State), Name: output.Label(operation.Name), Format: output.OneLine(operation.Format),
				Size: operation.Size, Error: output.Excerpt(operation.Error, 300),
			}
			if operation.State != "complete" {
				if in.Path != "" {
					answer.Note = "nothing is saved: the export is not complete"
				}
				return answer, nil
			}
			link, err := env.Outline.ExportLink(ctx, operation.ID)
			if err != nil {
				return exportState{}, err
			}
			answer.URL = env.Outline.AbsoluteURL(string(link))
			if in.Path == "" {
				return answer, nil
			}
			answer.SavedTo = in.Path
			answer.Size, err = save(ctx, env, link, in.Path)
			return answer, err
		},
	}
}

type getExportIn struct {
	ExportID string `json:"export_id" jsonschema:"The file_operation id"`
	Path     string `json:"path,omitempty" jsonschema:"New file; not over HTTP"`
}

// Validate rejects IDs that are not UUIDs.
func (in getExportIn) Validate() error {
	if !outline.IsUUID(in.ExportID) {
		return output.Invalid("export_id must be the UUID of an export, not %q", output.Excerpt(in.ExportID, 60))
	}
	return nil
}

// save writes a stored file to a new file of this machine, and returns its size in
// bytes. If that fails, nothing is left.
func save(ctx context.Context, env mcptool.Env, link outline.FileLink, path string) (int64, error) {
	from, err := env.Outline.OpenFile(ctx, link)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, remove, err := env.Files.Create(path)
	if err != nil {
		return 0, output.Invalid("%s cannot be created: %s. Nothing was saved", output.Quote(output.Excerpt(path, 100)), err)
	}
	n, err := io.Copy(to, &reported{Reader: from, report: func(done int64) {
		if env.Progress != nil && from.Size > 0 {
			env.Progress(ctx, int(done), int(from.Size))
		}
	}})
	if closeErr := to.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err == nil && from.Size >= 0 && n != from.Size:
		err = output.Failure{Code: output.BadAnswer, Sentence: "the file broke off while it was downloaded."}
	case err == nil:
		return n, nil
	}
	remove()
	if _, ok := errors.AsType[*outline.Error](err); !ok {
		err = output.Failure{Code: output.Conflict, Sentence: output.Quote(output.Excerpt(path, 100)) + " could not be written.", Cause: err}
	}
	return 0, withNote(err, "Nothing was saved")
}

// reported reports how much was read, after each MiB.
type reported struct {
	io.Reader
	report   func(done int64)
	done, at int64
}

func (r *reported) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.done += int64(n); r.done-r.at >= 1<<20 {
		r.at = r.done
		r.report(r.done)
	}
	return n, err
}

type exportState struct {
	ExportID string `json:"export_id" format:"uuid"`
	State    string `json:"state" jsonschema:"creating, uploading, complete, error or expired"`
	Name     string `json:"name"`
	Format   string `json:"format,omitempty"`
	Size     int64  `json:"size,omitempty" jsonschema:"In bytes"`
	Error    string `json:"export_error,omitempty"`
	URL      string `json:"url,omitempty" format:"uri" jsonschema:"Valid for a short time, without a key"`
	SavedTo  string `json:"saved_to,omitempty"`
	Note     string `json:"note,omitempty"`
}

func (e exportState) WriteText(t *output.Text) {
	t.Printf("Export %s %s: %s", titleOf(e.Name), e.ExportID, e.State)
	t.If(e.Format != "").Printf(", %s", e.Format)
	t.If(e.Size > 0).Printf(", %d bytes", e.Size)
	t.If(e.Error != "").Printf(" (%s)", e.Error)
	t.Line(".")
	t.If(e.SavedTo != "").Line("Saved to %s.", output.OneLine(e.SavedTo))
	t.If(e.URL != "").Line("To download, for a short time: %s", output.OneLine(e.URL))
	writeNotes(t, e.Note)
	t.If(e.State == "creating" || e.State == "uploading").Line("Call again in a while.")
}

func exportCollection() mcptool.Tool {
	return mcptool.Spec[exportCollectionIn, collectionExport]{
		Name:        "export_collection",
		Title:       "Export collection",
		Description: "Starts the export of an Outline collection to a file[; get_export links to it].",
		Endpoints:   []string{"collections.export"},
		Effect:      mcptool.Adds,
		Run: onCollection(collectionID, func(ctx context.Context, env mcptool.Env, in exportCollectionIn, id string) (collectionExport, error) {
			names := env.Collections.Begin(ctx)
			err := env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
				return elicit.Question{Text: "Export " + collectionCalled(ctx, env, id) + " to a file that appears under Settings → Export?"}, nil
			})
			if err != nil {
				return collectionExport{}, err
			}
			operation, err := env.Outline.ExportCollection(ctx, id, in.Format)
			if errors.Is(err, outline.ErrForbidden) && !outline.OutOfScope(err) && !outline.Suspended(err) {
				if seen, readErr := env.Outline.Collection(ctx, id); readErr == nil && seen.ArchivedAt == nil {
					err = output.Failure{Code: output.Forbidden, CollectionID: id, Cause: err, Next: "Use the key of a user with that role.",
						Sentence: "Outline refused to export the collection " + titleOf(seen.Name) + ": only those with the role admin, in the workspace or in this collection, may."}
				}
			}
			if err != nil {
				return collectionExport{}, err
			}
			of := homeOf(names(), id)
			return collectionExport{exportOf(operation, in.Format), id, of.CollectionName, of.CollectionURLID}, nil
		}),
	}
}

type exportCollectionIn struct {
	collectionIn
	exportIn
}

type exportIn struct {
	Format string `json:"format,omitempty" enum:"outline-markdown,json,html" default:"outline-markdown"`
}

// fileOperation is a file that Outline creates in the background.
type fileOperation struct {
	ID    string `json:"id" format:"uuid"`
	State string `json:"state" jsonschema:"creating, uploading, complete, error or expired"`
	Type  string `json:"type" const:"export"`
	Name  string `json:"name"`
}

type startedExport struct {
	FileOperation fileOperation `json:"file_operation"`
	Format        string        `json:"format" enum:"outline-markdown,json,html"`
}

func exportOf(o outline.FileOperation, format string) startedExport {
	return startedExport{fileOperation{o.ID, o.State, o.Type, output.Label(o.Name)}, format}
}

func (e startedExport) write(t *output.Text) {
	t.Line(" as %s: %s %s, file_operation id %s, state %s.",
		e.Format, e.FileOperation.Type, titleOf(e.FileOperation.Name), e.FileOperation.ID, output.OneLine(e.FileOperation.State))
	t.Line("When it is complete, the file is in Outline under Settings → Export. Do not start it again in the meantime.")
	t.Advice("get_export with the id as export_id tells its state and links to the file.")
}

type collectionExport struct {
	startedExport
	CollectionID    string `json:"collection_id" format:"uuid"`
	CollectionName  string `json:"collection_name,omitempty"`
	CollectionURLID string `json:"collection_url_id,omitempty"`
}

func (e collectionExport) WriteText(t *output.Text) {
	t.Printf("Started the export of the collection %s", home{CollectionID: e.CollectionID, CollectionName: e.CollectionName, CollectionURLID: e.CollectionURLID})
	e.write(t)
}

func exportAllCollections() mcptool.Tool {
	return mcptool.Spec[exportIn, workspaceExport]{
		Name:        "export_all_collections",
		Title:       "Export all collections",
		Description: "Starts the export of a whole Outline workspace; needs an admin's key.",
		Endpoints:   []string{"collections.export_all"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in exportIn) (workspaceExport, error) {
			err := env.Person.Confirm(ctx, func(context.Context) (elicit.Question, error) {
				return elicit.Question{Text: "Export all collections to a file that appears under Settings → Export?"}, nil
			})
			if err != nil {
				return workspaceExport{}, err
			}
			operation, err := env.Outline.ExportAllCollections(ctx, in.Format)
			if errors.Is(err, outline.ErrForbidden) && !outline.OutOfScope(err) && !outline.Suspended(err) {
				err = output.Failure{Code: output.Forbidden, Cause: err, Next: "Use an admin's key[, or export_collection].",
					Sentence: "Outline refused to export the workspace: only those with the role admin may."}
			}
			return workspaceExport{exportOf(operation, in.Format)}, err
		},
	}
}

type workspaceExport struct{ startedExport }

func (e workspaceExport) WriteText(t *output.Text) {
	t.Printf("Started the export of all collections")
	e.write(t)
}
