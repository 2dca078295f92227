package fakeoutline

import (
	"fmt"
	"testing"
	"time"
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
