package transport

import (
	"cmp"
	"log/slog"
	"os"
	"slices"
	"sync"
)

// A FileSet holds values read from files that can all be read again at once. The zero value is empty. It is
// safe for concurrent use.
type FileSet struct {
	mu  sync.Mutex
	all []func()
}

// Reload reads the files of all values again, changed or not.
func (s *FileSet) Reload() {
	s.mu.Lock()
	all := s.all
	s.mu.Unlock()
	for _, reload := range all {
		reload()
	}
}

// FileOptions say what [FromFiles] is read from.
type FileOptions struct {
	What  string       // for the log, such as "TLS certificate"
	Files []string     // none for a value that never changes
	Set   *FileSet     // nil if nothing but a change of the files has them read again
	Log   *slog.Logger // nil discards. Gets the errors of reading
}

// FromFiles is what files hold: certificates, tokens and other secrets that are replaced
// while the program runs. It is safe for concurrent use.
type FromFiles[T any] struct {
	o    FileOptions
	read func() (T, error)

	mu      sync.Mutex
	seen    []os.FileInfo // of the files that were last read, or tried to be read
	current T
}

// ReadFiles returns the value that read returns. Errors of read are logged later on, so they
// must not show secrets.
func ReadFiles[T any](o FileOptions, read func() (T, error)) (*FromFiles[T], error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	v := &FromFiles[T]{o: o, read: read}
	v.seen = v.stat() // before reading, so that a later change is noticed
	var err error
	if v.current, err = read(); err != nil {
		return nil, err
	}
	if o.Set != nil && len(o.Files) > 0 {
		o.Set.mu.Lock()
		o.Set.all = append(o.Set.all, v.reload)
		o.Set.mu.Unlock()
	}
	return v, nil
}

// Get returns the value. If a file has been changed or replaced since it was last read,
// Get reads the files first. While they cannot be used, for example because only one of
// two has been replaced, Get returns the last value that could.
func (v *FromFiles[T]) Get() T {
	if len(v.o.Files) == 0 {
		return v.current
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := v.stat(); changed(v.seen, now) {
		v.update(now)
	}
	return v.current
}

func (v *FromFiles[T]) reload() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.update(v.stat())
}

func (v *FromFiles[T]) update(now []os.FileInfo) {
	v.seen = now
	next, err := v.read()
	if err != nil {
		v.o.Log.Warn("cannot use the new "+v.o.What+"; keeping the old one", "error", err)
		return
	}
	v.current = next
	v.o.Log.Info(v.o.What + " read again")
}

// stat returns what tells each file from its replacement, nil for one that is missing.
func (v *FromFiles[T]) stat() []os.FileInfo {
	found := make([]os.FileInfo, len(v.o.Files))
	for i, file := range v.o.Files {
		if info, err := os.Stat(file); err == nil {
			found[i] = info
		}
	}
	return found
}

func changed(before, now []os.FileInfo) bool {
	return !slices.EqualFunc(before, now, func(b, n os.FileInfo) bool {
		if b == nil || n == nil {
			return b == n
		}
		return b.ModTime().Equal(n.ModTime()) && b.Size() == n.Size() && os.SameFile(b, n)
	})
}

// RegularFiles returns the files if all of them can be read more than once, and none if one
// of them is a pipe.
func RegularFiles(files ...string) []string {
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	return files
}
