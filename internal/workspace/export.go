package workspace

import (
	"outline-mcp/internal/workspace/access"
	"slices"
	"strings"
	"time"
)

// exportTime is how long an export takes: until then it is being created.
const exportTime = 200 * time.Millisecond

// An export is a job that writes documents to a file.
type export struct {
	ID           string
	Format       string
	Name         string
	CollectionID string // "" for all of them
	DocumentID   string // of the export of one document with its children
	UserID       string
	CreatedAt    time.Time
	Size         int // of the file, in bytes
}

// exportFormats are the formats of an export, the default first.
var exportFormats = []string{"outline-markdown", "json", "html"}

// collectionsExport is collections.export.
func (s *store) collectionsExport(r *request) (answer, error) {
	id := r.fields.id()
	format := r.fields.exportFormat()
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	col, err := s.collectionToManage(r.caller, id)
	switch {
	case err != nil:
		return answer{}, err
	case !col.ArchivedAt.IsZero() || !r.caller.rights(col).Read.Allowed:
		return answer{}, errForbidden()
	}
	return s.startExport(r.caller, export{Format: format, Name: col.Name, CollectionID: col.ID}), nil
}

// collectionsExportAll is collections.export_all.
func (s *store) collectionsExportAll(r *request) (answer, error) {
	format := r.fields.exportFormat()
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	name := s.team.Name + "-export." + strings.TrimPrefix(format, "outline-") + ".zip"
	return s.startExport(r.caller, export{Format: format, Name: name}), nil
}

// exportFormat reads the format of an export.
func (f *fields) exportFormat() string {
	return f.oneOf("format", exportFormats[0], exportFormats...)
}

func (s *store) startExport(c *caller, e export) answer {
	e.ID, e.UserID, e.CreatedAt = s.uuid(), c.ID, s.now()
	for _, d := range s.documents {
		if d.isActive() && s.listed(d, c).Read.Allowed && (e.CollectionID == "" || d.CollectionID == e.CollectionID) {
			e.Size += len("# ") + len(d.Title) + len("\n\n") + len(d.Text)
		}
	}
	s.exports[e.ID] = &e
	s.exportIDs = append(s.exportIDs, e.ID)
	return answer{success: true, data: slices.Concat(pieces{[]byte(`{"fileOperation":`)}, s.presentExport(&e), pieces{[]byte("}")})}
}

// complete reports whether an export is finished. Its time alone decides.
func (s *store) complete(e *export) bool { return s.now().Sub(e.CreatedAt) >= exportTime }

func (s *store) presentExport(e *export) pieces {
	state, size, updatedAt := "creating", 0, e.CreatedAt
	if s.complete(e) {
		state, size, updatedAt = "complete", e.Size, e.CreatedAt.Add(exportTime)
	}
	return encode(struct {
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
		CreatedAt    timestamp     `json:"createdAt"`
		UpdatedAt    timestamp     `json:"updatedAt"`
	}{
		e.ID, "export", e.Format, e.Name, state, nil, size, optional(e.CollectionID), optional(e.DocumentID),
		s.presentAuthor(e.UserID), timestamp(e.CreatedAt), timestamp(updatedAt),
	})
}

// exportFor finds an export of the caller's own, or as an admin any.
func (s *store) exportFor(c *caller, id string) (*export, error) {
	e, ok := s.exports[id]
	switch {
	case !ok:
		return nil, errNotFound()
	case e.UserID != c.ID && c.Role != Admin:
		return nil, errForbidden()
	}
	return e, nil
}

// fileOperationsInfo is fileOperations.info.
func (s *store) fileOperationsInfo(r *request) (answer, error) {
	id := r.fields.requiredUUID("id")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	e, err := s.exportFor(r.caller, id)
	if err != nil {
		return answer{}, err
	}
	return answer{data: s.presentExport(e)}, nil
}

// fileOperationsList is fileOperations.list: the newest first. Nothing is
// imported here.
func (s *store) fileOperationsList(r *request) (answer, error) {
	if !r.fields.has("type") {
		r.fields.fail("type", `Invalid option: expected one of "import"|"export"`)
	}
	kind := r.fields.oneOf("type", "", "import", "export")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	var list []*export
	if kind == "export" {
		for _, id := range slices.Backward(s.exportIDs) {
			list = append(list, s.exports[id])
		}
	}
	var data, policies []pieces
	for _, e := range cut(list, r.page) {
		data = append(data, s.presentExport(e))
		policies = append(policies, pieces{access.ExportPolicy(e.ID, e.DocumentID != "")})
	}
	return answer{data: array(data...), policies: array(policies...), page: r.counted(len(list))}, nil
}

// fileOperationsRedirect is fileOperations.redirect: it leads to the file once
// that is complete.
func (s *store) fileOperationsRedirect(r *request) (answer, error) {
	id := r.fields.requiredUUID("id")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	e, err := s.exportFor(r.caller, id)
	switch {
	case err != nil:
		return answer{}, err
	case !s.complete(e):
		return answer{}, errValidation("export is not complete yet")
	}
	return answer{location: r.origin + "/api/files.get?sig=" + e.ID}, nil
}

// fileOperationsDelete is fileOperations.delete.
func (s *store) fileOperationsDelete(r *request) (answer, error) {
	id := r.fields.requiredUUID("id")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	if _, err := s.exportFor(r.caller, id); err != nil {
		return answer{}, err
	}
	delete(s.exports, id)
	s.exportIDs = slices.DeleteFunc(s.exportIDs, func(other string) bool { return other == id })
	return done, nil
}
