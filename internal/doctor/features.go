package doctor

import (
	"context"
	"net/http"
	"slices"

	"outline-mcp/outline"
)

// checkVersion reports the release of Outline.
func checkVersion(ctx context.Context, e *examination) {
	got := e.answer(ctx, asksVersion())
	var info struct {
		Version untrusted `json:"version"`
		Latest  untrusted `json:"latestVersion"`
		Behind  int       `json:"versionsBehind"`
	}
	switch {
	case got.read(&info) && info.Version != "":
		finding := "Outline " + string(info.Version)
		if info.Behind > 0 && info.Latest != "" {
			finding += ", " + count(info.Behind, "release") + " behind " + string(info.Latest)
		}
		e.add(OK, "version", finding, "", map[string]any{"version": info.Version})
	default:
		e.skip(e.whyUnknown(got), "version")
	}
}

// A feature is something that only some releases of Outline have. An invalid
// request detects it: Outline rejects the request as invalid (400) only if it has
// the feature, or by its message. Nothing is written, and the AI is not used.
type feature struct {
	name               string
	question           question
	tells              func(message string) bool // whether the message of a 400 is of one that has it; nil: any is
	has, lacks, advice string
	// unknownIs lists the statuses that an Outline without the feature returns.
	unknownIs []int
}

func features() []feature {
	ignored := []int{http.StatusForbidden, http.StatusNotFound} // an unknown field is ignored, and no document is found
	absent := []int{http.StatusNotFound}                        // the endpoint does not exist
	return []feature{
		{"edit_modes", updates(outline.EditModesProbe()), outline.CanPatch,
			"documents can be patched in place", "this Outline can only replace whole texts: edits rewrite what Markdown cannot express", "update Outline to 1.7 or later", ignored},
		{"revisions", updates(outline.RevisionsProbe()), nil,
			"Outline refuses to overwrite newer changes", "this Outline does not guard changes: what somebody else saves at the same moment may be lost, and answers say guarded false",
			"no release up to 1.9.2 does, so there is nothing to update; avoid several writers of one document at a time", ignored},
		{"ai_answers", asksAI(), nil,
			"Outline's AI can be asked", "this Outline has no AI answers, which are part of the Cloud, Business and Enterprise editions", "", absent},
		{"title_search", asksTitles(), nil,
			"titles can be searched", "titles cannot be searched separately, so full-text search is used", "", absent},
	}
}

// checkFeatures reports which features Outline has.
func checkFeatures(ctx context.Context, e *examination) {
	var questions []question
	for _, f := range features() {
		questions = append(questions, f.question)
	}
	e.askAll(ctx, questions...)
	key := e.owner.permissions()
	for _, f := range features() {
		got := e.answers[f.question]
		switch {
		case got.fromOutline() && got.status == http.StatusBadRequest && (f.tells == nil || f.tells(string(got.outline.Message))):
			e.add(OK, f.name, f.has, "", map[string]any{"available": true})
		case got.beyondScopes() || got.status == http.StatusForbidden && !key.Allows(f.question.endpoint):
			e.skip("the key may not call this endpoint ("+f.question.endpoint+")", f.name)
		case got.fromOutline() && (got.status == http.StatusBadRequest || slices.Contains(f.unknownIs, got.status)):
			status := Warning
			if f.advice == "" {
				status = OK // there is nothing to do about it
			}
			e.add(status, f.name, f.lacks, f.advice, map[string]any{"available": false})
		default:
			e.skip(e.whyUnknown(got), f.name)
		}
	}
}

// whyUnknown returns why an answer does not contain what was asked for.
func (e *examination) whyUnknown(got answer) string {
	if got.beyondScopes() {
		return "the key may not call this endpoint (" + got.endpoint + ")"
	}
	return got.whyNot(e.timeout)
}
