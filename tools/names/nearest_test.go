package names_test

import (
	"strings"
	"testing"

	"outline-mcp/tools/names"
)

func TestTheNearestHeadingsAreThoseThatLookLikeTheQuery(t *testing.T) {
	all := []string{"Install", "Rollback", "Roll out", "Release notes", "Übersicht", "Checks"}
	for query, want := range map[string]string{
		"rolback":         "Rollback, Roll out",
		"## Release note": "Release notes,",
		"ubersicht":       "Übersicht,",
		"zzz":             "Install, Rollback", // like none: the first ones
		"":                "Install, Rollback",
	} {
		var got []string
		for _, i := range names.Nearest(all, query, 2) {
			got = append(got, all[i])
		}
		if !strings.HasPrefix(strings.Join(got, ", "), want) {
			t.Errorf("nearest to %q are %q, want %s", query, got, want)
		}
	}
	if got := names.Nearest(all, "x", 10); len(got) != len(all) {
		t.Errorf("%d of %d headings", len(got), len(all))
	}
}
