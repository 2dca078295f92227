package fakeoutline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline/api"
)

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
	f := api.Fields{Values: map[string]any{}}
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
		read := api.Fields{Values: values}
		if l := readFilters(&read, pageFields(), noon); read.Err == nil {
			l.accepts(listedPage{title: "x", updated: noon})
		}
	})
}
