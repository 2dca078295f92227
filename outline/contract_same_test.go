package outline_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"outline-mcp/outline"
)

func samePage[T any](t *testing.T, page outline.Page[T], answer map[string]any) []map[string]any {
	t.Helper()
	data, pagination := objects(answer["data"]), object(answer["pagination"])
	if len(page.Items) != len(data) {
		t.Fatalf("%d items, want %d", len(page.Items), len(data))
	}
	if page.Items == nil {
		t.Error("Items is nil")
	}
	equal(t, "limit", page.Limit, number(pagination["limit"]))
	equal(t, "offset", page.Offset, number(pagination["offset"]))
	if total, ok := pagination["total"]; ok {
		equal(t, "total", page.Total, number(total))
	} else {
		equal(t, "total", page.Total, -1)
	}
	return data
}

func sameDocument(t *testing.T, got outline.DocumentSummary, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "urlId", got.URLID, text(want["urlId"]))
	equal(t, "url", got.URL, text(want["url"]))
	equal(t, "title", got.Title, text(want["title"]))
	equal(t, "collectionId", got.CollectionID, text(want["collectionId"]))
	equal(t, "parentDocumentId", got.ParentDocumentID, text(want["parentDocumentId"]))
	equal(t, "icon", got.Icon, text(want["icon"]))
	equal(t, "revision", got.Revision, number(want["revision"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "updatedAt", moment(&got.UpdatedAt), text(want["updatedAt"]))
	equal(t, "publishedAt", moment(got.PublishedAt), text(want["publishedAt"]))
	equal(t, "archivedAt", moment(got.ArchivedAt), text(want["archivedAt"]))
	equal(t, "deletedAt", moment(got.DeletedAt), text(want["deletedAt"]))
	status := "draft"
	for _, s := range []string{"published", "archived", "deleted"} {
		if want[s+"At"] != nil {
			status = s
		}
	}
	equal(t, "status", got.Status(), status)
	if got.ID == "" || got.URLID == "" {
		t.Error("a recorded document has an id and a URL id")
	}
}

func sameCollection(t *testing.T, got outline.Collection, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "urlId", got.URLID, text(want["urlId"]))
	equal(t, "url", got.URL, text(want["url"]))
	equal(t, "name", got.Name, text(want["name"]))
	equal(t, "description", got.Description, text(want["description"]))
	equal(t, "color", got.Color, text(want["color"]))
	equal(t, "icon", got.Icon, text(want["icon"]))
	equal(t, "permission", got.Permission, text(want["permission"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "updatedAt", moment(&got.UpdatedAt), text(want["updatedAt"]))
	equal(t, "archivedAt", moment(got.ArchivedAt), text(want["archivedAt"]))
	if got.ID == "" || got.Name == "" {
		t.Error("a recorded collection has an id and a name")
	}
}

func sameRevision(t *testing.T, got outline.Revision, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "documentId", got.DocumentID, text(want["documentId"]))
	equal(t, "title", got.Title, text(want["title"]))
	equal(t, "name", got.Name, text(want["name"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "deletedAt", moment(got.DeletedAt), text(want["deletedAt"]))
	equal(t, "authType", got.Source.AuthType, text(object(want["sourceMetadata"])["authType"]))
	authors := got.Authors()
	equal(t, "first author", authors[0].Name, text(object(want["createdBy"])["name"]))
	for _, collaborator := range objects(want["collaborators"]) {
		if !slices.Contains(authors, outline.Person{ID: text(collaborator["id"]), Name: text(collaborator["name"])}) {
			t.Errorf("%v is missing among %v", collaborator["name"], authors)
		}
	}
}

func sameComment(t *testing.T, got outline.Comment, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "documentId", got.DocumentID, text(want["documentId"]))
	equal(t, "parentCommentId", got.ParentCommentID, text(want["parentCommentId"]))
	equal(t, "anchorText", got.AnchorText, text(want["anchorText"]))
	equal(t, "author", got.Author, text(object(want["createdBy"])["name"]))
	equal(t, "createdById", got.AuthorID, text(want["createdById"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "updatedAt", moment(&got.UpdatedAt), text(want["updatedAt"]))
	equal(t, "resolvedAt", moment(got.ResolvedAt), text(want["resolvedAt"]))
	sameText(t, got.Text, want["data"])
	if got.ID == "" || got.Author == "" {
		t.Error("a recorded comment has an id and an author")
	}
}

// textIn returns the text of all nodes in the data of a comment.
func textIn(data any) string {
	n := object(data)
	all := text(n["text"]) + text(object(n["attrs"])["label"])
	for _, child := range objects(n["content"]) {
		all += textIn(child)
	}
	return all
}

// sameText requires that Markdown has the letters of the nodes in their order. It may
// have more: numbers of lists, languages of code and addresses.
func sameText(t *testing.T, markdown string, data any) {
	t.Helper()
	rest := letters(markdown)
	for _, letter := range letters(textIn(data)) {
		_, after, ok := strings.Cut(rest, string(letter))
		if !ok {
			t.Errorf("text %q lacks letters of %q", markdown, textIn(data))
			return
		}
		rest = after
	}
	if strings.TrimSpace(textIn(data)) != "" && markdown == "" {
		t.Error("the text is empty")
	}
}

// letters leaves out everything that could be markup.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func sameFileOperation(t *testing.T, got outline.FileOperation, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "state", got.State, text(want["state"]))
	equal(t, "type", got.Type, text(want["type"]))
	equal(t, "format", got.Format, text(want["format"]))
	equal(t, "name", got.Name, text(want["name"]))
	equal(t, "error", got.Error, text(want["error"]))
	equal(t, "size", strconv.FormatInt(got.Size, 10), text(want["size"]))
	equal(t, "collectionId", got.CollectionID, text(want["collectionId"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "updatedAt", moment(&got.UpdatedAt), text(want["updatedAt"]))
	if got.ID == "" || got.State == "" {
		t.Error("a recorded file operation has an id and a state")
	}
}

func sameTree(t *testing.T, got []outline.Node, want []map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d nodes, want %d", len(got), len(want))
	}
	for i, n := range got {
		equal(t, "id", n.ID, text(want[i]["id"]))
		equal(t, "title", n.Title, text(want[i]["title"]))
		equal(t, "url", n.URL, text(want[i]["url"]))
		sameTree(t, n.Children, objects(want[i]["children"]))
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// contains checks that an error's text holds all of these.
func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

// The following read values of decoded JSON; null and a missing key are "",
// 0 or empty.

func text(v any) string           { s, _ := v.(string); return s }
func number(v any) int            { n, _ := v.(float64); return int(n) }
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func texts(v any) (all []string) {
	list, _ := v.([]any)
	for _, item := range list {
		all = append(all, text(item))
	}
	return all
}
func objects(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, item := range list {
		all = append(all, object(item))
	}
	return all
}

// moment formats a time as Outline does; a missing one is "".
func moment(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
