// Package prompts declares the prompts that this server offers: what people pick in
// their AI client. What a prompt says is made from the workspace when somebody asks
// for it, out of answers of tools. A file contains one prompt, or what several share.
package prompts

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/icons"
	"outline-mcp/output"
)

// Spec declares one prompt.
type Spec struct {
	Name        string // snake_case
	Title       string // for people, as is the description
	Description string
	Arguments   []Argument
	// Group is the group of tools whose icon the prompt has.
	Group string
	// Tools are those whose answers the prompt is made of. It is offered if all of them
	// are.
	Tools []string
	// write writes what the prompt says. An error that is an output.Problem is the
	// answer, any other is explained to the client.
	write func(ctx context.Context, p *page, in arguments) error
}

// Argument is an argument of a prompt, whose values are text. A name such as document,
// collection or template tells what is suggested to complete it.
type Argument struct {
	Name        string
	Description string // for people
	Required    bool
}

// All returns every prompt, in documentation order.
func All() []Spec {
	return []Spec{answerFromWiki(), summarizeCollection(), writeFromTemplate(), reviewDocument(), catchUp(), findOutdated()}
}

// prompt returns the prompt as prompts/list shows it.
func (s Spec) prompt() mcp.Prompt {
	p := mcp.Prompt{Name: s.Name, Title: s.Title, Description: s.Description, Icons: icons.Of(s.Group)}
	for _, a := range s.Arguments {
		p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
	}
	return p
}

// arguments are the values of a request, by name. One that was left out is "".
type arguments map[string]string

// read checks the given values against the declared arguments.
func read(declared []Argument, given map[string]string) (arguments, error) {
	in := arguments{}
	var missing, valid []string
	for _, a := range declared {
		in[a.Name] = strings.TrimSpace(given[a.Name])
		name := a.Name
		if a.Required {
			name += " (required)"
		}
		valid = append(valid, name)
		if a.Required && in[a.Name] == "" {
			missing = append(missing, a.Name)
		}
	}
	var unknown []string
	for name := range given {
		if _, ok := in[name]; !ok {
			unknown = append(unknown, output.Quote(output.Excerpt(name, 60)))
		}
	}
	slices.Sort(unknown)
	var problems []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"missing argument", missing}, {"unknown argument", unknown}} {
		if len(p.names) > 0 {
			problems = append(problems, p.what+" "+strings.Join(p.names[:min(5, len(p.names))], ", "))
		}
	}
	if len(problems) == 0 {
		return in, nil
	}
	takes := "It takes no arguments"
	if len(valid) > 0 {
		takes = "Valid arguments: " + strings.Join(valid, ", ")
	}
	return nil, output.Invalid("%s. %s.", strings.Join(problems, "; "), takes)
}
