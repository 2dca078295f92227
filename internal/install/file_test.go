//go:build unix

package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// write makes a file, in folders that are made too.
func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// replace writes a file anew, whatever it holds.
func replace(path, content string) (backup string, err error) {
	return updateFile(path, func(*file) ([]byte, error) { return []byte(content), nil })
}

// look hands out a file and changes nothing.
func look(t *testing.T, path string) *file {
	t.Helper()
	var seen *file
	if _, err := updateFile(path, func(file *file) ([]byte, error) {
		seen = file
		return file.content, nil
	}); err != nil {
		t.Fatal(err)
	}
	return seen
}

// names returns what is in a folder.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

func TestAFileIsReplacedWithItsModeAndKeptInABackupForItsOwnerAlone(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o660, 0o700} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		write(t, path, "old", mode)
		backup, err := replace(path, "new")
		if err != nil {
			t.Fatal(err)
		}
		if backup != path+".outline-mcp.bak" || read(t, backup) != "old" || read(t, path) != "new" {
			t.Errorf("%s holds %q, the file %q", backup, read(t, backup), read(t, path))
		}
		for file, want := range map[string]fs.FileMode{path: mode, backup: 0o600} {
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want %v", file, info.Mode(), err, want)
			}
		}
		if got := names(t, filepath.Dir(path)); got != "mcp.json mcp.json.outline-mcp.bak" {
			t.Errorf("the folder holds %s", got)
		}
	}
}

func TestANewFileIsForItsOwnerAloneAndSoAreItsFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "mcp.json")
	file := look(t, path)
	if file.exists() || len(file.content) > 0 {
		t.Errorf("a file that is not there: %+v", file)
	}
	backup, err := replace(path, "new")
	if err != nil || backup != "" || read(t, path) != "new" {
		t.Fatalf("%v, backup %q", err, backup)
	}
	for path, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700 | fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestTheFirstBackupAndTheTwoNewestAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, "1", 0o600)
	var made []string
	for _, content := range []string{"2", "3", "1", "2", "4", "5", "6"} {
		backup, err := replace(path, content)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, strings.TrimPrefix(backup, path+".outline-mcp.")+"="+read(t, backup))
	}
	if got, want := strings.Join(made, " "), "bak=1 bak.2=2 bak.3=3 bak=1 bak.2=2 bak.3=4 bak.3=5"; got != want {
		t.Errorf("backups %s, want %s", got, want)
	}
	var kept []string
	for _, backup := range backups(path) {
		kept = append(kept, read(t, backup))
	}
	if got := strings.Join(kept, " "); got != "1 4 5" {
		t.Errorf("the backups hold %s", got)
	}
}

func TestALinkStaysALinkAndItsFileIsReplaced(t *testing.T) {
	folder := t.TempDir()
	target, path := filepath.Join(folder, "dotfiles", "mcp.json"), filepath.Join(folder, "client", "mcp.json")
	write(t, target, "old", 0o640)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/mcp.json", path); err != nil {
		t.Fatal(err)
	}
	backup, err := replace(path, "new")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || read(t, target) != "new" {
		t.Errorf("%v, %v; the file holds %q", info.Mode(), err, read(t, target))
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o640 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	if backup != path+".outline-mcp.bak" || names(t, filepath.Dir(target)) != "mcp.json" {
		t.Errorf("backup %s; beside the file: %s", backup, names(t, filepath.Dir(target)))
	}
}

func TestAByteOrderMarkIsNotContentAndGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, "\ufeffold", 0o600)
	if file := look(t, path); string(file.content) != "old" {
		t.Errorf("content %q", file.content)
	}
	if _, err := replace(path, "new"); err != nil || read(t, path) != "new" {
		t.Errorf("%v, %q", err, read(t, path))
	}
}

func TestWhatIsNoFileOfOnesOwnToWriteIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, says string
		make       func(t *testing.T, path string)
	}{
		{"a read-only file", "is read-only; make it writable (chmod u+w)", func(t *testing.T, path string) { write(t, path, "old", 0o444) }},
		{"a file in a read-only folder", "cannot write the new file next to it", func(t *testing.T, path string) {
			write(t, path, "old", 0o600)
			readOnly(t, filepath.Dir(path))
		}},
		{"no folder in a read-only folder", "cannot create the folder of", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			readOnly(t, filepath.Dir(filepath.Dir(path)))
		}},
		{"a folder", "is a folder, not a file", func(t *testing.T, path string) { mustMkdir(t, path) }},
		{"a pipe", "is not a regular file", func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a link to nothing", "is a link to a file that does not exist", func(t *testing.T, path string) { link(t, "nowhere", path) }},
		{"a file for a folder", "not a directory", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Dir(path), "", 0o600)
		}},
		{"another user's file", "belongs to another user; run this as that user", func(t *testing.T, path string) {
			write(t, path, "old", 0o666)
			give(t, path)
		}},
		{"another user's folder", "run this as that user, without sudo", func(t *testing.T, path string) { give(t, filepath.Dir(path)) }},
		{"a name that is too long", "name too long", func(t *testing.T, path string) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "client", "mcp.json")
			if strings.Contains(test.says, "too long") {
				path = filepath.Join(filepath.Dir(path), strings.Repeat("x", 250))
			}
			mustMkdir(t, filepath.Dir(path))
			test.make(t, path)
			_, err := replace(path, "new")
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want %q with the path", err, test.says)
			}
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && read(t, path) != "old" {
				t.Errorf("the file holds %q", read(t, path))
			}
			if entries, err := os.ReadDir(filepath.Dir(path)); err == nil && len(entries) > 1 {
				t.Errorf("left beside it: %s", names(t, filepath.Dir(path)))
			}
		})
	}
}

func mustMkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// readOnly makes a folder read-only until the test ends, which root does not
// notice.
func readOnly(t *testing.T, folder string) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root can write to a read-only folder")
	}
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
}

// give makes another user the owner, which only root can.
func give(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
}

func TestWhoElseReadsAFileIsKnown(t *testing.T) {
	folder := t.TempDir()
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o604: true, 0o640: true, 0o620: false} {
		path := filepath.Join(folder, "mcp.json")
		write(t, path, "old", mode)
		if othersMayRead(path) != want {
			t.Errorf("%v: %v", mode, !want)
		}
	}
}
