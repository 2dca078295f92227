package outline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

// orders are all methods that change something, each with the data of an
// answer of success.
var orders = map[string]struct {
	call func(context.Context, *outline.Client) error
	data string
}{
	"documents.create": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x"})
		return err
	}, `{` + complete + `}`},
	"documents.update": {func(ctx context.Context, c *outline.Client) error {
		_, err := edit.Update(ctx, c, edit.Params{ID: "x", Text: new("y")})
		return err
	}, `{` + complete + `}`},
	"documents.move": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.MoveDocument(ctx, outline.MoveDocumentParams{ID: uuid, CollectionID: uuid, Before: &outline.DocumentSummary{Revision: 1}})
		return err
	}, `{"documents":[{` + complete + `}]}`},
	"documents.archive": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.ArchiveDocument(ctx, "x")
		return err
	}, `{` + complete + `}`},
	"documents.restore": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.RestoreDocument(ctx, "x", "")
		return err
	}, `{` + complete + `}`},
	"documents.unarchive": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.UnarchiveDocument(ctx, "x")
		return err
	}, `{` + complete + `}`},
	"documents.delete": {func(ctx context.Context, c *outline.Client) error { return c.DeleteDocument(ctx, "x", true) }, ""},
	"comments.create": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.CreateComment(ctx, outline.CreateCommentParams{DocumentID: uuid, Text: "x"})
		return err
	}, `{` + complete + `}`},
	"comments.update": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.UpdateComment(ctx, outline.Comment{ID: uuid}, "x")
		return err
	}, `{` + complete + `}`},
	"comments.resolve": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.ResolveComment(ctx, uuid, true)
		return err
	}, `{` + complete + `}`},
	"comments.unresolve": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.ResolveComment(ctx, uuid, false)
		return err
	}, `{` + complete + `}`},
	"comments.delete": {func(ctx context.Context, c *outline.Client) error { return c.DeleteComment(ctx, uuid) }, ""},
	"documents.duplicate": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.DuplicateDocument(ctx, outline.DocumentSummary{ID: uuid}, outline.DuplicateDocumentParams{})
		return err
	}, `{"documents":[{` + complete + `}]}`},
	"collections.create": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.CreateCollection(ctx, outline.CreateCollectionParams{Name: "x"})
		return err
	}, `{` + complete + `}`},
	"collections.update": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.UpdateCollection(ctx, outline.UpdateCollectionParams{ID: uuid, Name: new("x")})
		return err
	}, `{` + complete + `}`},
	"collections.delete": {func(ctx context.Context, c *outline.Client) error { return c.DeleteCollection(ctx, uuid) }, ""},
	"collections.export": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.ExportCollection(ctx, uuid, "json")
		return err
	}, `{"fileOperation":{` + complete + `}}`},
	"collections.export_all": {func(ctx context.Context, c *outline.Client) error {
		_, err := c.ExportAllCollections(ctx, "json")
		return err
	}, `{"fileOperation":{` + complete + `}}`},
}

func success(data string) func(*http.Request) (*http.Response, error) {
	if data == "" {
		return gives(200, jsonType, `{"success":true,"status":200,"ok":true}`)
	}
	return gives(200, jsonType, `{"data":`+data+`,"status":200,"ok":true}`)
}

func TestEveryCommandIsTestedHere(t *testing.T) {
	for name := range commands {
		if _, ok := orders[name]; !ok {
			t.Errorf("%s is recorded, but not among the orders", name)
		}
	}
	equal(t, "orders", len(orders), len(commands))
}

// settling are the orders whose outcome can be seen afterwards.
func settling(endpoint string) bool { return !strings.HasPrefix(endpoint, "collections.export") }

