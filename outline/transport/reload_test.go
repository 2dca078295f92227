package transport_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/outline/transport"
)

// word reads a file of one word.
func word(path string) func() (string, error) {
	return func() (string, error) {
		content, err := os.ReadFile(path)
		if err == nil && (len(content) == 0 || strings.Contains(string(content), " ")) {
			err = errors.New("not a word")
		}
		return string(content), err
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAValueFollowsItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if _, err := transport.ReadFiles(transport.FileOptions{Files: []string{path}}, word(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its file: %v", err)
	}
	var log bytes.Buffer
	write(t, path, "first")
	set := new(transport.FileSet)
	v, err := transport.ReadFiles(transport.FileOptions{What: "word", Files: []string{path}, Set: set, Log: slog.New(slog.NewTextHandler(&log, nil))}, word(path))
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, step := range []struct {
		name   string
		change func()
		want   string
		logged int // lines in all
	}{
		{"unchanged", func() {}, "first", 0},
		{"written", func() { write(t, path, "second") }, "second", 1},
		{"emptied", func() { write(t, path, "") }, "second", 2},
		{"written wrongly", func() { write(t, path, "two words") }, "second", 3},
		{"still wrong", func() {}, "second", 3},
		{"replaced by one of the same size and time", func() {
			write(t, path, "third")
			if err := os.Chtimes(path, long, long); err != nil || v.Get() != "third" {
				t.Fatal(err)
			}
			write(t, path+".new", "3.rd.")
			if err := errors.Join(os.Chtimes(path+".new", long, long), os.Rename(path+".new", path)); err != nil {
				t.Fatal(err)
			}
		}, "3.rd.", 5},
		{"removed", func() { _ = os.Remove(path) }, "3.rd.", 6},
		{"back", func() { write(t, path, "fourth") }, "fourth", 7},
		{"read again on demand", set.Reload, "fourth", 8},
		{"wrong on demand", func() { write(t, path, ""); set.Reload() }, "fourth", 9},
	} {
		step.change()
		if got := v.Get(); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
		if got := strings.Count(log.String(), "\n"); got != step.logged {
			t.Errorf("%s: %d lines are logged, want %d:\n%s", step.name, got, step.logged, log.String())
		}
	}
}

func TestReadersSeeOldOrNewAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "even")
	set := new(transport.FileSet)
	v, err := transport.ReadFiles(transport.FileOptions{Files: []string{path}, Set: set}, word(path))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 500 {
				if got := v.Get(); got != "even" && got != "odd" {
					t.Errorf("read %q", got)
				}
			}
		})
	}
	for i := range 200 {
		write(t, path+".new", []string{"odd", "even"}[i%2])
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		set.Reload()
	}
	group.Wait()
}

func TestAPipeIsReadOnlyOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	if got := transport.RegularFiles(file); len(got) != 1 {
		t.Errorf("a file: %q", got)
	}
	for _, path := range []string{os.DevNull, filepath.Join(t.TempDir(), "missing")} {
		if got := transport.RegularFiles(file, path); got != nil {
			t.Errorf("%s: %q", path, got)
		}
	}
}
