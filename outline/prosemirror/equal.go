package prosemirror

import (
	"maps"
	"reflect"
	"slices"
)

// Equal reports whether two trees are the same node for node: types,
// attributes, marks and text. The order of attributes does not count. Trees
// that share nodes are compared without visiting them.
func Equal(a, b *Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	return a.Text == b.Text && sameMarkup(a, b) && slices.EqualFunc(a.Content, b.Content, Equal)
}

// EqualWithoutComments is like Equal, but ignores comment marks.
func EqualWithoutComments(a, b *Node) bool {
	return Equal(a, b) || Equal(a.WithoutMarks(Comment), b.WithoutMarks(Comment))
}

// sameMarkup compares two nodes without their content.
func sameMarkup(a, b *Node) bool {
	return a.Type == b.Type && equalAttrs(a.Attrs, b.Attrs) && sameMarks(a.Marks, b.Marks)
}

func sameMarks(a, b []Mark) bool {
	return slices.EqualFunc(a, b, Mark.Is)
}

func equalAttrs(a, b Attrs) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		value := b[i].Value
		if b[i].Name != a[i].Name {
			found := false
			if value, found = b.Get(a[i].Name); !found {
				return false
			}
		}
		if !equalValues(a[i].Value, value) {
			return false
		}
	}
	return true
}

func equalValues(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && s == a
	case bool:
		v, ok := b.(bool)
		return ok && v == a
	case float64:
		v, ok := b.(float64)
		return ok && v == a
	case []any:
		list, ok := b.([]any)
		return ok && slices.EqualFunc(a, list, equalValues)
	case map[string]any:
		object, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, object, equalValues)
	}
	return reflect.DeepEqual(a, b)
}