// TestACommandTellsWhetherItMayHaveBeenCarriedOut has a server that fails every
// time in the same way and changes nothing.
func TestACommandTellsWhetherItMayHaveBeenCarriedOut(t *testing.T) {
	const (
		refused = iota // not carried out
		ended          // the server has come to an end with it, one way or the other
		open           // it may still be carried out
		strange        // the same, but a repetition is pointless
	)
	for name, test := range map[string]struct {
		step    func(*http.Request) (*http.Response, error)
		kind    error
		outcome int
	}{
		"no answer in time":      {hangs, outline.ErrTimeout, open},
		"answer stalled":         {stalls, outline.ErrTimeout, open},
		"connection reset":       {fails(syscall.ECONNRESET), outline.ErrUnreachable, open},
		"closed without answer":  {fails(io.EOF), outline.ErrUnreachable, open},
		"answer broken off":      {breaks, outline.ErrUnreachable, open},
		"error broken off":       {breaksWith(403), outline.ErrUnreachable, open},
		"500":                    {gives(500, jsonType, `{"ok":false,"error":"internal_error","message":"Internal error"}`), outline.ErrUpstream, ended},
		"502 of a proxy":         {gives(502, "text/html", "<h1>Bad gateway</h1>"), outline.ErrUpstream, open},
		"503 of Outline":         {gives(503, jsonType, `{"ok":false,"error":"request_timeout","message":"Request timeout"}`), outline.ErrUpstream, open},
		"503 with a wait":        {withHeader(503, "Retry-After", "1"), outline.ErrUpstream, open},
		"504":                    {gives(504, "", ""), outline.ErrUpstream, open},
		"524 of Cloudflare":      {gives(524, "text/html", "<h1>A timeout occurred</h1>"), outline.ErrUpstream, open},
		"501 of a web server":    {gives(501, "text/html", "<h1>501</h1>"), outline.ErrBadAnswer, strange},
		"500 of a proxy":         {gives(500, "text/html", "<h1>500</h1>"), outline.ErrUpstream, strange},
		"a status of no meaning": {gives(799, "", ""), outline.ErrBadAnswer, strange},
		"login page":             {gives(200, "text/html", "<html>Sign in</html>"), outline.ErrBadAnswer, strange},
		"no content":             {gives(204, "", ""), outline.ErrBadAnswer, strange},
		"cut JSON":               {gives(200, jsonType, `{"ok":true,"data":{"id":"x`), outline.ErrBadAnswer, strange},
		"not ok":                 {gives(200, jsonType, `{"ok":false,"data":{`+complete+`}}`), outline.ErrBadAnswer, strange},
		"too long":               {gives(200, jsonType, `{"ok":true,"data":{`+complete+`}}`+strings.Repeat(" ", 1000)), outline.ErrAnswerTooLarge, strange},
		"redirect":               {gives(302, "text/html", "moved"), outline.ErrBadAnswer, refused},
		"400":                    {gives(400, jsonType, `{"ok":false,"error":"validation_error","message":"x"}`), outline.ErrInvalid, refused},
		"401":                    {gives(401, jsonType, `{"ok":false,"error":"authentication_required","message":"x"}`), outline.ErrUnauthorized, refused},
		"402":                    {gives(402, jsonType, `{"ok":false,"error":"payment_required","message":"x"}`), outline.ErrUpstream, refused},
		"403":                    {gives(403, jsonType, `{"ok":false,"error":"authorization_error","message":"x"}`), outline.ErrForbidden, refused},
		"403 of a firewall":      {gives(403, "text/html", "<h1>403</h1>"), outline.ErrBadAnswer, refused},
		"404":                    {gives(404, jsonType, `{"ok":false,"error":"not_found","message":"x"}`), outline.ErrNotFound, refused},
		"409":                    {gives(409, jsonType, `{"ok":false,"error":"document_conflict","message":"x"}`), outline.ErrConflict, refused},
		"413":                    {gives(413, "text/html", "<h1>413</h1>"), outline.ErrTooLarge, refused},
		"429 for too long":       {rateLimits("Retry-After", "600"), outline.ErrRateLimited, refused},
	} {
		for endpoint, order := range orders {
			t.Run(endpoint+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c, s := ordered(t, endpoint, func(o *outline.Options) { o.MaxAnswerBytes = 1000 }, test.step)
					err := order.call(t.Context(), c)
					var e *outline.Error
					if !errors.As(err, &e) || !errors.Is(err, test.kind) || e.Endpoint != endpoint {
						t.Fatalf("error %v, want %v of %s", err, test.kind, endpoint)
					}
					for _, kind := range allKinds {
						if kind != test.kind && errors.Is(err, kind) {
							t.Errorf("error %v is also %v", err, kind)
						}
					}
					attempts, unknown, seen := 1, test.outcome != refused, ""
					if settling(endpoint) && test.outcome >= open {
						seen = "a moment later it was not done"
						if test.outcome == open && endpoint != "collections.create" && endpoint != "collections.update" && endpoint != "documents.duplicate" {
							attempts = 4 // nothing has changed, and repeating it is safe
						}
					}
					if settling(endpoint) && test.outcome == ended {
						unknown, seen = false, "nothing was changed"
						if endpoint == "documents.create" {
							attempts = 4 // it may have been a deadlock
						}
					}
					equal(t, "attempts", s.calls, attempts)
					equal(t, "outcome unknown", outline.OutcomeUnknown(err), unknown)
					equal(t, "what was seen afterwards", e.Afterwards, seen)
				})
			})
		}
	}
}

