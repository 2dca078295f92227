package app_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"sync/atomic"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

// One picture is scaled at a time, so those of a caller who has many must not all come before
// another's.
func TestPicturesOfOneCallerDoNotHoldUpAnothers(t *testing.T) {
	var drawing bytes.Buffer
	if err := png.Encode(&drawing, image.NewGray(image.Rect(0, 0, 3000, 3000))); err != nil {
		t.Fatal(err)
	}
	const many = 8
	var fetched atomic.Int64
	all := make(chan struct{})
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "attachments.redirect":
			http.Redirect(w, r, "/api/files.get?key=x", http.StatusFound)
		case "files.get":
			if fetched.Add(1) == many {
				close(all)
			}
			_, _ = w.Write(drawing.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(outline.Close)
	s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL)
	var answered atomic.Int64
	look := func(key string) {
		reply, err := s.send(t.Context(), "tools/call", `{"name":"read_attachment","arguments":{"attachment_id":"11111111-1111-4111-8111-111111111111"}}`, bearer(key))
		if err != nil || reply.Result.IsError || reply.status != http.StatusOK {
			t.Errorf("%v, %.300s", err, reply.body)
		}
	}
	var callers sync.WaitGroup
	for range many {
		callers.Go(func() {
			look(fakeoutline.MemberKey)
			answered.Add(1)
		})
	}
	<-all
	before := answered.Load()
	look(fakeoutline.AdminKey)
	if meanwhile := answered.Load() - before; meanwhile > 3 {
		t.Errorf("%d pictures of another caller came first", meanwhile)
	}
	callers.Wait()
}
