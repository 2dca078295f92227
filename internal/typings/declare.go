package typings

import (
	"slices"
	"strings"
)

// declare adds the declarations of all tools to the model.
func (b *builder) declare(tools []parsedTool) {
	if b.failure != nil {
		b.model.declarations = append(b.model.declarations, b.object(parsedTool{}, "Failure", "What a call answers that failed, whatever the tool.", true, b.failure))
	}
	for i, t := range tools {
		named := b.model.tools[i]
		b.add(b.object(t, named.arguments, "The arguments of "+t.Name+". "+t.Description, false, t.input))
		result := &union{name: named.result, tool: t.Name}
		for j, shape := range t.shapes {
			v := b.shapes[i][j]
			result.variants = append(result.variants, v)
			switch {
			case v.object == "Failure":
			case v.failure:
				b.add(b.object(t, v.object, "What "+t.Name+" answers when it fails in this way.", true, shape))
			default:
				b.add(b.object(t, v.object, "What "+t.Name+" answers when it succeeds.", false, shape))
			}
		}
		b.add(result)
	}
}

func (b *builder) add(d declaration) { b.model.declarations = append(b.model.declarations, d) }

// object returns the declaration of an object, after adding those that its
// properties refer to.
func (b *builder) object(t parsedTool, name, comment string, failure bool, s *schema) *object {
	o := &object{name: name, comment: plain(comment), failure: failure}
	for _, p := range s.Properties {
		o.fields = append(o.fields, field{p.Name, p.Schema.comment(), s.requires(p.Name), b.kind(t, words(p.Name), p.Schema)})
	}
	return o
}

// kind returns the type of a value, after adding the declaration that it refers
// to.
func (b *builder) kind(t parsedTool, property []string, s *schema) kind {
	switch {
	case s.Items != nil:
		element := b.kind(t, singular(property), s.Items)
		return kind{schema: s, list: &element}
	case s.Reference != "":
		property, s = words(s.Reference), t.definition(s.Reference)
	case s.Type != "object" && s.Enum == nil:
		return kind{schema: s}
	}
	n := b.nested[t.nestedKey(property, s)]
	if !n.declared {
		n.declared = true
		comment := s.Description
		if comment == "" || s.Enum != nil {
			comment = "Part of " + strings.Join(n.tools, ", ")
		}
		comment = strings.TrimSuffix(plain(comment), ".") + "."
		if s.Enum != nil {
			b.add(&enumeration{n.name, comment, s.Enum})
		} else {
			b.add(b.object(t, n.name, comment, false, s))
		}
	}
	return kind{schema: s, named: n.name}
}

// variants labels the shapes of a tool's result with words that tell them
// apart: the values of a key, a key that only one of them requires, or else a
// number. The label is nil if there is only one shape.
func (t parsedTool) variants() []variant {
	variants := make([]variant, len(t.shapes))
	for _, failures := range []bool{false, true} {
		var of []int
		for i, shape := range t.shapes {
			if isFailure(shape) == failures {
				of = append(of, i)
			}
		}
		if len(of) == 1 {
			continue
		}
		for _, i := range of {
			var others []*schema
			for _, j := range of {
				if j != i {
					others = append(others, t.shapes[j])
				}
			}
			variants[i].label = label(t.shapes[i], others)
		}
	}
	labels := names{}
	for i := range variants {
		if joined := strings.Join(variants[i].label, "_"); joined != "" {
			variants[i].label = words(labels.take(joined))
		}
	}
	return variants
}

func label(shape *schema, others []*schema) []string {
	for _, name := range shape.Required {
		values := shape.property(name).fixed()
		if len(values) == 0 || len(values) > 3 || slices.ContainsFunc(others, func(other *schema) bool {
			s := other.property(name)
			return s != nil && slices.Equal(s.fixed(), values)
		}) {
			continue
		}
		return words(strings.Join(values, " or "))
	}
	for _, name := range shape.Required {
		if !slices.ContainsFunc(others, func(other *schema) bool { return other.requires(name) }) {
			return words(name)
		}
	}
	return []string{"shape"}
}

// reservedNames returns the names that the files themselves use, in any of the
// languages.
func reservedNames() names {
	reserved := names{}
	for _, name := range []string{
		"Failure", "Tools", "ToolName", "Call", "Of", // of the files
		"Promise", "Record", // of TypeScript
		"Literal", "NotRequired", "TypedDict", "Union", // of Python
		"None", "True", "False",
	} {
		reserved[name] = true
	}
	return reserved
}
