package typings

import (
	"slices"
	"strings"
)

// builder builds a model. It names all types before it declares any, so that a
// name does not depend on what refers to it.
type builder struct {
	model  *model
	join   func([]string) string
	names  names
	shapes [][]variant        // of each tool, in the order of its shapes
	nested map[string]*nested // by nestedKey
	order  []*nested

	failure *schema // shared by the tools
}

// nested is an object or an enumeration inside of arguments or results. Equal
// ones under the same property are one type.
type nested struct {
	property []string // words of the property, in the singular, or of the definition
	defined  bool     // in $defs
	owner    []string // words of the first type around it
	tools    []string // names of the tools that use it
	schema   *schema
	name     string
	declared bool
}

// nameShapes names the types of the arguments and results themselves.
func (b *builder) nameShapes(tools []parsedTool) {
	for _, t := range tools {
		named := toolTypes{
			tool:      t.Name,
			arguments: b.take(t.words, "arguments"),
			result:    b.take(t.words, "result"),
		}
		b.model.tools = append(b.model.tools, named)
		b.collect(t, slices.Concat(t.words, []string{"arguments"}), t.input)
		variants := t.variants()
		for i, shape := range t.shapes {
			class := "success"
			if isFailure(shape) {
				class = "failure"
				if b.mergeFailure(shape) {
					variants[i] = variant{[]string{"failure"}, "Failure", true}
					continue
				}
			}
			variants[i].failure = class == "failure"
			owner := append(slices.Concat(t.words, variants[i].label), class)
			variants[i].object = b.take(owner)
			if variants[i].label == nil {
				variants[i].label = []string{class}
			}
			b.collect(t, owner, shape)
		}
		b.shapes = append(b.shapes, variants)
	}
}

// take joins words to a name that no other type has.
func (b *builder) take(of []string, more ...string) string {
	return b.names.take(b.join(slices.Concat(of, more)))
}

// mergeFailure merges a shape into the failure that all tools share, if both
// require the same keys. The shared failure has the optional keys of all, so
// that programs can treat failures of any tool alike.
func (b *builder) mergeFailure(shape *schema) bool {
	if len(shape.Required) != 2 || shape.property("error").fixed() != nil || shape.property("code").fixed() != nil {
		return false
	}
	merged := &schema{Type: "object", Required: []string{"error", "code"}}
	if b.failure != nil {
		merged.Properties = slices.Clone(b.failure.Properties)
	}
	for _, p := range shape.Properties {
		switch before := merged.property(p.Name); {
		case p.Schema.Type == "object" || p.Schema.Reference != "" || p.Schema.Items != nil || p.Schema.Enum != nil:
			return false
		case before == nil:
			merged.Properties = append(merged.Properties, p)
		case before.canonical() != p.Schema.canonical():
			return false
		}
	}
	b.failure = merged
	return true
}

// collect finds the types in an object that need their own name.
func (b *builder) collect(t parsedTool, owner []string, in *schema) {
	for _, p := range in.Properties {
		b.collectValue(t, owner, words(p.Name), p.Schema)
	}
}

func (b *builder) collectValue(t parsedTool, owner, property []string, s *schema) {
	defined := false
	switch {
	case s.Items != nil:
		b.collectValue(t, owner, singular(property), s.Items)
		return
	case s.Reference != "":
		property, s, defined = words(s.Reference), t.definition(s.Reference), true
	case s.Type != "object" && s.Enum == nil:
		return
	}
	key := t.nestedKey(property, s)
	found := b.nested[key]
	if found == nil {
		found = &nested{property: property, defined: defined, owner: owner, schema: s}
		b.nested[key] = found
		b.order = append(b.order, found)
	}
	if slices.Contains(found.tools, t.Name) {
		return // or a definition that refers to itself
	}
	found.tools = append(found.tools, t.Name)
	b.collect(t, slices.Concat(owner, property), s)
}

func (t parsedTool) definition(name string) *schema {
	for _, d := range t.defs {
		if d.Name == name {
			return d.Schema
		}
	}
	return nil // not reached: check has verified the reference
}

// nestedKey returns a key that is equal for nested types with the same name and
// content.
func (t parsedTool) nestedKey(property []string, s *schema) string {
	if s.Enum != nil {
		s = &schema{Enum: s.Enum} // a default is not part of the type
	}
	key := strings.Join(property, " ") + "\n" + s.canonical()
	if s.refers() {
		key += "\n" + (&schema{Definitions: t.defs}).canonical()
	}
	return key
}

// nameNested names nested types after their definition, or else after their
// property and the words that the names of their tools share. On a collision it
// uses the name of the type around them.
func (b *builder) nameNested() {
	wanted := map[string]int{}
	for _, n := range b.order {
		wanted[b.join(n.words())]++
	}
	for _, n := range b.order {
		name := b.join(n.words())
		if wanted[name] > 1 || b.names[name] {
			name = b.join(slices.Concat(n.owner, n.property))
		}
		n.name = b.names.take(name)
	}
}

func (n *nested) words() []string {
	if n.defined {
		return n.property
	}
	if slices.Equal(n.property, []string{"status"}) && slices.Equal(n.schema.Enum, []string{"draft", "published", "archived", "deleted"}) {
		return []string{"document", "status"} // as it was named while only tools with "document" in their names had it
	}
	if len(n.tools) == 1 {
		return slices.Concat(words(n.tools[0]), n.property)
	}
	shared := common(n.tools)
	for i := range shared {
		if overlap := shared[i:]; len(overlap) <= len(n.property) && slices.Equal(overlap, n.property[:len(overlap)]) {
			shared = shared[:i]
			break
		}
	}
	return slices.Concat(shared, n.property)
}
