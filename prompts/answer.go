package prompts

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/output"
)

const (
	mostHits  = 10 // that a search shows
	mostRead  = 5  // documents that a question is answered from
	mostWords = 4  // of a question that are searched for one by one
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
			p.advise("[- search_documents searches again: one to three words work best.]")
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

// search searches for a question as a whole or, if that finds nothing, for its longest
// words one by one: Outline finds only documents with all words. It returns the
// documents, those with most of the words first.
func (p *page) search(ctx context.Context, question string, scope map[string]any) ([]named, error) {
	words := wordsOf(question)
	if len(words) == 0 {
		return nil, output.Invalid("question: %s has no words to search for.", quoted(question))
	}
	found, err := p.searches(ctx, scope, strings.Join(words, " "))
	if err != nil || len(found) > 0 || len(words) == 1 {
		return found, err
	}
	return p.searches(ctx, scope, longest(words, mostWords)...)
}

func (p *page) searches(ctx context.Context, scope map[string]any, queries ...string) ([]named, error) {
	var sources []source
	for _, query := range queries {
		arguments := map[string]any{"query": query, "limit": mostHits}
		for name, value := range scope {
			arguments[name] = value
		}
		sources = append(sources, source{tool: "search_documents", arguments: arguments, share: 20 / len(queries)})
	}
	answers, err := p.add(ctx, sources...)
	if err != nil {
		return nil, err
	}
	type hit struct {
		named
		queries, rank int
	}
	hits := map[string]*hit{}
	for _, answer := range answers {
		var found struct {
			Results []named `json:"results"`
		}
		if err := answer.Decode(&found); err != nil {
			return nil, err
		}
		for rank, d := range found.Results {
			h := hits[d.DocumentID]
			if h == nil {
				h = &hit{named: d, rank: rank}
				hits[d.DocumentID] = h
			}
			h.queries, h.rank = h.queries+1, min(h.rank, rank)
		}
	}
	var order []*hit
	for _, h := range hits {
		order = append(order, h)
	}
	slices.SortFunc(order, func(a, b *hit) int {
		return cmp.Or(b.queries-a.queries, a.rank-b.rank, strings.Compare(a.DocumentID, b.DocumentID))
	})
	var found []named
	for _, h := range order {
		found = append(found, h.named)
	}
	return found, nil
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

// longest returns the n longest words.
func longest(words []string, n int) []string {
	words = slices.Clone(words)
	sort.SliceStable(words, func(i, j int) bool { return utf8.RuneCountInString(words[i]) > utf8.RuneCountInString(words[j]) })
	return words[:min(n, len(words))]
}
