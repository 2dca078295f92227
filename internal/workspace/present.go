package workspace

import (
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/text"
)

// presentedDocument is a document as the API shows it.
type presentedDocument struct {
	ID                  string           `json:"id"`
	URL                 string           `json:"url"`
	URLID               string           `json:"urlId"`
	Title               string           `json:"title"`
	Text                string           `json:"text"`
	Icon                *string          `json:"icon"`
	Color               *string          `json:"color"`
	Tasks               text.Tasks       `json:"tasks"`
	Language            *string          `json:"language"`
	CreatedAt           timestamp        `json:"createdAt"`
	CreatedBy           presentedUser    `json:"createdBy"`
	UpdatedAt           timestamp        `json:"updatedAt"`
	UpdatedBy           presentedUser    `json:"updatedBy"`
	PublishedAt         *timestamp       `json:"publishedAt"`
	ArchivedAt          *timestamp       `json:"archivedAt"`
	DeletedAt           *timestamp       `json:"deletedAt"`
	CollaboratorIDs     []string         `json:"collaboratorIds"`
	Revision            int              `json:"revision"`
	FullWidth           bool             `json:"fullWidth"`
	Preferences         *string          `json:"preferences"`
	CollectionID        *string          `json:"collectionId"`
	ParentDocumentID    *string          `json:"parentDocumentId"`
	IsCollectionDeleted bool             `json:"isCollectionDeleted"`
	TemplateID          *string          `json:"templateId"`
	InsightsEnabled     bool             `json:"insightsEnabled"`
	PopularityScore     float64          `json:"popularityScore"`
	SourceMetadata      *presentedSource `json:"sourceMetadata,omitempty"`
}

type presentedSource struct {
	ImportedAt         timestamp `json:"importedAt"`
	FileName           string    `json:"fileName,omitempty"`
	OriginalDocumentID string    `json:"originalDocumentId,omitempty"`
}

// presentDocument returns a document as JSON. It is made once for each
// version of the document.
func (s *store) presentDocument(d *document) pieces {
	d.render.Do(func() { d.json = encode(s.newPresentedDocument(d)) })
	return d.json
}

func (s *store) newPresentedDocument(d *document) presentedDocument {
	collaborators := d.Collaborators
	if collaborators == nil {
		collaborators = []string{}
	}
	p := presentedDocument{
		ID: d.ID, URL: d.path, URLID: d.URLID,
		Title: d.Title, Text: d.Text, Icon: optional(d.Icon), Color: optional(d.Color),
		Tasks: d.body.prepared().Tasks, Language: optional(d.Language),
		CreatedAt: timestamp(d.CreatedAt), CreatedBy: s.presentAuthor(d.CreatedBy),
		UpdatedAt: timestamp(d.UpdatedAt), UpdatedBy: s.presentAuthor(d.UpdatedBy),
		PublishedAt: moment(d.PublishedAt), ArchivedAt: moment(d.ArchivedAt), DeletedAt: moment(d.DeletedAt),
		CollaboratorIDs: collaborators, Revision: d.Revision, FullWidth: d.FullWidth,
		CollectionID: optional(d.CollectionID), ParentDocumentID: optional(d.ParentID),
		TemplateID: optional(d.TemplateID), InsightsEnabled: true,
	}
	if col, ok := s.collections[d.CollectionID]; ok {
		p.IsCollectionDeleted = !col.DeletedAt.IsZero()
	}
	if d.Source != nil {
		p.SourceMetadata = &presentedSource{
			ImportedAt: timestamp(d.Source.ImportedAt), FileName: d.Source.FileName,
			OriginalDocumentID: d.Source.OriginalDocumentID,
		}
	}
	return p
}

// presentAuthor is the user with an ID as documents show their authors.
func (s *store) presentAuthor(id string) presentedUser {
	u, ok := s.user(id)
	if !ok {
		u = &User{ID: id, Name: "Unknown"}
	}
	return presentUser(u, access.Brief)
}
