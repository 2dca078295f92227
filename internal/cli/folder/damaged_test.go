package folder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
)

// prepared returns a database with many records, and its pages by their flags.
func prepared(t *testing.T) (database []byte, pages map[uint16][]int) {
	t.Helper()
	dir := t.TempDir()
	made, err := Open(dir, true)
	for i := range 4 { // each step frees pages
		var all []record
		texts := map[string]string{}
		for n := range 400 {
			one := record{Revision: i}
			one.ID = fmt.Sprintf("%08d", n)
			all, texts[one.ID] = append(all, one), fmt.Sprint("text ", i*n)
		}
		if err == nil {
			err = made.put(texts, all...)
		}
	}
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if database, err = os.ReadFile(filepath.Join(dir, stateFolder, stateFile)); err != nil {
		t.Fatal(err)
	}
	pages = map[uint16][]int{}
	for at := 0; at < len(database); at += os.Getpagesize() {
		flags := binary.NativeEndian.Uint16(database[at+8:])
		pages[flags] = append(pages[flags], at)
	}
	return database, pages
}

// opens returns why a database cannot be opened, used and closed.
func opens(t *testing.T, database []byte) error {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, stateFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stateFolder, stateFile), database, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(dir, false)
	if err != nil {
		return err
	}
	_, err = opened.records(func(*record) bool { return true })
	return errors.Join(err, opened.forget(recordsBucket, "00000001"), opened.Close())
}

func TestADatabaseWhosePagesLeadNowhereIsNotOpened(t *testing.T) {
	database, pages := prepared(t)
	if err := opens(t, database); err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	inMeta := func(b []byte, field, value int) {
		for at := 0; at < 2*size; at += size {
			binary.NativeEndian.PutUint64(b[at+field:], uint64(value))
			sum := fnv.New64a()
			sum.Write(b[at+16 : at+72])
			binary.NativeEndian.PutUint64(b[at+72:], sum.Sum64())
		}
	}
	inPages := func(flags uint16, change func(page []byte, id int)) func([]byte) {
		return func(b []byte) {
			for _, at := range pages[flags] {
				change(b[at:at+size], at/size)
			}
		}
	}
	const branch, leaf, freelist = 1, 2, 16
	for name, change := range map[string]func([]byte){
		"a branch that is its own child": inPages(branch, func(p []byte, id int) { binary.NativeEndian.PutUint64(p[24:], uint64(id)) }),
		"a branch without children":      inPages(branch, func(p []byte, _ int) { p[10], p[11] = 0, 0 }),
		"a bucket in itself": inPages(leaf, func(p []byte, id int) {
			if p[16] == 1 {
				value := 16 + binary.NativeEndian.Uint32(p[20:]) + binary.NativeEndian.Uint32(p[24:])
				binary.NativeEndian.PutUint64(p[value:], uint64(id))
			}
		}),
		"a root that is the free list":     func(b []byte) { inMeta(b, 32, pages[freelist][0]/size) },
		"pages behind the end of the file": func(b []byte) { inMeta(b, 56, len(b)) },
		"a free list behind the pages":     func(b []byte) { inMeta(b, 48, len(b)) },
		"a page of another kind":           inPages(leaf, func(p []byte, _ int) { p[8] = 4 }),
		"a key longer than its page":       inPages(leaf, func(p []byte, _ int) { binary.NativeEndian.PutUint32(p[24:], 1<<31) }),
		"values longer than their page":    inPages(leaf, func(p []byte, _ int) { binary.NativeEndian.PutUint32(p[28:], 4000) }),
		"a page longer than the file":      inPages(leaf, func(p []byte, _ int) { binary.NativeEndian.PutUint32(p[12:], 1<<31) }),
		"a bucket among records":           inPages(leaf, func(p []byte, _ int) { p[16] = 1 }),
		"a free page that is used":         inPages(freelist, func(p []byte, id int) { binary.NativeEndian.PutUint64(p[16:], uint64(id)) }),
		"more free pages than there may be": inPages(freelist, func(p []byte, _ int) {
			p[10], p[11] = 0xff, 0xff
			binary.NativeEndian.PutUint64(p[16:], 0x7fffffffffff)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			changed := append([]byte{}, database...)
			if change(changed); string(changed) == string(database) {
				t.Fatal("the database is not changed")
			}
			if err := opens(t, changed); err == nil {
				t.Error("it is opened")
			}
		})
	}
}

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
