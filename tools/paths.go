package tools

import (
	"context"
	"slices"
	"strings"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline"
)

// paths tell where documents are, as far as the caller may see it: in which collection,
// and below which other documents. The trees that they come from are kept for a minute.
type paths struct {
	names     mcptool.CollectionNames
	ancestors map[string]mcptool.Ancestors // by collection
}

// mostTrees is how many collections are asked for the trees of, for one answer.
const mostTrees = 10

// pathsOf finds out where documents are. A document on the first level of its collection
// needs no tree.
func pathsOf(ctx context.Context, env mcptool.Env, documents []outline.DocumentSummary) paths {
	var ids []string
	for _, d := range documents {
		if d.ParentDocumentID != "" && d.CollectionID != "" && !slices.Contains(ids, d.CollectionID) {
			ids = append(ids, d.CollectionID)
		}
	}
	names, p := env.Collections.Begin(ctx), paths{ancestors: map[string]mcptool.Ancestors{}}
	waits := entriesOf(ids[:min(len(ids), mostTrees)], func(id string) func() mcptool.Ancestors { return env.Collections.Ancestors(ctx, id) })
	for i, wait := range waits {
		p.ancestors[ids[i]] = wait()
	}
	p.names = names()
	return p
}

// above returns the titles of the documents that a document is below, from the first
// level on, or nothing if one of them is not known.
func (p paths) above(d outline.DocumentSummary) (titles []string) {
	known := p.ancestors[d.CollectionID]
	for id := d.ParentDocumentID; id != ""; {
		one, ok := known[id]
		if !ok || len(titles) == deepest {
			return nil
		}
		titles, id = append(titles, one.Title), one.ParentID
	}
	slices.Reverse(titles)
	return titles
}

// deepest is how many documents of a path are named.
const deepest = 20

// of returns the path of a document: its collection and the documents above it, or ""
// if they are not known.
func (p paths) of(d outline.DocumentSummary) string {
	titles := p.above(d)
	if d.ParentDocumentID != "" && titles == nil {
		return ""
	}
	if name, known := p.names[d.CollectionID]; known {
		titles = append([]string{untitled(name.Name)}, titles...)
	}
	return pathOf(titles)
}

func pathOf(titles []string) string {
	return strings.Join(entriesOf(titles, untitled), " / ")
}

// parent returns the name of the parent of a document, or none if it is not known.
func (p paths) parent(d outline.DocumentSummary) documentName {
	if one, ok := p.ancestors[d.CollectionID][d.ParentDocumentID]; ok {
		return documentName{d.ParentDocumentID, one.Title, one.URLID}
	}
	return documentName{}
}

// A location is the place of a document in answers.
type location struct {
	home
	Path string `json:"path,omitempty" jsonschema:"Collection / parents"`

	above []string // titles
}

// locate returns the location of a document.
func (p paths) locate(d outline.DocumentSummary) location {
	l := location{home: homeOf(p.names, d.CollectionID), above: p.above(d)}
	if len(l.above) > 0 {
		l.Path = p.of(d)
	}
	return l
}

// without returns the location without the document right above, which an answer names
// by itself.
func (l location) without(parent parentName) location {
	if last := len(l.above) - 1; last >= 0 && parent.ParentDocumentID != "" {
		l.above = l.above[:last]
	}
	return l
}

// inShort is that of the home, with the documents above.
func (l location) inShort() string { return l.home.inShort() + l.below() }

// in is that of the home, with the documents above.
func (l location) in() string { return l.home.in() + l.below() }

// inTitles is inShort without an ID.
func (l location) inTitles() string {
	if l.CollectionName == "" {
		return ""
	}
	return " in " + titleOf(l.CollectionName) + l.below()
}

// below names the first and the last document above, as titles in between are in path.
func (l location) below() string {
	below := ""
	for i, title := range l.above {
		switch {
		case i == 0, i == len(l.above)-1:
			below += " / " + titleOf(title)
		case i == 1:
			below += " / …"
		}
	}
	return below
}
