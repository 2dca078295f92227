package boundary_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/boundary"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
)

const (
	first  = "31bd1765-434e-4d1a-82a2-2674f972cc48"
	second = "0fab7f1a-fdba-4122-aff2-e36f5b12c335"
)

func TestContradictionsAreFoundWithoutTheWorkspace(t *testing.T) {
	for name, test := range map[string]struct {
		rules boundary.Rules
		want  string // "" for none
	}{
		"writing where nothing is excluded":              {boundary.Rules{Except: []string{"HR"}, Write: []string{"Docs wiki"}}, ""},
		"writing in what is excluded":                    {boundary.Rules{Except: []string{first}, Write: []string{strings.ToUpper(first)}}, boundary.SettingWrite},
		"writing in a name that is not shown":            {boundary.Rules{Only: []string{"Team wiki"}, Write: []string{"HR"}}, boundary.SettingWrite},
		"writing in a UUID that is not shown":            {boundary.Rules{Only: []string{first}, Write: []string{second}}, boundary.SettingWrite},
		"writing in a UUID that may be a name":           {boundary.Rules{Only: []string{"Team wiki"}, Write: []string{second}}, ""},
		"writing in a name that may be a URL id":         {boundary.Rules{Only: []string{"xVj43W43Sy"}, Write: []string{"Team wiki"}}, ""},
		"writing in the end of an address":               {boundary.Rules{Only: []string{"Team wiki"}, Write: []string{"team-xVj43W43Sy"}}, ""},
		"excluding all that is shown":                    {boundary.Rules{Only: []string{"HR", first}, Except: []string{first, "HR"}}, boundary.SettingExcept},
		"excluding some of what is shown":                {boundary.Rules{Only: []string{"HR", first}, Except: []string{"HR"}}, ""},
		"no rules":                                       {boundary.Rules{}, ""},
		"writing in some of what is shown, in its words": {boundary.Rules{Only: []string{"HR", "Team wiki"}, Write: []string{"HR"}}, ""},
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
	collections := []boundary.Collection{
		{ID: first, URLID: "xVj43W43Sy", Name: "Engineering"}, {ID: second, URLID: "mTem8tcJ8a", Name: "Twin"},
		{ID: "426dbcc2-474d-43cf-898f-2502dd113a32", URLID: "OFfpZ4cXZb", Name: "Twin"},
	}
	for name, test := range map[string]struct {
		rules boundary.Rules
		shown int
	}{
		"a name":                      {boundary.Rules{Only: []string{"Engineering"}}, 1},
		"a name in other case":        {boundary.Rules{Only: []string{"engineering"}}, 0},
		"a name of two":               {boundary.Rules{Only: []string{"Twin"}}, 0},
		"an unknown name":             {boundary.Rules{Only: []string{"Nowhere"}}, 0},
		"a URL id":                    {boundary.Rules{Only: []string{"mTem8tcJ8a"}}, 1},
		"the end of an address":       {boundary.Rules{Only: []string{"twin-mTem8tcJ8a"}}, 1},
		"a UUID in capitals":          {boundary.Rules{Only: []string{strings.ToUpper(first)}}, 1},
		"an unknown UUID":             {boundary.Rules{Only: []string{"11111111-1111-4111-8111-111111111111"}}, 0},
		"excluding a name of two":     {boundary.Rules{Except: []string{"Twin"}}, 1},
		"excluding an unknown name":   {boundary.Rules{Except: []string{"Nowhere"}}, 3},
		"excluding one that is named": {boundary.Rules{Only: []string{"Engineering"}, Except: []string{first}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if report := boundary.Examine(test.rules, collections); len(report.Shown) != test.shown {
				t.Errorf("it shows %v, want %d", report.Shown, test.shown)
			}
		})
	}
}

// An endpoint without an entry is refused while callers are limited, so this is about
// tools that would stop working, not about safety.
func TestEveryEndpointThatTheClientCallsHasItsLimits(t *testing.T) {
	files, err := filepath.Glob("../../outline/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("the client is not there", err)
	}
	endpoint := regexp.MustCompile(`^(auth|installation|apiKeys|users|userMemberships|groupMemberships|collections|documents|revisions|templates|comments|stars|pins|attachments|fileOperations|groups|shares)\.[a-z][A-Za-z_]+$`)
	called := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && endpoint.MatchString(text) {
					called[text] = true
				}
			}
			return true
		})
	}
	limited := boundary.Endpoints()
	for name := range called {
		if !slices.Contains(limited, name) {
			t.Errorf("the client calls %s, for which package boundary has no entry", name)
		}
	}
	for _, name := range limited {
		if !called[name] {
			t.Errorf("package boundary has an entry for %s, which the client does not call", name)
		}
	}
}

