package folder

import (
	"encoding/binary"
	"errors"
	"runtime/debug"
	"unsafe"

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
	data        []byte
	size, pages int // of a page in bytes, and of the database in pages
	seen        map[int]bool
}

func u16(from []byte) int { return int(binary.NativeEndian.Uint16(from)) }
func u32(from []byte) int { return int(binary.NativeEndian.Uint32(from)) }
func u64(from []byte) int { return int(binary.NativeEndian.Uint64(from)) }

// checkPages returns an error unless each page of the database has one use, and holds what
// it says: bbolt follows that, and takes memory for it, without limits. What leads out of the
// database panics, which is damage as well.
func (f *Folder) checkPages(tx *bbolt.Tx) error {
	data := unsafe.Slice((*byte)(unsafe.Add(nil, f.db.Info().Data)), f.size())
	c := pageCheck{data: data, size: f.db.Info().PageSize, seen: map[int]bool{0: true, 1: true}}
	for id := range 2 {
		if meta := data[id*c.size:]; u64(meta[64:]) == tx.ID() { // not of the commit before
			c.pages = u64(meta[56:])
			if c.pages <= len(data)/c.size && c.page(u64(meta[32:]), 1) && c.page(u64(meta[48:]), 0) {
				return nil
			}
		}
	}
	return errDamaged
}

// take reports whether a page is in the database and has no use yet.
func (c *pageCheck) take(id int) bool {
	unused := id >= 0 && id < c.pages && !c.seen[id]
	c.seen[id] = true
	return unused
}

// page checks a page and what is below it. The list of free pages is at depth 0.
func (c *pageCheck) page(id, depth int) bool {
	if !c.take(id) {
		return false
	}
	at, parts := id*c.size, u32(c.data[id*c.size+12:])
	for part := range parts {
		if !c.take(id + 1 + part) {
			return false
		}
	}
	return c.elements(c.data[at:at+(parts+1)*c.size], depth)
}

// elements checks what is in a page. That of a small bucket is in another page.
func (c *pageCheck) elements(page []byte, depth int) bool {
	const branch, leaf, freelist, deepest = 1, 2, 16, 32 // five thousand documents make three levels
	flags, count, at, left := u16(page[8:]), u16(page[10:]), 16, len(page)-16
	if flags == freelist && count == 0xFFFF {
		count, at = u64(page[16:]), 24
	}
	ok := (flags == freelist) == (depth == 0) && depth < deepest && (flags != branch || count > 0) && (flags == branch || flags == leaf || flags == freelist)
	for ; ok && count > 0; at, count = at+16, count-1 {
		switch flags {
		case freelist:
			ok, at = c.take(u64(page[at:])), at-8
		case branch: // where the key is, how long it is, and the page
			key := u32(page[at+4:])
			ok = at+u32(page[at:])+key <= len(page) && c.page(u64(page[at+8:]), depth+1)
			left -= 16 + key
		case leaf: // flags, where the key is, and how long key and value are
			key, long := u32(page[at+8:]), u32(page[at+12:])
			value := page[at+u32(page[at+4:])+key:][:long]
			if u32(page[at:])&1 != 0 {
				root := u64(value)
				ok = root != 0 && c.page(root, depth+1) || root == 0 && c.elements(value[16:], depth+1)
			}
			left -= 16 + key + long
		}
		ok = ok && left >= 0
	}
	return ok
}
