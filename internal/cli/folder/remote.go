package folder

import (
	"context"
	"errors"
	"slices"
	"time"

	"outline-mcp/outline"
)

// tree is what is in Outline, without texts.
type tree struct {
	places []place // ancestors come before what is below them
	tops   map[string]string
	paths  map[string]string // where layout puts the files, by ID
	byID   map[string]place
}

// readTree reads the trees of the collections that the folder is of.
func (f *Folder) readTree(ctx context.Context, c *outline.Client) (tree, error) {
	var collections []outline.Collection
	var err error
	if f.Collection == "" {
		collections, err = outline.Collect(outline.All(ctx, c.Collections, outline.Paging{}))
	} else {
		var one outline.Collection
		one, err = c.Collection(ctx, f.Collection)
		collections = []outline.Collection{one}
	}
	if err != nil {
		return tree{}, err
	}
	names, urlIDs := map[string]string{}, map[string]string{}
	t := tree{byID: map[string]place{}}
	for _, collection := range collections {
		nodes, err := c.CollectionDocuments(ctx, collection.ID)
		if err != nil {
			return tree{}, err
		}
		if f.Below != "" {
			nodes = below(nodes, f.Below)
		}
		t.add(nodes, collection.ID, "")
		names[collection.ID], urlIDs[collection.ID] = collection.Name, collection.URLID
	}
	if f.Below != "" && len(t.places) == 0 {
		return tree{}, errors.New("the document that this folder is of is no longer in its collection, or cannot be seen with this key")
	}
	if t.tops = topFolders(names, urlIDs); f.Into != "" {
		t.tops = map[string]string{f.Into: "."}
	}
	if f.Drafts {
		t.tops[drafts] = draftsFolder
		if err := f.addDrafts(ctx, c, &t); err != nil {
			return tree{}, err
		}
	}
	t.paths = layout(t.places, t.tops)
	return t, nil
}

func (t *tree) add(nodes []outline.Node, collection, parent string) {
	for _, n := range nodes {
		p := place{ID: n.ID, URLID: n.URLID(), URL: n.URL, Title: n.Title, Collection: collection, Parent: parent}
		t.places = append(t.places, p)
		t.byID[p.ID] = p
		t.add(n.Children, collection, n.ID)
	}
}

// addDrafts adds the caller's own drafts, side by side.
func (f *Folder) addDrafts(ctx context.Context, c *outline.Client, t *tree) error {
	published := len(t.places)
	return f.eachPage(ctx, c.RecentDrafts, time.Time{}, func(documents []outline.Document) error {
		for _, d := range documents {
			_, twice := t.byID[d.ID]
			elsewhere := f.Collection != "" && d.CollectionID != f.Collection ||
				f.Below != "" && !slices.ContainsFunc(t.places[:published], func(one place) bool { return one.ID == d.ParentDocumentID })
			if twice || elsewhere {
				continue
			}
			p := placeOf(d)
			t.places = append(t.places, p)
			t.byID[p.ID] = p
		}
		return nil
	})
}

// placeOf returns the place of a document. Drafts have one of their own.
func placeOf(d outline.Document) place {
	p := place{ID: d.ID, URLID: d.URLID, URL: d.URL, Title: d.Title, Collection: d.CollectionID, Parent: d.ParentDocumentID}
	if d.PublishedAt == nil {
		p.Collection, p.Parent = drafts, ""
	}
	return p
}

// below returns the document with an ID, with what is below it.
func below(nodes []outline.Node, id string) []outline.Node {
	for _, n := range nodes {
		if n.ID == id {
			return []outline.Node{n}
		}
		if found := below(n.Children, id); found != nil {
			return found
		}
	}
	return nil
}

const (
	perPage = 100
	// overlap is how many documents of a page are asked for again if the next page does
	// not begin with the last one: some have been archived or deleted meanwhile.
	overlap = 25
)

// changed calls do with the documents that were updated since a time, and with all
// drafts that the folder has.
func (f *Folder) changed(ctx context.Context, c *outline.Client, since time.Time, do func([]outline.Document) error) error {
	err := f.eachPage(ctx, c.RecentTexts, since, do)
	if err == nil && f.Drafts {
		err = f.eachPage(ctx, c.RecentDrafts, time.Time{}, do)
	}
	return err
}

// eachPage calls do with the documents of a list that were updated since a time, in pages,
// the last ones first.
func (f *Folder) eachPage(ctx context.Context, list func(context.Context, string, outline.ListParams) (outline.Page[outline.Document], error),
	since time.Time, do func([]outline.Document) error,
) error {
	last := ""
	for offset := 0; ; {
		page, err := list(ctx, f.Collection, outline.ListParams{Limit: perPage, Offset: offset})
		if err != nil {
			return err
		}
		items := page.Items
		if last != "" && (len(items) == 0 || items[0].ID != last) {
			last, offset = "", max(0, offset-overlap)
			continue
		}
		kept := len(items)
		for kept > 0 && items[kept-1].UpdatedAt.Before(since) {
			kept--
		}
		if err := do(items[:kept]); err != nil {
			return err
		}
		if kept < len(items) || len(items) < perPage {
			return nil
		}
		last, offset = items[len(items)-1].ID, offset+len(items)-1
	}
}
