package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"outline-mcp/internal/app"
	"outline-mcp/internal/boundary"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/prompts"
)

// checkVersion reports the release of Outline.
func checkVersion(_ context.Context, e *examination) {
	got := e.answers["version"]
	var info struct {
		Version foreignText `json:"version"`
		Latest  foreignText `json:"latestVersion"`
		Behind  int         `json:"versionsBehind"`
	}
	if !got.read(&info) || info.Version == "" {
		e.skip(e.whyUnknown(got), "version")
		return
	}
	finding := "Outline " + string(info.Version)
	if info.Behind > 0 && info.Latest != "" {
		finding += ", " + count(info.Behind, "release") + " behind " + string(info.Latest)
	}
	status, advice := OK, ""
	if !outline.IsSupported(string(info.Version)) {
		status, finding = Warning, finding+", which is not supported"
		advice = updateOutline
	}
	e.add(status, "version", finding, advice, map[string]any{"version": info.Version})
}

// updateOutline is the advice for a version that is too old.
const updateOutline = "update Outline; supported are " + outline.SupportedVersions

// A feature is something that only some releases of Outline have. An invalid
// request detects it: Outline rejects the request as invalid (400) only if it has
// the feature, or by its message. Nothing is written, and the AI is not used.
type feature struct {
	name, endpoint     string
	arguments          map[string]string
	tells              func(message string) bool // whether the message of a 400 is of one that has it; nil: any is
	has, lacks, advice string
}

func features() []feature {
	return []feature{
		{name: "edit_modes", endpoint: "documents.update", arguments: outline.EditModesProbe(), tells: outline.CanPatch,
			has: "documents can be patched in place", lacks: "this Outline is too old: it cannot patch documents", advice: updateOutline},
		{name: "revisions", endpoint: "documents.update", arguments: outline.RevisionsProbe(),
			has: "Outline refuses to overwrite newer changes", lacks: "this Outline does not guard changes: changes that another user saves at the same moment may be lost, and answers say guarded false",
			advice: "no release up to 1.9.2 does, so there is nothing to update; avoid several writers of one document at a time"},
		{name: "ai_answers", endpoint: "documents.answerQuestion", arguments: map[string]string{},
			has: "Outline's AI is available", lacks: "this Outline has no AI answers, which are part of the Cloud, Business and Enterprise editions"},
	}
}

// askFeatures asks for the release of Outline and for its features, side by side.
func askFeatures(ctx context.Context, e *examination) {
	var asking sync.WaitGroup
	var lock sync.Mutex
	e.answers = map[string]answer{}
	ask := func(check, endpoint string, arguments map[string]string) {
		body, _ := json.Marshal(arguments) // texts, which cause no error
		asking.Go(func() {
			got := e.ask(ctx, endpoint, string(body))
			lock.Lock()
			defer lock.Unlock()
			e.answers[check] = got
		})
	}
	ask("version", "installation.info", map[string]string{})
	for _, f := range features() {
		ask(f.name, f.endpoint, f.arguments)
	}
	asking.Wait()
}

// checkFeatures reports which features Outline has.
func checkFeatures(_ context.Context, e *examination) {
	for _, f := range features() {
		got := e.answers[f.name]
		invalid := got.fromOutline() && got.status == http.StatusBadRequest
		// Without a feature of documents.update, it looks for the document.
		lacks := invalid || got.fromOutline() && (got.status == http.StatusNotFound || got.status == http.StatusForbidden && f.endpoint == "documents.update")
		switch {
		case invalid && (f.tells == nil || f.tells(string(got.outline.Message))):
			e.add(OK, f.name, f.has, "", map[string]any{"available": true})
		case got.beyondScopes() || got.status == http.StatusForbidden && !e.owner.permissions().Allows(f.endpoint):
			e.skip("the key may not call this endpoint ("+f.endpoint+")", f.name)
		case lacks && f.advice == "":
			e.add(Absent, f.name, f.lacks, "", map[string]any{"available": false})
		case lacks:
			e.add(Warning, f.name, f.lacks, f.advice, map[string]any{"available": false})
		default:
			e.skip(e.whyUnknown(got), f.name)
		}
	}
}

// whyUnknown returns why an answer does not contain what was asked for.
func (e *examination) whyUnknown(got answer) string {
	if got.beyondScopes() {
		return "the key may not call this endpoint (" + path.Base(got.url) + ")"
	}
	return got.whyNot(e.timeout)
}

