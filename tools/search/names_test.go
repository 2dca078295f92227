package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/tools/search"
)

// headings returns the headings of a text.
func headings(markdown string) []string {
	var all []string
	for _, s := range prosemirror.Sections(markdown) {
		all = append(all, s.Heading)
	}
	return all
}

func TestFind(t *testing.T) {
	found := headings("# Setup\n## Setup on *Linux*\n## `make setup`\n## Don’t panic — “really”\n### Überblick & Straße\n" +
		"## C\\#\n## \\_\\_init\\_\\_\n## init\n## \\# of users\n## Setup\n## ⚙️ Settings\n## שלום עולם\n##\n## Café\n## [Guide](https://example.com/setup)\n")
	tests := []struct {
		name, query string
		want        []string
	}{
		{"the whole text comes before a part of it", "setup", []string{"Setup", "Setup"}},
		{"case does not count", "SETUP ON LINUX", []string{"Setup on Linux"}},
		{"opening marks do not count", "## Setup on Linux", []string{"Setup on Linux"}},
		{"opening marks need no space", "##Setup on Linux", []string{"Setup on Linux"}},
		{"closing marks do not count", "## Setup on Linux ##", []string{"Setup on Linux"}},
		{"surrounding space does not count", " \n Setup   on\tLinux ", []string{"Setup on Linux"}},
		{"emphasis does not count", "**Setup** on _Linux_", []string{"Setup on Linux"}},
		{"marks of code do not count", "`make setup`", []string{"make setup"}},
		{"link targets do not count", "[Guide](https://example.com/setup)", []string{"Guide"}},
		{"plain quotes find typographic ones", `don't panic - "really"`, []string{"Don’t panic — “really”"}},
		{"typographic quotes find the same", "Don‘t panic – „really“", []string{"Don’t panic — “really”"}},
		{"letters beyond ASCII are folded", "ÜBERBLICK &amp; STRASSE", []string{"Überblick & Straße"}},
		{"composed and decomposed letters are the same", "cafe\u0301", []string{"Café"}},
		{"emoji may lack their colour", "⚙ settings", []string{"⚙️ Settings"}},
		{"accents do not count where no heading has the text", "cafe", []string{"Café"}},
		{"nor do they in letters such as ß", "uberblick & strasse", []string{"Überblick & Straße"}},
		{"but they do in a part", "uberbl", nil},
		{"a part has the accents that it is given with", "Überbl", []string{"Überblick & Straße"}},
		{"and none that the heading lacks", "Sét", nil},
		{"an emoji does not make a part of a word", "🚀 on", nil},
		{"an emoji finds no other", "🚀", nil},
		{"right to left text is found", "עולם", []string{"שלום עולם"}},
		{"a part of a heading finds it", "on lin", []string{"Setup on Linux"}},
		{"a part may find several", "set", []string{"Setup", "Setup on Linux", "make setup", "Setup", "⚙️ Settings"}},
		{"a heading's own marks count where it has them", "__init__", []string{"__init__"}},
		{"and do not where another has not", "init", []string{"init"}},
		{"a heading may end in a mark", "C#", []string{"C#"}},
		{"a heading may begin with a mark", "# of users", []string{"# of users"}},
		{"what is in no heading finds nothing", "teardown", nil},
		{"nothing finds nothing", "", nil},
		{"marks alone find nothing", " ## ", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, i := range search.Named(found, test.query) {
				got = append(got, found[i])
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", test.query, diff)
			}
		})
	}
}

func TestFindReturnsIndexesInDocumentOrder(t *testing.T) {
	got := search.Named([]string{"b", "a", "c", "A"}, "a")
	if diff := cmp.Diff([]int{1, 3}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryHeadingIsFoundByItsOwnText(t *testing.T) {
	found := headings("# a\n# *b* `c`\n# \\*d\\*\n# 2 * 3 * 4\n# C#\n# # e\n# 🚀\n# &lt;f&gt;\n# \\[x\\](y)\n# a_b_c\n# \\`\n")
	for i, heading := range found {
		got := search.Named(found, heading)
		if len(got) != 1 || got[0] != i {
			t.Errorf("Find(%q) = %v, want [%d]", heading, got, i)
		}
	}
}

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
		for _, i := range search.Nearest(all, query, 2) {
			got = append(got, all[i])
		}
		if !strings.HasPrefix(strings.Join(got, ", "), want) {
			t.Errorf("nearest to %q are %q, want %s", query, got, want)
		}
	}
	if got := search.Nearest(all, "x", 10); len(got) != len(all) {
		t.Errorf("%d of %d headings", len(got), len(all))
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{"# a\n\nb\n\n## *c* `d`\n", "a\nb\n===\n\nc\n-\n", "# a\\nb &amp; \\# ==c== <br>\n", "# \\\n", "##"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, source, query string) {
		all := headings(source)
		found := search.Named(all, query)
		if !slices.IsSorted(found) || len(slices.Compact(found)) != len(found) {
			t.Fatalf("Find(%q) = %v", query, found)
		}
		for i, heading := range all {
			if strings.Trim(heading, "# \uFE0F") != "" && !slices.Contains(search.Named(all, heading), i) {
				t.Fatalf("%q: heading %q is not found by its text", source, heading)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var headings []string
	for n := 1; n <= 1000; n++ {
		headings = append(headings, fmt.Sprintf("%d. Running service %d 🚀", n, n), fmt.Sprintf("Checklist for service-%d", n))
	}
	b.ReportAllocs()
	for b.Loop() {
		search.Named(headings, "## 100. Running **service 100** 🚀")
	}
}
