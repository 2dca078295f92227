package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline"
)

const (
	idA = "11111111-aaaa-4111-8111-111111111111"
	idB = "22222222-bbbb-4222-8222-222222222222"
	idC = "33333333-cccc-4333-8333-333333333333"
	idD = "44444444-dddd-4444-8444-444444444444"
)

// canned answers each endpoint with a JSON value for data, or with 404.
type canned struct {
	data map[string]string
	sent []string
}

func (s *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	endpoint := path.Base(r.URL.Path)
	s.sent = append(s.sent, endpoint)
	status, body := http.StatusOK, `{"ok":true,"pagination":{"total":1000},"data":`+s.data[endpoint]+`}`
	if s.data[endpoint] == "" {
		status, body = http.StatusNotFound, `{"ok":false,"error":"not_found","status":404,"message":"Resource not found"}`
	}
	return &http.Response{StatusCode: status, Request: r, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestRequestsAndAnswersTellWhichObjectsTheyConcern(t *testing.T) {
	document := func(id string, revision int) string {
		return fmt.Sprintf(`{"id":%q,"urlId":"1FF9VyHA4X","title":"secret","text":"secret","revision":%d,"collectionId":%q,"parentDocumentId":%q,"createdBy":{"id":%q}}`, id, revision, idC, idD, idD)
	}
	for _, test := range []struct {
		name, endpoint, data string
		call                 func(context.Context, *outline.Client) error
		want                 string
	}{
		{"reading a document", "documents.info", document(idA, 3),
			func(ctx context.Context, c *outline.Client) error {
				_, err := c.Document(ctx, "1FF9VyHA4X")
				return err
			},
			"document A 3-0, collection C"},
		{"reading one that is not there", "documents.info", "",
			func(ctx context.Context, c *outline.Client) error { _, err := c.Document(ctx, idA); return err },
			"document A"},
		{"a URL id that is not there, which can be any word", "documents.info", "",
			func(ctx context.Context, c *outline.Client) error {
				_, err := c.Document(ctx, "Password12")
				return err
			}, ""},
		{"creating a document", "documents.create", document(idA, 1),
			func(ctx context.Context, c *outline.Client) error {
				_, err := c.CreateDocument(ctx, outline.CreateDocumentParams{ID: idA, Title: "secret", CollectionID: idC, Publish: true})
				return err
			}, "document A write 0-1, collection C"},
		{"deleting a collection", "collections.delete", `{}`,
			func(ctx context.Context, c *outline.Client) error { return c.DeleteCollection(ctx, idC) },
			"collection C write"},
		{"comments", "comments.list", fmt.Sprintf(`[{"id":%q,"documentId":%q,"data":{"type":"doc","content":[{"attrs":{"id":%q}}]},"createdBy":{"id":%q}}]`, idB, idA, idD, idD),
			func(ctx context.Context, c *outline.Client) error {
				_, err := c.Comments(ctx, outline.CommentParams{DocumentID: idA})
				return err
			}, "document A, comment B"},
		{"who one is", "auth.info", fmt.Sprintf(`{"user":{"id":%q,"name":"x"},"team":{"id":%q}}`, idA, idB),
			func(ctx context.Context, c *outline.Client) error { _, err := c.AuthInfo(ctx); return err }, ""},
		{"in passing", "collections.info", `{"id":"` + idC + `","name":"x"}`,
			func(ctx context.Context, c *outline.Client) error {
				_, err := c.Collection(outline.WithCallOptions(ctx, outline.InPassing()), idC)
				return err
			}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := &canned{data: map[string]string{test.endpoint: test.data}}
			c, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"), Transport: server})
			if err != nil {
				t.Fatal(err)
			}
			var seen outline.Objects
			if err := test.call(outline.ContextWithObjects(t.Context(), &seen), c); (err != nil) != (test.data == "") && !errors.Is(err, outline.ErrBadAnswer) {
				t.Fatal(err)
			}
			if got := described(&seen); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// described writes objects as the cases have them.
func described(seen *outline.Objects) string {
	objects, _ := seen.List()
	var parts []string
	for _, o := range objects {
		part := o.Kind + " " + map[string]string{idA: "A", idB: "B", idC: "C", idD: "D"}[o.ID]
		if o.Write {
			part += " write"
		}
		if o.Before != 0 || o.After != 0 {
			part += fmt.Sprintf(" %d-%d", o.Before, o.After)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func TestWhatMustNotBeWrittenIsNotSent(t *testing.T) {
	server := &canned{data: map[string]string{"documents.delete": "{}", "documents.info": `{"id":"` + idA + `","title":"x","url":"/doc/x-1FF9VyHA4X","text":"x","revision":7}`}}
	c, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"), Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	var asked []string
	seen := outline.Objects{BeforeWrite: func(_ context.Context, endpoint, _ string) error {
		asked = append(asked, endpoint)
		return full
	}}
	ctx := outline.ContextWithObjects(t.Context(), &seen)
	if _, err := c.Document(ctx, idA); err != nil {
		t.Error("reading fails:", err)
	}
	if err := c.DeleteDocument(ctx, idA, false); !errors.Is(err, full) || !errors.Is(err, outline.ErrWithheld) || outline.OutcomeUnknown(err) {
		t.Errorf("writing fails with %v", err)
	}
	if slices.Contains(server.sent, "documents.delete") || !slices.Equal(asked, []string{"documents.delete"}) {
		t.Errorf("sent %v, asked for %v", server.sent, asked)
	}
	if got := described(&seen); got != "document A write 7-0" {
		t.Error(got)
	}
}

func TestManyObjectsAreCountedAndWritesListedFirst(t *testing.T) {
	entries := make([]string, outline.MaxObjects+50)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"id":"00000000-0000-4000-8000-%012d","title":"x","url":"/doc/x-1FF9VyHA4X"}`, i)
	}
	server := &canned{data: map[string]string{"documents.list": "[" + strings.Join(entries, ",") + "]", "documents.delete": "{}"}}
	c, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"), Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	var seen outline.Objects
	ctx := outline.ContextWithObjects(t.Context(), &seen)
	if _, err := c.Documents(ctx, outline.DocumentListParams{}); err != nil {
		t.Fatal(err)
	}
	_ = c.DeleteDocument(ctx, idA, false)
	objects, leftOut := seen.List()
	if len(objects) != outline.MaxObjects+1 || leftOut < 50 || objects[0].ID != idA {
		t.Errorf("%d objects, %d left out, the first is %v", len(objects), leftOut, objects[0])
	}
}

func FuzzObjects(f *testing.F) {
	f.Add(`{"id":"` + idA + `","children":[{"id":5,"children":{}}],"documents":null,"collection":[1,"x"]}`)
	f.Add(`[[],{"document":{"document":{"id":"` + idB + `","revision":1e99}}}]`)
	f.Fuzz(func(t *testing.T, data string) {
		if !json.Valid([]byte(data)) {
			return
		}
		server := &canned{data: map[string]string{"documents.info": data}}
		c, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"), Transport: server})
		if err != nil {
			t.Fatal(err)
		}
		var seen outline.Objects
		_, _ = c.Document(outline.ContextWithObjects(t.Context(), &seen), idC)
		objects, _ := seen.List()
		for _, o := range objects {
			if !outline.IsUUID(o.ID) && len(o.ID) > 15 {
				t.Errorf("%q is no ID", o.ID)
			}
		}
	})
}
