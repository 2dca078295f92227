package fakeoutline

import (
	"cmp"
	"encoding/csv"
	"html"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// The maximum length of a document's title, in code points, and text, in UTF-16
// code units. Both are recorded.
const (
	maxTitle = 100
	maxText  = 1_536_000
)

// documentsCreate implements documents.create. A parent determines the
// collection. A published document comes first among its siblings unless the
// request has an index.
func (s *store) documentsCreate(r *request, in struct {
	ID         string `in:"id,uuid"`
	Title      string `in:"title"`
	Text       string `in:"text"`
	Icon       string `in:"icon,icon"`
	Color      string `in:"color,color"`
	TemplateID string `in:"templateId,null,uuid"`
	Publish    bool   `in:"publish"`
	FullWidth  *bool  `in:"fullWidth"`
	placeInput
}) (apiAnswer, error) {
	id, title, body, icon, color := in.ID, in.Title, in.Text, in.Icon, in.Color
	collectionID, parentID, templateID := in.CollectionID, in.ParentID, in.TemplateID
	publish, fullWidth, index := in.Publish, valueOr(in.FullWidth, false), valueOr(in.Index, 0)
	switch {
	case publish && collectionID == "" && parentID == "":
		return apiAnswer{}, apiInvalid("collectionId or parentDocumentId is required to publish")
	}
	collectionID, err := s.collectionForNew(r.caller, collectionID, parentID)
	var template *Template
	if templateID != "" && err == nil {
		// As recorded, a draft of another user will do, too.
		if template = s.templates[templateID]; template == nil || !template.DeletedAt.IsZero() || r.caller.Role == Guest {
			return apiAnswer{}, apiForbidden()
		}
	}
	switch {
	case err != nil:
		return apiAnswer{}, err
	case id != "" && s.taken(id):
		return apiAnswer{}, apiInvalid("id must be unique (id)")
	}
	if err := checkContent(title, body); err != nil {
		return apiAnswer{}, err
	}

	tree := s.features.dialect.Parse(storeImages(linkEmbeds(body), s.uuid))
	if template != nil {
		filledTitle, filledTree := s.filled(template, r.caller)
		if title == "" {
			title = filledTitle
		}
		if body == "" {
			tree = filledTree
		}
		if icon == "" {
			icon, color = template.Icon, template.Color
		}
		fullWidth = valueOr(in.FullWidth, template.FullWidth)
	}
	if publish && !s.features.august2026 && s.updateTime > 0 {
		// Creates in one collection that overlap deadlock in the database of releases.
		s.creating[collectionID]++
		alone := s.creating[collectionID] == 1
		s.takeUpdateTime(r.caller)
		if s.creating[collectionID]--; !alone {
			return apiAnswer{}, &apiError{Status: http.StatusInternalServerError, Code: "internal_error", Message: "Internal error"}
		}
	}
	now := s.now()
	if id == "" {
		id = s.uuid()
	}
	d := Document{
		ID: id, URLID: s.urlID(), Title: title, Icon: icon, Color: color, FullWidth: fullWidth,
		CollectionID: collectionID, ParentID: parentID, TemplateID: templateID,
		CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, Collaborators: []string{r.caller.ID},
		CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	if publish {
		// Outline publishes in a separate step, after it sets updatedAt.
		d.PublishedAt = now.Add(time.Millisecond)
		d.Revision++
		s.insert(&d, index)
	}
	created := s.put(d, s.content(tree))
	if publish {
		s.closeRevision(created, byAPI)
	}
	return s.documentAnswer(r, created), nil
}

// collectionForNew returns the collection of a new document with the given
// collection and parent, if the caller may create documents there.
func (s *store) collectionForNew(c *caller, collectionID, parentID string) (string, error) {
	switch {
	case parentID != "":
		parent, ok := s.documents[parentID]
		if !ok || !parent.isActive() || !s.rightsOn(parent, c).Write {
			return "", apiForbidden()
		}
		return parent.CollectionID, nil
	case collectionID != "":
		if _, err := s.collectionToWrite(c, collectionID); err != nil {
			return "", err
		}
		return collectionID, nil
	case !c.Role.atLeast(Member):
		return "", apiForbidden()
	}
	return "", nil
}

// collectionToWrite returns a collection in which the caller may create
// documents.
func (s *store) collectionToWrite(c *caller, id string) (*Collection, error) {
	col, ok := s.findCollection(id)
	if !ok || !col.ArchivedAt.IsZero() || !c.rights(col).Write {
		return nil, apiForbidden()
	}
	return col, nil
}

// checkContent checks the lengths of a title and a text.
func checkContent(title, text string) error {
	if utf8.RuneCountInString(title) > maxTitle {
		return apiInvalid("Document title must be %d characters or less (title)", maxTitle)
	}
	if len(text) > maxText && utf16Length(text) > maxText {
		return apiInvalid("Document text must be %d characters or less (text)", maxText)
	}
	return nil
}

// utf16Length returns the length of a text in UTF-16 code units.
func utf16Length(text string) int {
	length := 0
	for _, r := range text {
		length++
		if r > 0xFFFF {
			length++
		}
	}
	return length
}

// documentsDuplicate implements documents.duplicate. Without a parent, the copy is on
// the top level, wherever the document is. Links between the documents that are copied
// lead from copy to copy. All of this is recorded; that a parent may not be a draft,
// and that copies have the icons of the originals, but no comments, is not.
func (s *store) documentsDuplicate(r *request, in struct {
	slugInput
	Title        string `in:"title"`
	CollectionID string `in:"collectionId,null,uuid"`
	ParentID     string `in:"parentDocumentId,null,uuid"`
	Recursive    bool   `in:"recursive"`
	Publish      *bool  `in:"publish"`
}) (apiAnswer, error) {
	title, collectionID, parentID := in.Title, in.CollectionID, in.ParentID
	if err := checkContent(title, ""); err != nil {
		return apiAnswer{}, err
	}
	d, err := s.documentToChange(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
	}
	if state := d.state(); r.caller.Role == Guest || state != stateActive && state != stateDraft {
		return apiAnswer{}, apiForbidden()
	}
	if parent, ok := s.documents[parentID]; ok && collectionID != "" && parent.CollectionID != collectionID {
		return apiAnswer{}, apiInvalidRequest("collectionId must match the collection of the parent document")
	}
	if to := cmp.Or(collectionID, d.CollectionID); to != "" || parentID != "" {
		if collectionID, err = s.collectionForNew(r.caller, to, parentID); err != nil {
			return apiAnswer{}, err
		}
	}
	publish := valueOr(in.Publish, !d.isDraft())
	switch {
	case parentID != "" && s.documents[parentID].isDraft():
		return apiAnswer{}, apiInvalidRequest("Cannot duplicate document inside a draft document")
	case publish && collectionID == "":
		return apiAnswer{}, apiInvalid("collectionId is required to publish")
	}

	below := make(map[string][]string) // as it is now: a document may be copied below itself
	if in.Recursive {
		for _, id := range append(s.activeBelow(d.ID), d.ID) {
			below[id] = s.children[id]
		}
	}
	now := s.now()
	var copies []*document
	copyOf := make(map[string]*document) // by the URL ID of the original
	var duplicate func(d *document, title, parentID string)
	duplicate = func(d *document, title, parentID string) {
		c := Document{
			ID: s.uuid(), URLID: s.urlID(), Title: title, Icon: d.Icon, Color: d.Color, CollectionID: collectionID, ParentID: parentID,
			CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, Collaborators: []string{r.caller.ID}, CreatedAt: now, UpdatedAt: now, Revision: 1,
			Source: &Source{ImportedAt: now, OriginalDocumentID: d.ID},
		}
		if publish {
			c.PublishedAt = now.Add(time.Millisecond)
			c.Revision++
			s.insert(&c, 0)
		}
		created := s.put(c, s.content(d.shown().tree().WithoutMarks(prosemirror.Comment)))
		copies, copyOf[d.URLID] = append(copies, created), created
		for _, id := range slices.Backward(below[d.ID]) { // each comes first among its siblings
			duplicate(s.documents[id], s.documents[id].Title, c.ID)
		}
	}
	duplicate(d, cmp.Or(title, d.Title), parentID)

	var data []apiJSON
	for _, created := range copies {
		created = s.put(created.Document, s.content(relinked(created.body.tree(), copyOf)))
		if publish {
			s.closeRevision(created, byAPI)
		}
		data = append(data, s.presentDocument(r, created))
	}
	return apiAnswer{Data: jsonObject(map[string]apiJSON{"documents": jsonArray(data...)})}, nil
}

// relinked returns a tree whose links to originals lead to their copies.
func relinked(n *prosemirror.Node, copyOf map[string]*document) *prosemirror.Node {
	next := *n
	next.Marks, next.Content = slices.Clone(n.Marks), slices.Clone(n.Content)
	for i, mark := range n.Marks {
		if found := copyOf[linkedURLID(mark.Attrs.String("href"))]; mark.Type == prosemirror.Link && found != nil {
			next.Marks[i].Attrs = slices.Clone(mark.Attrs)
			at := slices.IndexFunc(mark.Attrs, func(a prosemirror.Attr) bool { return a.Name == "href" })
			next.Marks[i].Attrs[at].Value = found.path
		}
	}
	for i, child := range n.Content {
		next.Content[i] = relinked(child, copyOf)
	}
	return &next
}

// documentsImport implements documents.import for Markdown, plain text, tables and,
// as far as their words go, HTML. Outline converts more, such as Word and PDF.
func (s *store) documentsImport(r *request, in struct {
	CollectionID string `in:"collectionId,null,uuid"`
	ParentID     string `in:"parentDocumentId,null,uuid"`
	Publish      any    `in:"publish"`
}) (apiAnswer, error) {
	collectionID, parentID := in.CollectionID, in.ParentID
	switch {
	case r.Upload == nil && !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/"):
		return apiAnswer{}, apiInvalid("one of attachmentId or file is required")
	case r.Upload == nil:
		return apiAnswer{}, apiInvalidRequest("Request must include a file parameter")
	case collectionID == "" && parentID == "":
		return apiAnswer{}, apiInvalidField("body")
	}
	collectionID, err := s.collectionForNew(r.caller, collectionID, parentID)
	if err != nil {
		return apiAnswer{}, err
	}
	title, markdown, err := imported(r.Upload)
	if err != nil {
		return apiAnswer{}, err
	}
	now := s.now()
	d := Document{
		ID: s.uuid(), URLID: s.urlID(), Title: title, CollectionID: collectionID, ParentID: parentID,
		CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, Collaborators: []string{r.caller.ID}, CreatedAt: now, UpdatedAt: now, Revision: 1,
		Source: &Source{ImportedAt: now, FileName: r.Upload.Name},
	}
	publish := in.Publish == "true"
	if publish {
		d.PublishedAt = now.Add(time.Millisecond)
		d.Revision++
		s.insert(&d, 0)
	}
	created := s.put(d, s.content(s.features.dialect.Parse(storeImages(markdown, s.uuid))))
	if publish {
		s.closeRevision(created, byAPI)
	}
	return s.documentAnswer(r, created), nil
}

var (
	htmlTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<h1[^>]*>(.*?)</h1>`) })
	htmlHead  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<head>.*</head>`) })
	htmlBlock = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)</(p|div|li|tr|h[1-6])>`) })
	htmlTag   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^>]*>`) })
	lineBreak = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^\n])\n([^\n])`) })
)

// imported returns the title and the text of a file.
func imported(file *apiUpload) (title, markdown string, err error) {
	source := strings.ReplaceAll(string(file.Content), "\r\n", "\n")
	title = strings.TrimSuffix(file.Name, path.Ext(file.Name))
	switch contentType, _, _ := strings.Cut(file.ContentType, ";"); contentType {
	case "text/markdown":
		if matter, ok := strings.CutPrefix(source, "---\n"); ok {
			if matter, rest, ok := strings.Cut(matter, "\n---\n"); ok {
				source = "```yaml\n" + matter + "\n```\n" + rest
			}
		}
		if heading, ok := strings.CutPrefix(source, "# "); ok {
			title, source, _ = strings.Cut(heading, "\n")
		}
	case "text/plain":
		source = lineBreak().ReplaceAllString(source, "$1 $2")
	case "text/csv":
		rows, err := csv.NewReader(strings.NewReader(source)).ReadAll()
		if err != nil || len(rows) == 0 {
			return "", "", apiInvalidRequest("There was an error parsing the CSV file")
		}
		source = ""
		for i, row := range rows {
			source += "| " + strings.Join(row, " | ") + " |\n"
			if i == 0 {
				source += strings.Repeat("|---", len(row)) + "|\n"
			}
		}
	case "text/html":
		if heading := htmlTitle().FindStringSubmatch(source); heading != nil {
			title = html.UnescapeString(htmlTag().ReplaceAllString(heading[1], ""))
			source = strings.Replace(source, heading[0], "", 1)
		}
		source = htmlBlock().ReplaceAllString(htmlHead().ReplaceAllString(source, ""), "\n\n")
		source = html.UnescapeString(htmlTag().ReplaceAllString(source, ""))
	default:
		return "", "", apiInvalidRequest("File type " + contentType + " not supported")
	}
	return strings.TrimSpace(title), strings.TrimSpace(source), nil
}
