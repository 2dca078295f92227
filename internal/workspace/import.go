package workspace

import (
	"encoding/csv"
	"html"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
	"outline-mcp/outline/prosemirror"
)

// documentsImport implements documents.import for Markdown, plain text, tables and,
// as far as their words go, HTML. Outline converts more, such as Word and PDF.
func (s *store) documentsImport(r *request) (api.Answer, error) {
	f := &r.Fields
	collectionID, parentID := f.OptionalUUID("collectionId"), f.OptionalUUID("parentDocumentId")
	switch {
	case f.Err != nil:
		return api.Answer{}, f.Err
	case r.Upload == nil && !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/"):
		return api.Answer{}, api.Invalid("one of attachmentId or file is required")
	case r.Upload == nil:
		return api.Answer{}, api.InvalidRequest("Request must include a file parameter")
	case collectionID == "" && parentID == "":
		return api.Answer{}, api.Invalid("body: one of collectionId or parentDocumentId is required")
	}
	collectionID, err := s.collectionForNew(r.caller, collectionID, parentID)
	if err != nil {
		return api.Answer{}, err
	}
	title, markdown, err := imported(r.Upload)
	if err != nil {
		return api.Answer{}, err
	}
	now := s.now()
	d := Document{
		ID: s.uuid(), URLID: s.urlID(), Title: title, CollectionID: collectionID, ParentID: parentID,
		CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, Collaborators: []string{r.caller.ID}, CreatedAt: now, UpdatedAt: now, Revision: 1,
		Source: &Source{ImportedAt: now, FileName: r.Upload.Name},
	}
	publish := f.Values["publish"] == "true"
	if publish {
		d.PublishedAt = now.Add(time.Millisecond)
		d.Revision++
		s.insert(&d, 0)
	}
	created := s.put(d, &content{root: prosemirror.Parse(text.StoreImages(markdown, s.uuid))})
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
func imported(file *api.Upload) (title, markdown string, err error) {
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
			return "", "", api.InvalidRequest("There was an error parsing the CSV file")
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
		return "", "", api.InvalidRequest("File type " + contentType + " not supported")
	}
	return strings.TrimSpace(title), strings.TrimSpace(source), nil
}
