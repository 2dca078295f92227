package fakeoutline

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseQuery(t *testing.T) {
	tests := []struct {
		text   string
		want   []string // the words of each phrase, with their offsets as dots
		prefix bool
	}{
		{`deploy`, []string{"deploy"}, true},
		{`deploy guides`, []string{"deploy", "guide"}, false},
		{`"deploy guide"`, []string{"deploy.guide"}, false},
		{`"guide to the deploy" now x`, []string{"guide...deploy", "x"}, false},
		{`"the guide"`, []string{"guide"}, false},
		{`on-call`, []string{"call"}, true},
		{`"a"b"c`, []string{"b", "c"}, false},
		{`"`, nil, false},
		{`""`, nil, false},
	}
	for _, test := range tests {
		q := parseQuery(test.text)
		var got []string
		for _, p := range q.phrases {
			text := ""
			at := 0
			for _, word := range p {
				text += strings.Repeat(".", word.offset-at) + word.term
				at = word.offset
			}
			got = append(got, text)
		}
		if !slices.Equal(got, test.want) || q.prefix != test.prefix {
			t.Errorf("%s is %q %v, want %q %v", test.text, got, q.prefix, test.want, test.prefix)
		}
	}
}

func TestFoldUnitesPluralsAndSingulars(t *testing.T) {
	for plural, singular := range map[string]string{
		"Expenses": "expense", "policies": "policy", "addresses": "address", "boxes": "box",
		"branches": "branch", "dishes": "dish", "guides": "guide", "status": "status",
		"analysis": "analysis", "glass": "glass", "bus": "bus", "ÄPFELS": "äpfel",
	} {
		for _, word := range []string{plural, singular} {
			if got, _ := fold(word); got != singular {
				t.Errorf("%s is compared as %q, want %q", word, got, singular)
			}
		}
	}
	if _, ok := fold("Does"); ok {
		t.Error("a stop word is looked for")
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
		x := newSearchIndex(test.title, test.text)
		q := parseQuery(test.query)
		m, ok := q.match(x)
		if rank := m.rank(); !ok || math.Abs(rank-test.want) > 1e-6 {
			t.Errorf("%q in %.20q, %.20q ranks %v, want %v", test.query, test.title, test.text, rank, test.want)
		}
	}
}

func FuzzSearchQuery(f *testing.F) {
	for _, query := range []string{"", "buoy", `"refund policy"`, `a "b`, "🚀 \xff", "the", `"" "`, "الميناء", strings.Repeat("é", 600)} {
		f.Add(query, 5)
	}
	indexes := []*searchIndex{
		newSearchIndex("Buoy maintenance", "How to look after a buoy, and which tools to bring."),
		newSearchIndex("Harbour", "One buoy here.\nAnother buoy there.\nA third buoy."),
		newSearchIndex("Policies", "A refund is paid within ten days. The refund policy is short."),
		newSearchIndex("🚀 Launch", "Count down, then go."),
		newSearchIndex("دليل الميناء", "اتصل بالمرفأ قبل الدخول. القناة 12."),
		newSearchIndex("Überblick", "Die Größe der STRASSE ist bekannt."),
		newSearchIndex("Far apart", "anchor "+strings.Repeat("word ", 200)+"chain"),
		newSearchIndex("Old buoy list", ""),
	}
	f.Fuzz(func(t *testing.T, text string, words int) {
		q := parseQuery(text)
		for _, x := range indexes {
			m, ok := q.match(x)
			if ok == (len(m.hits) == 0) {
				t.Fatalf("%q: found is %v with %d hits", text, ok, len(m.hits))
			}
			if !ok {
				continue
			}
			if rank := m.rank(); !(rank > 0) || rank > 10 {
				t.Errorf("%q in %q ranks %v", text, x.plain, rank)
			}
			snippet := m.snippet(words, words)
			if !utf8.ValidString(snippet) || strings.Count(snippet, "<b>") != strings.Count(snippet, "</b>") {
				t.Errorf("%q in %q has the snippet %q", text, x.plain, snippet)
			}
		}
	})
}
