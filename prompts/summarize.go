package prompts

import "context"

// mostSummarized is how many documents of a collection are read. Each shows at least a
// few lines, and takes a request.
const mostSummarized = 20

func summarizeCollection() Spec {
	return Spec{
		Name:        "summarize_collection",
		Title:       "Summarize a collection",
		Description: "Says what an Outline collection contains, and where to begin.",
		Arguments: []Argument{
			{"collection", "Its name, ID or URL", true},
			{"focus", "What you are most interested in", false},
		},
		Group: "collections",
		Tools: []string{"get_collection_structure", "batch_read_documents"},
		write: func(ctx context.Context, p *page, in arguments) error {
			c, err := p.collection(ctx, in["collection"])
			if err != nil {
				return err
			}
			p.say("Summarize the collection %s of the Outline wiki.", c)
			if in["focus"] != "" {
				p.say("I am most interested in: %s", quoted(in["focus"]))
			}
			answers, err := p.add(ctx, source{tool: "get_collection_structure", arguments: map[string]any{"collection_id": c.id}, uri: "outline://collections/" + c.uuid, share: 25})
			if err != nil {
				return err
			}
			var tree struct {
				Documents []node `json:"documents"`
			}
			if err := answers[0].Decode(&tree); err != nil {
				return err
			}
			ids := nearTop(tree.Documents)
			if len(ids) == 0 {
				p.say("It has no published documents that I can see: say so.")
				return nil
			}
			p.say("Below are the tree of its documents, and the text of those near the top, of which long ones show their beginning.")
			p.say("")
			p.say("- Begin with two or three sentences on what the collection is for, and for whom.")
			p.say("- Then its main subjects, each with the titles of the documents about it.")
			p.say("- Name the documents to read first, and what seems missing, repeated or out of date.")
			p.say("- Say which documents you have not read in full.")
			p.advise("[- batch_read_documents reads the others, and the rest of long ones.]")
			_, err = p.add(ctx, source{tool: "batch_read_documents", arguments: map[string]any{"document_ids": ids[:min(mostSummarized, len(ids))]}, share: 95})
			return err
		},
	}
}

// node is a document in the answer of get_collection_structure.
type node struct {
	ID       string `json:"id"`
	URLID    string `json:"url_id"`
	Children []node `json:"children"`
}

// nearTop returns the IDs of all documents of a tree, level by level.
func nearTop(level []node) []string {
	var ids []string
	for len(level) > 0 {
		var below []node
		for _, n := range level {
			ids, below = append(ids, named{n.ID, n.URLID}.id()), append(below, n.Children...)
		}
		level = below
	}
	return ids
}
