package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
)

func TestDocumentsThatAreCreatedAtOnceInOneCollectionAreAllMade(t *testing.T) {
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: "1.9.2", UpdateTime: 2 * time.Millisecond}, emptySeed())
	if err != nil {
		t.Fatal(err)
	}
	c := limited(t, defaultLimit, true, w.Transport(), "OUTLINE_MAX_RETRIES=3")
	var calls sync.WaitGroup
	for n := range 24 {
		calls.Go(func() {
			answer, err := cli.Call(t.Context(), c, "create_document", map[string]any{"title": fmt.Sprint("Page ", n), "text": "x", "collection_id": wikiCollection})
			if err != nil || answer.Code != "" {
				t.Error(n, err, answer.Text)
			}
		})
	}
	calls.Wait()
}

// A deadlocked Outline answers the first create with an error, and makes nothing.
type deadlocked struct {
	http.RoundTripper
	once sync.Once
}

func (d *deadlocked) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	if strings.HasSuffix(r.URL.Path, "/documents.create") {
		d.once.Do(func() {
			answer = &http.Response{StatusCode: 500, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
				Body: io.NopCloser(strings.NewReader(`{"ok":false,"status":500,"error":"internal_error","message":"Internal error"}`))}
		})
	}
	if answer != nil {
		return answer, nil
	}
	return d.RoundTripper.RoundTrip(r)
}

func TestACreateThatOutlineFailedToMakeIsTriedAgain(t *testing.T) {
	seed := emptySeed()
	c := limited(t, defaultLimit, true, &deadlocked{RoundTripper: wiki(t, seed)}, "OUTLINE_MAX_RETRIES=1")
	answer := call(t, c, "create_document", map[string]any{"title": "Page", "text": "x", "collection_id": wikiCollection})
	if answer.Code != "" {
		t.Error(answer.Text)
	}
}
