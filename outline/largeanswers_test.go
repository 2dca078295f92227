package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// lengthy answers with a document whose text has as many kilobytes as its ID says.
func lengthy(r *http.Request) (*http.Response, error) {
	var kilobytes int
	if _, err := fmt.Fscanf(r.Body, `{"id":"%d`, &kilobytes); err != nil {
		return nil, err
	}
	body := `{"ok":true,"data":{"id":"` + noDocument + `","title":"x","url":"/doc/x-1wPyxUCdt9","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","text":"` + strings.Repeat("x", kilobytes<<10) + `"}}`
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		ContentLength: -1, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func TestLargeAnswersWaitForEachOtherAndForNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) { o.Transport, o.RequestTimeout = roundTrip(lengthy), 5*time.Second })
		read := func(ctx context.Context, kilobytes int) error {
			_, err := c.Document(ctx, fmt.Sprintf("%d-0123456789", kilobytes))
			return err
		}
		expect := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: error %v, want %v", what, err, want)
			}
		}
		var ends []func()
		for range 6 {
			ctx, done := outline.WithPlace(t.Context())
			ends = append(ends, done)
			expect("large", read(ctx, 300), nil)
			expect("another of the same work", read(ctx, 300), nil)
		}
		expect("small", read(t.Context(), 200), nil)
		begin := time.Now()
		expect("large, one too many", read(t.Context(), 300), outline.ErrBusy)
		expect("large, one too many", read(t.Context(), 300), outline.ErrTimeout)
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("they wait for %s", took)
		}
		time.AfterFunc(time.Second, ends[0])
		expect("large, when one ends", read(t.Context(), 300), nil)
		expect("large, its own place free again", read(t.Context(), 300), nil)

		huge, done := outline.WithPlace(t.Context())
		expect("huge", read(huge, 3000), nil)
		expect("another of the same work", read(huge, 3000), nil)
		expect("huge, one too many", read(t.Context(), 3000), outline.ErrBusy)
		expect("large beside a huge one", read(t.Context(), 300), nil)
		expect("small beside all", read(t.Context(), 10), nil)
		done()
		expect("huge again", read(t.Context(), 3000), nil)

		many, done := outline.WithPlace(t.Context())
		for range 50 {
			expect("small ones that are kept", read(many, 200), nil)
		}
		expect("huge beside small ones that are huge together", read(t.Context(), 3000), outline.ErrBusy)
		done()
		for _, end := range ends {
			end() // also a second time
		}
		expect("huge at the end", read(t.Context(), 3000), nil)
	})
}

// listing answers as lengthy does, and to lists with one collection of the length, after
// wait has returned.
func listing(kilobytes int, wait func()) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(r.URL.Path, "collections.list") {
			return lengthy(r)
		}
		body := `{"ok":true,"data":[{"id":"` + noDocument + `","name":"x","url":"/collection/x-1wPyxUCdt9","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","description":"` + strings.Repeat("x", kilobytes<<10) + `"}],"pagination":{"limit":25,"offset":0,"total":1}}`
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			ContentLength: -1, Body: &late{strings.NewReader(body), wait},
		}, nil
	}
}

// late is a body that is sent after wait has returned.
type late struct {
	io.Reader
	wait func()
}

func (l *late) Read(p []byte) (int, error) {
	l.wait()
	return l.Reader.Read(p)
}

func (l *late) Close() error { return nil }

func TestWorkThatHasAPlaceForLargeAnswersNeverWaitsForOneThatItHolds(t *testing.T) {
	inPassing := func(ctx context.Context) context.Context {
		return outline.WithCallOptions(ctx, outline.InPassing())
	}
	for name, test := range map[string]struct {
		works, document, list int // kilobytes
		as                    func(context.Context) context.Context
		want                  error
	}{
		"a large list in each of several works": {6, 300, 300, func(ctx context.Context) context.Context { return ctx }, nil},
		"a huge list in a work":                 {1, 300, 3000, func(ctx context.Context) context.Context { return ctx }, nil},
		"a large look-up of each":               {6, 300, 300, inPassing, nil},
		"a large look-up beside huge answers":   {1, 3000, 300, inPassing, nil},
		"a huge look-up beside huge answers":    {1, 3000, 3000, inPassing, outline.ErrBusy},
		"a huge look-up beside large answers":   {6, 300, 3000, inPassing, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
					o.Transport, o.RequestTimeout = listing(test.list, func() {}), 5*time.Second
				})
				begin := time.Now()
				var works []context.Context
				for range test.works {
					ctx, done := outline.WithPlace(t.Context())
					defer done()
					works = append(works, ctx)
					if _, err := c.Document(ctx, fmt.Sprintf("%d-0123456789", test.document)); err != nil {
						t.Fatal(err)
					}
				}
				for _, ctx := range works {
					if _, err := c.Collections(outline.WithCallOptions(test.as(ctx), outline.NoRetries()), outline.ListParams{}); !errors.Is(err, test.want) {
						t.Errorf("error %v, want %v", err, test.want)
					}
				}
				if took := time.Since(begin); took > 0 {
					t.Errorf("they wait for %s", took)
				}
			})
		})
	}
}

