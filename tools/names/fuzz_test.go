package names_test

import (
	"slices"
	"strings"
	"testing"

	"outline-mcp/tools/names"
)

func FuzzFind(f *testing.F) {
	for _, seed := range []string{"# a\n\nb\n\n## *c* `d`\n", "a\nb\n===\n\nc\n-\n", "# a\\nb &amp; \\# ==c== <br>\n", "# \\\n", "##"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, source, query string) {
		all := headings(source)
		found := names.Find(all, query)
		if !slices.IsSorted(found) || len(slices.Compact(found)) != len(found) {
			t.Fatalf("Find(%q) = %v", query, found)
		}
		for i, heading := range all {
			if strings.Trim(heading, "# \uFE0F") != "" && !slices.Contains(names.Find(all, heading), i) {
				t.Fatalf("%q: heading %q is not found by its text", source, heading)
			}
		}
	})
}
