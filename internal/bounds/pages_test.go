package bounds_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"outline-mcp/internal/bounds"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
)

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
			return documents(c.DeletedDocuments(ctx, outline.ListParams{Limit: limit, Offset: offset}))
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
		w := newWorld(random)
		release := append([]fakeoutline.Release{""}, fakeoutline.Releases()...)[seed%3]
		rules := bounds.Rules{Drafts: seed%2 == 0}
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
		whole, _, _ := w.limitedClient(t, bounds.Rules{Drafts: true}, release)
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
