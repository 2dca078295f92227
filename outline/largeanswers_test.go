package outline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
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
			ctx, done := outline.KeepAnswers(t.Context())
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

		huge, done := outline.KeepAnswers(t.Context())
		expect("huge", read(huge, 3000), nil)
		expect("another of the same work", read(huge, 3000), nil)
		expect("huge, one too many", read(t.Context(), 3000), outline.ErrBusy)
		expect("large beside a huge one", read(t.Context(), 300), nil)
		expect("small beside all", read(t.Context(), 10), nil)
		done()
		expect("huge again", read(t.Context(), 3000), nil)

		many, done := outline.KeepAnswers(t.Context())
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
