package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/search"
)

// Callers name documents, collections and templates in many forms: by any form of an ID
// that Outline's addresses have, by the address of a public share, and by a title or a
// name that no other has. The functions of this file are the one place that resolves them.

// documentID returns the UUID or the URL id of the document that a value names. A
// title is that of an active document: a call that is repeated after its document was
// archived or deleted must not reach another one.
func documentID(ctx context.Context, env mcptool.Env, given string) (string, error) {
	return documentFirst(ctx, env, given, "active")
}

// documentFirst is documentID for the states in which a title is looked for, in their
// order.
func documentFirst(ctx context.Context, env mcptool.Env, given string, states ...string) (string, error) {
	if share, ok := env.Outline.ParseShareID(given); ok {
		return env.Outline.SharedDocument(ctx, share)
	}
	id, err := env.Outline.ParseDocumentID(given)
	return resolve("document", given, id, err, func() ([]candidate, error) {
		found, err := documentsTitled(ctx, env, given, states)
		where := pathsOf(ctx, env, found)
		return entriesOf(found, func(d outline.DocumentSummary) candidate {
			return candidate{d.ID, nameOf(d).String(), where.of(d)}
		}), err
	}, func() string { return nearTitles(ctx, env, given) })
}

// documentsTitled returns the documents with a title, all in the first of the states in which there
// is one.
func documentsTitled(ctx context.Context, env mcptool.Env, given string, states []string) ([]outline.DocumentSummary, error) {
	cut := false
	kept := sync.OnceValues(func() (all []outline.DocumentSummary, err error) {
		all, cut, err = matchTitles(ctx, env, outline.SearchParams{Query: unquoted(given), StatusFilter: []string{"published", "draft", "archived"}})
		return all, err
	})
	for _, state := range states {
		list := kept
		if state == "deleted" {
			list = func() ([]outline.DocumentSummary, error) { return readTrash(ctx, env) }
		}
		all, err := list()
		if err != nil && !(state == "deleted" && errors.Is(err, outline.ErrForbidden)) {
			return nil, err
		}
		var found []outline.DocumentSummary
		for _, d := range all {
			if isCalled(d.Title, given) && (state == "archived") == (d.ArchivedAt != nil && d.DeletedAt == nil) {
				found = append(found, d)
			}
		}
		if len(found) == 1 && cut {
			return nil, output.Invalid("more documents have titles like %s than can be checked: give the ID", output.Quote(output.Excerpt(given, longestTitle)))
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	alike, _ := titledAlike(ctx, env, outline.SearchParams{Query: unquoted(given), StatusFilter: []string{"published", "draft"}})
	return slices.DeleteFunc(alike, func(d outline.DocumentSummary) bool { return !isAlike(d.Title, given) }), nil // without an answer, nothing has this title
}

// onlyAlike says what was found.
const onlyAlike = "no exact match; these are the same without accents, case and emoji"

// titledAlike returns the documents whose titles have a query in them, but for accents, case
// and emoji.
func titledAlike(ctx context.Context, env mcptool.Env, p outline.SearchParams) (alike []outline.DocumentSummary, err error) {
	key := search.LooseKey(p.Query)
	if key == "" {
		return nil, nil
	}
	p.Limit = 100
	found, err := searchFor(ctx, env, p)
	for _, hit := range found.hits {
		if strings.Contains(search.LooseKey(hit.Document.Title), key) {
			alike = append(alike, hit.Document.DocumentSummary)
		}
	}
	return alike, err
}

// collectionID returns the UUID of the collection that a value names.
func collectionID(ctx context.Context, env mcptool.Env, given string) (string, error) {
	id, err := collectionRef(ctx, env, given)
	if err != nil {
		return "", err
	}
	return env.Outline.ResolveCollectionID(ctx, id)
}

// collectionRef returns the UUID or the URL id of the collection that a value names.
func collectionRef(ctx context.Context, env mcptool.Env, given string) (string, error) {
	var known []outline.Collection
	named := func(is func(name, given string) bool) (found []candidate) {
		for _, c := range known {
			if is(c.Name, given) {
				found = append(found, candidate{id: c.ID, name: nameOfCollection(c).String()})
			}
		}
		return found
	}
	id, err := env.Outline.ParseCollectionID(given)
	return resolve("collection", given, id, err, func() ([]candidate, error) {
		for _, list := range []func(context.Context, outline.ListParams) (outline.Page[outline.Collection], error){env.Outline.Collections, env.Outline.ArchivedCollections} {
			all, err := outline.Collect(outline.All(ctx, list, outline.Paging{}))
			known = append(known, all...)
			if found := named(isCalled); len(found) > 0 {
				return found, err
			}
			if err != nil {
				return named(isAlike), err // not every key may list what is archived
			}
		}
		return named(isAlike), nil
	}, func() string {
		near := slices.DeleteFunc(search.Nearest(entriesOf(known, func(c outline.Collection) string { return c.Name }), given, mostNear), func(i int) bool { return search.Likeness(known[i].Name, given) < alike })
		if len(near) == 0 {
			return ""
		}
		return ". Nearest names: " + firstOf(near, mostNear, ", ", "", func(i int) string { return nameOfCollection(known[i]).String() })
	})
}

// templateID returns the UUID of the template that a value names, and "" for "".
func templateID(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	given = strings.Replace(given, "/settings/templates/", "/doc/", 1)
	id, err := env.Outline.ParseDocumentID(given)
	id, err = resolve("template", given, id, err, func() ([]candidate, error) {
		all, err := outline.Collect(outline.All(ctx, func(ctx context.Context, p outline.ListParams) (outline.Page[outline.Template], error) {
			return env.Outline.Templates(ctx, outline.TemplateParams{Query: unquoted(given), ListParams: p})
		}, outline.Paging{Most: maxTitleMatches}))
		var found []candidate
		for _, t := range all {
			if isCalled(t.Title, given) {
				found = append(found, candidate{id: t.ID, name: titleOf(t.Title) + " " + t.ID})
			}
		}
		return found, err
	}, func() string {
		page, _ := env.Outline.Templates(ctx, outline.TemplateParams{ListParams: outline.ListParams{Limit: mostCandidates}})
		if len(page.Items) == 0 {
			return ""
		}
		return ". Some are: " + firstOf(page.Items, mostCandidates, ", ", "", func(t outline.Template) string { return titleOf(t.Title) })
	})
	if err != nil || outline.IsUUID(id) {
		return id, err
	}
	template, err := env.Outline.Template(ctx, id)
	return template.ID, err
}

// A candidate is something that has the name that a caller gave.
type candidate struct{ id, name, path string }

// resolve returns what identifies the one thing that a value names. id and malformed are
// what reading the value as an ID has given, and called finds those that have the value
// as their name. If none has, near tells what has a name like it; it may be nil.
func resolve(kind, given, id string, malformed error, called func() ([]candidate, error), near func() string) (string, error) {
	if malformed == nil && !looksLikeName(given, id) || malformed != nil && !maybeName(given) {
		return id, malformed
	}
	found, err := called()
	unknown := errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound)
	switch {
	case err != nil && !unknown:
		return "", err
	case len(found) == 1:
		return found[0].id, nil
	case len(found) > 1:
		told := firstOf(found, mostCandidates, "; ", "", func(c candidate) string {
			if c.path == "" {
				return c.name
			}
			return c.name + " in " + c.path
		})
		failure := output.Invalid("%s is the name of %d %ss: %s. Give the ID of one of them", output.Quote(output.Excerpt(given, longestTitle)), len(found), kind, told)
		failure.Unresolved = true
		return "", failure
	}
	if identifier, ok := errors.AsType[*outline.IdentifierError](malformed); ok && identifier.Hint == "" {
		named := *identifier
		if named.Kind, named.Unknown = kind, true; near != nil {
			named.Hint = near()
		}
		return "", &named
	}
	return id, malformed
}

// checkExact refuses a name that is not exactly the title of what a call would destroy: a
// name that is nearly right may be meant for something else. id and malformed are what
// reading the value as an ID has given, and name is the title with the ID.
func checkExact(kind, given, id string, malformed error, title, name string) error {
	if malformed == nil && !looksLikeName(given, id) || given == title {
		return nil
	}
	return output.Failure{Code: output.InvalidArguments,
		Sentence: fmt.Sprintf("nothing was deleted: %s is not exactly the title of the %s %s, which would be gone for good.", output.Quote(output.Excerpt(given, longestTitle)), kind, name),
		Next:     "Give its ID or its exact title."}
}

// mostCandidates is how many candidates a failure names.
const mostCandidates = 5

// looksLikeName reports whether a value that has the form of a URL id is more likely a
// word: URL ids mix letters in both cases and digits.
func looksLikeName(given, id string) bool {
	return !outline.IsUUID(id) && !strings.Contains(given, "/") && aWord().MatchString(id)
}

var aWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$`) })

// maybeName reports whether a value that is no ID may be a name: it is no address, no key
// and not longer than names get.
func maybeName(given string) bool {
	name := output.OneLine(given)
	return name != "" && len([]rune(name)) <= longestTitle && !strings.Contains(name, "://") && !strings.HasPrefix(name, "/") && outline.Redact(given) == given
}

// isCalled reports whether a title is the one that a caller gave, in any case and with or
// without quotation marks around it.
func isCalled(title, given string) bool {
	title = output.OneLine(title)
	return strings.EqualFold(title, output.OneLine(given)) || strings.EqualFold(title, unquoted(given))
}

// isAlike is isCalled without accents and emoji.
func isAlike(title, given string) bool {
	key := search.LooseKey(unquoted(given))
	return key != "" && key == search.LooseKey(title)
}

func unquoted(name string) string { return strings.Trim(output.OneLine(name), "\"'`“”") }

func getDocumentIDFromTitle() mcptool.Tool {
	return mcptool.Spec[titleIn, titleMatches]{
		Name:        "get_document_id_from_title",
		Title:       "Find document by title",
		Description: "Finds published Outline documents by title or part of it, exact matches first.",
		Endpoints:   []string{"documents.search_titles", "documents.search"},
		AnyEndpoint: true,
		Effect:      mcptool.Reads,
		Run: onCollection(optionalCollection, func(ctx context.Context, env mcptool.Env, in titleIn, collection string) (titleMatches, error) {
			names := env.Collections.Begin(ctx)
			documents, more, err := matchTitles(ctx, env, outline.SearchParams{Query: in.Query, CollectionID: collection})
			note := ""
			if err == nil && len(documents) == 0 {
				if documents, err = titledAlike(ctx, env, outline.SearchParams{Query: in.Query, CollectionID: collection}); len(documents) > 0 {
					note = onlyAlike
				}
			}
			if err != nil {
				return titleMatches{}, err
			}
			var same, others []outline.DocumentSummary
			for _, d := range documents {
				if strings.EqualFold(output.OneLine(d.Title), output.OneLine(in.Query)) {
					same = append(same, d)
				} else {
					others = append(others, d)
				}
			}
			documents = append(same, others...)
			known := names()
			if in.Offset == 0 {
				if chosen, err := chooseDocument(env, in.Query, same, known); err != nil || chosen.Results != nil {
					return chosen, err
				}
			}
			matches := titleMatches{Query: in.Query, Total: len(documents), HasMore: more, offset: in.Offset}
			page := pageOf(documents, in.paging)
			where := pathsOf(ctx, env, page)
			matches.Results = entriesOf(page, func(d outline.DocumentSummary) titleMatch { return titleMatch{nameOf(d), where.locate(d)} })
			matches.show(len(matches.Results))
			matches.Note = strings.Join(nonEmpty(note, notListed(ctx, env, collection, documents...)), "; ")
			return matches, nil
		}),
	}
}

// maxTitleMatches is the maximum number of matches that are sorted. A query
// with more matches does not identify a document.
const maxTitleMatches = 500

// matchTitles searches titles. It falls back to the full-text search if the key
// lacks the scope for search_titles, which Outline counts as a write, or the
// server is too old for it. more reports that there are further matches.
func matchTitles(ctx context.Context, env mcptool.Env, params outline.SearchParams) (documents []outline.DocumentSummary, more bool, _ error) {
	for document, err := range env.Outline.SearchTitles(ctx, params) {
		if errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound) {
			return matchText(ctx, env, params)
		}
		if err != nil {
			return nil, false, err
		}
		if len(documents) == maxTitleMatches {
			return documents, true, nil
		}
		documents = append(documents, document)
	}
	return documents, false, nil
}

