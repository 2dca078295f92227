package names_test

import (
	"testing"

	"outline-mcp/tools/names"
)

func TestAnAnchorFindsItsHeading(t *testing.T) {
	all := []string{"What went well?", "R&D", "Überblick & Straße", "Steps", "Steps", "1.2 Setup `make`", "概要", "Steps 2", "Café"}
	for address, want := range map[string]int{
		"https://x.example/doc/a-1FF9VyHA4X#h-what-went-well": 0,
		"#h-randd":                      1,
		"#h-uberblick-and-strasse":      2,
		"#h-steps":                      3,
		"#h-steps-1":                    4,
		"#h-12-setup-make":              5,
		"#h-%E6%A6%82%E8%A6%81":         6,
		"[x](/doc/a-1FF9VyHA4X#h-cafe)": 8,
		"#h-elsewhere":                  -1,
	} {
		if got := names.Anchored(all, names.Anchor(address)); got != want {
			t.Errorf("%s finds %d, not %d", address, got, want)
		}
	}
	for _, none := range []string{"", "What went well", "## h-index", "C#", "https://x.example/doc/a#comment-1", "#h-a b"} {
		if got := names.Anchor(none); got != "" {
			t.Errorf("%q has the anchor %q", none, got)
		}
	}
}