func withHeader(status int, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return answered(status, jsonType, `{"ok":false,"error":"x","message":"x"}`, headers...), nil
	}
}

// breaksWith loses half of an answer of this status.
func breaksWith(status int) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		answer, err := breaks(r)
		answer.StatusCode = status
		return answer, err
	}
}

func TestACommandIsRepeatedAfterARateLimit(t *testing.T) {
	for endpoint, order := range orders {
		t.Run(endpoint, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := ordered(t, endpoint, nil, rateLimits("Retry-After", "7"), gives(429, "text/html", "<h1>slow down</h1>"), success(order.data))
				if err := order.call(t.Context(), c); err != nil {
					t.Error(err)
				}
				equal(t, "attempts", s.calls, 3)
				equal(t, "wait", s.gap(1), 7*time.Second)
				equal(t, "second body", s.sent[1], s.sent[0])
				equal(t, "third body", s.sent[2], s.sent[0])

				again, s := ordered(t, endpoint, nil, rateLimits("Retry-After", "1"))
				err := order.call(t.Context(), again)
				if !errors.Is(err, outline.ErrRateLimited) || outline.OutcomeUnknown(err) {
					t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
				}
				equal(t, "attempts within the limits", s.calls, 4)

				again, s = ordered(t, endpoint, nil, rateLimits("Retry-After", "1"))
				if err := order.call(once(t.Context()), again); !errors.Is(err, outline.ErrRateLimited) {
					t.Error(err)
				}
				equal(t, "attempts without retry", s.calls, 1)
			})
		})
	}
}

func TestAfterARateLimitTheNextFailureCounts(t *testing.T) {
	for name, test := range map[string]struct {
		step     func(*http.Request) (*http.Response, error)
		deadline time.Duration
		kind     error
		attempts int
		unknown  bool
	}{
		"lost after the wait":       {fails(syscall.ECONNRESET), time.Minute, outline.ErrUnreachable, 5, true},
		"refused after the wait":    {gives(409, jsonType, `{"ok":false,"error":"document_conflict","message":"x"}`), time.Minute, outline.ErrConflict, 2, false},
		"cancelled during the wait": {hangs, 3 * time.Second, outline.ErrCancelled, 1, false},
		"cancelled after the wait":  {hangs, 6 * time.Second, outline.ErrCancelled, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(test.deadline, cancel)
				defer cancel()
				c, s := ordered(t, "documents.create", nil, rateLimits("Retry-After", "5"), test.step)
				_, err := c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x"})
				if !errors.Is(err, test.kind) {
					t.Errorf("error %v, want %v", err, test.kind)
				}
				equal(t, "attempts", s.calls, test.attempts)
				equal(t, "outcome unknown", outline.OutcomeUnknown(err), test.unknown)
			})
		})
	}
}

func TestTheOutcomeOfWhatWasNeverSentIsKnown(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for name, test := range map[string]struct {
		ctx  context.Context
		key  string
		kind error
	}{
		"no key":                 {t.Context(), "", outline.ErrNoKey},
		"a key of two lines":     {t.Context(), "a\nb", outline.ErrUnauthorized},
		"a cancelled context":    {cancelled, testKey, outline.ErrCancelled},
		"a deadline in the past": {late, testKey, outline.ErrTimeout},
	} {
		for endpoint, order := range orders {
			t.Run(endpoint+" "+name, func(t *testing.T) {
				c, s := scripted(t, nil, success(order.data))
				err := order.call(as(test.ctx, test.key), c)
				if !errors.Is(err, test.kind) || outline.OutcomeUnknown(err) {
					t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
				}
				equal(t, "attempts", s.calls, 0)
			})
		}
	}
}

