package clientfile

import (
	"fmt"

	"github.com/tailscale/hujson"
)

// Item returns the item with an ID in a list at the root of a file.
func (JSON) Item(src []byte, list, id string) (value any, found bool, err error) {
	return read(src, jsonFile.item, list, id)
}

// SetItem returns a file with an item added to a list at its root, unless the
// list already has an item with this ID. The item must have that ID.
func (JSON) SetItem(src []byte, list, id string, item Object) ([]byte, error) {
	f, at, err := locate(src, jsonFile.item, list, id)
	if err != nil {
		return nil, err
	}
	var edits []edit
	switch {
	case at.holder == nil:
		edits = f.insert(membersOf(f.root), func(l layout) string { return l.list(list, item) })
	case at.index < 0:
		edits = f.insert(membersOf(*at.holder), func(l layout) string { return l.value(item, l.indent) })
	default:
		return src, nil
	}
	return f.check(apply(f.src, edits...), change{dropItem, list, id, item.plain()})
}

// RemoveItem returns a file without the item with an ID, and without the list
// if that is left empty and keepEmpty is not set.
func (JSON) RemoveItem(src []byte, list, id string, keepEmpty bool) ([]byte, error) {
	return remove(src, jsonFile.item, dropItem, list, id, keepEmpty)
}

func (f jsonFile) item(list, id string) (place, error) {
	value, err := f.container(list)
	if value == nil || err != nil {
		return place{index: -1}, err
	}
	array, ok := value.Value.(*hujson.Array)
	if !ok {
		return place{}, fmt.Errorf("line %d: %q is not a list", f.line(value.StartOffset), list)
	}
	found := -1
	for i, element := range array.Elements {
		object, ok := element.Value.(*hujson.Object)
		if !ok {
			continue
		}
		at, err := f.find(object, "id")
		if err != nil {
			return place{}, err
		}
		if at < 0 {
			continue
		}
		if literal, ok := object.Members[at].Value.Value.(hujson.Literal); !ok || literal.Kind() != '"' || literal.String() != id {
			continue
		}
		if found >= 0 {
			return place{}, fmt.Errorf("line %d: the ID %q occurs twice; remove one", f.line(element.StartOffset), id)
		}
		found = i
	}
	return place{value, found}, nil
}
