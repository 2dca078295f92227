package typings

import (
	"slices"
	"strings"
)

// builder makes a model. It names everything before it declares anything, so
// that a name does not depend on what refers to it.
type builder struct {
	model  *model
	join   func([]string) string
	names  names
	shapes [][]variant        // of each tool, as its shapes
	nested map[string]*nested // by the property and what it holds
	order  []*nested

	failure *schema // the shape that all plain failures have together
}

// nested is an object or an enumeration inside of arguments or answers. Equal
// ones under the same property are one type.
type nested struct {
	property []string // the words of the property, in the singular, or of the definition
	defined  bool     // under $defs
	owner    []string // the words of the first type that holds it
	tools    []string // those that have it
	schema   *schema
	name     string
	declared bool
}

// nameShapes names what stands at the top: the types of each tool.
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

// take joins words to a name that nothing else has.
func (b *builder) take(of []string, more ...string) string {
	return b.names.take(b.join(slices.Concat(of, more)))
}

// mergeFailure makes a shape part of the one that the tools' failures have in
// common, if it always has the same keys as that and differs in what may be
// there besides: programs handle failures of any tool alike.
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

// collect finds what needs a name of its own in an object.
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
		return // also where a definition refers to itself
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
	return nil // not reached: check has looked
}

// nestedKey returns what nested types of the same name and content share.
func (t parsedTool) nestedKey(property []string, s *schema) string {
	if s.Enum != nil {
		s = &schema{Enum: s.Enum} // a default is no matter of the type
	}
	key := strings.Join(property, " ") + "\n" + s.canonical()
	if s.refers() {
		key += "\n" + (&schema{Definitions: t.defs}).canonical()
	}
	return key
}

// nameNested names what is nested after the words that the tools have in common
// which have it, and its property, or as its definition is named; where two
// would have the same name, after the type that holds it.
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
