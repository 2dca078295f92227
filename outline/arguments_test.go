package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

func TestOnlyWhatIsSetIsSent(t *testing.T) {
	for want, call := range map[string]func(context.Context, *outline.Client) error{
		`{"id":"a","title":"b"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.CreateDocument(ctx, outline.CreateDocumentParams{ID: "a", Title: "b"})
			return err
		},
		`{"id":"a","title":"b","text":"c","collectionId":"d","parentDocumentId":"e","templateId":"f","icon":"g","publish":true,"index":0}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.CreateDocument(ctx, outline.CreateDocumentParams{ID: "a", Title: "b", Text: "c", CollectionID: "d", ParentDocumentID: "e", TemplateID: "f", Icon: "g", Publish: true, Index: new(0)})
			return err
		},
		`{"id":"` + uuid + `","title":"t","done":true,"lastRevision":7}`: func(ctx context.Context, c *outline.Client) error {
			_, err := edit.Update(ctx, c, edit.Params{Title: new("t"), Before: before(7)})
			return err
		},
		`{"id":"` + uuid + `","title":"","text":"","publish":false,"icon":null,"color":null,"done":true,"lastRevision":7}`: func(ctx context.Context, c *outline.Client) error {
			_, err := edit.Update(ctx, c, edit.Params{Title: new(""), Text: new(""), Icon: new(""), Color: new(""), Publish: new(false), Before: before(7)})
			return err
		},
		`{"id":"` + uuid + `","text":"b","editMode":"patch","findText":"c","collectionId":"d","icon":"🚀","color":"#4E5C6E","done":true,"lastRevision":1}`: func(ctx context.Context, c *outline.Client) error {
			_, err := edit.Update(ctx, c, edit.Params{Text: new("b"), EditMode: "patch", FindText: "c", CollectionID: "d", Icon: new("🚀"), Color: new("#4E5C6E"), Before: before(1)})
			return err
		},
		`{"id":"` + uuid + `","collectionId":"b","parentDocumentId":"c","index":0}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.MoveDocument(ctx, outline.MoveDocumentParams{ID: uuid, CollectionID: "b", ParentDocumentID: "c", Index: new(0)})
			return err
		},
		`{"id":"` + uuid + `","index":3}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.MoveDocument(ctx, outline.MoveDocumentParams{ID: uuid, Index: new(3)})
			return err
		},
		`{"id":"` + uuid + `","recursive":false,"publish":false}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.DuplicateDocument(ctx, outline.DocumentSummary{ID: uuid}, outline.DuplicateDocumentParams{})
			return err
		},
		`{"id":"b"}`: func(ctx context.Context, c *outline.Client) error { return c.DeleteDocument(ctx, "b", false) },
		`{"id":"b","permanent":true}`: func(ctx context.Context, c *outline.Client) error {
			return c.DeleteDocument(ctx, "b", true)
		},
		`{"id":"c"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.RestoreDocument(ctx, "c", "")
			return err
		},
		`{"id":"c","collectionId":"d"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.RestoreDocument(ctx, "c", "d")
			return err
		},
		`{"id":"z","documentId":"a","text":"b"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.CreateComment(ctx, outline.CreateCommentParams{ID: "z", DocumentID: "a", Text: "b"})
			return err
		},
		`{"id":"z","documentId":"a","parentCommentId":"c","text":"b","anchorText":"d","anchorPrefix":"e","anchorSuffix":"f"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.CreateComment(ctx, outline.CreateCommentParams{ID: "z", DocumentID: "a", ParentCommentID: "c", Text: "b", AnchorText: "d", AnchorPrefix: "e", AnchorSuffix: "f"})
			return err
		},
		`{"name":"a","permission":null}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.CreateCollection(ctx, outline.CreateCollectionParams{Name: "a"})
			return err
		},
		`{"name":"a","description":"b","color":"#123456","icon":"c","permission":"read"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.CreateCollection(ctx, outline.CreateCollectionParams{Name: "a", Description: "b", Color: "#123456", Icon: "c", Permission: "read"})
			return err
		},
		`{"id":"a","name":"b","description":"","color":"#123456"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.UpdateCollection(ctx, outline.UpdateCollectionParams{ID: "a", Name: new("b"), Description: new(""), Color: new("#123456")})
			return err
		},
		`{"id":"e"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.ExportCollection(ctx, "e", "")
			return err
		},
		`{"format":"html"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.ExportAllCollections(ctx, "html")
			return err
		},
		`{"query":"a","collectionId":"b","documentId":"c"}`: func(ctx context.Context, c *outline.Client) error {
			_, err := c.AnswerQuestion(ctx, outline.QuestionParams{Query: "a", CollectionID: "b", DocumentID: "c"})
			return err
		},
	} {
		everything := gives(200, jsonType, `{"ok":true,"success":true,"search":{},"data":{`+complete+`,"documents":[{`+complete+`}],"fileOperation":{`+complete+`}}}`)
		c, s := ordered(t, "", nil, everything)
		if err := call(t.Context(), c); err != nil {
			t.Error(want, err)
		}
		equal(t, "request", s.sent[0], want)
	}
}

