package prompts

import (
	"context"
	"time"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

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
			p.say("Write a document for the Outline wiki from my notes, in the form of the template %s %s. Today is %s.", quoted(t.Title), t.ID, p.Now().UTC().Format(time.DateOnly))
			p.say("")
			p.say("- Keep the headings, tables and order of the template. Where my notes say nothing, leave the heading and write TODO.")
			p.say("- Write what the notes say and nothing else. Ask me about contradictions.")
			p.say("- Replace {date}, {time}, {datetime} and {author} yourself: Outline does so only in documents that it makes from the template.")
			p.say("- Show me the title and the text as Markdown.")
			if place != "" && p.Offers.Advise("create_document") != "" {
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
			p.attach(material{head: "template " + quoted(t.Title) + " " + t.ID, text: text})
			return nil
		},
	}
}
