package doctor

import (
	"context"
	"fmt"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/bounds"
	"outline-mcp/internal/explain"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// checkCollections reports which collections the settings choose, as far as the key
// sees them.
func checkCollections(ctx context.Context, e *examination) {
	const check = "collections"
	rules := app.RulesOf(e.settings)
	if len(rules.Only)+len(rules.Except)+len(rules.Write) == 0 {
		if !rules.Drafts {
			e.add(OK, check, "drafts outside of collections are hidden by "+bounds.SettingDrafts, "")
		}
		return
	}
	if why := e.lacks(validKey); why != "" {
		e.skip(why, check)
		return
	}
	all, err := e.collections(ctx)
	if err != nil {
		e.add(Failure, check, "they cannot be listed: "+strings.TrimSuffix(explain.Error(err).Sentence, "."), "use a key with the scope collections.list, or name collections by UUID")
		return
	}
	report := bounds.Examine(rules, all)
	for _, f := range report.Findings {
		details := map[string]any{"setting": f.Setting, "entry": f.Entry}
		quoted := output.Quote(output.Excerpt(f.Entry, 100))
		switch len(f.Found) {
		case 1:
			details["collection_id"] = f.Found[0].ID
			e.add(OK, check, fmt.Sprintf("%s: %s is %s %s", f.Setting, quoted, output.Quote(output.Excerpt(f.Found[0].Name, 100)), f.Found[0].ID), "", details)
		case 0:
			e.add(Warning, check, fmt.Sprintf("%s: %s matches no collection that this key sees%s", f.Setting, quoted, map[bool]string{false: ", so it allows nothing"}[f.Setting == bounds.SettingExcept]),
				"check the spelling and the rights of the key, or use the UUID", details)
		default:
			effect := "none of them is allowed"
			if f.Setting == bounds.SettingExcept {
				effect = "all of them are excluded"
			}
			e.add(Warning, check, fmt.Sprintf("%s: %s matches %d collections, so that %s", f.Setting, quoted, len(f.Found), effect), "use the UUID of the one you mean", details)
		}
	}
	for _, c := range report.Hidden {
		e.add(Warning, check, fmt.Sprintf("%s: %s is not among the collections that callers see, so that nobody can write in it", bounds.SettingWrite, output.Quote(output.Excerpt(c.Name, 100))),
			"name it in "+bounds.SettingOnly+" too, or remove it here", map[string]any{"setting": bounds.SettingWrite, "collection_id": c.ID})
	}
	status, advice := OK, ""
	if len(report.Shown) == 0 {
		status, advice = Warning, "correct the settings above"
	}
	e.add(status, check, fmt.Sprintf("callers see %d of the %s that this key sees, and may write in %d", len(report.Shown), count(len(all), "collection"), len(report.Written)), advice,
		map[string]any{"shown": len(report.Shown), "written": len(report.Written), "drafts": rules.Drafts})
}

// collections returns all collections that the key sees.
func (e *examination) collections(ctx context.Context) ([]bounds.Collection, error) {
	client, err := outline.New(outline.Options{
		BaseURL: e.base, Credentials: outline.StaticKey(e.key.Reveal()), UserAgent: e.agent, Transport: e.transport, RequestTimeout: e.timeout,
	})
	if err != nil {
		return nil, err
	}
	var all []bounds.Collection
	for _, list := range []func(context.Context, outline.ListParams) (outline.Page[outline.Collection], error){client.Collections, client.ArchivedCollections} {
		for c, err := range outline.All(ctx, list, outline.Paging{}) {
			if err != nil {
				return nil, err
			}
			all = append(all, bounds.Collection{ID: c.ID, URLID: c.URLID, Name: c.Name})
		}
	}
	return all, nil
}