// checkCollections reports which collections the settings choose, as far as the key
// sees them.
func checkCollections(ctx context.Context, e *examination) {
	const check = "collections"
	rules := app.RulesOf(e.settings)
	if len(rules.Only)+len(rules.Except)+len(rules.Write) == 0 {
		if !rules.Drafts {
			e.add(OK, check, "drafts outside collections are hidden by "+boundary.SettingDrafts, "")
		}
		return
	}
	if why := e.lacks(validKey); why != "" {
		e.skip(why, check)
		return
	}
	all, err := e.collections(ctx)
	if err != nil {
		e.add(Failure, check, "they cannot be listed: "+sentenceOf(output.Error(err)), "use a key with the scope collections.list, or name collections by UUID")
		return
	}
	report := boundary.Examine(rules, all)
	for _, f := range report.Findings {
		details := map[string]any{"setting": f.Setting, "entry": f.Entry}
		entry := f.Setting + ": " + output.Quote(output.Excerpt(f.Entry, 100))
		none, several := ", so it allows nothing", "none of them is allowed"
		if f.Setting == boundary.SettingExcept {
			none, several = "", "all of them are excluded"
		}
		switch len(f.Found) {
		case 1:
			details["collection_id"] = f.Found[0].ID
			e.add(OK, check, fmt.Sprintf("%s is %s %s", entry, output.Quote(output.Excerpt(f.Found[0].Name, 100)), f.Found[0].ID), "", details)
		case 0:
			e.add(Warning, check, entry+" matches no collection that this key sees"+none, "check the spelling and the rights of the key, or use the UUID", details)
		default:
			e.add(Warning, check, fmt.Sprintf("%s matches %d collections, so %s", entry, len(f.Found), several), "use the UUID of the one you mean", details)
		}
	}
	for _, c := range report.Hidden {
		e.add(Warning, check, fmt.Sprintf("%s: %s is not among the collections that callers see, so nobody can write in it", boundary.SettingWrite, output.Quote(output.Excerpt(c.Name, 100))),
			"name it in "+boundary.SettingOnly+" as well, or remove it here", map[string]any{"setting": boundary.SettingWrite, "collection_id": c.ID})
	}
	status, advice := OK, ""
	if len(report.Shown) == 0 {
		status, advice = Warning, "correct the settings above"
	}
	e.add(status, check, fmt.Sprintf("callers see %d of the %s that this key sees, and can write in %d", len(report.Shown), count(len(all), "collection"), len(report.Written)), advice,
		map[string]any{"shown": len(report.Shown), "written": len(report.Written), "drafts": rules.Drafts})
}

// collections returns all collections that the key sees.
func (e *examination) collections(ctx context.Context) ([]boundary.Collection, error) {
	client, err := e.client()
	if err != nil {
		return nil, err
	}
	var all []boundary.Collection
	for _, list := range []func(context.Context, outline.ListParams) (outline.Page[outline.Collection], error){client.Collections, client.ArchivedCollections} {
		for c, err := range outline.All(ctx, list, outline.Paging{}) {
			if err != nil {
				return nil, err
			}
			all = append(all, boundary.Collection{ID: c.ID, URLID: c.URLID, Name: c.Name})
		}
	}
	return all, nil
}

// sentenceOf returns what a failure says, without the advice to run doctor.
func sentenceOf(f output.Failure) string {
	return strings.TrimSuffix(strings.NewReplacer(", or run outline-mcp doctor", "", "; if it fails again, run outline-mcp doctor", "").Replace(f.Sentence), ".")
}

// client returns a client for Outline that acts with the key.
func (e *examination) client() (*outline.Client, error) {
	return outline.New(outline.Options{
		BaseURL: e.base, URLAliases: e.settings.URLAliases, Credentials: outline.StaticKey(e.key.Reveal()),
		UserAgent: e.agent, Transport: e.transport, RequestTimeout: e.timeout, MaxAnswerBytes: int64(e.settings.MaxAnswerBytes),
	})
}

// checkPrompts reports which prompts the documents of a collection become.
func checkPrompts(ctx context.Context, e *examination) {
	const check, setting = "prompts", "OUTLINE_PROMPTS_COLLECTION"
	client, err := e.client()
	var found prompts.Collected
	if err == nil {
		found, err = prompts.Collect(ctx, client, e.settings.PromptsCollection)
	}
	if err != nil {
		failure, ok := errors.AsType[output.Failure](err)
		if !ok {
			failure = output.Error(err)
		}
		e.add(Failure, check, "they cannot be read: "+sentenceOf(failure),
			"set "+setting+" to the UUID of a collection that this key can see, or remove it")
		return
	}
	names := []string{}
	for _, p := range found.Prompts {
		names = append(names, p.Name)
	}
	details := map[string]any{"collection_id": found.Collection, "prompts": names}
	if len(names) == 0 {
		e.add(Warning, check, "the collection in "+setting+" has no published documents", "publish a document in it for each prompt", details)
	} else {
		e.add(OK, check, count(len(names), "document")+" of "+setting+": "+strings.Join(names, ", "), "", details)
	}
	for _, clash := range found.Clashes {
		e.add(Warning, check, clash.String(), "rename the document; until then it is not offered", map[string]any{"document_id": clash.DocumentID})
	}
}