// A paged is a list by pages: the IDs on one, and the total, -1 if there is none.
type paged func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error)

func pagedLists() map[string]paged {
	documents := func(page outline.Page[outline.DocumentSummary], err error) ([]string, int, error) {
		var ids []string
		for _, d := range page.Items {
			ids = append(ids, d.ID)
		}
		return ids, page.Total, err
	}
	lists := map[string]paged{
		"the trash": func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error) {
			return documents(c.DeletedDocuments(ctx, "", outline.ListParams{Limit: limit, Offset: offset}))
		},
		"the archive": func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error) {
			return documents(c.ArchivedDocuments(ctx, outline.ArchivedParams{Limit: limit, Offset: offset}))
		},
		"titles": func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error) {
			return documents(c.TitlesLike(ctx, outline.SearchParams{Query: "page", Limit: limit, Offset: offset}))
		},
		"a search": func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error) {
			page, err := c.Search(ctx, outline.SearchParams{Query: common, Limit: limit, Offset: offset, StatusFilter: []string{"published", "draft", "archived"}})
			var ids []string
			for _, hit := range page.Items {
				ids = append(ids, hit.Document.ID)
			}
			return ids, page.Total, err
		},
		"templates": func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error) {
			page, err := c.Templates(ctx, outline.TemplateParams{ListParams: outline.ListParams{Limit: limit, Offset: offset}})
			var ids []string
			for _, template := range page.Items {
				ids = append(ids, template.ID)
			}
			return ids, page.Total, err
		},
	}
	for _, sort := range []string{"updatedAt", "createdAt", "title"} {
		for _, statuses := range [][]string{nil, {"published", "draft", "archived"}, {"draft"}} {
			for _, filter := range []outline.DocumentFilter{{Statuses: statuses}, {Statuses: statuses, TitleContains: "page"}} {
				lists[fmt.Sprint("documents by ", sort, statuses, filter.TitleContains)] = func(ctx context.Context, c *outline.Client, limit, offset int) ([]string, int, error) {
					page, err := c.Documents(ctx, outline.DocumentListParams{DocumentFilter: filter, Sort: sort, Ascending: sort == "title", Limit: limit, Offset: offset})
					return documents(page.Page, err)
				}
			}
		}
	}
	return lists
}

