package bounds_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/bounds"
)

const (
	first  = "31bd1765-434e-4d1a-82a2-2674f972cc48"
	second = "0fab7f1a-fdba-4122-aff2-e36f5b12c335"
)

func TestContradictionsAreFoundWithoutTheWorkspace(t *testing.T) {
	for name, test := range map[string]struct {
		rules bounds.Rules
		want  string // "" for none
	}{
		"writing where nothing is excluded":              {bounds.Rules{Except: []string{"HR"}, Write: []string{"Docs wiki"}}, ""},
		"writing in what is excluded":                    {bounds.Rules{Except: []string{first}, Write: []string{strings.ToUpper(first)}}, bounds.SettingWrite},
		"writing in a name that is not shown":            {bounds.Rules{Only: []string{"Team wiki"}, Write: []string{"HR"}}, bounds.SettingWrite},
		"writing in a UUID that is not shown":            {bounds.Rules{Only: []string{first}, Write: []string{second}}, bounds.SettingWrite},
		"writing in a UUID that may be a name":           {bounds.Rules{Only: []string{"Team wiki"}, Write: []string{second}}, ""},
		"writing in a name that may be a URL id":         {bounds.Rules{Only: []string{"xVj43W43Sy"}, Write: []string{"Team wiki"}}, ""},
		"writing in the end of an address":               {bounds.Rules{Only: []string{"Team wiki"}, Write: []string{"team-xVj43W43Sy"}}, ""},
		"excluding all that is shown":                    {bounds.Rules{Only: []string{"HR", first}, Except: []string{first, "HR"}}, bounds.SettingExcept},
		"excluding some of what is shown":                {bounds.Rules{Only: []string{"HR", first}, Except: []string{"HR"}}, ""},
		"no rules":                                       {bounds.Rules{}, ""},
		"writing in some of what is shown, in its words": {bounds.Rules{Only: []string{"HR", "Team wiki"}, Write: []string{"HR"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := test.rules.Contradictions()
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("it finds %v", found)
			case test.want != "" && (len(found) != 1 || found[0].Setting != test.want || found[0].Text == ""):
				t.Errorf("it finds %v, not one about %s", found, test.want)
			}
		})
	}
}

func TestARuleThatDoesNotMatchOneCollectionAllowsNothing(t *testing.T) {
	collections := []bounds.Collection{
		{ID: first, URLID: "xVj43W43Sy", Name: "Engineering"}, {ID: second, URLID: "mTem8tcJ8a", Name: "Twin"},
		{ID: "426dbcc2-474d-43cf-898f-2502dd113a32", URLID: "OFfpZ4cXZb", Name: "Twin"},
	}
	for name, test := range map[string]struct {
		rules bounds.Rules
		shown int
	}{
		"a name":                      {bounds.Rules{Only: []string{"Engineering"}}, 1},
		"a name in other case":        {bounds.Rules{Only: []string{"engineering"}}, 0},
		"a name of two":               {bounds.Rules{Only: []string{"Twin"}}, 0},
		"an unknown name":             {bounds.Rules{Only: []string{"Nowhere"}}, 0},
		"a URL id":                    {bounds.Rules{Only: []string{"mTem8tcJ8a"}}, 1},
		"the end of an address":       {bounds.Rules{Only: []string{"twin-mTem8tcJ8a"}}, 1},
		"a UUID in capitals":          {bounds.Rules{Only: []string{strings.ToUpper(first)}}, 1},
		"an unknown UUID":             {bounds.Rules{Only: []string{"11111111-1111-4111-8111-111111111111"}}, 0},
		"excluding a name of two":     {bounds.Rules{Except: []string{"Twin"}}, 1},
		"excluding an unknown name":   {bounds.Rules{Except: []string{"Nowhere"}}, 3},
		"excluding one that is named": {bounds.Rules{Only: []string{"Engineering"}, Except: []string{first}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if report := bounds.Examine(test.rules, collections); len(report.Shown) != test.shown {
				t.Errorf("it shows %v, want %d", report.Shown, test.shown)
			}
		})
	}
}
