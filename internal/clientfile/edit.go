package clientfile

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
)

// edit replaces the bytes from start to end with a text.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap. Edits at the same place are made in
// the order given.
func apply(src []byte, edits ...edit) []byte {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(src[at:])
	return b.Bytes()
}

// equal reports whether decoded values are equal. It compares them as printed,
// where maps are sorted by key and NaN equals itself.
func equal(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// A dropper removes what has a name from a holder in a decoded file, and the
// holder if that is left empty: an empty one and none mean the same. It returns
// what it removed.
type dropper func(root map[string]any, holder, name string) []any

// dropMember removes a member of an object.
func dropMember(root map[string]any, container, name string) []any {
	members, ok := root[container].(map[string]any)
	if !ok {
		return nil
	}
	value, found := members[name]
	delete(members, name)
	if len(members) == 0 {
		delete(root, container)
	}
	if !found {
		return nil
	}
	return []any{value}
}

// dropItem removes the items of a list with an ID.
func dropItem(root map[string]any, list, id string) []any {
	items, ok := root[list].([]any)
	if !ok {
		return nil
	}
	var dropped []any
	left := slices.DeleteFunc(slices.Clone(items), func(item any) bool {
		fields, _ := item.(map[string]any)
		if fields["id"] != id {
			return false
		}
		dropped = append(dropped, item)
		return true
	})
	root[list] = left
	if len(left) == 0 {
		delete(root, list)
	}
	return dropped
}

// change is what an edit is to do with a member or an item.
type change struct {
	drop         dropper
	holder, name string
	value        any // the new value, decoded; nil if it is removed
}

// explains reports whether two decoded files differ by the change alone. It
// drops what changes from both.
func (c change) explains(before, after map[string]any) bool {
	c.drop(before, c.holder, c.name)
	now := c.drop(after, c.holder, c.name)
	if c.value == nil {
		return len(now) == 0 && equal(before, after)
	}
	return len(now) == 1 && equal(now[0], c.value) && equal(before, after)
}