// TestPagesHoldWhatIsInsideOnceInOrderAndCountIt compares each list, page by page, with
// the whole list of a client without limits.
func TestPagesHoldWhatIsInsideOnceInOrderAndCountIt(t *testing.T) {
	for seed := range 6 {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		w := newWiki(random)
		release := append([]fakeoutline.Release{""}, fakeoutline.Releases()...)[seed%3]
		rules := boundary.Rules{Drafts: seed%2 == 0}
		if seed%3 == 0 {
			rules.Except = []string{w.seed.Collections[0].ID}
		} else {
			rules.Only = []string{w.seed.Collections[0].ID, w.names[1]}
		}
		inside := choice{shown: make([]bool, len(w.names)), only: len(rules.Only) > 0, drafts: rules.Drafts, limits: true}
		for i := range inside.shown {
			inside.shown[i] = seed%3 == 0 && i > 0 || seed%3 != 0 && i < 2
		}
		limited, ctx, _ := w.limitedClient(t, rules, release)
		whole, _, _ := w.limitedClient(t, boundary.Rules{Drafts: true}, release)
		for name, list := range pagedLists() {
			t.Run(fmt.Sprint(seed, " ", name), func(t *testing.T) {
				all, _, err := list(ctx, whole, 100, 0)
				if outline.OutOfScope(err) || name == "templates" && err != nil {
					t.Skip(err) // this release has none
				}
				if err != nil {
					t.Fatal(err)
				}
				want := slices.DeleteFunc(all, func(id string) bool {
					i := slices.IndexFunc(w.things, func(is thing) bool { return is.id == id })
					return !inside.shows(w.things[i])
				})
				var got []string
				limit := 1 + random.IntN(7)
				for offset := 0; ; offset += limit {
					ids, total, err := list(ctx, limited, limit, offset)
					if err != nil {
						t.Fatal(err)
					}
					if total >= 0 && total != len(want) {
						t.Errorf("the total is %d, want %d", total, len(want))
					}
					got = append(got, ids...)
					if len(ids) < limit {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("by pages of %d it holds\n%v, want\n%v", limit, got, want)
				}
			})
		}
	}
}

func TestAnIDWinsOverANameThatLooksLikeIt(t *testing.T) {
	collections := []boundary.Collection{{ID: second, URLID: "mTem8tcJ8a", Name: "xVj43W43Sy"}, {ID: first, URLID: "xVj43W43Sy", Name: "Engineering"}}
	report := boundary.Examine(boundary.Rules{Only: []string{"xVj43W43Sy"}}, collections)
	if len(report.Shown) != 1 || report.Shown[0].ID != first {
		t.Errorf("it shows %v", report.Shown)
	}
}

func TestAWordIsANameAndNoID(t *testing.T) {
	for entry, isName := range map[string]bool{"Operations": true, "engineering": true, "team-Confidential": true, "HR": true, "xVj43W43Sy": false, "handbook-mTem8tcJ8a": false, first: false} {
		if found := (boundary.Rules{Except: []string{entry}}).Names(); (len(found) > 0) != isName {
			t.Errorf("%s: %v", entry, found)
		}
	}
}

func TestNobodyTakesOverWhatTheRulesName(t *testing.T) {
	const urlID = "CHarbour01"
	seed := fakeoutline.Seed{
		Team:        fakeoutline.Team{ID: me[:35] + "3", Name: "Lights"},
		Users:       []fakeoutline.User{{ID: me, Name: "Hana", Email: "h@lights.example", Role: fakeoutline.Admin, CreatedAt: at(0)}},
		Keys:        []fakeoutline.Key{{ID: me[:35] + "4", Secret: myKey, Name: "k", UserID: me, CreatedAt: at(0)}},
		Collections: []fakeoutline.Collection{{ID: first, URLID: urlID, Name: "Harbour", Permission: fakeoutline.ReadWrite, CreatedAt: at(0), UpdatedAt: at(0)}},
	}
	owner := auth.ForOperator(myKey)
	for name, test := range map[string]struct {
		entry    string
		operator *auth.Principal
		want     bool
	}{
		"a name that the only caller sees":     {"Harbour", nil, true},
		"a name that the operator sees":        {"Harbour", &owner, true},
		"a name, and no key to look it up":     {"Harbour", new(auth.Principal), false},
		"a URL id, and no key":                 {urlID, new(auth.Principal), true},
		"a URL id that the operator looked up": {urlID, &owner, true},
		"not a name that is excluded":          {"not Harbour", &owner, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				workspace, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
				if err != nil {
					t.Fatal(err)
				}
				clientOf := func(bounds outline.Bounds) *outline.Client {
					c, err := outline.New(outline.Options{BaseURL: fakeoutline.BaseURL, Transport: workspace.Transport(), Bounds: bounds, Credentials: outline.StaticKey(myKey)})
					if err != nil {
						t.Fatal(err)
					}
					return c
				}
				rules := boundary.Rules{Only: []string{test.entry}}
				if name, excludes := strings.CutPrefix(test.entry, "not "); excludes {
					test.entry, rules = name, boundary.Rules{Except: []string{name}}
				}
				limited := clientOf(boundary.New(rules, test.operator, nil))
				ctx := auth.NewContext(t.Context(), auth.ForAPIKey(myKey))
				check := func(when string) {
					t.Helper()
					if _, err := limited.Collection(ctx, first); (err == nil) != test.want {
						t.Errorf("%s, reading it returns %v", when, err)
					}
				}
				check("at first")
				other, err := clientOf(nil).CreateCollection(ctx, outline.CreateCollectionParams{Name: test.entry, Permission: "read"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Minute) // what the server has kept is gone
				check("beside another of the name")
				if _, err := limited.Collection(ctx, other.ID); err == nil {
					t.Error("the other is shown")
				}
			})
		})
	}
}
