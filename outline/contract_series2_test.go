package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// later are the endpoints of the recordings of templates, people, comments, collections,
// exports and trees that queries and commands lack, or that
// need more arguments here.
var later = map[string]endpoint{
	"templates.list": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.Templates(ctx, outline.TemplateParams{
			CollectionID: text(body["collectionId"]), Query: text(body["query"]),
			ListParams: outline.ListParams{Limit: number(body["limit"]), Offset: number(body["offset"])},
		})
	}},
	"templates.info": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.Template(ctx, text(body["id"]))
	}},
	"templates.create": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		tree, err := nodesOf(body["data"])
		if err != nil {
			return nil, err
		}
		return c.CreateTemplate(ctx, outline.CreateTemplateParams{ID: text(body["id"]), Title: text(body["title"]), CollectionID: text(body["collectionId"]), Tree: tree})
	}},
	"users.list": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.Users(ctx, outline.UserListParams{
			Query: text(body["query"]), Role: text(body["role"]), Filter: text(body["filter"]),
			Sort: text(body["sort"]), Direction: text(body["direction"]), Limit: number(body["limit"]), Offset: number(body["offset"]),
		})
	}},
	"users.info": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.User(ctx, text(body["id"]))
	}},
	"collections.archive": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.ArchiveCollection(ctx, text(body["id"]), true)
	}},
	"collections.restore": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.ArchiveCollection(ctx, text(body["id"]), false)
	}},
	"documents.unpublish": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.UnpublishDocument(ctx, text(body["id"]))
	}},
	"documents.list": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		if id := text(body["backlinkDocumentId"]); id != "" {
			return collect(c.Backlinks(ctx, id))
		}
		page, err := c.Documents(ctx, outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{
			CollectionID: text(body["collectionId"]), Statuses: texts(body["statusFilter"]),
		}})
		return page.Items, err
	}},
	"fileOperations.redirect": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.ExportLink(ctx, text(body["id"]))
	}, check: func(t *testing.T, got any, answer map[string]any) {
		equal(t, "link", string(got.(outline.FileLink)), text(answer["location"]))
	}},
	"comments.list": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.Comments(ctx, outline.CommentParams{
			DocumentID: text(body["documentId"]), CollectionID: text(body["collectionId"]), Limit: number(body["limit"]), Offset: number(body["offset"]),
		})
	}},
	"comments.update": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.UpdateComment(ctx, commentOf(text(body["id"]), body["data"]), markdownOf(body["data"]))
	}},
	"comments.create": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		if body["text"] == nil { // the client sends Markdown only
			body = maps.Clone(body)
			body["text"] = markdownOf(body["data"])
		}
		return commands["comments.create"].call(ctx, c, body)
	}},
}

// withTree are the endpoints that the client calls in version 3 of the API.
var withTree = map[string]endpoint{
	"documents.create": {call: commands["documents.create"].call, check: sameDocumentTree},
	"documents.update": {call: func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		read := before(0)
		read.ID, read.Tree = text(body["id"]), prosemirror.Parse(read.Text)
		updated, err := edit.Update(ctx, c, edit.Params{
			Title: given[string](body["title"]), Text: given[string](body["text"]), EditMode: text(body["editMode"]), FindText: text(body["findText"]), Before: read,
		})
		return updated.After, err
	}, check: sameDocumentTree},
}

// sameDocumentTree compares a document with one that has a tree in place of its text.
func sameDocumentTree(t *testing.T, got any, answer map[string]any) {
	t.Helper()
	d, data := got.(outline.Document), object(answer["data"])
	sameAnswer(t, d.DocumentSummary, answer)
	want, err := nodesOf(data["data"])
	if err != nil {
		t.Fatal(err)
	}
	if !prosemirror.Equal(d.Tree, want) {
		t.Errorf("tree %s, want %s", d.Tree.AppendJSON(nil), want.AppendJSON(nil))
	}
	equal(t, "text", d.Text, prosemirror.ToText(want))
}

// notOurs are the endpoints of these recordings that the client does not have.
var notOurs = []string{
	"documents.templatize", "templates.update", "templates.delete", "templates.restore", "templates.duplicate", "templates.archive", "comments.remove_reaction", "reactions.list",
}

// notMade are the exchanges that the client cannot ask for, with the reason.
var notMade = map[string]string{
	"892":  "a tree has content",
	"895":  "a tree is no string",
	"1271": "a comment is anchored by text",
	"1306": "a heading in Markdown becomes text",
	"1669": "the client does not ask by GET",
}

