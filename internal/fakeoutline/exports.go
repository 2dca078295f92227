package fakeoutline

import (
	"archive/zip"
	"bytes"
	"cmp"
	"io"
	"strings"
	"sync"
	"time"
)

// exportTime is the time that an export takes.
const exportTime = 100 * time.Millisecond

// An Export is an export of a seed, as Markdown.
type Export struct {
	ID           string
	Name         string
	CollectionID string // "" exports all collections
	UserID       string // who started it
	CreatedAt    time.Time
}

// An export is a job that writes documents to a file.
type export struct {
	ID           string
	Format       string
	Name         string
	CollectionID string // "" exports all collections
	DocumentID   string // for the export of a document with its children
	UserID       string
	CreatedAt    time.Time
	file         func() []byte // a zip archive
}

// markdownFormat is the default format of an export. Outline accepts pdf in editions that
// cannot write it, too.
const markdownFormat = "outline-markdown"

// collectionsExport implements collections.export.
func (s *store) collectionsExport(r *request, in struct {
	slugInput
	formatInput
}) (apiAnswer, error) {
	col, err := s.collectionToManage(r.caller, in.ID)
	switch {
	case err != nil:
		return apiAnswer{}, err
	case !col.ArchivedAt.IsZero() || !r.caller.rights(col).Read:
		return apiAnswer{}, apiForbidden()
	}
	return s.startExport(r.caller, export{Format: in.format(), Name: col.Name, CollectionID: col.ID}), nil
}

// collectionsExportAll implements collections.export_all.
func (s *store) collectionsExportAll(r *request, in formatInput) (apiAnswer, error) {
	format := in.format()
	name := s.team.Name + "-export." + strings.TrimPrefix(format, "outline-") + ".zip"
	return s.startExport(r.caller, export{Format: format, Name: name}), nil
}

// A formatInput is the format of an export.
type formatInput struct {
	Format string `in:"format,one=outline-markdown|json|html|pdf"`
}

func (in formatInput) format() string { return cmp.Or(in.Format, markdownFormat) }

func (s *store) startExport(c *caller, e export) apiAnswer {
	e.ID, e.UserID, e.CreatedAt = s.uuid(), c.ID, s.now()
	e.file = s.archiveOf(c, e.CollectionID)
	s.addExport(&e)
	return apiAnswer{Success: true, Data: jsonObject(map[string]apiJSON{"fileOperation": s.presentExport(&e)})}
}

func (s *store) addExport(e *export) {
	s.exports[e.ID] = e
	s.exportIDs = append(s.exportIDs, e.ID)
}

// archiveOf returns a zip archive of the documents of a collection, or of all, that
// the caller sees, as Markdown whatever the format. It is made when it is asked for,
// of what the documents hold now.
func (s *store) archiveOf(c *caller, collectionID string) func() []byte {
	type page struct {
		urlID, title string
		content      *content
	}
	var pages []page
	for _, d := range s.sorted(func(d *document) bool {
		return d.isActive() && s.lists(d, c) && (collectionID == "" || d.CollectionID == collectionID)
	}, func(a, b *document) int { return strings.Compare(a.URLID, b.URLID) }) {
		pages = append(pages, page{d.URLID, d.Title, d.body.content})
	}
	return sync.OnceValue(func() []byte {
		var b bytes.Buffer
		archive := zip.NewWriter(&b)
		for _, p := range pages {
			// Writing to a buffer does not fail.
			if file, err := archive.Create(p.urlID + ".md"); err == nil {
				_, _ = io.WriteString(file, "# "+p.title+"\n\n"+p.content.markdown().Text)
			}
		}
		_ = archive.Close()
		return b.Bytes()
	})
}

// exportComplete reports whether an export is complete, which depends only on
// the time.
func (s *store) exportComplete(e *export) bool { return s.now().Sub(e.CreatedAt) >= exportTime }

func (s *store) presentExport(e *export) apiJSON {
	state, size, updatedAt := "creating", 0, e.CreatedAt
	if s.exportComplete(e) {
		state, size, updatedAt = "complete", len(e.file()), e.CreatedAt.Add(exportTime)
	}
	return encodeJSON(struct {
		ID           string        `json:"id"`
		Type         string        `json:"type"`
		Format       string        `json:"format"`
		Name         string        `json:"name"`
		State        string        `json:"state"`
		Error        *string       `json:"error"`
		Size         int           `json:"size,string"`
		CollectionID *string       `json:"collectionId"`
		DocumentID   *string       `json:"documentId"`
		User         presentedUser `json:"user"`
		CreatedAt    apiTimestamp  `json:"createdAt"`
		UpdatedAt    apiTimestamp  `json:"updatedAt"`
	}{
		e.ID, "export", e.Format, e.Name, state, nil, size, stringOrNull(e.CollectionID), stringOrNull(e.DocumentID),
		s.presentAuthor(e.UserID), apiTimestamp(e.CreatedAt), apiTimestamp(updatedAt),
	})
}

// exportFor returns one of the caller's own exports, or any export for an
// admin.
func (s *store) exportFor(c *caller, id string) (*export, error) {
	e, ok := s.exports[id]
	switch {
	case !ok:
		return nil, apiNotFound()
	case e.UserID != c.ID && c.Role != Admin:
		return nil, apiForbidden()
	}
	return e, nil
}

// fileOperationsInfo implements fileOperations.info.
func (s *store) fileOperationsInfo(r *request, in uuidInput) (apiAnswer, error) {
	e, err := s.exportFor(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
	}
	return apiAnswer{Data: s.presentExport(e)}, nil
}

// fileOperationsRedirect implements fileOperations.redirect, which redirects to
// the file of a complete export.
func (s *store) fileOperationsRedirect(r *request, in uuidInput) (apiAnswer, error) {
	e, err := s.exportFor(r.caller, in.ID)
	switch {
	case err != nil:
		return apiAnswer{}, err
	case !s.exportComplete(e):
		return apiAnswer{}, apiInvalid("export is not complete yet")
	}
	return apiAnswer{Location: r.Origin + "/api/files.get?sig=" + s.sign("get", e.ID)}, nil
}
