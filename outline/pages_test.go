package outline_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"outline-mcp/outline"
)

// numbers is a list of so many numbers, which records the requests for its pages.
type numbers struct {
	count int
	asked []outline.ListParams
	fails int // at this offset, unless it is 0
}

func (n *numbers) list(_ context.Context, p outline.ListParams) (outline.Page[int], error) {
	n.asked = append(n.asked, p)
	if n.fails > 0 && p.Offset >= n.fails {
		return outline.Page[int]{}, errors.New("broken")
	}
	var page outline.Page[int]
	for i := p.Offset; i < min(p.Offset+p.Limit, n.count); i++ {
		page.Items = append(page.Items, i)
	}
	return page, nil
}

func TestAListIsReadPageByPageToItsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		count  int
		paging outline.Paging
		read   int
		asked  []outline.ListParams
	}{
		"an empty list":         {0, outline.Paging{}, 0, []outline.ListParams{{Limit: 100}}},
		"a last page":           {130, outline.Paging{}, 130, []outline.ListParams{{Limit: 100}, {Limit: 100, Offset: 100}}},
		"a full last page":      {200, outline.Paging{}, 200, []outline.ListParams{{Limit: 100}, {Limit: 100, Offset: 100}, {Limit: 100, Offset: 200}}},
		"no further than asked": {500, outline.Paging{Most: 200}, 200, []outline.ListParams{{Limit: 100}, {Limit: 100, Offset: 100}}},
		"short pages first": {170, outline.Paging{First: 20}, 170, []outline.ListParams{
			{Limit: 20}, {Limit: 20, Offset: 20}, {Limit: 40, Offset: 40}, {Limit: 80, Offset: 80}, {Limit: 100, Offset: 160},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			n := &numbers{count: test.count}
			all, err := outline.Collect(outline.All(t.Context(), n.list, test.paging))
			if err != nil || len(all) != test.read || !slices.IsSorted(all) {
				t.Errorf("%d items, %v", len(all), err)
			}
			if !slices.Equal(n.asked, test.asked) {
				t.Errorf("asked for %+v", n.asked)
			}
		})
	}
}

func TestAPageIsFetchedWhenItsFirstItemIsNeeded(t *testing.T) {
	n := &numbers{count: 500}
	for i, err := range outline.All(t.Context(), n.list, outline.Paging{}) {
		if err != nil || i == 99 {
			break
		}
	}
	if len(n.asked) != 1 {
		t.Errorf("asked for %+v", n.asked)
	}
}

func TestAnErrorEndsAListAfterTheItemsBeforeIt(t *testing.T) {
	n := &numbers{count: 500, fails: 200}
	all, err := outline.Collect(outline.All(t.Context(), n.list, outline.Paging{}))
	if err == nil || len(all) != 200 || len(n.asked) != 3 {
		t.Errorf("%d items in %d requests, %v", len(all), len(n.asked), err)
	}
}
