package tools

import (
	"context"
	"errors"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func askAIAboutDocuments() mcptool.Tool {
	return mcptool.Spec[askIn, aiAnswer]{
		Name:        "ask_ai_about_documents",
		Title:       "Ask Outline's AI",
		Description: "Asks Outline's own AI about the wiki, a collection or a document, and returns its answer with the sources.",
		Endpoints:   []string{"documents.answerQuestion"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in askIn) (aiAnswer, error) {
			answer := aiAnswer{Question: in.Question}
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return answer, err
			}
			if in.DocumentID != "" {
				document, err := fetchDocument(ctx, env, in.DocumentID)
				if err != nil {
					return answer, err
				}
				name := nameOf(document.DocumentSummary)
				answer.DocumentID, answer.Title, answer.URLID = name.DocumentID, name.Title, name.URLID
			}
			given, err := env.Outline.AnswerQuestion(ctx, outline.QuestionParams{Query: in.Question, CollectionID: collection, DocumentID: answer.DocumentID})
			if errors.Is(err, outline.ErrNotFound) {
				return answer, output.Failure{Code: output.Unsupported, Sentence: "this Outline has no AI answers: they are part of its Cloud, Business and Enterprise editions.",
					Next: "Use search_documents[ and read_document] instead."}
			}
			if err != nil {
				return answer, err
			}
			if collection != "" {
				answer.home = homeOf(env.Collections.Begin(ctx)(), collection)
			}
			answer.Answer = given.Text
			answer.Sources = entriesOf(given.Documents[:min(len(given.Documents), mostSources)], nameOf)
			answer.MoreSources = len(given.Documents) - len(answer.Sources)
			return answer, nil
		},
	}
}

// mostSources is the maximum number of sources listed below an answer.
const mostSources = 20

type askIn struct {
	Question     string `json:"question" maxLength:"1000"`
	CollectionID string `json:"collection_id,omitempty"`
	DocumentID   string `json:"document_id,omitempty"`
}

type aiAnswer struct {
	Answer      string         `json:"answer"`
	AnswerCut   bool           `json:"answer_cut,omitempty"`
	Sources     []documentName `json:"sources"`
	MoreSources int            `json:"more_sources,omitempty"`
	Question    string         `json:"question"`
	home
	DocumentID string `json:"document_id,omitempty" format:"uuid"`
	Title      string `json:"title,omitempty"`
	URLID      string `json:"url_id,omitempty"`
}

func (a aiAnswer) WriteText(t *output.Text) {
	t.Printf("# %s%s", output.Quote(a.Question), a.in())
	t.If(a.DocumentID != "").Printf(" in %s", documentName{a.DocumentID, a.Title, a.URLID})
	t.Blank()
	t.Blank()
	if a.Answer == "" {
		t.Line("Outline's AI found no answer.")
	} else {
		t.Block(a.Answer)
	}
	t.If(a.AnswerCut).Line("(The answer was longer and is cut here: ask about a part of it, or read its sources.)")
	if len(a.Sources) > 0 {
		t.Blank()
		t.Line("Sources: title, document_id")
	}
	writeEntries(t, a.Sources)
	t.If(a.MoreSources > 0).Advice("- and %d more[: search_documents finds them]", a.MoreSources)
}

// Cuts implements output.Cuttable. The rest of a cut answer is lost: Outline
// cannot continue one.
func (a *aiAnswer) Cuts() []output.Cut {
	length := utf8.RuneCountInString(a.Answer)
	return []output.Cut{{Units: length, Keep: func(n int) { a.Answer, a.AnswerCut = text.Truncate(a.Answer, n), n < length }}}
}
