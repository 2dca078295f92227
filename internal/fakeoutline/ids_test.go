package fakeoutline

import (
	"strings"
	"testing"
)

func TestSlugsMatchOutline(t *testing.T) {
	// Compared with the npm package slug 5.3.0.
	for title, want := range map[string]string{
		"Deploy guide":                "deploy-guide",
		"Deploy guide (v2)":           "deploy-guide-v2",
		"🚀 Launch":                    "launch",
		"A — B: c/d, e.f":             "a-b-cd-ef",
		"  on-call -- now ":           "on-call-now",
		"snake_case ~ tilde":          "snake_case-~-tilde",
		"Q&A | 50 % < $3":             "qa-50-3",
		"Größe und Straße":            "grosse-und-strasse",
		"Jörn's Kaffeemaschine":       "jorns-kaffeemaschine",
		"Łódź, Đà Nẵng, Åre, Çeşme":   "lodz-da-nang-are-cesme",
		"Œuvre Æther þing ıİ":         "oeuvre-aether-thing-ii",
		"Привет, ёлка и йод":          "privet-yolka-i-jod",
		"Ελλάδα":                      "ellada",
		"دليل سريع لطاقم الميناء":     "dlyl-sryaa-ltakm-almynaaa",
		"שלום":                        "lvm",
		"ქართული":                     "kartuli",
		"日本":                          "5pel5pys",
		"🚀":                           "8jaga",
		"?":                           "pw",
		"i\u0307 e\u0301":             "i-e",
		"\u00a0wide\u2003space\u00a0": "wide-space",
	} {
		if got := slugOf(title); got != want {
			t.Errorf("the slug of %q is %q, want %q", title, got, want)
		}
	}
	if got := titleSlug(""); got != "untitled" {
		t.Errorf("without a title the slug is %s", got)
	}
}

func FuzzSlug(f *testing.F) {
	for _, text := range []string{"", "# a\n\nb", "[a](/doc/b-0123456789)", "\\", "日本"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s := slugOf(text); strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_~") != "" {
			t.Errorf("the slug of %q is %q", text, s)
		}
	})
}
