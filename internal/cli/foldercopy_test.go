package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// copyable returns the folder for temporary files, with a page in a hidden folder.
func copyable(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	if err := os.Mkdir(filepath.Join(dir, ".notes"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".notes", "Page.md"), []byte("Text."), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestACopyOfAFolderThatHoldsTemporaryFilesIsFinite(t *testing.T) {
	copied, err := CopyFolder(t.Context(), copyable(t))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(copied)
	text, _ := os.ReadFile(filepath.Join(copied, ".notes", "Page.md"))
	if err != nil || len(entries) != 1 || string(text) != "Text." {
		t.Errorf("the copy holds %v, %v", entries, err)
	}
}

func TestACopyThatIsInterruptedStopsAndIsRemoved(t *testing.T) {
	dir := copyable(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := CopyFolder(ctx, dir)
	entries, _ := os.ReadDir(dir)
	if !errors.Is(err, context.Canceled) || len(entries) != 1 {
		t.Errorf("%v; the folder holds %v", err, entries)
	}
}