// notSent are the arguments in these recordings that the client does not have, by endpoint.
var notSent = map[string][]string{
	"templates.create":       {"icon", "color", "text", "publish"},
	"templates.list":         {"sort", "direction", "filters"},
	"users.list":             {"ids", "emails"},
	"comments.create":        {"data", "anchorNodeId"},
	"comments.list":          {"parentCommentId", "statusFilter", "sort", "direction"},
	"collections.create":     {"templateManagement"},
	"collections.update":     {"commenting"},
	"documents.list":         {"template", "limit"},
	"documents.update":       {"templateId", "parentDocumentId", "data"},
	"documents.create":       {"data"},
	"documents.unpublish":    {"detach"},
	"collections.list":       {"query", "statusFilter"},
	"collections.export":     {"includeAttachments"},
	"collections.export_all": {"includeAttachments", "includePrivate"},
}

func TestTheSequencesAreRequestedAndReadAsRecorded(t *testing.T) {
	endpoints := maps.Clone(queries)
	maps.Copy(endpoints, commands)
	maps.Copy(endpoints, later)
	for file, want := range map[string]int{"templates": 70, "people": 51, "comments": 147, "collections": 92, "exports": 28, "version3": 16} {
		replayed := 0
		for _, rec := range fixtures.Recorded[recording](t, file) {
			name := strings.TrimPrefix(rec.Request.Path, "/api/")
			if slices.Contains(notOurs, name) || notMade[rec.number()] != "" {
				continue
			}
			endpoint, ok := endpoints[name]
			if rec.Request.Headers["x-api-version"] != "" {
				if endpoint, ok = withTree[name]; !ok { // the client calls it in the first version
					continue
				}
			}
			if !ok {
				t.Fatalf("%s: no method for %s", rec.Name, name)
			}
			replayed++
			t.Run(rec.Name, func(t *testing.T) {
				t.Parallel() // the client waits before it reads what some commands have done
				replay(t, name, endpoint, rec)
			})
		}
		equal(t, "exchanges about "+file, replayed, want)
	}
}

// completed returns a tree with the attributes that Outline adds, as the client reads it.
func completed(t *testing.T, tree any) (read any) {
	t.Helper()
	var n prosemirror.Node
	sent, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(sent, &n)
	}
	if err == nil {
		sent, err = json.Marshal(&n)
	}
	if err == nil {
		err = json.Unmarshal(sent, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// replay calls an endpoint as recorded and holds request and result against the recording.
func replay(t *testing.T, name string, endpoint endpoint, rec recording) {
	t.Helper()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if aside(w, r, name, rec.Response.Status, []byte(rec.Response.Body)) {
			return
		}
		if version := rec.Request.Headers["x-api-version"]; version != "" {
			equal(t, "version", r.Header.Get("x-api-version"), version)
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var sent map[string]any
		if err := json.Unmarshal(raw, &sent); err != nil {
			t.Error(err)
		}
		for field, want := range object(rec.Request.Body) {
			if number(want) == 0 && field == "offset" || want == "" || slices.Contains(notSent[name], field) {
				continue
			}
			if field == "data" {
				want = completed(t, want)
			}
			if diff := cmp.Diff(want, sent[field]); diff != "" {
				t.Errorf("%s (-recorded +sent):\n%s", field, diff)
			}
		}
		w.Header().Set("Location", rec.Response.Headers["location"])
		reply(w, rec.Response.Status, jsonType, string(rec.Response.Body))
	}, nil)
	got, err := endpoint.call(t.Context(), c, object(rec.Request.Body))
	answer := map[string]any{"location": rec.Response.Headers["location"]} // of a redirect, the body is text
	if err := json.Unmarshal(rec.Response.Body, &answer); err != nil && rec.Response.Status != http.StatusFound {
		t.Fatal(err)
	}
	if rec.Response.Status < http.StatusBadRequest {
		if err != nil {
			t.Fatal(err)
		}
		endpoint.compare(t, got, answer)
		return
	}
	want := kinds[rec.Response.Status]
	if (name == "comments.create" || name == "documents.update") && rec.Response.Status == http.StatusNotFound {
		want = outline.ErrTextNotFound
	}
	if !errors.Is(err, want) || outline.OutcomeUnknown(err) {
		t.Fatalf("error %v, want %v", err, want)
	}
	if want != outline.ErrTextNotFound {
		contains(t, err, name+": ", text(answer["message"]))
	}
}

// nodesOf decodes the nodes of a recorded request; absent ones are no tree.
func nodesOf(data any) (*prosemirror.Node, error) {
	raw, err := json.Marshal(data)
	if err != nil || data == nil {
		return nil, err
	}
	return prosemirror.Decode(raw)
}

// markdownOf returns the Markdown of the nodes of a recorded request.
func markdownOf(data any) string {
	nodes, err := nodesOf(data)
	if err != nil || nodes == nil { // of anything else than nodes, there is no Markdown
		return ""
	}
	return prosemirror.CommentText(nodes)
}

// commentOf returns a comment with the nodes, as it is read before it is updated.
func commentOf(id string, data any) (c outline.Comment) {
	raw, err := json.Marshal(map[string]any{"id": id, "data": data})
	if err == nil {
		_ = json.Unmarshal(raw, &c)
	}
	return c
}
