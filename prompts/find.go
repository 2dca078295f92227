package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// A thing is a collection, a document or a template that an argument names.
type thing struct {
	name  string
	id    string // the shorter ID
	uuid  string
	place string // name of its collection; "" for none
}

// isCalled reports whether a name is that of the thing, in any case.
func (t thing) isCalled(name string) bool {
	return strings.EqualFold(output.OneLine(t.name), output.OneLine(name))
}

// String returns the name and the ID, as text shows them.
func (t thing) String() string { return quoted(cmp.Or(t.name, "(untitled)")) + " " + t.id }

// only returns the one thing that a name stands for: the one that has the name or, if
// none has, the only one in whose name it occurs. Case does not matter. next says how to
// find others, as output.Available.Advise reads it.
func only(argument, kind, given string, in []thing, next string) (thing, error) {
	given = output.OneLine(given)
	var found, like []thing
	for _, t := range in {
		if t.isCalled(given) {
			found = append(found, t)
		} else if strings.Contains(strings.ToLower(output.OneLine(t.name)), strings.ToLower(given)) {
			like = append(like, t)
		}
	}
	if len(found) == 0 {
		found = like
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return thing{}, output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("%s: no %s that you can see is called %s.", argument, kind, quoted(given)), Next: next}
	}
	const most = 5
	var told []string
	for _, t := range found[:min(most, len(found))] {
		one := t.String()
		if t.place != "" {
			one += " in " + quoted(t.place)
		}
		told = append(told, one)
	}
	if more := len(found) - most; more > 0 {
		told = append(told, fmt.Sprintf("%d more", more))
	}
	return thing{}, output.Invalid("%s: %s is not the name of one %s: give its ID. There are %s.", argument, quoted(given), kind, strings.Join(told, ", "))
}

// collection returns the collection that an argument gives by its name or any form of
// its ID.
func (p *page) collection(ctx context.Context, given string) (thing, error) {
	all := collections(p.Collections.Begin(ctx)())
	id, err := p.Outline.ParseCollectionID(given)
	switch {
	case err == nil && !slices.ContainsFunc(all, func(t thing) bool { return t.isCalled(given) }):
		c, err := p.Outline.Collection(ctx, id)
		return thing{name: c.Name, id: cmp.Or(c.URLID, c.ID), uuid: c.ID}, err
	case err != nil && !isName(given):
		return thing{}, fmt.Errorf("collection: %w", err)
	}
	return only("collection", "collection", given, all, "[list_collections shows them.]")
}

func collections(names mcptool.CollectionNames) []thing {
	var all []thing
	for id, name := range names {
		all = append(all, thing{name: name.Name, id: cmp.Or(name.URLID, id), uuid: id})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name+all[i].id < all[j].name+all[j].id })
	return all
}

// isName reports whether a value that is not an ID may be a name: it is neither an
// address nor a key.
func isName(given string) bool {
	return !strings.Contains(given, "://") && outline.Redact(given) == given
}

// document returns the document that an argument gives by its title or any form of its
// ID.
func (p *page) document(ctx context.Context, given string) (thing, error) {
	id, err := p.Outline.ParseDocumentID(given)
	if err != nil && !isName(given) {
		return thing{}, fmt.Errorf("document: %w", err)
	}
	if err == nil {
		d, err := p.Outline.Document(ctx, id)
		// A title of one word can look like a URL id.
		if err == nil || !errors.Is(err, outline.ErrNotFound) || id != given || outline.IsUUID(given) {
			return thing{name: d.Title, id: cmp.Or(d.URLID, d.ID), uuid: d.ID}, err
		}
	}
	titles, offered := p.tools["get_document_id_from_title"]
	if !offered {
		return thing{}, output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("document: nothing that you can see has the ID %s.", quoted(given))}
	}
	answer, err := titles.Answer(ctx, map[string]any{"query": output.Excerpt(given, 200)})
	if err != nil {
		return thing{}, err
	}
	var found struct {
		Results []struct {
			named
			Title      string `json:"title"`
			Collection string `json:"collection_name"`
		} `json:"results"`
	}
	if err := answer.Decode(&found); err != nil {
		return thing{}, err
	}
	var all []thing
	for _, r := range found.Results {
		all = append(all, thing{r.Title, r.id(), r.DocumentID, r.Collection})
	}
	return only("document", "document", given, all, "[get_document_id_from_title or search_documents finds others.]")
}

// template returns the template that an argument gives by its title or its UUID.
func (p *page) template(ctx context.Context, given string) (outline.Template, error) {
	if outline.IsUUID(given) {
		t, err := p.Outline.Template(ctx, strings.ToLower(given))
		if errors.Is(err, outline.ErrNotFound) {
			err = output.Failure{Code: output.NotFound, Cause: err, Sentence: fmt.Sprintf("template: there is no template %s that you can see.", given), Next: "[list_templates shows them.]"}
		}
		return t, err
	}
	page, err := p.Outline.Templates(ctx, outline.TemplateParams{Query: output.Excerpt(given, 100), ListParams: outline.ListParams{Limit: 100}})
	if err != nil {
		return outline.Template{}, tools.WithoutTemplates(err)
	}
	var all []thing
	for _, t := range page.Items {
		all = append(all, thing{name: t.Title, id: t.ID})
	}
	one, err := only("template", "template", given, all, "[list_templates shows them.]")
	if err != nil {
		return outline.Template{}, err
	}
	return page.Items[slices.IndexFunc(page.Items, func(t outline.Template) bool { return t.ID == one.id })], nil
}