func TestTheOutcomeOfACallThatOnlyReadsIsNeverUnknown(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"reset": fails(syscall.ECONNRESET), "502": gives(502, "", ""), "bad": gives(200, jsonType, "{"), "no id": success(`{}`), "broken": breaks,
	} {
		c, _ := scripted(t, nil, step)
		ctx := once(t.Context())
		_, first := c.Document(ctx, "x")
		_, second := c.Comments(ctx, outline.CommentParams{})
		_, third := c.AnswerQuestion(ctx, outline.QuestionParams{Query: "x"})
		for _, err := range []error{first, second, third} {
			if err == nil || outline.OutcomeUnknown(err) {
				t.Errorf("%s: error %v, outcome unknown: %v", name, err, outline.OutcomeUnknown(err))
			}
		}
	}
	if outline.OutcomeUnknown(nil) || outline.OutcomeUnknown(io.EOF) {
		t.Error("the outcome of no call is unknown")
	}
}

func TestALostCopyIsFoundByItsOriginal(t *testing.T) {
	const original, copied, below, another = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000c1", "00000000-0000-4000-8000-0000000000c2", "00000000-0000-4000-8000-0000000000c3"
	now := time.Now().UTC()
	row := func(id, parent, title, of string, age time.Duration) string {
		return fmt.Sprintf(`{"id":%q,"urlId":"abcdefghij","url":"/doc/a-abcdefghij","title":%q,"collectionId":"h","parentDocumentId":%q,"createdAt":%q,"sourceMetadata":{"originalDocumentId":%q}}`,
			id, title, parent, now.Add(-age).Format(time.RFC3339Nano), of)
	}
	one, child := row(copied, "p", "A", original, 0), row(below, copied, "B", uuid, 0)
	for name, test := range map[string]struct {
		listed  []string
		copies  int // 0: the outcome is unknown
		endless bool
	}{
		"the copy and what is below it":             {listed: []string{child, one}, copies: 2},
		"an older copy is another":                  {listed: []string{one, row(another, "p", "A", original, time.Hour)}, copies: 1},
		"two copies":                                {listed: []string{one, row(another, "p", "A", original, 0)}},
		"a copy of something else":                  {listed: []string{row(copied, "p", "A", uuid, 0)}},
		"a copy elsewhere":                          {listed: []string{row(copied, "", "A", original, 0)}},
		"a copy with another title":                 {listed: []string{row(copied, "p", "C", original, 0)}},
		"a namesake that tells no original":         {listed: []string{row(copied, "p", "A", "", 0)}},
		"the copy, and a namesake of it":            {listed: []string{one, row(another, "p", "A", "", 0)}},
		"nothing":                                   {},
		"a full page of older documents after them": {listed: []string{child, one}, copies: 2, endless: true},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
				o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					if path.Base(r.URL.Path) == "documents.duplicate" {
						sent++
						return nil, io.EOF
					}
					rows := test.listed
					if test.endless {
						for n := range 100 - len(rows) {
							rows = append(rows, row(fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "", "Old", "", time.Hour))
						}
					}
					return answered(200, jsonType, `{"ok":true,"data":[`+strings.Join(rows, ",")+`]}`), nil
				})
			})
			copies, err := c.DuplicateDocument(t.Context(), outline.DocumentSummary{ID: original, Title: "A", CollectionID: "h"}, outline.DuplicateDocumentParams{ParentDocumentID: "p", Recursive: true, Publish: true})
			equal(t, "outcome unknown", outline.OutcomeUnknown(err), test.copies == 0)
			equal(t, "requests", sent, 1)
			equal(t, "copies", len(copies), test.copies)
			if len(copies) > 0 {
				equal(t, "the first", copies[0].ID, copied)
			}
		})
	}
}