func TestListsShareThePlaceOfTheirWorkUntilTheyAreDecoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrives := make(chan struct{})
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
			o.Transport, o.RequestTimeout = listing(3000, func() { <-arrives }), 5*time.Second
		})
		begin := time.Now()
		read := func(ctx context.Context) {
			t.Helper()
			if _, err := c.Document(ctx, "3000-0123456789"); err != nil {
				t.Error(err)
			}
		}
		work, done := outline.WithPlace(t.Context())
		listed := make(chan error)
		list := func() {
			_, err := c.Collections(work, outline.ListParams{})
			listed <- err
		}
		go list()
		synctest.Wait() // the list has begun before the work has a place
		read(work)
		close(arrives)
		if err := <-listed; err != nil {
			t.Error(err)
		}
		done()

		work, done = outline.WithPlace(t.Context())
		defer done()
		go list()
		if err := <-listed; err != nil {
			t.Error(err)
		}
		read(t.Context()) // although the work continues
		if took := time.Since(begin); took > 0 {
			t.Errorf("they wait for %s", took)
		}
	})
}

// TestAnswersThatTakeAMultipleOfTheirLengthAreNotDecoded lets Outline answer with what is
// short as JSON and long in memory.
func TestAnswersThatTakeAMultipleOfTheirLengthAreNotDecoded(t *testing.T) {
	const page = `{"ok":true,"pagination":{"total":1},"data":`
	var body string
	c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
		o.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
		})
	})
	calls := map[string]func() error{
		"documents": func() error { _, err := c.Documents(t.Context(), outline.DocumentListParams{Limit: 25}); return err },
		"shared": func() error {
			_, err := c.Documents(t.Context(), outline.DocumentListParams{Limit: 25, SharedWithMe: true})
			return err
		},
		"users":                    func() error { _, err := c.Users(t.Context(), outline.UserListParams{}); return err },
		"revisions":                func() error { _, err := c.Revisions(t.Context(), outline.RevisionsParams{}); return err },
		"the tree of a collection": func() error { _, err := c.CollectionDocuments(t.Context(), noDocument); return err },
		"the tree of a document":   func() error { _, err := c.DocumentWithTree(t.Context(), noDocument); return err },
	}
	const length = 4 << 20
	for name, shape := range map[string][3]string{
		"objects":                  {page + `[{}`, `,{}`, `]}`},
		"objects, fewer":           {page + `[{}`, `,{}`, `]}` + strings.Repeat(" ", length-300_000)},
		"objects with a member":    {page + `[{"id":""}`, `,{"id":""}`, `]}`},
		"lists":                    {page + `[[]`, `,[]`, `]}`},
		"members":                  {page + `{"a":0`, `,"a":0`, `}}`},
		"short texts":              {page + `[""`, `,""`, `]}`},
		"objects within an object": {page + `{"data":{"type":"doc","content":[{}`, `,{}`, `]}}}`},
		"marks":                    {page + `{"data":{"type":"doc","content":[{"marks":[{}`, `,{}`, `]}]}}}`},
		"attributes":               {page + `{"data":{"type":"doc","attrs":{"a":0`, `,"a":0`, `}}}}`},
		"texts of an item":         {page + `[{"collaboratorIds":[""`, `,""`, `]}]}`},
		"items of an item":         {page + `[{"collaborators":[{}`, `,{}`, `]}]}`},
		"children of an item":      {page + `[{"children":[{}`, `,{}`, `]}]}`},
		"shared documents":         {page + `{"documents":[{}`, `,{}`, `]}}`},
	} {
		body = shape[0] + strings.Repeat(shape[1], (length-len(shape[2]))/len(shape[1])) + shape[2]
		for call, do := range calls {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := do()
			runtime.ReadMemStats(&after)
			if err == nil || errors.Is(err, outline.ErrTimeout) {
				t.Errorf("%s, %s: error %v", name, call, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16*length {
				t.Errorf("%s, %s: %d MiB", name, call, took>>20)
			}
		}
	}
}

func TestLinesAndMarksAreCountedInAllFormsOfTheirJSON(t *testing.T) {
	for body, want := range map[string]int{
		`{"a":["text"]}`:                            0,
		`{"a":"# a\n\n*b* | _c_","b":"*"}`:          8,
		`"\u002aa\u002A \u4e2d\u000a\r"`:            4,
		`"\\a \"b\" \/ \t- a, 1. b, :x: ==c=="`:     6,
		`"- a plain 1,000 words (of 2.5%): - fine"`: 3,
		`"cut off \u00`:                             0,
		`"cut off \`:                                1,
	} {
		if got := outline.MarksInJSON([]byte(body)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}

// FuzzMarksInJSON counts the marks of a text and of its JSON, which has no fewer.
func FuzzMarksInJSON(f *testing.F) {
	f.Add("# a\n\n*b* | <c> & d\u2028", "- a\t1. b")
	f.Fuzz(func(t *testing.T, one, other string) {
		body, err := json.Marshal([]string{one, other})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := outline.MarksInJSON(body), prosemirror.CountMarks(one)+prosemirror.CountMarks(other); got < want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
		outline.MarksInJSON([]byte(one)) // need not be valid
	})
}