// matchText searches the text and returns the documents among the first hundred
// whose title matches.
func matchText(ctx context.Context, env mcptool.Env, params outline.SearchParams) (documents []outline.DocumentSummary, more bool, _ error) {
	params.Limit = 100
	page, err := env.Outline.Search(ctx, params)
	if err != nil {
		return nil, false, err
	}
	wanted := strings.ToLower(output.OneLine(params.Query))
	for _, hit := range page.Items {
		if strings.Contains(strings.ToLower(output.OneLine(hit.Document.Title)), wanted) {
			documents = append(documents, hit.Document.DocumentSummary)
		}
	}
	return documents, page.Total > len(page.Items), nil
}

type titleIn struct {
	Query string `json:"query" maxLength:"1000"`
	inCollectionIn
	paging
}

type titleMatch struct {
	documentName
	location
}

func (m titleMatch) write(t *output.Text) {
	t.Printf("%s%s", m.documentName, m.inShort())
}

type titleMatches struct {
	Results    []titleMatch `json:"results"`
	Query      string       `json:"query"`
	Count      int          `json:"count"`
	Total      int          `json:"total"`
	HasMore    bool         `json:"has_more,omitempty" jsonschema:"There may be matches beyond total"`
	NextOffset int          `json:"next_offset,omitempty"`
	Note       string       `json:"note,omitempty"`

	offset int
}

func (m *titleMatches) show(n int) {
	m.Count, m.NextOffset = n, nextOffset(m.offset, n, m.Total)
}

func (m *titleMatches) Cuts() []output.Cut { return cutEntries(&m.Results, m.show) }

func (m titleMatches) WriteText(t *output.Text) {
	writeList(t, output.Count(m.Total, "match", "matches")+" for the title "+output.Quote(m.Query)+rangeShown(m.offset, m.Count, m.Total),
		"Each line: title, document_id in collection", m.Results)
	switch {
	case m.Total == 0:
		t.Advice("No title matches[: search the text with search_documents].")
	case m.Count == 0:
		writePastTheEnd(t, m.offset, m.Total)
	}
	writeNotes(t, m.Note)
	writeHomes(t, entriesOf(m.Results, func(m titleMatch) home { return m.home }))
	if m.HasMore {
		t.Blank()
		t.Advice("There may be more than these %d: give more of the title[, or use search_documents].", m.Total)
	}
	writeNextOffset(t, m.NextOffset)
}
