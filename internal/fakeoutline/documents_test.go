package fakeoutline

import (
	"strings"
	"testing"
)

func TestBacklinks(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Target"},
		Document{Title: "Source", Text: "see [it](/doc/target-document00)"},
		Document{Title: "Neither", Text: "/doc/target-document00"},
	)
	expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"backlinkDocumentId":"`+documentID(0)+`"}`), "Source")
	expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"backlinkDocumentId":"`+documentID(77)+`"}`))
}

func TestExport(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: `Q"uote é`, Text: `a\nb`})
	if got := data[string](t, call(t, w, keyOf("member"), "documents.export", `{"id":"document00"}`)); got != "# Q\"uote é\n\na  \nb" {
		t.Errorf("export is %q", got)
	}
	req := newCall(t, keyOf("member"), "documents.export", `{"id":"document00"}`)
	req.Header.Set("Accept", "text/markdown")
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="quote-e.md"` {
		t.Errorf("the file is %s", got)
	}
	expectError(t, call(t, w, keyOf("member"), "documents.export", `{"id":"document00","includeChildDocuments":"yes"}`), 400,
		"includeChildDocuments: Invalid input: expected boolean, received string")
}

func TestInstallationInfo(t *testing.T) {
	got := data[map[string]any](t, call(t, newTestWorkspace(t), keyOf("viewer"), "installation.info", `{}`))
	if !strings.HasPrefix(got["version"].(string), "1.") || got["versionsBehind"] != 0.0 {
		t.Errorf("installation is %v", got)
	}
}
