//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestABackupThatIsUsedAgainIsMadePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, "old", 0o644)
	write(t, path+".outline-mcp.bak", "old", 0o644)
	backup, err := replace(path, "new")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(backup); err != nil || info.Mode() != 0o600 || backup != path+".outline-mcp.bak" {
		t.Errorf("%s: %v, %v", backup, info.Mode(), err)
	}
}

// TestABackupIsWholeAsSoonAsItIsThere looks at a backup all the time while it is
// made.
func TestABackupIsWholeAsSoonAsItIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, strings.Repeat("x", 8<<20), 0o600)
	done := make(chan error, 1)
	go func() {
		_, err := replace(path, "new")
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if info, statErr := os.Stat(path + ".outline-mcp.bak"); err != nil || statErr != nil || info.Size() != 8<<20 {
				t.Errorf("%v, %v", err, statErr)
			}
			return
		default:
		}
		if info, err := os.Stat(path + ".outline-mcp.bak"); err == nil && info.Size() != 8<<20 {
			t.Fatalf("half a backup: %d bytes", info.Size())
		}
	}
}

func TestAFileKeepsItsGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file any group")
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, "old", 0o660)
	if err := os.Chown(path, -1, 12345); err != nil {
		t.Fatal(err)
	}
	backup, err := replace(path, "new")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]uint32{path: 12345, backup: uint32(os.Getegid())} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t).Gid; got != want {
			t.Errorf("%s has group %d, want %d", file, got, want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o660 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWhoElseReadsAFileIsKnown(t *testing.T) {
	folder := t.TempDir()
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o604: true, 0o640: true, 0o620: false} {
		path := filepath.Join(folder, "mcp.json")
		write(t, path, "old", mode)
		if file := look(t, path); file.othersMayRead() != want {
			t.Errorf("%v: %v", mode, file.othersMayRead())
		}
	}
}
