// Package prompts declares the prompts that this server offers: what people pick in
// their AI client. What a prompt says is made from the workspace when a user asks
// for it, out of answers of tools. A file contains prompts, or what several share.
package prompts

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline/prosemirror"
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
	p := mcp.Prompt{Name: s.Name, Title: s.Title, Description: s.Description, Icons: mcptool.Icons(s.Group)}
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

func writeFromTemplate() Spec {
	return Spec{
		Name:        "write_from_template",
		Title:       "Write from a template",
		Description: "Writes a document from your notes, in the form of an Outline template.",
		Arguments: []Argument{
			{"template", "Its title or ID", true},
			{"notes", "What the document has to say; rough notes will do", true},
			{"collection", "Where it belongs: name, ID or URL", false},
		},
		Group: "templates",
		Tools: []string{"list_templates"},
		write: func(ctx context.Context, p *page, in arguments) error {
			t, err := p.template(ctx, in["template"])
			if err != nil {
				return err
			}
			place := t.CollectionID
			if in["collection"] != "" {
				c, err := p.collection(ctx, in["collection"])
				if err != nil {
					return err
				}
				place = c.id
			}
			p.say("Write a document for the Outline wiki from my notes, in the form of the template %s %s. Today is %s.", quoteOf(t.Title), t.ID, p.Now().UTC().Format(time.DateOnly))
			p.say("")
			p.say("- Keep the headings, tables and order of the template. Where my notes say nothing, leave the heading and write TODO.")
			p.say("- Write what the notes say and nothing else. Ask me about contradictions.")
			p.say("- Replace {date}, {time}, {datetime} and {author} yourself: Outline does so only in documents that it makes from the template.")
			p.say("- Show me the title and the text as Markdown.")
			if place != "" && p.Available.Advise("create_document") != "" {
				p.say("- Once I agree, create it with create_document and collection_id %s.", place)
			} else {
				p.advise("[- Once I agree, ask me where it belongs and create it with create_document.]")
			}
			p.say("")
			p.say("My notes:")
			p.say("%s", in["notes"])
			text := prosemirror.ToText(t.Tree)
			if beginning := output.Head(text, p.left); beginning != text {
				text = beginning
				p.say("The template is longer than what follows: say that the end is missing.")
			}
			p.attach(material{head: "template " + quoteOf(t.Title) + " " + t.ID, text: text})
			return nil
		},
	}
}

const (
	mostHits = 10 // that a search shows
	mostRead = 5  // documents that a question is answered from
)

func answerFromWiki() Spec {
	return Spec{
		Name:        "answer_from_wiki",
		Title:       "Answer from the wiki",
		Description: "Answers a question from Outline documents, and cites them.",
		Arguments: []Argument{
			{"question", "What you want to know", true},
			{"collection", "Search only this collection: its name, ID or URL", false},
		},
		Group: "search",
		Tools: []string{"search_documents", "read_document"},
		write: func(ctx context.Context, p *page, in arguments) error {
			scope := map[string]any{}
			p.say("Answer this question from the Outline wiki: %s", output.Quote(in["question"]))
			if in["collection"] != "" {
				c, err := p.collection(ctx, in["collection"])
				if err != nil {
					return err
				}
				scope["collection_id"] = c.id
				p.say("Only the collection %s was searched.", c)
			}
			found, err := p.search(ctx, in["question"], scope)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				p.say("The search found nothing. Search again with other words before you answer that the wiki does not say.")
			} else {
				p.say("The first documents that a search found are below. Read or search on if they do not suffice.")
			}
			p.say("")
			p.say("- Begin with the answer, in a few sentences.")
			p.say("- Cite the title and the URL of the document after each statement.")
			p.say("- If documents disagree, say so; the one updated last is more likely to be right.")
			p.say("- Say what the wiki does not answer. Do not add what you know from elsewhere.")
			p.advise("[- search_documents searches again: with OR between synonyms, it finds either.]")
			var read []source
			found = found[:min(mostRead, len(found))]
			for _, d := range found {
				read = append(read, source{tool: "read_document", arguments: map[string]any{"document_id": d.id()}, uri: documentURI(d.DocumentID), share: 100 / len(found), optional: true})
			}
			_, err = p.add(ctx, read...)
			return err
		},
	}
}

// search searches for the words of a question and returns the documents, best first.
func (p *page) search(ctx context.Context, question string, scope map[string]any) ([]namedDocument, error) {
	words := wordsOf(question)
	if len(words) == 0 {
		return nil, output.Invalid("question: %s has no words to search for.", quoteOf(question))
	}
	arguments := map[string]any{"query": strings.Join(words, " "), "limit": mostHits}
	maps.Copy(arguments, scope)
	answers, err := p.add(ctx, source{tool: "search_documents", arguments: arguments, share: 20})
	if err != nil {
		return nil, err
	}
	var found struct {
		Results []namedDocument `json:"results"`
	}
	err = answers[0].Decode(&found)
	return found.Results, err
}

// wordsOf returns up to 20 words of a question, each once and without punctuation.
// Operators of the search, such as a hyphen before a word, lose their meaning.
func wordsOf(question string) []string {
	var words []string
	for word := range strings.FieldsFuncSeq(output.Excerpt(question, 200), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) }) && len(words) < 20 {
			words = append(words, word)
		}
	}
	return words
}
