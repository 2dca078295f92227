package fakeoutline

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAnExportCompletesByTheClock(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "text"})
	now := noon
	w.store.now = func() time.Time { return now }
	type operation struct{ ID, State, Size, Name, Format string }
	admin := func(endpoint, body string) envelope { return call(t, w, keyOf("admin"), endpoint, body) }
	started := data[struct{ FileOperation operation }](t, admin("collections.export", `{"id":"openopen01"}`)).FileOperation
	if started.State != "creating" || started.Size != "0" || started.Format != "outline-markdown" || started.Name != "Open" {
		t.Errorf("started %+v", started)
	}
	id := `{"id":"` + started.ID + `"}`
	expectError(t, admin("fileOperations.redirect", id), 400, "export is not complete yet")
	expectError(t, call(t, w, keyOf("member"), "fileOperations.info", id), 403, "Authorization error")
	now = now.Add(exportTime)
	if got := data[operation](t, admin("fileOperations.info", id)); got.State != "complete" || got.Size == "0" {
		t.Errorf("later it is %+v", got)
	}
	res, err := w.Transport().RoundTrip(newCall(t, keyOf("admin"), "fileOperations.redirect", id))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	if at := res.Header.Get("Location"); res.StatusCode != 302 || !strings.HasPrefix(at, "http://outline.demo.invalid/api/files.get?sig=") {
		t.Errorf("redirected with %d to %q", res.StatusCode, at)
	}
	link, err := http.NewRequestWithContext(t.Context(), http.MethodGet, res.Header.Get("Location"), nil) // without a key
	if err != nil {
		t.Fatal(err)
	}
	if res, err = w.Transport().RoundTrip(link); err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(archive.File) != 1 || res.Header.Get("Content-Type") != "application/zip" {
		t.Errorf("the file is of type %s: %v", res.Header.Get("Content-Type"), err)
	}
}
