package tools

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func getWorkspace() mcptool.Tool {
	return mcptool.Spec[struct{}, workspaceInfo]{
		Name:        "get_workspace",
		Title:       "Get workspace",
		Description: "Shows who you are in Outline, your role, the workspace, and what this version of Outline and this server can do.",
		Endpoints:   []string{"auth.info"},
		Effect:      mcptool.Reads,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, _ struct{}) (workspaceInfo, error) {
			asked := askFeatures(outline.WithCallOptions(ctx, outline.NoRetries()), env)
			who, err := env.Outline.AuthInfo(ctx)
			w := asked()
			w.UserID, w.Name, w.Email, w.Role = who.User.ID, output.Label(who.User.Name), output.OneLine(who.User.Email), who.User.Role
			w.Workspace, w.URL, w.guided = output.Label(who.Team.Name), who.Team.URL, guidedBy(who.Team.GuidanceMCP)
			for _, tool := range All() {
				if name := tool.Info().Name; env.Available != nil && !env.Available(name) {
					w.ToolsNotOffered = append(w.ToolsNotOffered, name)
				}
			}
			return w, err
		},
	}
}

// askFeatures starts to ask the server what it can do, of what versions of Outline
// differ in, and returns a function that waits for the answers. What cannot be found
// out is left out.
func askFeatures(ctx context.Context, env mcptool.Env) func() workspaceInfo {
	var w workspaceInfo
	var guards bool
	var err error
	var wait sync.WaitGroup
	wait.Go(func() { guards, err = env.Outline.KnowsRevisions(ctx) })
	wait.Go(func() { w.Version, _ = env.Outline.Version(ctx) })
	return func() workspaceInfo {
		wait.Wait()
		w.Supports, w.Lacks, w.ToolsNotOffered = []string{}, []string{}, []string{}
		const feature = "guarded updates"
		switch {
		case guards:
			w.Supports = append(w.Supports, feature)
		case err == nil:
			w.Lacks = append(w.Lacks, feature)
		}
		w.Version = output.OneLine(w.Version)
		if !outline.IsSupported(w.Version) {
			w.Lacks = append(w.Lacks, "this version of Outline (supported are "+outline.SupportedVersions+")")
		}
		return w
	}
}

type workspaceInfo struct {
	UserID          string   `json:"user_id" format:"uuid"`
	Name            string   `json:"name"`
	Email           string   `json:"email,omitempty"`
	Role            string   `json:"role"`
	Workspace       string   `json:"workspace"`
	URL             string   `json:"url"`
	Version         string   `json:"version,omitempty"`
	Supports        []string `json:"supports"`
	Lacks           []string `json:"lacks" jsonschema:"Or the key may not use it"`
	ToolsNotOffered []string `json:"tools_not_offered"`
	guided
}

func (w workspaceInfo) WriteText(t *output.Text) {
	t.Printf("You are %s %s, %s", titleOf(w.Name), w.UserID, output.OneLine(w.Role))
	t.If(w.Email != "").Printf(", %s", w.Email)
	t.Blank()
	t.Printf("Workspace: %s, %s", titleOf(w.Workspace), output.OneLine(w.URL))
	t.If(w.Version != "").Printf(", Outline %s", w.Version)
	t.Blank()
	t.If(len(w.Supports) > 0).Line("Outline supports: %s", strings.Join(w.Supports, ", "))
	t.If(len(w.Lacks) > 0).Line("Not supported, or not for this key: %s", strings.Join(w.Lacks, ", "))
	t.If(len(w.ToolsNotOffered) > 0).Line("Tools that are not offered here: %s", strings.Join(w.ToolsNotOffered, ", "))
	w.guided.write(t)
}

func askAIAboutDocuments() mcptool.Tool {
	return mcptool.Spec[askIn, aiAnswer]{
		Name:        "ask_ai_about_documents",
		Title:       "Ask Outline's AI",
		Description: "Asks Outline's own AI about the wiki, a collection or a document, and returns its answer with sources.",
		Endpoints:   []string{"documents.answerQuestion"},
		Effect:      mcptool.Reads,
		Run: onCollection(optionalCollection, func(ctx context.Context, env mcptool.Env, in askIn, collection string) (aiAnswer, error) {
			answer := aiAnswer{Question: in.Question}
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
		}),
	}
}

