package folder

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzDatabase opens a database of which a part is replaced, as a repository from elsewhere
// may have it.
func FuzzDatabase(f *testing.F) {
	dir := f.TempDir()
	var one, other record
	one.ID, other.ID = "a", "b"
	made, err := Open(dir, true)
	if err == nil {
		err = made.put(map[string]string{"a": "text"}, one, other)
	}
	if err != nil {
		f.Fatal(err)
	}
	made.Close()
	database, err := os.ReadFile(filepath.Join(dir, stateFolder, stateFile))
	if err != nil {
		f.Fatal(err)
	}
	for page := 2; page < len(database)>>12; page++ {
		f.Add(uint16(page<<12), []byte("\x00\x00"))
		f.Add(uint16(page<<12+8), []byte("\x02\x00\xff\xff\xff\xff"))
	}
	f.Fuzz(func(t *testing.T, at uint16, with []byte) {
		dir := t.TempDir()
		changed := append([]byte{}, database...)
		copy(changed[int(at)%len(changed):], with)
		if err := os.Mkdir(filepath.Join(dir, stateFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, stateFolder, stateFile), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(dir, false)
		if err != nil {
			return
		}
		defer opened.Close()
		_, _ = opened.records(func(*record) bool { return true })
		_, _ = opened.text("a")
		_ = opened.forget(recordsBucket, "b")
	})
}
