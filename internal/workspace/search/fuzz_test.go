package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzSearchQuery(f *testing.F) {
	for _, query := range []string{"", "buoy", `"refund policy"`, `a "b`, "🚀 \xff", "the", `"" "`, "الميناء", strings.Repeat("é", 600)} {
		f.Add(query, 5)
	}
	indexes := []*Index{
		NewIndex("Buoy maintenance", "How to look after a buoy, and which tools to bring."),
		NewIndex("Harbour", "One buoy here.\nAnother buoy there.\nA third buoy."),
		NewIndex("Policies", "A refund is paid within ten days. The refund policy is short."),
		NewIndex("🚀 Launch", "Count down, then go."),
		NewIndex("دليل الميناء", "اتصل بالمرفأ قبل الدخول. القناة 12."),
		NewIndex("Überblick", "Die Größe der STRASSE ist bekannt."),
		NewIndex("Far apart", "anchor "+strings.Repeat("word ", 200)+"chain"),
		NewIndex("Old buoy list", ""),
	}
	f.Fuzz(func(t *testing.T, text string, words int) {
		q := ParseQuery(text)
		for _, x := range indexes {
			m, ok := q.Match(x)
			if ok == (len(m.hits) == 0) {
				t.Fatalf("%q: found is %v with %d hits", text, ok, len(m.hits))
			}
			if !ok {
				continue
			}
			if rank := m.Rank(); !(rank > 0) || rank > 10 {
				t.Errorf("%q in %q ranks %v", text, x.plain, rank)
			}
			snippet := m.Snippet(words, words)
			if !utf8.ValidString(snippet) || strings.Count(snippet, "<b>") != strings.Count(snippet, "</b>") {
				t.Errorf("%q in %q has the snippet %q", text, x.plain, snippet)
			}
		}
	})
}
