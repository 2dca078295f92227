package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestACopyOfAFolderThatHoldsTemporaryFilesIsFinite(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	if err := os.WriteFile(filepath.Join(dir, "Page.md"), []byte("Text."), 0o600); err != nil {
		t.Fatal(err)
	}
	copied, err := CopyFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(copied)
	if err != nil || len(entries) != 1 || entries[0].Name() != "Page.md" {
		t.Errorf("the copy holds %v, %v", entries, err)
	}
}