// before is a document as it was read before a change.
func before(revision int) *outline.Document {
	return &outline.Document{DocumentSummary: outline.DocumentSummary{ID: uuid, Revision: revision}, Text: "a c e"}
}

func TestWhatIsCreatedGetsAnIDThatMakesALostAnswerHarmless(t *testing.T) {
	for endpoint, create := range map[string]func(*outline.Client) error{
		"documents.create": func(c *outline.Client) error {
			_, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{})
			return err
		},
		"comments.create": func(c *outline.Client) error {
			_, err := c.CreateComment(t.Context(), outline.CreateCommentParams{})
			return err
		},
	} {
		c, s := ordered(t, endpoint, nil, success(`{`+complete+`}`))
		if err := create(c); err != nil {
			t.Error(err)
		}
		var sent struct{ ID string }
		if err := json.Unmarshal([]byte(s.sent[0]), &sent); err != nil || !outline.IsUUID(sent.ID) {
			t.Errorf("%s: sent %s, %v", endpoint, s.sent[0], err)
		}
	}
}

func TestPagesAreAskedForWithTheirFilters(t *testing.T) {
	for want, call := range map[string]func(context.Context, *outline.Client) (int, error){
		`{"collectionId":"a","limit":7,"offset":14}`: func(ctx context.Context, c *outline.Client) (int, error) {
			page, err := c.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: "a", Limit: 7, Offset: 14})
			return page.Total, err
		},
		`{"limit":7,"offset":14}`: func(ctx context.Context, c *outline.Client) (int, error) {
			page, err := c.DeletedDocuments(ctx, "", outline.ListParams{Limit: 7, Offset: 14})
			return page.Total, err
		},
		`{"documentId":"a","includeAnchorText":true,"limit":7,"offset":14}`: func(ctx context.Context, c *outline.Client) (int, error) {
			page, err := c.Comments(ctx, outline.CommentParams{DocumentID: "a", Limit: 7, Offset: 14})
			// Comments are counted; the answer here has no count.
			if errors.Is(err, outline.ErrBadAnswer) {
				err = nil
			}
			return -1 - page.Total, err
		},
	} {
		c, s := scripted(t, nil, gives(200, jsonType, `{"ok":true,"data":[],"pagination":{"limit":7,"offset":14}}`))
		total, err := call(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "request", s.sent[0], want)
		equal(t, "total", total, -1)
	}
}

func TestAllBacklinksAreFoundOnAllPages(t *testing.T) {
	c, s := scripted(t, nil, titles(250))
	found := 0
	for d, err := range c.Backlinks(t.Context(), uuid) {
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "document", d.Title, fmt.Sprintf("document %d", found))
		found++
	}
	equal(t, "found", found, 250)
	equal(t, "last request", s.sent[2], `{"backlinkDocumentId":"`+uuid+`","limit":100,"offset":200}`)
}

