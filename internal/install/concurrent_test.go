//go:build unix

package install

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatAnotherProgramWritesMeanwhileIsKept(t *testing.T) {
	for name, before := range map[string]string{"there before": "old", "not there before": ""} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mcp.json")
			if before != "" {
				write(t, path, before, 0o600)
			}
			calls := 0
			backup, err := updateFile(path, func(file *file) ([]byte, error) {
				if calls++; calls == 1 {
					write(t, path, "of the client", 0o600)
				}
				return append(bytes.Clone(file.content), " and new"...), nil
			})
			if err != nil || calls != 2 || read(t, path) != "of the client and new" || read(t, backup) != "of the client" {
				t.Errorf("%v; after %d calls the file holds %q", err, calls, read(t, path))
			}
			if got := names(t, filepath.Dir(path)); got != "mcp.json mcp.json.outline-mcp.bak" {
				t.Errorf("left beside it: %s", got)
			}
		})
	}
}

func TestAFileThatChangesAllTheTimeIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, "old", 0o600)
	calls := 0
	_, err := updateFile(path, func(*file) ([]byte, error) {
		calls++
		write(t, path, fmt.Sprintf("of the client, %d", calls), 0o600)
		return []byte("new"), nil
	})
	if err == nil || !strings.Contains(err.Error(), path+" is being changed by another program; close that program and try again") || read(t, path) != fmt.Sprintf("of the client, %d", calls) {
		t.Errorf("%v; the file holds %q", err, read(t, path))
	}
	if got := names(t, filepath.Dir(path)); got != "mcp.json" {
		t.Errorf("left beside it: %s", got)
	}
}

// TestAFileThatIsReplacedWhileItsBackupIsWrittenIsNotLost replaces a file, as
// another program does, as soon as the backup of it appears. On a busy machine it may
// see the backup too late, when nothing can be noticed any more, and tries again.
func TestAFileThatIsReplacedWhileItsBackupIsWrittenIsNotLost(t *testing.T) {
	var got string
	for range 20 {
		if got = replaceDuringBackup(t); got == "of the client and new" {
			return
		}
	}
	t.Errorf("the file holds %q", got)
}

// replaceDuringBackup updates a file that is replaced when its backup appears, and
// returns what it then holds.
func replaceDuringBackup(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	path, other := filepath.Join(folder, "mcp.json"), filepath.Join(folder, "other")
	write(t, path, strings.Repeat("x", 15<<20), 0o600)
	write(t, other, "of the client", 0o600)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			default:
			}
			entries, err := os.ReadDir(folder)
			if err != nil || len(entries) > 3 { // the file, the other, the new one, the backup
				_ = os.Rename(other, path) // what the file holds says whether it was
				return
			}
		}
	}()
	_, err := updateFile(path, func(file *file) ([]byte, error) {
		return append(file.content[:min(20, len(file.content)):20], " and new"...), nil
	})
	close(over)
	<-ended
	if err != nil {
		t.Fatal(err)
	}
	return read(t, path)
}

func TestAnotherProcessOfThisProgramIsWaitedForButNotForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	beside := path + ".outline-mcp.new"
	write(t, beside, "of the other process", 0o600)
	if _, err := replace(path, "new"); err == nil || !strings.Contains(err.Error(), path+" was not changed: another outline-mcp is changing it; try again when it has finished, or delete "+beside) {
		t.Errorf("%v", err)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := replace(path, "new")
		waited <- err
	}()
	if err := os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil || read(t, path) != "new" {
		t.Error(err)
	}
}

func TestAReaderNeverSeesHalfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	versions := [][]byte{bytes.Repeat([]byte("a"), 64<<10), bytes.Repeat([]byte("b"), 128<<10)}
	write(t, path, string(versions[0]), 0o600)
	written := make(chan error, 1)
	go func() {
		for i := range 20 {
			if _, err := replace(path, string(versions[(i+1)%2])); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for {
		select {
		case err := <-written:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if seen, err := os.ReadFile(path); err != nil || !bytes.Equal(seen, versions[0]) && !bytes.Equal(seen, versions[1]) {
			t.Fatalf("a reader saw %d bytes, %v", len(seen), err)
		}
	}
}
