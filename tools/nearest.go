package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/search"
)

// nearTitles names the documents whose titles are most like one that no document has, and
// those in the archive and the trash that have it, for the end of a sentence; "" if nothing is
// near. It looks at what a search finds, and at what changed last.
func nearTitles(ctx context.Context, env mcptool.Env, given string) string {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	var listed outline.DocumentPage
	var trash []outline.DocumentSummary
	var wait sync.WaitGroup
	wait.Go(func() { listed, _ = env.Outline.Documents(ctx, outline.DocumentListParams{Limit: 100}) })
	wait.Go(func() { trash, _ = readTrash(ctx, env) })
	found, _ := searchFor(ctx, env, outline.SearchParams{Query: unquoted(given), StatusFilter: []string{"published", "draft", "archived"}})
	wait.Wait()

	var archived, deleted, active []outline.DocumentSummary
	for _, hit := range found.hits {
		if d := hit.Document.DocumentSummary; d.ArchivedAt == nil {
			active = append(active, d)
		} else if isCalled(d.Title, given) {
			archived = append(archived, d)
		}
	}
	for _, d := range trash {
		if isCalled(d.Title, given) {
			deleted = append(deleted, d)
		}
	}
	active = append(active, listed.Items...)
	titles := entriesOf(active, func(d outline.DocumentSummary) string { return d.Title })
	var near []outline.DocumentSummary
	for _, i := range search.Nearest(titles, given, len(titles)) {
		if isNew := !slices.ContainsFunc(near, func(d outline.DocumentSummary) bool { return d.ID == active[i].ID }); isNew && len(near) < mostNear && search.Likeness(titles[i], given) >= alike {
			near = append(near, active[i])
		}
	}
	name := func(d outline.DocumentSummary) string { return nameOf(d).String() }
	told := ""
	for _, one := range []struct {
		what      string
		documents []outline.DocumentSummary
	}{{"Archived", archived}, {"In the trash", deleted}, {"Nearest titles", near}} {
		if len(one.documents) > 0 {
			told += fmt.Sprintf(". %s: %s", one.what, firstOf(one.documents, mostNear, ", ", "", name))
		}
	}
	return strings.TrimSuffix(output.OneLine(told), ".")
}

// mostNear is how many documents a failure names in place of one that is not there, and alike
// how much their titles must be like it.
const mostNear, alike = 3, 0.4
