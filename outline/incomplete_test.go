package outline_test

import (
	"errors"
	"fmt"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

// incomplete are values that lack something every document, collection and
// node of a tree has, and what is said of them.
var incomplete = map[string]string{
	`{"url":"/doc/x","text":""}`:                      "has no id",
	`{"id":null,"url":"/doc/x","text":""}`:            "has no id",
	`{"id":"","url":"/doc/x","text":""}`:              "has no id",
	`{"id":"1FF9VyHA4X","url":"/doc/x","text":""}`:    "has an id that is no UUID",
	`{"id":"` + uuid + `0","url":"/doc/x","text":""}`: "has an id that is no UUID",
	`{"id":"` + uuid + `","text":""}`:                 "has no url",
	`{"id":"` + uuid + `","url":null,"text":""}`:      "has no url",
	`{"id":"` + uuid + `","url":"","text":""}`:        "has no url",
}

// readers are the calls that return documents, collections or nodes, and their
// answers around one of them.
var readers = map[string]struct {
	data string
	call func(*testing.T, *outline.Client) error
}{
	"documents.info":        {`%s`, func(t *testing.T, c *outline.Client) error { _, err := c.Document(t.Context(), uuid); return err }},
	"documents.info nested": {`{"document":%s}`, func(t *testing.T, c *outline.Client) error { _, err := c.Document(t.Context(), uuid); return err }},
	"documents.create": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{})
		return err
	}},
	"documents.update": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := edit.Update(t.Context(), c, edit.Params{Before: before(1)})
		return err
	}},
	"documents.archive": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.ArchiveDocument(t.Context(), uuid)
		return err
	}},
	"documents.restore": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.RestoreDocument(t.Context(), uuid, "")
		return err
	}},
	"documents.search": {`[{` + `"document":{` + complete + `}},{"document":%s}]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.Search(t.Context(), outline.SearchParams{})
		return err
	}},
	"documents.search_titles": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := collect(c.SearchTitles(t.Context(), outline.SearchParams{}))
		return err
	}},
	"documents.list": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := collect(c.Backlinks(t.Context(), uuid))
		return err
	}},
	"documents.duplicate": {`{"documents":[%s]}`, func(t *testing.T, c *outline.Client) error {
		_, err := c.DuplicateDocument(t.Context(), outline.DocumentSummary{ID: uuid}, outline.DuplicateDocumentParams{})
		return err
	}},
	"documents.archived": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.ArchivedDocuments(t.Context(), outline.ArchivedParams{})
		return err
	}},
	"documents.deleted": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.DeletedDocuments(t.Context(), outline.ListParams{})
		return err
	}},
	"documents.answerQuestion": {`{"search":{},"documents":[{` + complete + `},%s]}`, func(t *testing.T, c *outline.Client) error {
		_, err := c.AnswerQuestion(t.Context(), outline.QuestionParams{})
		return err
	}},
	"collections.list": {`[{` + complete + `},%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.Collections(t.Context(), outline.ListParams{})
		return err
	}},
	"collections.info": {`%s`, func(t *testing.T, c *outline.Client) error { _, err := c.Collection(t.Context(), uuid); return err }},
	"collections.create": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.CreateCollection(t.Context(), outline.CreateCollectionParams{})
		return err
	}},
	"collections.update": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.UpdateCollection(t.Context(), outline.UpdateCollectionParams{})
		return err
	}},
	"collections.documents": {`[{` + complete + `,"children":[{` + complete + `,"children":[%s]}]}]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.CollectionDocuments(t.Context(), uuid)
		return err
	}},
}

// answer is a call's success around one value.
func answer(t *testing.T, format, value string) *outline.Client {
	c, _ := scripted(t, nil, gives(200, jsonType, `{"ok":true,"pagination":{"total":2},"data":`+fmt.Sprintf(format, value)+`}`))
	return c
}

func TestWhatHasNoUUIDOrNoAddressIsABadAnswer(t *testing.T) {
	for name, reader := range readers {
		t.Run(name, func(t *testing.T) {
			for value, says := range incomplete {
				err := reader.call(t, answer(t, reader.data, value))
				if !errors.Is(err, outline.ErrBadAnswer) {
					t.Errorf("%s: error %v, want ErrBadAnswer", value, err)
				}
				contains(t, err, says)
			}
			if err := reader.call(t, answer(t, reader.data, `{`+complete+`}`)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACommentWithoutAUUIDIsABadAnswer(t *testing.T) {
	for name, reader := range map[string]struct {
		data string
		call func(*outline.Client) error
	}{
		"comments.list": {`[{` + complete + `},%s]`, func(c *outline.Client) error { _, err := c.Comments(t.Context(), outline.CommentParams{}); return err }},
		"comments.info": {`%s`, func(c *outline.Client) error { _, err := c.Comment(t.Context(), uuid); return err }},
		"comments.create": {`%s`, func(c *outline.Client) error {
			_, err := c.CreateComment(t.Context(), outline.CreateCommentParams{})
			return err
		}},
	} {
		for value, says := range map[string]string{`{}`: "has no id", `{"id":"x"}`: "has an id that is no UUID"} {
			err := reader.call(answer(t, reader.data, value))
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s: %s: error %v, want ErrBadAnswer", name, value, err)
			}
			contains(t, err, says)
		}
		if err := reader.call(answer(t, reader.data, `{"id":"`+uuid+`"}`)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnOwnerOfTheKeyWithoutAnIDIsABadAnswer(t *testing.T) {
	if _, err := answer(t, `%s`, `{"user":{"name":"x"},"team":{"id":"x"}}`).AuthInfo(t.Context()); !errors.Is(err, outline.ErrBadAnswer) {
		t.Errorf("error %v, want ErrBadAnswer", err)
	}
}

func TestADocumentWithoutTextIsNoEmptyDocument(t *testing.T) {
	const summary = `"id":"` + uuid + `","url":"/doc/x","title":"x"`
	calls := map[string]struct {
		data string
		call func(*outline.Client) (outline.Document, error)
	}{
		"documents.info":        {`%s`, func(c *outline.Client) (outline.Document, error) { return c.Document(t.Context(), uuid) }},
		"documents.info nested": {`{"document":%s}`, func(c *outline.Client) (outline.Document, error) { return c.Document(t.Context(), uuid) }},
		"documents.create": {`%s`, func(c *outline.Client) (outline.Document, error) {
			return c.CreateDocument(t.Context(), outline.CreateDocumentParams{})
		}},
		"documents.update": {`%s`, func(c *outline.Client) (outline.Document, error) {
			updated, err := edit.Update(t.Context(), c, edit.Params{Before: before(1)})
			return updated.After, err
		}},
		"documents.move": {`{"documents":[%s]}`, func(c *outline.Client) (outline.Document, error) {
			return c.MoveDocument(t.Context(), outline.MoveDocumentParams{ID: uuid})
		}},
		"documents.restore": {`%s`, func(c *outline.Client) (outline.Document, error) { return c.RestoreDocument(t.Context(), uuid, "") }},
	}
	for name, test := range calls {
		for _, text := range []string{"", `,"text":null`} {
			_, err := test.call(answer(t, test.data, `{`+summary+text+`}`))
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s %q: error %v, want ErrBadAnswer", name, text, err)
			}
			contains(t, err, "no Markdown text")
		}
		for text, want := range map[string]string{`""`: "", `"words"`: "words"} {
			d, err := test.call(answer(t, test.data, `{`+summary+`,"text":`+text+`}`))
			if err != nil || d.Text != want || d.ID != uuid {
				t.Errorf("%s: text %q, %v; want %q", name, d.Text, err, want)
			}
		}
	}
	if page, err := answer(t, `[%s]`, `{`+summary+`}`).DeletedDocuments(t.Context(), outline.ListParams{}); err != nil || len(page.Items) != 1 {
		t.Errorf("a summary needs no text: %v", err)
	}
}

func TestTheMovedDocumentNeedsAnAddress(t *testing.T) {
	_, err := answer(t, `{"documents":[%s]}`, `{"id":"`+uuid+`","text":""}`).MoveDocument(t.Context(), outline.MoveDocumentParams{ID: uuid})
	if !errors.Is(err, outline.ErrBadAnswer) {
		t.Errorf("error %v, want ErrBadAnswer", err)
	}
	contains(t, err, "has no url")
}
