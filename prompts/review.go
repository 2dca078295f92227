package prompts

import "context"

func reviewDocument() Spec {
	return Spec{
		Name:        "review_document",
		Title:       "Review a document",
		Description: "Reviews an Outline document: style, gaps, and comments that are still open.",
		Arguments: []Argument{
			{"document", "Its title, ID or URL", true},
			{"focus", "What to look at most, such as a reader or a question", false},
		},
		Group: "comments",
		Tools: []string{"read_document"},
		write: func(ctx context.Context, p *page, in arguments) error {
			d, err := p.document(ctx, in["document"])
			if err != nil {
				return err
			}
			p.say("Review the document %s of the Outline wiki.", d)
			if in["focus"] != "" {
				p.say("Look most at: %s", quoted(in["focus"]))
			}
			p.say("")
			p.say("- Style: what is hard to follow, wordy or ambiguous. Quote the passage and give a better one, in the language and tone of the document.")
			p.say("- Gaps: what a reader needs and does not find, what is out of date, what contradicts itself.")
			p.say("- Open comments: what each asks for, and how to settle it.")
			p.say("- Sort by importance. If a part is good, say so briefly. Do not change anything yet.")
			p.advise("[- Once I agree, make the changes with edit_document.]")
			p.advise("[- Once I agree, reply to comments with add_comment.]")
			_, err = p.add(ctx,
				source{tool: "read_document", arguments: map[string]any{"document_id": d.id}, uri: documentURI(d.uuid), share: 80},
				source{tool: "list_document_comments", arguments: map[string]any{"document_id": d.id, "include_anchor_text": true, "limit": 50}, uri: documentURI(d.uuid) + "/comments", share: 20, optional: true},
			)
			return err
		},
	}
}
