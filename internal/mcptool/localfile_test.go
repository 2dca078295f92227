package mcptool_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outline-mcp/internal/mcptool"
)

// files returns a folder with files, links and others, inside a parent that has one
// file, too.
func files(t *testing.T) (parent, folder string) {
	t.Helper()
	parent = t.TempDir()
	folder = filepath.Join(parent, "files")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(folder, "sub"), 0o755))
	must(os.Mkdir(filepath.Join(folder, ".hidden"), 0o755))
	must(os.Symlink(".hidden", filepath.Join(folder, "hooks")))
	for name, content := range map[string]string{"files/a.txt": "hello", "files/empty.txt": "", "files/sub/b.txt": "b", "secret.txt": "secret"} {
		must(os.WriteFile(filepath.Join(parent, name), []byte(content), 0o600))
	}
	must(os.Symlink("sub/b.txt", filepath.Join(folder, "inside")))
	must(os.Symlink("../secret.txt", filepath.Join(folder, "leaving")))
	must(os.Symlink(filepath.Join(parent, "secret.txt"), filepath.Join(folder, "absolute")))
	must(os.Symlink("..", filepath.Join(folder, "up")))
	must(os.Symlink(folder, filepath.Join(parent, "link")))
	must(os.Symlink("/dev/zero", filepath.Join(folder, "zero")))
	must(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(folder, "socket"))
	must(err)
	t.Cleanup(func() { socket.Close() })
	return parent, folder
}

func TestOnlyOrdinaryFilesOfTheFolderAreRead(t *testing.T) {
	parent, folder := files(t)
	for name, test := range map[string]struct{ path, fails string }{
		"a file":                      {"a.txt", ""},
		"a file below":                {"sub/b.txt", ""},
		"an absolute path":            {filepath.Join(folder, "a.txt"), ""},
		"a link that stays inside":    {"inside", ""},
		"a path up and down again":    {"sub/../a.txt", ""},
		"a path that leaves":          {"../secret.txt", "outside the folder"},
		"an absolute path elsewhere":  {filepath.Join(parent, "secret.txt"), "outside the folder"},
		"a link that leaves":          {"leaving", "outside the folder"},
		"an absolute link":            {"absolute", "outside the folder"},
		"a path through a link":       {"up/secret.txt", "outside the folder"},
		"a folder":                    {"sub", "it is a folder"},
		"the folder itself":           {folder, "it is a folder"},
		"a hidden file":               {".hidden/x", "begins with a dot"},
		"an empty file":               {"empty.txt", "it is empty"},
		"nothing":                     {"none.txt", "there is no such file"},
		"no path":                     {"", "not a path"},
		"a NUL":                       {"a.txt\x00.png", "not a path"},
		"a socket":                    {"socket", "no such device"},
		"a device":                    {"/dev/zero", "outside the folder"},
		"a link to a device":          {"zero", "outside the folder"},
		"a pipe without a writer":     {"pipe", "it is not an ordinary file"},
		"a file that is not a folder": {"a.txt/b", "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := mcptool.Folder{Path: folder}.Open(test.path)
			switch {
			case test.fails == "" && err != nil:
				t.Error(err)
			case test.fails == "":
				if file.Size == 0 || file.Name == "" || strings.ContainsRune(file.Name, filepath.Separator) {
					t.Errorf("%+v", file)
				}
				file.Close()
			case err == nil:
				t.Errorf("%s was opened", test.path)
			case !strings.Contains(err.Error(), test.fails):
				t.Errorf("%s: %v", test.path, err)
			}
		})
	}
	linked, err := mcptool.Folder{Path: filepath.Join(parent, "link")}.Open(filepath.Join(folder, "a.txt"))
	if err != nil {
		t.Errorf("by another name of the folder: %v", err)
	} else {
		linked.Close()
	}
}

func TestAFileIsCreatedInsideTheFolderAndNeverReplaced(t *testing.T) {
	parent, folder := files(t)
	in := mcptool.Folder{Path: folder}
	file, remove, err := in.Create("new.zip")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if info, err := os.Stat(filepath.Join(folder, "new.zip")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	remove()
	if _, err := os.Stat(filepath.Join(folder, "new.zip")); !os.IsNotExist(err) {
		t.Errorf("after it was removed: %v", err)
	}
	for path, fails := range map[string]string{
		"a.txt": "it already exists", "inside": "it already exists", "leaving": "outside the folder", "../new.zip": "outside the folder", "up/new.zip": "outside the folder",
		filepath.Join(parent, "new.zip"): "outside the folder", "nowhere/new.zip": "there is no such file",
		".new": "begins with a dot", ".hidden/new.zip": "begins with a dot", "hooks/new.zip": "begins with a dot",
	} {
		if file, _, err := in.Create(path); err == nil || !strings.Contains(err.Error(), fails) {
			t.Errorf("%s: %v, %v", path, file, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(folder, ".hidden")); err != nil || len(left) > 0 {
		t.Errorf("%v is in the hidden folder, %v", left, err)
	}
	if _, _, err := (mcptool.Folder{}).Create(filepath.Join(folder, "new.zip")); err == nil || !strings.Contains(err.Error(), "set OUTLINE_FILES_DIR") {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(parent, "new.zip")); !os.IsNotExist(err) {
		t.Error("there is a file outside")
	}
}

func TestAFolderThatIsNotThereIsReported(t *testing.T) {
	if err := (mcptool.Folder{Path: filepath.Join(t.TempDir(), "none")}).Check(); err == nil {
		t.Error("no error")
	}
	if err := (mcptool.Folder{}).Check(); err != nil {
		t.Error(err)
	}
}
