package clientfile

import (
	"fmt"

	"github.com/tailscale/hujson"
)

// Item returns the item with an ID in a list at the root of a file.
func (JSON) Item(src []byte, list, id string) (value any, found bool, err error) {
	f, err := readJSON(src)
	if err != nil {
		return nil, false, err
	}
	items, at, err := f.item(list, id)
	if err != nil || at < 0 {
		return nil, false, err
	}
	value, err = orderedJSON(items.Value.(*hujson.Array).Elements[at])
	return value, err == nil, err
}

// SetItem returns a file with an item added to a list at its root, unless there
// is one with this ID already. The item is an object that has the ID.
func (JSON) SetItem(src []byte, list, id string, item Object) ([]byte, error) {
	f, err := readJSON(src)
	if err != nil {
		return nil, err
	}
	value, found, err := f.item(list, id)
	if err != nil {
		return nil, err
	}
	var edits []edit
	switch {
	case found >= 0:
		return src, nil
	case value == nil:
		edits = f.insert(membersOf(f.root), func(l layout) string { return l.list(list, item) })
	default:
		edits = f.insert(membersOf(*value), func(l layout) string { return l.value(item, l.indent) })
	}
	return f.check(apply(f.src, edits...), func(before, after map[string]any) bool {
		items, _ := after[list].([]any)
		return len(items) > 0 && equal(items[len(items)-1], item.plain()) && equal(withoutItem(before, list, id), withoutItem(after, list, id))
	})
}

// RemoveItem returns a file without the item with an ID, and without the list
// if that is left empty and keepEmpty is not set.
func (JSON) RemoveItem(src []byte, list, id string, keepEmpty bool) ([]byte, error) {
	f, err := readJSON(src)
	if err != nil {
		return nil, err
	}
	value, found, err := f.item(list, id)
	if err != nil || value == nil || found < 0 {
		return src, err
	}
	edits := f.removeFrom(list, membersOf(*value), found, keepEmpty)
	return f.check(apply(f.src, edits...), func(before, after map[string]any) bool {
		return equal(withoutItem(before, list, id), withoutItem(after, list, id))
	})
}

// item returns a list at the root, or nil, and the index of the item with an
// ID, or -1.
func (f jsonFile) item(list, id string) (*hujson.Value, int, error) {
	value, err := f.container(list)
	if value == nil || err != nil {
		return nil, -1, err
	}
	array, ok := value.Value.(*hujson.Array)
	if !ok {
		return nil, -1, fmt.Errorf("line %d: %q is no list", f.line(value.StartOffset), list)
	}
	found := -1
	for i, element := range array.Elements {
		object, ok := element.Value.(*hujson.Object)
		if !ok {
			continue
		}
		at, err := f.find(object, "id")
		if err != nil {
			return nil, -1, err
		}
		if at < 0 {
			continue
		}
		if literal, ok := object.Members[at].Value.Value.(hujson.Literal); !ok || literal.Kind() != '"' || literal.String() != id {
			continue
		}
		if found >= 0 {
			return nil, -1, fmt.Errorf("line %d: the ID %q is there twice; leave one", f.line(element.StartOffset), id)
		}
		found = i
	}
	return value, found, nil
}
