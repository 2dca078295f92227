package clientfile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// edit replaces the bytes from start to end with a text.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap. Edits at the same place are made in
// the order given.
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

// equal compares decoded values. Printed, maps have their keys sorted, and NaN
// equals itself.
func equal(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// without removes a member from a decoded file, and its container if that is
// left empty: an empty container and none mean the same.
func without(root map[string]any, container, name string) map[string]any {
	if members, ok := root[container].(map[string]any); ok {
		delete(members, name)
		if len(members) == 0 {
			delete(root, container)
		}
	}
	return root
}

// withoutItem removes the items with an ID from a list, and the list if that is
// left empty.
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
