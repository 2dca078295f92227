package workspace

import (
	"bytes"
	"encoding/json"

	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
)

// presentedHead is the JSON of a document before its text.
type presentedHead struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	URLID string `json:"urlId"`
	Title string `json:"title"`
}

// presentedTail is the JSON of a document after its text.
type presentedTail struct {
	Icon                *string          `json:"icon"`
	Color               *string          `json:"color"`
	Tasks               text.Tasks       `json:"tasks"`
	Language            *string          `json:"language"`
	CreatedAt           api.Timestamp    `json:"createdAt"`
	CreatedBy           presentedUser    `json:"createdBy"`
	UpdatedAt           api.Timestamp    `json:"updatedAt"`
	UpdatedBy           presentedUser    `json:"updatedBy"`
	PublishedAt         *api.Timestamp   `json:"publishedAt"`
	ArchivedAt          *api.Timestamp   `json:"archivedAt"`
	DeletedAt           *api.Timestamp   `json:"deletedAt"`
	CollaboratorIDs     []string         `json:"collaboratorIds"`
	Revision            int              `json:"revision"`
	FullWidth           bool             `json:"fullWidth"`
	Preferences         json.RawMessage  `json:"preferences,omitempty"`
	CollectionID        *string          `json:"collectionId"`
	ParentDocumentID    *string          `json:"parentDocumentId"`
	IsCollectionDeleted bool             `json:"isCollectionDeleted"`
	TemplateID          *string          `json:"templateId"`
	InsightsEnabled     bool             `json:"insightsEnabled"`
	PopularityScore     float64          `json:"popularityScore"`
	SourceMetadata      *presentedSource `json:"sourceMetadata,omitempty"`
}

type presentedSource struct {
	ImportedAt         api.Timestamp `json:"importedAt"`
	FileName           string        `json:"fileName,omitempty"`
	OriginalDocumentID string        `json:"originalDocumentId,omitempty"`
}

// presentDocument returns a document as JSON: with its text or, from version 3
// of the API, with its tree. It is encoded once for each version of the
// document.
func (s *store) presentDocument(r *request, d *document) api.JSON {
	d.render.Do(func() {
		d.head = bytes.TrimSuffix(api.Encode(presentedHead{d.ID, d.path, d.URLID, d.Title})[0], []byte("}"))
		d.tail = append([]byte(","), bytes.TrimPrefix(api.Encode(s.newPresentedTail(d))[0], []byte("{"))...)
	})
	if r.version >= treeVersion {
		return api.JSON{d.head, []byte(`,"data":`), d.shown().treeJSON(), d.tail}
	}
	return api.JSON{d.head, []byte(`,"text":`), d.body.textJSON(), d.tail}
}

func (s *store) newPresentedTail(d *document) presentedTail {
	collaborators := d.Collaborators
	if collaborators == nil {
		collaborators = []string{}
	}
	p := presentedTail{
		Icon: api.StringOrNull(d.Icon), Color: api.StringOrNull(d.Color),
		Tasks: d.body.read().Tasks, Language: api.StringOrNull(d.Language),
		CreatedAt: api.Timestamp(d.CreatedAt), CreatedBy: s.presentAuthor(d.CreatedBy),
		UpdatedAt: api.Timestamp(d.UpdatedAt), UpdatedBy: s.presentAuthor(d.UpdatedBy),
		PublishedAt: api.TimeOrNull(d.PublishedAt), ArchivedAt: api.TimeOrNull(d.ArchivedAt), DeletedAt: api.TimeOrNull(d.DeletedAt),
		CollaboratorIDs: collaborators, Revision: d.Revision, FullWidth: d.FullWidth,
		CollectionID: api.StringOrNull(d.CollectionID), ParentDocumentID: api.StringOrNull(d.ParentID),
		TemplateID: api.StringOrNull(d.TemplateID), InsightsEnabled: true,
	}
	if s.features.august2026 {
		p.Preferences = json.RawMessage("null")
	}
	if col, ok := s.collections[d.CollectionID]; ok {
		p.IsCollectionDeleted = !col.DeletedAt.IsZero()
	}
	if d.Source != nil {
		p.SourceMetadata = &presentedSource{
			ImportedAt: api.Timestamp(d.Source.ImportedAt), FileName: d.Source.FileName,
			OriginalDocumentID: d.Source.OriginalDocumentID,
		}
	}
	return p
}

// presentAuthor returns the JSON of a user as the author of something.
func (s *store) presentAuthor(id string) presentedUser {
	u, ok := s.user(id)
	if !ok {
		u = &User{ID: id, Name: "Unknown"}
	}
	return presentUser(u, access.Brief)
}
