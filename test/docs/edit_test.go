package docs_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestTheFilesOfAnEditExistAndAreAtMostFortyFive reads the table of the architecture page.
// A name without a folder is in the folder of the name before it.
func TestTheFilesOfAnEditExistAndAreAtMostFortyFive(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, edit, found := strings.Cut(string(page), "\n## An edit\n")
	if !found {
		t.Fatal("the page has no section on an edit")
	}
	files := map[string]bool{}
	folder := ""
	for _, name := range regexp.MustCompile("`([a-z/]+\\.go)`").FindAllStringSubmatch(edit, -1) {
		if strings.Contains(name[1], "/") {
			folder = path.Dir(name[1])
		}
		file := path.Join(folder, path.Base(name[1]))
		files[file] = true
		if _, err := os.Stat("../../" + file); err != nil {
			t.Error(err)
		}
	}
	if len(files) < 20 || len(files) > 45 {
		t.Errorf("an edit takes %d files", len(files))
	}
}
