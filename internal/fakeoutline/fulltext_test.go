package fakeoutline

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokensAreThoseOfPostgreSQL(t *testing.T) {
	for text, want := range map[string]string{
		"signing/key Signing-key lock_timeout":           "signing/key signing-key sign key lock timeout",
		"on-call":                                        "on-cal call",
		"covid-19 4x4 A1-form 3com":                      "covid -19 4x4 a1-form a1 form 3com",
		"2026-06-11, 10:00 €45 3.5% v1.2 1.2.3":          "2026 -06 -11 10 00 45 3.5 v1.2 1.2.3",
		"a/b and/or 24/7 /vessels/{id} file.txt e.g.":    "a/b and/or 24/7 /vessels id file.txt e.g",
		"https://api.example.com/v2 ada@x.io":            "api.example.com/v2 api.example.com /v2 ada@x.io",
		"<b>bold</b> x&nbsp;y @ada #tag":                 "bold x y ada tag",
		"Überblick-Größe 出張旅費 l'équipe":                  "überblick-größ überblick größe 出張旅費 l équip",
		"Expenses policies running approved what is the": "expens polici run approv",
	} {
		want := strings.Fields(want)
		var got []string
		tokens(text, func(token string) {
			if term, ok := lexeme(token); ok {
				got = append(got, term)
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestRanksMatchPostgreSQL(t *testing.T) {
	// What ts_rank gives with the weights 1 for the title and 0.1 for the text.
	for _, test := range []struct {
		query, title, text string
		want               float64
	}{
		{"deploy", "Deploy guide", "deploy deploy", 0.62988},
		{"deploy", "Guide", "deploy", 0.0607927},
		{"zebra team", "Guide", "zebra team", 0.0991032},
		{"zebra team", "Guide", "team zebra", 0.0991032},
		{"zebra team", "Guide", "zebra team zebra", 0.188385},
		{"zebra team", "Guide", "zebra " + strings.Repeat("x ", 101) + "team", 0},
	} {
		x := newTextIndex(test.title, test.text)
		if rank, ok := parseTextQuery(test.query).Match(x); !ok || math.Abs(rank-test.want) > 1e-6 {
			t.Errorf("%q in %.20q, %.20q ranks %v, want %v", test.query, test.title, test.text, rank, test.want)
		}
	}
}

func FuzzSearchQuery(f *testing.F) {
	for _, query := range []string{"", "buoy", `"refund policy"`, `a "b`, `a | (b -c) > d*`, "🚀 \xff", "the", `"" "`, "الميناء", strings.Repeat("é", 600)} {
		f.Add(query)
	}
	indexes := []*textIndex{
		newTextIndex("Buoy maintenance", "How to look after a buoy, and which tools to bring."),
		newTextIndex("Harbour", "One buoy here.\nAnother buoy there.\nA third buoy."),
		newTextIndex("Policies", "A refund is paid within ten days. The refund policy is short."),
		newTextIndex("🚀 Launch", "Count down, then go."),
		newTextIndex("دليل الميناء", "اتصل بالمرفأ قبل الدخول. القناة 12."),
		newTextIndex("Überblick", "Die Größe der STRASSE ist bekannt."),
		newTextIndex("Far apart", "anchor "+strings.Repeat("word ", 200)+"chain"),
		newTextIndex("Old buoy list", ""),
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := parseTextQuery(text)
		for _, x := range indexes {
			if rank, ok := q.Match(x); ok && !(rank >= 0) || rank > 10 {
				t.Errorf("%q in %q ranks %v", text, x.text, rank)
			}
			if snippet := snippet(x.text, text); !utf8.ValidString(snippet) {
				t.Errorf("%q in %q has the snippet %q", text, x.text, snippet)
			}
		}
	})
}
