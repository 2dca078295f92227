package output

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// ListedSchema returns the form in which tools/list has the outputSchema of a
// tool: a model pays for every byte of it, in every session. Whatever
// [ContractSchema] accepts, it accepts, and it has the same keys with the same
// types in the same shapes. It differs in two ways:
//
//   - Keys that several shapes have alike stand at the root, once.
//   - Descriptions, bounds and what entries of a list require are left out, and types and formats that follow from
//     the values beside them, or from a name such as url, created_at or document_id.
func ListedSchema(contract *jsonschema.Schema) (json.RawMessage, error) {
	root := contract.CloneSchemas()
	slim(root)
	shortenItems(root)
	share(root)
	return json.Marshal(root)
}

// written returns a schema as JSON, by which it is compared. One that cannot be encoded makes
// the whole fail in the end.
func written(s *jsonschema.Schema) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

func slim(s *jsonschema.Schema) {
	s.Description, s.Minimum, s.Maximum = "", nil, nil
	if s.Enum != nil || s.Const != nil {
		s.Type = ""
	}
	for name, property := range s.Properties {
		if property.Format == "uuid" || strings.HasSuffix(name, "url") || strings.HasSuffix(name, "_at") {
			property.Format = ""
		}
		slim(property)
	}
	for _, definition := range s.Defs {
		slim(definition)
	}
	for _, shape := range s.AnyOf {
		slim(shape)
	}
	for _, inner := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			slim(inner)
			inner.Required = nil
		}
	}
}

// manyRepeated is from how many on the repeated properties of items are left out.
const manyRepeated = 3

// shortenItems omits the properties of the items of a list that another shape of the
// tool has, too, if those are many, but not all: what they hold is described there.
func shortenItems(root *jsonschema.Schema) {
	described := map[string]bool{} // each property of the shapes, as JSON after its name
	for _, shape := range root.AnyOf {
		for name, property := range shape.Properties {
			described[name+written(property)] = true
		}
	}
	for _, shape := range root.AnyOf {
		for _, property := range shape.Properties {
			items := property.Items
			if items == nil {
				continue
			}
			var repeated []string
			for name, inner := range items.Properties {
				if described[name+written(inner)] {
					repeated = append(repeated, name)
				}
			}
			if len(repeated) < manyRepeated || len(repeated) == len(items.Properties) {
				continue
			}
			for _, name := range repeated {
				delete(items.Properties, name)
			}
			left := func(name string) bool { return slices.Contains(repeated, name) }
			items.PropertyOrder, items.Required = slices.DeleteFunc(items.PropertyOrder, left), slices.DeleteFunc(items.Required, left)
		}
	}
}

// share moves properties to the root that several shapes have, if all that have
// them agree on them.
func share(root *jsonschema.Schema) {
	type property struct {
		schema *jsonschema.Schema
		raw    string
		shapes int
		differ bool
	}
	found := map[string]*property{}
	var order []string
	for _, shape := range root.AnyOf {
		for _, name := range shape.PropertyOrder {
			raw := written(shape.Properties[name])
			p := found[name]
			if p == nil {
				p = &property{schema: shape.Properties[name], raw: raw}
				found[name] = p
				order = append(order, name)
			}
			p.shapes++
			p.differ = p.differ || p.raw != raw
		}
	}
	shared := func(name string) bool { return found[name].shapes > 1 && !found[name].differ }
	for _, name := range order {
		if shared(name) {
			if root.Properties == nil {
				root.Properties = map[string]*jsonschema.Schema{}
			}
			root.Properties[name] = found[name].schema
			root.PropertyOrder = append(root.PropertyOrder, name)
		}
	}
	for _, shape := range root.AnyOf {
		for name := range root.Properties {
			delete(shape.Properties, name)
		}
		shape.PropertyOrder = slices.DeleteFunc(slices.Clone(shape.PropertyOrder), shared)
		if len(shape.Properties) == 0 {
			shape.Properties = nil
		}
	}
}

// ListedArguments returns the form in which tools/list has the inputSchema of a
// tool: without the bounds that every count has, from 0 or 1, and those of texts and
// lists that are seldom that long. Arguments beyond them are rejected all the same. The optional ones
// that are unlisted are left out, and taken all the same. Entries of a list whose arguments the
// tool itself has, too, are listed without their descriptions.
func ListedArguments(arguments *jsonschema.Schema, unlisted ...string) (json.RawMessage, error) {
	listed := arguments.CloneSchemas()
	leaveOut(listed, unlisted)
	for _, property := range listed.Properties {
		if property.Items == nil {
			continue
		}
		leaveOut(property.Items, unlisted)
		for name, inner := range property.Items.Properties {
			if own := listed.Properties[name]; own != nil && own.Description == inner.Description {
				inner.Description = ""
			}
		}
	}
	unbound(listed)
	return json.Marshal(listed)
}

func leaveOut(s *jsonschema.Schema, unlisted []string) {
	leftOut := func(name string) bool { return slices.Contains(unlisted, name) && !slices.Contains(s.Required, name) }
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return leftOut(name) })
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), leftOut)
}

// From how many characters or entries on the bound of a text or a list is left out.
const seldomLong, seldomMany = 500, 99

func unbound(s *jsonschema.Schema) {
	if s.MaxLength != nil && *s.MaxLength >= seldomLong {
		s.MaxLength = nil
	}
	if s.Minimum != nil && (*s.Minimum == 0 || *s.Minimum == 1) {
		s.Minimum = nil
	}
	if s.MinLength != nil && *s.MinLength == 0 {
		s.MinLength = nil
	}
	if s.MinItems != nil && *s.MinItems == 1 {
		s.MinItems = nil
	}
	if s.MaxItems != nil && *s.MaxItems >= seldomMany {
		s.MaxItems = nil
	}
	if string(s.Default) == "1" {
		s.Default = nil // what leaving it out means anyway: from the start
	}
	for _, property := range s.Properties {
		unbound(property)
	}
	if s.Items != nil {
		unbound(s.Items)
	}
}
