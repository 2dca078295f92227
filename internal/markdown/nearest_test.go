package markdown_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/markdown"
)

func TestTheNearestHeadingsAreThoseThatLookLikeTheQuery(t *testing.T) {
	all := markdown.Headings("# Install\n\n# Rollback\n\n# Roll out\n\n# Release notes\n\n# Übersicht\n\n# Checks\n")
	for query, want := range map[string]string{
		"rolback":         "Rollback, Roll out",
		"## Release note": "Release notes,",
		"ubersicht":       "Übersicht,",
		"zzz":             "Install, Rollback", // like none: the first ones
		"":                "Install, Rollback",
	} {
		var got []string
		for _, i := range markdown.Nearest(all, query, 2) {
			got = append(got, all[i].Text)
		}
		if !strings.HasPrefix(strings.Join(got, ", "), want) {
			t.Errorf("nearest to %q are %q, want %s", query, got, want)
		}
	}
	if got := markdown.Nearest(all, "x", 10); len(got) != len(all) {
		t.Errorf("%d of %d headings", len(got), len(all))
	}
}
