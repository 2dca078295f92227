package folder

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"runtime/debug"

	"go.etcd.io/bbolt"
)

// errDamaged reports a database that has lost a part, or has something else in its place.
var errDamaged = errors.New(stateFolder + "/" + stateFile + " is damaged; move it away and pull again")

// guarded does something with the database. bbolt panics at what is damaged, and reading
// what was cut off the mapped file is a fault.
func (f *Folder) guarded(do func() error) (err error) {
	if f.damaged {
		return errDamaged
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			f.damaged, err = true, errDamaged
		}
	}()
	return do()
}

// A pageCheck reads the pages of a database, each of them once.
type pageCheck struct {
	file        io.ReaderAt
	size, pages int64 // of a page in bytes, and of the database in pages
	seen        map[int64]bool
}

// checkPages returns an error unless each page of the database has one use, and holds what
// it says: bbolt follows that, and takes memory for it, without limits.
func (f *Folder) checkPages(tx *bbolt.Tx) error {
	file, err := f.root.Open(path.Join(stateFolder, stateFile))
	if err != nil {
		return err
	}
	defer file.Close()
	c := pageCheck{file: file, size: int64(f.db.Info().PageSize), seen: map[int64]bool{0: true, 1: true}}
	ok := false
	for id := range int64(2) {
		var meta struct {
			_                            [8]uint32
			Root, _, Freelist, Pages, ID int64
		}
		if read(io.NewSectionReader(file, id*c.size, c.size), &meta) && meta.ID == int64(tx.ID()) { // not of the commit before
			c.pages = meta.Pages
			ok = c.pages <= f.size()/c.size && c.page(meta.Root, 1) && c.page(meta.Freelist, 0)
		}
	}
	if !ok {
		return errDamaged
	}
	return nil
}

func read(from io.Reader, into any) bool {
	return binary.Read(from, binary.NativeEndian, into) == nil
}

// take reports whether a page is in the database and has no use yet.
func (c *pageCheck) take(id int64) bool {
	unused := id >= 0 && id < c.pages && !c.seen[id]
	c.seen[id] = true
	return unused
}

// page checks a page and what is below it. The list of free pages is at depth 0.
func (c *pageCheck) page(id int64, depth int) bool {
	var overflow uint32
	ok := c.take(id) && read(io.NewSectionReader(c.file, id*c.size+12, 4), &overflow)
	for part := int64(1); ok && part <= int64(overflow); part++ {
		ok = c.take(id + part)
	}
	return ok && c.elements(io.NewSectionReader(c.file, id*c.size, (int64(overflow)+1)*c.size), depth)
}

// elements checks what is in a page. That of a small bucket is in another page.
func (c *pageCheck) elements(page *io.SectionReader, depth int) bool {
	const branch, leaf, freelist, deepest = 1, 2, 16, 32 // five thousand documents make three levels
	var head struct {
		_            int64
		Flags, Count uint16
		_            uint32
	}
	from, left := bufio.NewReader(page), page.Size()-16
	ok := read(from, &head) && (head.Flags == freelist) == (depth == 0) && depth < deepest
	count := int64(head.Count)
	switch {
	case head.Flags == branch:
		ok = ok && count > 0
	case head.Flags == freelist && count == 0xFFFF:
		ok = ok && read(from, &count)
	case head.Flags != freelist && head.Flags != leaf:
		return false
	}
	for at := int64(16); ok && count > 0; at, count = at+16, count-1 {
		switch head.Flags {
		case freelist:
			var free int64
			ok = read(from, &free) && c.take(free)
		case branch:
			var to struct {
				Pos, Key uint32
				Page     int64
			}
			ok = read(from, &to) && at+int64(to.Pos)+int64(to.Key) <= page.Size() && c.page(to.Page, depth+1)
			left -= 16 + int64(to.Key)
		case leaf:
			var one struct{ Flags, Pos, Key, Value uint32 }
			ok = read(from, &one)
			value := io.NewSectionReader(page, at+int64(one.Pos)+int64(one.Key), int64(one.Value))
			var bucket struct{ Root, _ int64 }
			if one.Flags&1 != 0 {
				ok = ok && read(value, &bucket) && (bucket.Root != 0 && c.page(bucket.Root, depth+1) ||
					bucket.Root == 0 && c.elements(io.NewSectionReader(value, 16, value.Size()-16), depth+1))
			}
			ok = ok && at+int64(one.Pos)+int64(one.Key)+int64(one.Value) <= page.Size()
			left -= 16 + int64(one.Key) + int64(one.Value)
		}
		ok = ok && left >= 0
	}
	return ok
}
