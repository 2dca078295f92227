package typings

import (
	"fmt"
	"slices"
)

// model is the language-independent description of the types: declarations,
// each after those that it refers to except in cycles.
type model struct {
	declarations []declaration // of all tools, so that names stay unique
	tools        []toolTypes   // of the tools to generate
	written      names         // names of the declarations to generate
}

// toolTypes are the names of the types of a tool.
type toolTypes struct {
	tool, arguments, result string
}

// declaration is an *object, an *enumeration or a *union.
type declaration interface{ declared() string }

// object is an object with its known properties.
type object struct {
	name    string
	comment string
	fields  []field
	failure bool // one of the shapes that a failure has
}

type field struct {
	name     string // of the key in JSON
	comment  string // may be ""
	required bool
	kind     kind
}

// kind is the type of a value.
type kind struct {
	schema *schema // of a string, number or boolean, with its limits
	list   *kind   // of the elements of a list
	named  string  // the name of a declaration
}

// enumeration is a string with a fixed set of values.
type enumeration struct {
	name, comment string
	values        []string
}

// union is the result of a tool: one of the variants.
type union struct {
	name, tool string
	variants   []variant
}

type variant struct {
	label   []string // words that tell it from the other variants
	object  string
	failure bool
}

func (o *object) declared() string      { return o.name }
func (e *enumeration) declared() string { return e.name }
func (u *union) declared() string       { return u.name }

// parsedTool is a tool with its parsed schemas.
type parsedTool struct {
	Tool
	words  []string
	input  *schema
	shapes []*schema  // of its results
	defs   []property // definitions that the shapes refer to
}

func parseTool(t Tool) (parsedTool, error) {
	p := parsedTool{Tool: t, words: words(t.Name), input: &schema{}}
	err := p.input.UnmarshalJSON(t.InputSchema)
	if err == nil {
		err = p.input.check(nil)
	}
	if err == nil && p.input.Type != "object" {
		err = fmt.Errorf("arguments are an object, not a %q", p.input.Type)
	}
	if err != nil {
		return p, fmt.Errorf("input schema of %s: %w", t.Name, err)
	}
	p.input.markFalse(t.TellsFalse)
	root := &schema{}
	if err = root.UnmarshalJSON(t.OutputSchema); err == nil {
		err = p.readOutput(root)
	}
	if err != nil {
		return p, fmt.Errorf("output schema of %s: %w", t.Name, err)
	}
	return p, nil
}

// markFalse marks the optional properties with some names, also within lists.
func (s *schema) markFalse(names []string) {
	for _, p := range s.Properties {
		p.Schema.TellsFalse = p.Schema.Type == "boolean" && slices.Contains(names, p.Name)
		p.Schema.markFalse(names)
	}
	if s.Items != nil {
		s.Items.markFalse(names)
	}
}

// readOutput splits an output schema, which is an object or an anyOf of objects
// with the type beside it, into its shapes.
func (p *parsedTool) readOutput(root *schema) error {
	p.defs, root.Definitions = root.Definitions, nil
	for _, d := range p.defs {
		if err := d.Schema.check(p.defs); err != nil {
			return fmt.Errorf("$defs: %q: %w", d.Name, err)
		}
		if d.Schema.Type != "object" {
			return fmt.Errorf("$defs: %q: only objects are known there", d.Name)
		}
	}
	p.shapes = []*schema{root}
	if len(root.AnyOf) > 0 {
		if root.Properties != nil || root.Required != nil {
			return fmt.Errorf("properties or required beside anyOf")
		}
		p.shapes = root.AnyOf
	}
	for i, shape := range p.shapes {
		if root.Type != "object" || shape.Type != "" && shape.Type != "object" || shape.Reference != "" {
			return fmt.Errorf("shape %d is no object of its own", i)
		}
		shape.Type = "object"
		if err := shape.check(p.defs); err != nil {
			return fmt.Errorf("shape %d: %w", i, err)
		}
	}
	return nil
}

// isFailure reports whether a shape of a result is that of a failure: it
// requires the sentence and the code.
func isFailure(shape *schema) bool {
	for _, name := range []string{"error", "code"} {
		if s := shape.property(name); !shape.requires(name) || s.Type != "string" {
			return false
		}
	}
	return true
}

// newModel builds the model. Join makes the name of a type out of words.
func newModel(tools []Tool, join func([]string) string) (*model, error) {
	b := &builder{model: &model{}, join: join, names: reservedNames(), nested: map[string]*nested{}}
	var parsed []parsedTool
	for _, t := range tools {
		if slices.ContainsFunc(parsed, func(other parsedTool) bool { return other.Name == t.Name }) {
			return nil, fmt.Errorf("two tools are named %s", t.Name)
		}
		p, err := parseTool(t)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, p)
	}
	b.nameShapes(parsed)
	b.nameNested()
	b.declare(parsed)
	b.model.omit(parsed)
	return b.model, nil
}
