package views_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outline-mcp/views"
)

func TestTheProgramContainsThePagesInDist(t *testing.T) {
	for _, view := range views.All() {
		built, err := os.ReadFile(filepath.Join("dist", string(view)+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if page, err := view.HTML(); err != nil || page != string(built) {
			t.Errorf("%s: the compressed page is not dist/%s.html: %v; run npm run build in views", view, view, err)
		}
		if found, ok := views.At(view.URI()); !ok || found != view {
			t.Errorf("%s is at %q", view, found)
		}
	}
	pages, err := filepath.Glob("dist/*.gz")
	if err != nil || len(pages) != len(views.All()) {
		t.Errorf("dist has %d compressed pages: %v", len(pages), err)
	}
}

// The licences of these packages ask for it, and the pages are all of them that a release contains.
func TestAPageHasTheLicencesOfWhatItContains(t *testing.T) {
	holders := map[string]string{"diff": "Kevin Decker", "marked": "Christopher Jeffrey"}
	contains := map[views.View][]string{views.Difference: {"diff", "marked"}, views.Document: {"marked"}, views.Finding: {"marked"}}
	for _, view := range views.All() {
		page, err := view.HTML()
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, part := range strings.Split(page, "\nContains ")[1:] {
			name, licence, _ := strings.Cut(part, " ")
			found = append(found, name)
			if holders[name] == "" || !strings.Contains(licence, holders[name]) || !strings.Contains(licence, "LIABILITY") {
				t.Errorf("%s: the licence of %s is %q", view, name, licence)
			}
		}
		if !slices.Equal(found, contains[view]) {
			t.Errorf("%s contains %q", view, found)
		}
	}
}

func TestAViewHasOneURI(t *testing.T) {
	for _, uri := range []string{"", "ui://outline/", "ui://outline/other", "ui://outline/document/", "ui://outline/../document", "outline://document", "ui://outline/document?x=1"} {
		if view, ok := views.At(uri); ok {
			t.Errorf("%s is the view %s", uri, view)
		}
	}
}

func TestTogetherThePagesAreSmall(t *testing.T) {
	const limit, limitOfAll = 120 << 10, 250 << 10 // as build.mjs has them
	compressed := int64(0)
	for _, view := range views.All() {
		page, err := os.Stat("dist/" + string(view) + ".html")
		if err != nil {
			t.Fatal(err)
		}
		archive, err := os.Stat("dist/" + string(view) + ".html.gz")
		if err != nil {
			t.Fatal(err)
		}
		compressed += archive.Size()
		if page.Size() > limit {
			t.Errorf("%s has %d bytes", view, page.Size())
		}
	}
	if compressed > limitOfAll {
		t.Errorf("all have %d bytes", compressed)
	}
}