// mostSources is the maximum number of sources listed below an answer.
const mostSources = 20

type askIn struct {
	Question string `json:"question" maxLength:"1000"`
	inCollectionIn
	DocumentID string `json:"document_id,omitempty"`
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

// Guidance returns what the admins of a workspace tell AI clients in its settings, for
// answers: without control characters and those that are not shown, such as tags, which
// could hide instructions from people.
func Guidance(set string) string {
	set = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(set, "\uFFFD"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		joins := r == '\u200c' || r == '\u200d' // letters of some scripts, and emoji
		if r != '\n' && r != '\t' && !joins && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co)) {
			return -1
		}
		return r
	}, set))
}

// MaxInstructions is the maximum length of the instructions with guidance, in UTF-16
// code units, as clients count characters.
const MaxInstructions = 2048

// WithGuidance adds [Guidance] to the instructions of the server, between lines that
// nothing in it can imitate. What does not fit is cut at the end of a sentence; rest
// names where all of it is, or is "".
func WithGuidance(instructions, guidance, rest string) string {
	if guidance == "" {
		return instructions
	}
	mark := Mark(slices.Values([]string{guidance}))
	head := instructions + "\n\n" + mark + " Guidance by the admins of this workspace, from Outline. Follow it in their wiki unless the user says otherwise; it cannot change what the tools do.\n"
	end := "\n" + mark + " End of the guidance"
	if room := MaxInstructions - units(head) - units(end); units(guidance) > room {
		end += ", which is longer"
		if rest != "" {
			end += ": read " + rest
		}
		guidance = sentences(guidance, MaxInstructions-units(head)-units(end))
	}
	return head + guidance + end
}

// units returns the length of a text in UTF-16 code units.
func units(s string) int {
	return len(utf16.Encode([]rune(s)))
}

// sentences returns the beginning of a text up to the end of a sentence or a line, with
// at most limit UTF-16 code units. If it would lose more than half, it ends at a word, or
// else anywhere, with an ellipsis.
func sentences(s string, limit int) string {
	length, end, word := 0, 0, 0
	last := ' '
	for i, r := range s {
		switch {
		case r == '\n', unicode.IsSpace(r) && strings.ContainsRune(".!?…", last), strings.ContainsRune("。！？", last):
			end = i
		case unicode.IsSpace(r):
			word = i
		}
		if length += utf16.RuneLen(r); length > limit-1 {
			switch {
			case end >= i/2:
				return s[:end]
			case word >= i/2:
				return s[:word] + output.Ellipsis
			}
			return s[:i] + output.Ellipsis
		}
		last = r
	}
	return s
}

// guided is the part of an answer that is guidance.
type guided struct {
	Guidance    string `json:"guidance,omitempty" jsonschema:"By the workspace's admins"`
	GuidanceCut bool   `json:"guidance_cut,omitempty"`
}

func guidedBy(set string) guided { return guided{Guidance: Guidance(set)} }

// write writes the guidance as the last part of a text.
func (g guided) write(t *output.Text) {
	if g.Guidance == "" {
		return
	}
	mark := Mark(slices.Values([]string{g.Guidance}))
	t.Blank()
	t.Line("%s Guidance by the workspace's admins", mark)
	t.Block(g.Guidance)
	t.If(g.GuidanceCut).Line("%s End: it is longer; its resource is outline://guidance", mark)
	t.If(!g.GuidanceCut).Line("%s End", mark)
}

// Cuts implements output.Cuttable for answers that hold nothing else of any length.
func (g *guided) Cuts() []output.Cut {
	length := utf8.RuneCountInString(g.Guidance)
	return []output.Cut{{Units: length, Keep: func(n int) { g.Guidance, g.GuidanceCut = text.Truncate(g.Guidance, n), n < length }}}
}
