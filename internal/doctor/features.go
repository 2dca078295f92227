package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"outline-mcp/internal/app"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/boundary"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/prompts"
	"outline-mcp/tools"
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

// checkTools reports which tools will work, which will not, and why.
func checkTools(_ context.Context, e *examination) {
	offered, err := app.AccessOf(e.settings).Choose(tools.All())
	if err != nil || e.Settings.Unusable("OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS") {
		e.skip("until the settings offer any tools", "tools")
		return
	}
	if e.valid {
		e.checkCalls(offered)
	} else {
		e.add(Skipped, "tools", cmp.Or(e.lacks(outlineAPI), e.noKey), "", map[string]any{"offered": names(offered)})
	}
	e.addLeftOut(names(offered))
}

// checkCalls reports which of the offered tools the key can use.
func (e *examination) checkCalls(offered []mcptool.Tool) {
	fail := map[reason][]string{}
	works := []string{}
	refused := func(endpoint string) bool { return e.whyRefused(endpoint) != reason{} }
	for _, tool := range offered {
		info := tool.Info()
		if auth.AllowsTool(info.Endpoints, info.AnyEndpoint, func(endpoint string) bool { return !refused(endpoint) }) {
			works = append(works, info.Name)
			continue
		}
		why := e.whyRefused(info.Endpoints[slices.IndexFunc(info.Endpoints, refused)])
		fail[why] = append(fail[why], info.Name)
	}
	e.addWorking(names(offered), works)
	for _, why := range slices.SortedFunc(maps.Keys(fail), func(a, b reason) int { return strings.Compare(a.what, b.what) }) {
		status := Warning
		if why.normal {
			status = Absent
		}
		e.add(status, "tools", why.what+": "+strings.Join(fail[why], ", "), why.advice, map[string]any{"reason": why.what, "tools": fail[why]})
	}
}

// addWorking reports how many of the offered tools work, or may work if the role or the
// scopes are not known.
func (e *examination) addWorking(offered, works []string) {
	number := fmt.Sprintf("%d of %d", len(works), len(offered))
	if len(works) == len(offered) {
		number = fmt.Sprintf("all %d", len(offered))
	}
	unknown := "its scopes are"
	if e.owner.scopesKnown {
		unknown = "the role of its owner is"
	}
	status, finding, advice := OK, number+" will work with this key's role and scopes", ""
	details := map[string]any{"offered": offered, "work": works}
	switch {
	case len(works) == 0:
		status, advice = Failure, "use a key with more rights"
	case !e.owner.scopesKnown || e.owner.role == "":
		status, finding = Warning, number+" may work with this key, but "+unknown+" not known, so a call can still be refused"
		details = map[string]any{"offered": offered, "unknown": works}
		if e.isRefused("auth.info") || e.isRefused("apiKeys.list") {
			advice = "to have this checked, create a key that also has the scopes auth.info and apiKeys.list"
		}
	}
	e.add(status, "tools", finding, advice, details)
}

// A reason is why tools do not work, and what to do about it. It is normal for what
// many users or editions do not have.
type reason struct {
	what, advice string
	normal       bool
}

// whyRefused returns why Outline refuses the key a call of an endpoint, the zero reason
// if it is not known to.
func (e *examination) whyRefused(endpoint string) reason {
	key, ai := e.owner.permissions(), e.answers["ai_answers"]
	whom, hide := "anyone", "; otherwise set OUTLINE_DYNAMIC_TOOL_LIST=true to hide them"
	if key.Role == "guest" && key.Commenting != "none" {
		whom = "a guest"
	}
	if e.settings.DynamicToolList || key.Role == "member" {
		hide = ""
	}
	switch {
	case endpoint == "documents.answerQuestion" && ai.fromOutline() && ai.status == http.StatusNotFound:
		return reason{what: "this Outline has no AI answers", advice: "set OUTLINE_DISABLE_AI_TOOLS=true to hide the tool", normal: true}
	case key.TeamForbids(endpoint):
		return reason{what: "the settings of this workspace do not let " + whom + " use", advice: "to use them, have an admin change who may comment, in Outline under Settings → Security" + hide}
	case !auth.Permissions{Role: key.Role}.Allows(endpoint):
		return reason{what: "a " + key.Role + " may not use", advice: "to use them, use the key of a user with more rights" + hide, normal: true}
	case !key.Allows(endpoint), e.isRefused(endpoint):
		if !e.owner.scopesKnown {
			hide = "" // the server does not know the scopes either
		}
		if e.owner.readOnly {
			return reason{what: "the login is for reading only, which does not allow", advice: "to use them, run outline-mcp login without --read-only", normal: true}
		}
		return reason{what: "the scopes of the key do not allow", advice: "to use them, create a key with more scopes" + hide}
	}
	return reason{}
}

// addLeftOut reports which tools the operator's settings leave out.
func (e *examination) addLeftOut(kept []string) {
	chosen := app.AccessOf(e.settings)
	byTools, advice := "hidden by OUTLINE_TOOLS", ""
	if len(e.settings.Tools) == 0 {
		byTools, advice = "not offered by default", "set OUTLINE_TOOLS=all to offer them, or name some, as in OUTLINE_TOOLS=default,NAME"
	}
	for _, one := range []struct {
		setting, why, advice string
		by                   mcptool.Access
	}{
		{"collections", "hidden because the settings limit the server to some collections", "", mcptool.Access{Withheld: chosen.Withheld}},
		{"OUTLINE_DISABLE_AI_TOOLS", "hidden by OUTLINE_DISABLE_AI_TOOLS", "", mcptool.Access{NoAI: chosen.NoAI}},
		{"OUTLINE_DISABLE_DELETE", "hidden by OUTLINE_DISABLE_DELETE", "", mcptool.Access{NoDelete: chosen.NoDelete}},
		{"OUTLINE_EXCLUDE_TOOLS", "hidden by OUTLINE_EXCLUDE_TOOLS", "", mcptool.Access{Except: chosen.Except}},
		{"OUTLINE_READ_ONLY", "hidden by OUTLINE_READ_ONLY", "", mcptool.Access{ReadOnly: chosen.ReadOnly}},
		{"OUTLINE_TOOLS", byTools, advice, mcptool.Access{Only: chosen.Only}},
	} {
		left, _ := one.by.Choose(tools.All()) // an error means that it leaves none
		out := slices.DeleteFunc(names(tools.All()), func(tool string) bool {
			return slices.Contains(kept, tool) || slices.Contains(names(left), tool)
		})
		if len(out) > 0 {
			e.add(OK, "tools", one.why+": "+strings.Join(out, ", "), one.advice, map[string]any{"setting": one.setting, "tools": out})
		}
	}
}

func names(list []mcptool.Tool) []string {
	found := make([]string, len(list))
	for i, tool := range list {
		found[i] = tool.Info().Name
	}
	return found
}
