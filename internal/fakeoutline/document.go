package fakeoutline

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline/prosemirror"
)

// A document is one version of a stored document with what is derived from it.
// Its Text and Tree are empty: the content is in the body.
type document struct {
	Document
	path string // below the origin of the instance
	body *body

	// inEditor is the content with the marks of comments that releases keep
	// outside of the stored tree; nil if there are none.
	inEditor *content

	render     sync.Once
	head, tail []byte // the JSON before and after the text
}

// A body is the title and the content of one version of a document, with the
// words that a search finds in them.
type body struct {
	title string
	*content

	index   sync.Once
	indexed *textIndex
}

func (b *body) searchable() *textIndex {
	b.index.Do(func() { b.indexed = newTextIndex(b.title, b.markdown().Text) })
	return b.indexed
}

// shown returns the content whose tree the API shows.
func (d *document) shown() *content {
	if d.inEditor != nil {
		return d.inEditor
	}
	return d.body.content
}

// newDocument returns a version of a document without storing it.
func newDocument(d Document, c *content) *document {
	d.Text, d.Tree = "", nil
	return &document{
		Document: d, path: "/doc/" + titleSlug(d.Title) + "-" + d.URLID, body: &body{title: d.Title, content: c},
	}
}

// put stores a version of a document in place of the previous one.
func (s *store) put(d Document, content *content) *document {
	stored := newDocument(d, content)
	if old := s.documents[d.ID]; old != nil && old.body.content == content {
		stored.inEditor = old.inEditor
		if old.Title == d.Title {
			stored.body = old.body
		}
	}
	s.documents[d.ID] = stored
	s.byURLID[d.URLID] = d.ID
	return stored
}

// documentToChange returns a document that the caller may change. An unknown
// document is forbidden.
func (s *store) documentToChange(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	if !ok || !s.rightsOn(d, c).Write {
		return nil, apiForbidden()
	}
	return d, nil
}

// change stores a new version of a document, changed by a function in the
// caller's name.
func (s *store) change(c *caller, d *document, by func(*Document)) *document {
	next := d.Document
	by(&next)
	return s.revise(c, next, d.body.content)
}

// revise stores a new version of a document in the caller's name.
func (s *store) revise(c *caller, next Document, content *content) *document {
	next.Revision++
	next.UpdatedAt, next.UpdatedBy = s.now(), c.ID
	if !slices.Contains(next.Collaborators, c.ID) {
		next.Collaborators = append(slices.Clone(next.Collaborators), c.ID)
	}
	s.publications.remove(next.ID)
	return s.put(next, content)
}

// documentAnswer returns the answer with one document.
func (s *store) documentAnswer(r *request, d *document) apiAnswer {
	return apiAnswer{Data: s.presentDocument(r, d)}
}

// A content is the tree of a document, which is how Outline stores its text, with
// what is derived from it on first use. It is immutable.
type content struct {
	// The tree or, in a seed, the Markdown that it is parsed from, and the
	// comments that are attached to passages of it.
	root     *prosemirror.Node
	source   string
	attached []*Comment
	dialect  prosemirror.Dialect

	parse sync.Once

	serialize  sync.Once
	serialized prosemirror.Markdown

	collect sync.Once
	parts   documentContent

	encodeText  sync.Once
	encodedText []byte

	encodeTree  sync.Once
	encodedTree []byte
}

// content returns the content that has a tree.
func (s *store) content(tree *prosemirror.Node) *content {
	return &content{root: tree, dialect: s.features.dialect}
}

// tree returns the tree. A seed is parsed on first use, because parsing all of the
// sample content takes longer than starting.
func (c *content) tree() *prosemirror.Node {
	c.parse.Do(func() {
		if c.root == nil {
			c.root = c.dialect.Parse(c.source)
		}
		for _, comment := range c.attached {
			mark := prosemirror.CommentMark(comment.ID, comment.CreatedBy, !comment.ResolvedAt.IsZero())
			if with, ok := prosemirror.Attach(c.root, prosemirror.Passage{Text: comment.Anchor}, mark); ok {
				c.root = with
			}
		}
		c.source, c.attached = "", nil
	})
	return c.root
}

// markdown returns the Markdown of the tree, both as documents are patched in
// and as the API shows it.
func (c *content) markdown() *prosemirror.Markdown {
	c.serialize.Do(func() { c.serialized = c.dialect.ToMarkdown(c.tree()) })
	return &c.serialized
}

// read returns what the tree contains.
func (c *content) read() *documentContent {
	c.collect.Do(func() { c.parts = readContent(c.tree()) })
	return &c.parts
}

// textJSON returns the text as JSON.
func (c *content) textJSON() []byte {
	c.encodeText.Do(func() { c.encodedText = encodeJSON(c.markdown().Text)[0] })
	return c.encodedText
}

