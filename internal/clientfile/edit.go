package clientfile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// edit puts a text in the place of the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap. Of two at one place the first given
// comes first.
func apply(src []byte, edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
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

// equal compares what decoders return. Their maps print in the order of keys,
// and NaN prints as what it is equal to.
func equal(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// without takes a member out of a decoded file, and its container with it if
// that held nothing else: an empty container and none mean the same.
func without(root map[string]any, container, name string) map[string]any {
	if members, ok := root[container].(map[string]any); ok {
		delete(members, name)
		if len(members) == 0 {
			delete(root, container)
		}
	}
	return root
}

// withoutItem does the same with the items of a list that have an ID.
func withoutItem(root map[string]any, list, id string) map[string]any {
	if items, ok := root[list].([]any); ok {
		items = slices.DeleteFunc(items, func(item any) bool { return hasID(item, id) })
		root[list] = items
		if len(items) == 0 {
			delete(root, list)
		}
	}
	return root
}

func hasID(item any, id string) bool {
	fields, ok := item.(map[string]any)
	return ok && fields["id"] == id
}