func TestTheMovedDocumentIsFoundAmongThoseThatMovedWithIt(t *testing.T) {
	const moved = `{"documents":[{"id":"11111111-1111-4111-8111-111111111111","url":"/doc/a","text":"","title":"below"},` +
		`{"id":"` + uuid + `","urlId":"1FF9VyHA4X","url":"/doc/a","text":"","title":"moved"}]}`
	for id, want := range map[string]string{
		uuid: "moved", strings.ToUpper(uuid): "moved", "1FF9VyHA4X": "moved", "deploy-guide-1FF9VyHA4X": "moved",
		"11111111-1111-4111-8111-111111111111": "below",
		"22222222-2222-4222-8222-222222222222": "", "": "",
	} {
		c, _ := scripted(t, nil, success(moved))
		d, err := c.MoveDocument(t.Context(), outline.MoveDocumentParams{ID: id, CollectionID: uuid})
		equal(t, "title of "+id, d.Title, want)
		if (want == "") != errors.Is(err, outline.ErrBadAnswer) {
			t.Errorf("%s: error %v", id, err)
		}
	}
}

func TestAMissingTextIsNotAMissingDocument(t *testing.T) {
	notFound := gives(404, jsonType, `{"ok":false,"error":"not_found","status":404,"message":"Resource not found"}`)
	inline := gives(400, jsonType, `{"ok":false,"error":"validation_error","status":400,"message":"Cannot inline comment on this document"}`)
	ofProxy := gives(404, "text/html", "<h1>404</h1>")
	update := func(u edit.Params) func(*outline.Client) error {
		u.Before, u.Text = before(1), new("x")
		return func(c *outline.Client) error { _, err := edit.Update(t.Context(), c, u); return err }
	}
	comment := func(n outline.CreateCommentParams) func(*outline.Client) error {
		return func(c *outline.Client) error { _, err := c.CreateComment(t.Context(), n); return err }
	}
	for name, test := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		call   func(*outline.Client) error
		want   error
		says   string
	}{
		"patch":           {notFound, update(edit.Params{ID: "x", EditMode: "patch", FindText: "a"}), outline.ErrTextNotFound, "documents.update: Outline does not find the text to replace in the document"},
		"append":          {notFound, update(edit.Params{ID: "x", EditMode: "append"}), outline.ErrNotFound, "documents.update: Resource not found (404)"},
		"patch of a path": {ofProxy, update(edit.Params{ID: "x", EditMode: "patch", FindText: "a"}), outline.ErrBadAnswer, "there is no Outline API at"},
		"anchor":          {notFound, comment(outline.CreateCommentParams{AnchorText: "a"}), outline.ErrTextNotFound, "comments.create: Outline does not find the text to anchor the comment to in the document"},
		"inline":          {inline, comment(outline.CreateCommentParams{AnchorText: "a"}), outline.ErrCannotAnchor, "comments.create: Cannot inline comment on this document"},
		"no anchor":       {notFound, comment(outline.CreateCommentParams{}), outline.ErrNotFound, "comments.create: Resource not found (404)"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := ordered(t, "", nil, test.answer)
			err := test.call(c)
			for _, kind := range allKinds {
				if errors.Is(err, kind) != (kind == test.want) {
					t.Errorf("error %v, want %v", err, test.want)
				}
			}
			contains(t, err, test.says)
			var e *outline.Error
			if errors.As(err, &e) {
				equal(t, "status", e.Status/100, 4)
			}
		})
	}
}

func TestASuccessWithoutItsContentIsABadAnswerAndTheOutcomeIsUnknown(t *testing.T) {
	for endpoint, order := range orders {
		bodies := []string{`{}`, `{"ok":false}`, `{"ok":false,"success":true}`, `{"data":` + order.data + `}`}
		if order.data == "" {
			bodies = append(bodies, `{"ok":true,"success":false}`)
			bodies[3] = `{"success":true}`
		} else {
			bodies = append(bodies, `{"ok":true,"data":null}`, `{"ok":true,"data":{}}`, `{"ok":true,"data":[]}`, `{"ok":true,"data":{"documents":[{"title":"x"}],"fileOperation":{}}}`)
		}
		for _, body := range bodies {
			c, s := ordered(t, endpoint, nil, gives(200, jsonType, body))
			err := order.call(t.Context(), c)
			if !errors.Is(err, outline.ErrBadAnswer) || !outline.OutcomeUnknown(err) {
				t.Errorf("%s: answer %s: error %v, outcome unknown: %v", endpoint, body, err, outline.OutcomeUnknown(err))
			}
			equal(t, "attempts", s.calls, 1)
		}
	}
}

