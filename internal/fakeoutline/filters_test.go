package fakeoutline

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestConditions(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Alpha", TemplateID: documentID(80)},
		Document{Title: "Beta", ParentID: documentID(0)},
		Document{Title: "beta two", CollectionID: readOnlyID, CreatedBy: people["other"]},
	)
	// The three were changed 60, 59 and 58 minutes ago.
	tests := []struct {
		condition string
		want      []string
	}{
		{`{"field":"title","operator":"eq","value":"Beta"}`, []string{"Beta"}},
		{`{"field":"title","operator":"neq","value":"Beta"}`, []string{"beta two", "Alpha"}},
		{`{"field":"title","operator":"contains","value":"ETA"}`, []string{"beta two", "Beta"}},
		{`{"field":"title","operator":"containsStrict","value":"Be"}`, []string{"Beta"}},
		{`{"field":"title","operator":"startsWith","value":"be"}`, []string{"beta two", "Beta"}},
		{`{"field":"title","operator":"startsWithStrict","value":"be"}`, []string{"beta two"}},
		{`{"field":"title","operator":"endsWith","value":"A"}`, []string{"Beta", "Alpha"}},
		{`{"field":"title","operator":"endsWithStrict","value":"two"}`, []string{"beta two"}},
		{`{"field":"title","operator":"in","value":["Alpha","Gamma"]}`, []string{"Alpha"}},
		{`{"field":"title","operator":"notIn","value":["Alpha","Gamma"]}`, []string{"beta two", "Beta"}},
		{`{"field":"templateId","operator":"isNotNull"}`, []string{"Alpha"}},
		{`{"field":"parentDocumentId","operator":"isNull"}`, []string{"beta two", "Alpha"}},
		{`{"field":"collectionId","operator":"eq","value":"` + readOnlyID + `"}`, []string{"beta two"}},
		{`{"field":"userId","operator":"eq","value":"` + people["other"] + `"}`, []string{"beta two"}},
		{`{"field":"documentId","operator":"eq","value":"` + documentID(0) + `"}`, []string{"Alpha"}},
		{`{"field":"documentId","operator":"notIn","value":["` + documentID(0) + `"]}`, []string{"beta two", "Beta"}},
		{`{"field":"archivedAt","operator":"isNull"}`, []string{"beta two", "Beta", "Alpha"}},
		{`{"field":"publishedAt","operator":"isNotNull"}`, []string{"beta two", "Beta", "Alpha"}},
		{`{"field":"archivedAt","operator":"lt","value":"-P1D"}`, []string{}},
		{`{"field":"createdAt","operator":"eq","value":"2026-06-15T12:00:00Z"}`, []string{"beta two", "Beta", "Alpha"}},
		{`{"field":"updatedAt","operator":"gt","value":"2026-06-15T12:01:00Z"}`, []string{"beta two"}},
		{`{"field":"updatedAt","operator":"gte","value":"2026-06-15T12:01:00Z"}`, []string{"beta two", "Beta"}},
		{`{"field":"updatedAt","operator":"lt","value":"2026-06-15T12:01:00Z"}`, []string{"Alpha"}},
		{`{"field":"updatedAt","operator":"lte","value":"2026-06-15T12:01:00Z"}`, []string{"Beta", "Alpha"}},
		{`{"field":"updatedAt","operator":"neq","value":"2026-06-15T12:01:00Z"}`, []string{"beta two", "Alpha"}},
		{`{"field":"updatedAt","operator":"gte","value":"2026-06-16"}`, []string{}},
		{`{"field":"updatedAt","operator":"lte","value":"P1W"}`, []string{"beta two", "Beta", "Alpha"}},
		{`{"field":"updatedAt","operator":"gte","value":"-P1M"}`, []string{"beta two", "Beta", "Alpha"}},
		{`{"field":"updatedAt","operator":"lte","value":"-P1Y"}`, []string{}},
		{`{"operator":"AND","filters":[{"field":"title","operator":"contains","value":"beta"},{"field":"parentDocumentId","operator":"isNotNull"}]}`, []string{"Beta"}},
		{`{"field":"parentDocumentId","operator":"neq","value":"` + documentID(80) + `"}`, []string{"Beta"}},
		{`{"field":"updatedAt","operator":"in","value":["2026-06-15T12:01:00Z"]}`, []string{"Beta"}},
		{`{"field":"updatedAt","operator":"notIn","value":["2026-06-15T12:01:00Z"]}`, []string{"beta two", "Alpha"}},
		{`{"field":"updatedAt","operator":"gt","value":"-PT58M30S"}`, []string{"beta two"}},
	}
	for _, test := range tests {
		t.Run(test.condition, func(t *testing.T) {
			expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"filters":[`+test.condition+`]}`), test.want...)
		})
	}

	search := `{"query":"alpha","filters":[{"field":"documentId","operator":"in","value":["` + documentID(0) + `"]}]}`
	expectTitles(t, call(t, w, keyOf("member"), "documents.search", search), "Alpha")
	search = `{"query":"beta","filters":[{"field":"documentId","operator":"eq","value":"` + documentID(0) + `"}]}`
	expectTitles(t, call(t, w, keyOf("member"), "documents.search", search), "Beta")
}

func TestConditionsThatMakeNoSenseAreRefused(t *testing.T) {
	w := newTestWorkspace(t)
	nested := `{"field":"title","operator":"isNull"}`
	for range 5 {
		nested = `{"operator":"AND","filters":[` + nested + `]}`
	}
	for _, condition := range []string{
		`5`, `{}`, nested,
		`{"field":"title","operator":"eq"}`,
		`{"field":"title","operator":"like","value":"x"}`,
		`{"field":"title","operator":"in","value":"x"}`,
		`{"field":"title","operator":"in","value":[1]}`,
		`{"field":"updatedAt","operator":"contains","value":"2026-01-01"}`,
		`{"field":"updatedAt","operator":"gte","value":"yesterday"}`,
		`{"field":"updatedAt","operator":"gte","value":"P1H"}`,
		`{"field":"updatedAt","operator":"gte","value":"PxD"}`,
		`{"field":"updatedAt","operator":"gte","value":"P1"}`,
		`{"field":"updatedAt","operator":"gte","value":"P1DT"}`,
		`{"field":"updatedAt","operator":"gte","value":"PT1HT1H"}`,
		`{"field":"color","operator":"eq","value":"x"}`,
	} {
		answer := call(t, w, keyOf("member"), "documents.list", `{"filters":[`+condition+`]}`)
		if answer.Status != 400 {
			t.Errorf("%s is %d", condition, answer.Status)
		}
	}
	expectError(t, call(t, w, keyOf("member"), "documents.list", `{"filters":{}}`), 400, "filters: Invalid input: expected array, received object")
	expectError(t, call(t, w, keyOf("member"), "documents.search", `{"filters":[{"field":"documentId","operator":"neq","value":"x"}]}`), 400, "operator: operator 'neq' is not supported for field 'documentId'")
}

func TestDateFilter(t *testing.T) {
	const day = 24 * 60
	for _, test := range []struct {
		filter  string
		minutes int // since the last change
		found   bool
	}{
		{"day", day - 1, true}, {"day", day + 1, false},
		{"week", 7*day - 1, true}, {"week", 7*day + 1, false},
		{"month", 31*day - 1, true}, {"month", 31*day + 1, false},
		{"year", 365*day - 1, true}, {"year", 366 * day, false},
	} {
		w := newTestWorkspace(t, Document{Title: "Found"}, Document{Title: "Draft", Revision: draftRevision})
		for i := range 2 {
			d := w.store.documents[documentID(i)]
			next := d.Document
			next.UpdatedAt = w.store.now().Add(-time.Duration(test.minutes) * time.Minute)
			w.store.put(next, d.body.content)
		}
		want := []string{}
		if test.found {
			want = []string{"Found"}
		}
		body := fmt.Sprintf(`{"query":"found","dateFilter":%q}`, test.filter)
		expectTitles(t, call(t, w, keyOf("member"), "documents.search", body), want...)
		if got := titles(t, call(t, w, keyOf("member"), "documents.drafts", body)); len(got) != len(want) {
			t.Errorf("drafts of the last %s: %q", test.filter, got)
		}
	}
}

type listedPage struct {
	title, parent string
	people        []string
	updated       time.Time
}

func pageFields() map[string]filterField[listedPage] {
	return map[string]filterField[listedPage]{
		"title":  {Kind: textField, Texts: func(p listedPage) []string { return []string{p.title} }},
		"status": {Kind: enumField, Options: []string{"open", "shut"}, Texts: func(listedPage) []string { return []string{"open"} }},
		"parent": {Kind: uuidField, Texts: func(p listedPage) []string {
			if p.parent == "" {
				return nil
			}
			return []string{p.parent}
		}},
		"people":  {Kind: uuidField, Operators: []string{"eq", "in"}, Texts: func(p listedPage) []string { return p.people }},
		"updated": {Kind: dateField, Time: func(p listedPage) time.Time { return p.updated }},
	}
}

func readPageFilters(t *testing.T, list string) (filters[listedPage], error) {
	t.Helper()
	f := apiFields{Values: map[string]any{}}
	if err := json.Unmarshal([]byte(`{"filters":`+list+`}`), &f.Values); err != nil {
		t.Fatal(err)
	}
	return readFilters(&f, pageFields(), noon), f.Err
}

func TestConditionsAreMet(t *testing.T) {
	const (
		ada = "aaaaaaaa-0000-4000-8000-000000000001"
		max = "bbbbbbbb-0000-4000-8000-000000000002"
	)
	pages := []listedPage{
		{title: "Alpha", people: []string{ada, max}, updated: noon},
		{title: "beta", parent: ada, people: []string{max}, updated: noon.Add(-25 * time.Hour)},
		{title: "Gamma", updated: noon.AddDate(-1, 0, -1)},
		{title: "never"},
	}
	for list, want := range map[string]string{
		`[{"field":"title","operator":"gt","value":"B"}]`:                                                                                        "beta Gamma never",
		`[{"field":"people","operator":"eq","value":"` + max + `"}]`:                                                                             "Alpha beta",
		`[{"field":"people","operator":"in","value":["` + ada + `"]}]`:                                                                           "Alpha",
		`[{"field":"parent","operator":"eq","value":"AAAAAAAA` + ada[8:] + `"}]`:                                                                 "beta",
		`[{"field":"parent","operator":"isNull"}]`:                                                                                               "Alpha Gamma never",
		`[{"field":"parent","operator":"isNotNull"}]`:                                                                                            "beta",
		`[{"field":"parent","operator":"neq","value":"` + max + `"}]`:                                                                            "beta",
		`[{"field":"status","operator":"in","value":["open"]}]`:                                                                                  "Alpha beta Gamma never",
		`[{"field":"updated","operator":"gt","value":"-P1D"}]`:                                                                                   "Alpha",
		`[{"field":"updated","operator":"gte","value":"-PT25H"}]`:                                                                                "Alpha beta",
		`[{"field":"updated","operator":"lt","value":"-P1Y"}]`:                                                                                   "Gamma",
		`[{"field":"updated","operator":"lt","value":"P1M"}]`:                                                                                    "Alpha beta Gamma",
		`[{"field":"updated","operator":"eq","value":"2026-06-15T14:00:00+02:00"}]`:                                                              "Alpha",
		`[{"field":"updated","operator":"neq","value":"2026-06-15T12:00:00Z"}]`:                                                                  "beta Gamma",
		`[{"field":"updated","operator":"isNull"}]`:                                                                                              "never",
		`[{"operator":"OR","filters":[{"field":"title","operator":"eq","value":"beta"},{"field":"title","operator":"endsWith","value":"MA"}]}]`:  "beta Gamma",
		`[{"operator":"AND","filters":[{"field":"title","operator":"contains","value":"A"}]},{"field":"title","operator":"neq","value":"beta"}]`: "Alpha Gamma",
	} {
		read, err := readPageFilters(t, list)
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		var met []string
		for _, p := range pages {
			if read.accepts(p) {
				met = append(met, p.title)
			}
		}
		if got := strings.Join(met, " "); got != want {
			t.Errorf("%s is met by %q, not by %q", list, got, want)
		}
	}
}

func TestAListTellsWhichFieldsItIsAbout(t *testing.T) {
	const id = "aaaaaaaa-0000-4000-8000-000000000001"
	list, err := readPageFilters(t, `[{"field":"parent","operator":"eq","value":"`+id+`"},{"operator":"OR","filters":[{"field":"people","operator":"in","value":["`+id+`"]},{"field":"updated","operator":"isNull"}]}]`)
	if err != nil {
		t.Fatal(err)
	}
	if !list.mentions("updated") || list.mentions("title") {
		t.Error("what it mentions is wrong")
	}
	if list.theOnly("parent") != id || list.theOnly("people") != "" || !slices.Equal(list.equals("people"), []string{id}) {
		t.Errorf("it wants %q, %q and %q", list.theOnly("parent"), list.theOnly("people"), list.equals("people"))
	}
	var none filters[listedPage]
	if !none.accepts(listedPage{}) || none.mentions("title") {
		t.Error("no filters are not met by everything")
	}
}

func TestTheDepthOfGroupsIsLimited(t *testing.T) {
	nested := `{"field":"title","operator":"isNull"}`
	for depth := 1; depth <= 7; depth++ {
		_, err := readPageFilters(t, "["+nested+"]")
		if tooDeep := depth > 5; tooDeep != (err != nil) {
			t.Errorf("at depth %d: %v", depth, err)
		}
		nested = fmt.Sprintf(`{"operator":"OR","filters":[%s]}`, nested)
	}
}

func FuzzFilters(f *testing.F) {
	f.Add(`[{"field":"updated","operator":"gte","value":"-P1DT2H"}]`)
	f.Add(`[{"operator":"OR","filters":[{"field":"people","operator":"in","value":["x"]}]}]`)
	f.Add(`[{"field":"title","operator":"in","value":[]}]`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, list string) {
		values := map[string]any{}
		if json.Unmarshal([]byte(`{"filters":`+list+`}`), &values) != nil {
			return
		}
		read := apiFields{Values: values}
		if l := readFilters(&read, pageFields(), noon); read.Err == nil {
			l.accepts(listedPage{title: "x", updated: noon})
		}
	})
}

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
