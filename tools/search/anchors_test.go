package search_test

import (
	"testing"

	"outline-mcp/tools/search"
)

// Recorded from Outline's headingToSlug, with package slugify 1.6.9.
func TestHeadingsHaveTheAnchorsThatOutlineGivesThem(t *testing.T) {
	var headings []string
	recorded := [][2]string{
		{"🍵 tea", "h-🍵-tea"}, {"Deploy 🚀", "h-deploy-🚀"}, {"a – b — c", "h-a-b-—-c"}, {"a-b_c", "h-a-bc"}, {"A/B: c", "h-ab-c"},
		{"i18n ♥ love", "h-i18n-love-love"}, {"…", "h-"}, {"…", "h--1"}, {"–", "h--2"}, {"-- x --", "h-x"},
		{"Steps", "h-steps"}, {"Steps", "h-steps-1"}, {"steps!", "h-steps-2"}, {"1.2 Setup `make`", "h-12-setup-make"},
		{"R&D", "h-randd"}, {"50% < $3 | 4 > 2", "h-50percent-less-dollar3-or-4-greater-2"}, {"© ® ™", "h-c-r-tm"},
		{"5₽, 3₣", "h-5russian-ruble-3french-franc"}, {"Überblick & Straße", "h-uberblick-and-strasse"},
		{"ŁÓDŹ, Đakovo, Ærø, Þing", "h-lodz-djakovo-aero-thing"}, {"Ĉu ŝanĝi?", "h-ĉu-ŝanĝi"},
		{"İstanbul ıssız", "h-istanbul-issiz"}, {"Tiếng Việt", "h-tieng-viet"}, {"u\u0308ber e\u0301", "h-uber-e"},
		{"Кириллица: объём", "h-kirillica-obuyom"}, {"Київ, ґанок", "h-kiyiv-ganok"}, {"Ψυχή θέμα", "h-psyxh-8ema"},
		{"Հայերեն", "h-hայերեն"}, {"ქართული", "h-kartuli"}, {"Ა", "h-ა"}, {"العربية ٣", "h-alarbyh-3"}, {"עברית", "h-עברית"},
		{"概要", "h-概要"}, {"元 円", "h-yuan-yen"}, {"ひらがな・カタカナ", "h-ひらがな・カタカナ"}, {"５ ＡＢＣ", "h-５-ａｂｃ"},
		{"a\u00a0b\u3000c", "h-a-b-c"}, {"zero\u200bwidth", "h-zero\u200bwidth"},
	}
	for _, pair := range recorded {
		headings = append(headings, pair[0])
	}
	for i, got := range search.Anchors(headings) {
		if got != recorded[i][1] {
			t.Errorf("%q has the anchor %q, not %q", headings[i], got, recorded[i][1])
		}
	}
}

func TestAnAnchorFindsItsHeading(t *testing.T) {
	all := []string{"What went well?", "R&D", "Überblick & Straße", "Steps", "Steps", "1.2 Setup `make`", "概要", "Steps 2", "Café", "a – b — c", "a-b_c", "🍵 tea", "…", "👋"}
	for address, want := range map[string]int{
		"https://x.example/doc/a-1FF9VyHA4X#h-what-went-well": 0,
		"#h-randd":                      1,
		"#h-uberblick-and-strasse":      2,
		"#h-steps":                      3,
		"#h-steps-1":                    4,
		"#h-12-setup-make":              5,
		"#h-%E6%A6%82%E8%A6%81":         6,
		"[x](/doc/a-1FF9VyHA4X#h-cafe)": 8,
		"#h-a-b-—-c":                    9,
		"#h-a-bc":                       10,
		"#h-%F0%9F%8D%B5-tea":           11,
		"#h-tea":                        11, // not its anchor, but like no other
		"#h-what_went_well":             0,
		"#h-Überblick-and-straße":       2,
		"#h-ab-c":                       -1, // like two
		"#h-":                           12,
		"#h-🚀":                          -1, // signs alone are like nothing
		"#h-elsewhere":                  -1,
	} {
		if got := search.Anchored(all, search.Anchor(address)); got != want {
			t.Errorf("%s finds %d, not %d", address, got, want)
		}
	}
	for _, none := range []string{"", "What went well", "## h-index", "C#", "https://x.example/doc/a#comment-1", "#h-a b"} {
		if got := search.Anchor(none); got != "" {
			t.Errorf("%q has the anchor %q", none, got)
		}
	}
}