func TestTheSizeOfAFileIsReadInEitherForm(t *testing.T) {
	for size, want := range map[string]int64{`"2410"`: 2410, `2410`: 2410, `"9007199254740993"`: 9007199254740993, `null`: 0, `"x"`: -1, `"1.5"`: -1, `{}`: -1} {
		c, _ := scripted(t, nil, success(`{"id":"x","size":`+size+`}`))
		operation, err := c.FileOperation(t.Context(), "x")
		if want < 0 {
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("size %s: error %v", size, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		}
		equal(t, "size "+size, operation.Size, want)
	}
}

func TestACommentOfNobodyIsByUnknown(t *testing.T) {
	c, _ := scripted(t, nil, success(`{`+complete+`,"createdBy":null}`))
	comment, err := c.Comment(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "author", comment.Author, "Unknown")
}

func TestACommentThatCannotBeReadHidesNoOther(t *testing.T) {
	const readable = `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Yes."}]}]}`
	deep := strings.Repeat(`{"type":"blockquote","content":[`, 1100) + strings.Repeat(`]}`, 1100)
	for _, data := range []string{
		`{"type":"doc","content":[{"content":[]}]}`, `{"type":"doc","content":[` + deep + `]}`, `{}`, `"text"`, `[]`, `5`,
	} {
		c, _ := scripted(t, nil, gives(200, jsonType, `{"ok":true,"pagination":{"total":2},"data":[{`+complete+`,"data":`+data+`},{`+complete+`,"data":`+readable+`}]}`))
		page, err := c.Comments(t.Context(), outline.CommentParams{})
		if err != nil {
			t.Errorf("%.60s: %v", data, err)
			continue
		}
		equal(t, "text of the one", page.Items[0].Text, "(The content of this comment cannot be read.)")
		equal(t, "text of the other", page.Items[1].Text, "Yes.")
	}
}

func TestAnAnswerIsReadWhereverItStands(t *testing.T) {
	const found = `"search":{"query":"x","answer":"On *Mondays*."},"documents":[{` + complete + `,"title":"Deploy"}]`
	for body, want := range map[string]string{
		`{"ok":true,` + found + `}`:                           "On *Mondays*. 1",
		`{"ok":true,"data":{` + found + `}}`:                  "On *Mondays*. 1",
		`{"ok":true,"search":{"answer":null}}`:                " 0",
		`{` + found + `}`:                                     "",
		`{"ok":true}`:                                         "",
		`{"ok":true,"search":{"answer":5}}`:                   "",
		`{"ok":true,"search":{},"documents":[{"title":"x"}]}`: "",
	} {
		c, _ := scripted(t, nil, gives(200, jsonType, body))
		answer, err := c.AnswerQuestion(t.Context(), outline.QuestionParams{Query: "x"})
		if want == "" {
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s: error %v", body, err)
			}
			continue
		}
		if err != nil || answer.Documents == nil {
			t.Errorf("%s: %v, %v", body, answer, err)
		}
		equal(t, body, fmt.Sprint(answer.Text, " ", len(answer.Documents)), want)
	}
}

func TestAnAnswerMayTakeAsLongAsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(*http.Request) (*http.Response, error) {
			time.Sleep(40 * time.Second)
			return answered(200, jsonType, `{"ok":true,"search":{"answer":"yes"}}`), nil
		}
		c, s := scripted(t, nil, slow)
		answer, err := c.AnswerQuestion(t.Context(), outline.QuestionParams{Query: "x"})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "answer", answer.Text, "yes")
		equal(t, "attempts", s.calls, 1)

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
		defer cancel()
		c, s = scripted(t, func(o *outline.Options) { o.MaxRetries = math.MaxInt }, hangs)
		start := time.Now()
		if _, err := c.AnswerQuestion(ctx, outline.QuestionParams{Query: "x"}); !errors.Is(err, outline.ErrTimeout) {
			t.Errorf("error %v, want ErrTimeout", err)
		}
		equal(t, "time taken", time.Since(start), 50*time.Second)
		equal(t, "attempts", s.calls, 1)

		// Other calls of the same client keep their limit.
		start = time.Now()
		if _, err := c.Document(once(t.Context()), "x"); !errors.Is(err, outline.ErrTimeout) {
			t.Errorf("error %v, want ErrTimeout", err)
		}
		equal(t, "time taken", time.Since(start), 5*time.Second)
	})
}
