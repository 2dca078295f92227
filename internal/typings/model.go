package typings

import (
	"fmt"
	"slices"
)

// model is what all three languages write down: declarations, each after those
// that it refers to, except where they refer to each other in a circle.
type model struct {
	declarations []declaration // of all tools, for names that must not meet
	tools        []toolTypes   // of those that are written
	written      names         // the declarations that are written
}

// toolTypes names the types of one tool.
type toolTypes struct {
	tool, arguments, result string
}

// declaration is an *object, an *enumeration or a *union.
type declaration interface{ declared() string }

// object is an object with the properties that are known.
type object struct {
	name    string
	comment string
	fields  []field
	failure bool // one of the shapes that a failure has
}

type field struct {
	name     string // as it stands in the JSON
	comment  string // "" if there is nothing to say
	required bool
	kind     kind
}

// kind is the type of a value.
type kind struct {
	schema *schema // of a text, a number, a truth value; tells the bounds, too
	list   *kind   // of a list, the kind of its elements
	named  string  // the name of a declaration
}

// enumeration is a text that has one of some values.
type enumeration struct {
	name, comment string
	values        []string
}

// union is what a tool answers: one of the variants.
type union struct {
	name, tool string
	variants   []variant
}

type variant struct {
	label   []string // words that tell it from the others of the union
	object  string
	failure bool
}

func (o *object) declared() string      { return o.name }
func (e *enumeration) declared() string { return e.name }
func (u *union) declared() string       { return u.name }

// parsedTool is a tool with its schemas read.
type parsedTool struct {
	Tool
	words  []string
	input  *schema
	shapes []*schema  // what it answers
	defs   []property // what the shapes refer to
}

func parseTool(t Tool) (parsedTool, error) {
	p := parsedTool{Tool: t, words: words(t.Name)}
	var err error
	if p.input, err = parseSchema(t.InputSchema); err == nil {
		err = p.input.check(nil)
	}
	if err == nil && p.input.Type != "object" {
		err = fmt.Errorf("arguments are an object, not a %q", p.input.Type)
	}
	if err != nil {
		return p, fmt.Errorf("input schema of %s: %w", t.Name, err)
	}
	root, err := parseSchema(t.OutputSchema)
	if err == nil {
		err = p.readOutput(root)
	}
	if err != nil {
		return p, fmt.Errorf("output schema of %s: %w", t.Name, err)
	}
	return p, nil
}

// readOutput takes an output schema apart: an object, or an anyOf of objects
// with the type beside it.
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
	if root.AnyOf != nil {
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

// isFailure reports whether a shape of an answer is that of a failure: it has
// always the sentence and the code.
func isFailure(shape *schema) bool {
	for _, name := range []string{"error", "code"} {
		if s := shape.property(name); !shape.requires(name) || s.Type != "string" {
			return false
		}
	}
	return true
}

// newModel makes the model; join makes the name of a type out of words.
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