// treeJSON returns the tree as JSON.
func (c *content) treeJSON() []byte {
	c.encodeTree.Do(func() { c.encodedTree = c.tree().AppendJSON(nil) })
	return c.encodedTree
}

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
	Tasks               taskCounts       `json:"tasks"`
	Language            *string          `json:"language"`
	CreatedAt           apiTimestamp     `json:"createdAt"`
	CreatedBy           presentedUser    `json:"createdBy"`
	UpdatedAt           apiTimestamp     `json:"updatedAt"`
	UpdatedBy           presentedUser    `json:"updatedBy"`
	PublishedAt         *apiTimestamp    `json:"publishedAt"`
	ArchivedAt          *apiTimestamp    `json:"archivedAt"`
	DeletedAt           *apiTimestamp    `json:"deletedAt"`
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
	ImportedAt         apiTimestamp `json:"importedAt"`
	FileName           string       `json:"fileName,omitempty"`
	OriginalDocumentID string       `json:"originalDocumentId,omitempty"`
}

// presentDocument returns a document as JSON: with its text or, from version 3
// of the API, with its tree. It is encoded once for each version of the
// document.
func (s *store) presentDocument(r *request, d *document) apiJSON {
	d.render.Do(func() {
		d.head = bytes.TrimSuffix(encodeJSON(presentedHead{d.ID, d.path, d.URLID, d.Title})[0], []byte("}"))
		d.tail = append([]byte(","), bytes.TrimPrefix(encodeJSON(s.newPresentedTail(d))[0], []byte("{"))...)
	})
	if r.version >= treeVersion {
		return apiJSON{d.head, []byte(`,"data":`), d.shown().treeJSON(), d.tail}
	}
	return apiJSON{d.head, []byte(`,"text":`), d.body.textJSON(), d.tail}
}

func (s *store) newPresentedTail(d *document) presentedTail {
	collaborators := d.Collaborators
	if collaborators == nil {
		collaborators = []string{}
	}
	p := presentedTail{
		Icon: stringOrNull(d.Icon), Color: stringOrNull(d.Color),
		Tasks: d.body.read().Tasks, Language: stringOrNull(d.Language),
		CreatedAt: apiTimestamp(d.CreatedAt), CreatedBy: s.presentAuthor(d.CreatedBy),
		UpdatedAt: apiTimestamp(d.UpdatedAt), UpdatedBy: s.presentAuthor(d.UpdatedBy),
		PublishedAt: timeOrNull(d.PublishedAt), ArchivedAt: timeOrNull(d.ArchivedAt), DeletedAt: timeOrNull(d.DeletedAt),
		CollaboratorIDs: collaborators, Revision: d.Revision, FullWidth: d.FullWidth,
		CollectionID: stringOrNull(d.CollectionID), ParentDocumentID: stringOrNull(d.ParentID),
		TemplateID: stringOrNull(d.TemplateID), InsightsEnabled: true,
	}
	if s.features.august2026 {
		p.Preferences = json.RawMessage("null")
	}
	if col, ok := s.collections[d.CollectionID]; ok {
		p.IsCollectionDeleted = !col.DeletedAt.IsZero()
	}
	if d.Source != nil {
		p.SourceMetadata = &presentedSource{
			ImportedAt: apiTimestamp(d.Source.ImportedAt), FileName: d.Source.FileName,
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
	return presentUser(u, brief)
}

// documentContent is what the tree of a document contains.
type documentContent struct {
	Plain   string            // without marks, each paragraph, heading and code block on its own line
	Tasks   taskCounts        // in task lists
	Links   []string          // the URL IDs of linked documents, and the UUIDs of those that mentions lead to
	Anchors map[string]string // the passages that comments are attached to, by the comment's ID
}

// taskCounts counts the task list items of a document.
type taskCounts struct {
	Completed int `json:"completed"`
	Total     int `json:"total"`
}

// readContent returns the content of a document.
func readContent(doc *prosemirror.Node) documentContent {
	c := documentContent{Plain: prosemirror.PlainText(doc)}
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.CheckboxItem {
			c.Tasks.Total++
			if checked, _ := n.Attrs.Get("checked"); checked == true {
				c.Tasks.Completed++
			}
		}
		if n.Type == prosemirror.Mention && n.Attrs.String("type") == "document" {
			c.Links = append(c.Links, n.Attrs.String("modelId"))
		}
		for _, mark := range n.Marks {
			switch mark.Type {
			case prosemirror.Link:
				if id := linkedURLID(mark.Attrs.String("href")); id != "" {
					c.Links = append(c.Links, id)
				}
			case prosemirror.Comment:
				if c.Anchors == nil {
					c.Anchors = make(map[string]string)
				}
				c.Anchors[mark.Attrs.String("id")] += n.TextContent()
			}
		}
		return true
	})
	return c
}

// linkedURLID returns the URL ID of the document that a link leads to, or "" if
// it leads elsewhere.
func linkedURLID(destination string) string {
	_, slug, ok := strings.Cut(destination, "/doc/")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(slug, "/?#"); end >= 0 {
		slug = slug[:end]
	}
	return urlIDOf(slug)
}
