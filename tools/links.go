package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/search"
)

// mostTargets is how many documents are looked up for the state of the links to them, and
// mostLinks how many links are looked at.
const mostTargets, mostLinks = 300, 50_000

// A linkEntry is a link in a document.
type linkEntry struct {
	documentName
	Line  int    `json:"line" minimum:"1"`
	Text  string `json:"text"`
	To    string `json:"to" jsonschema:"As written"`
	State string `json:"state,omitempty" enum:"ok,anchor_missing,archived,in_trash,not_found,unknown" jsonschema:"Of one to a page of this wiki; not_found: deleted, or not visible to you"`

	target string // the ID of the document that it leads to; "" for others
	anchor string // of the heading that it leads to, or ""
}

// mentionOf is what stands before the ID of a document that is mentionOf, in place of an address.
const mentionOf = "mention "

// linkList lists the links in one or more documents.
type linkList struct {
	Links []linkEntry `json:"links"`
	wholeList
	Note string `json:"note,omitempty"`
}

// Cuts implements output.Cuttable.
func (l *linkList) Cuts() []output.Cut { return cutEntries(&l.Links, l.show) }

// WriteText implements output.Result.
func (l linkList) WriteText(t *output.Text) {
	t.Line("# %s%s", output.Count(l.Total, "link", "links"), l.shown())
	t.If(len(l.Links) > 0).Line("Each line: line: text, address, state of a page of this wiki")
	t.Blank()
	before := ""
	for _, link := range l.Links {
		t.If(link.DocumentID != before).Line("- %s", link.documentName)
		before = link.DocumentID
		t.Printf("  %d: %s %s", link.Line, output.Quote(link.Text), link.To)
		t.If(link.State != "").Printf(", %s", link.State)
		t.Blank()
	}
	writeNotes(t, l.Note)
	l.writeEnd(t)
}

// outgoing lists the links in a document, or in those of a collection.
func (in backlinksIn) outgoing(ctx context.Context, env mcptool.Env) (linkList, error) {
	list := linkList{Links: []linkEntry{}, wholeList: wholeList{offset: in.Offset}}
	var links []linkEntry
	var large []string        // pages that were not looked at
	read := map[string]bool{} // the documents that are known to be there, by both of their IDs
	add := func(d outline.Document) {
		read[d.ID], read[d.URLID] = true, true
		links = append(links, linksIn(env, d)...)
	}
	document, err := fetchDocument(ctx, env, in.DocumentID)
	if err == nil {
		if err := checkParsed(document); err != nil {
			return list, withDocument(document, err)
		}
		add(document)
	} else {
		collection, notOne := collectionID(ctx, env, in.DocumentID)
		if notOne == nil {
			_, notOne = env.Outline.Collection(ctx, collection)
		}
		if notOne != nil {
			return list, withDocument(document, err)
		}
		scan := newTextScan(env, collection, nil, func(context.Context, outline.Document) bool { return true })
		for page, err := range scan.pages(ctx) {
			if err != nil {
				return list, err
			}
			for _, d := range page {
				if len(links) >= mostLinks {
					list.Note = fmt.Sprintf("only the first %d links were looked at, up to those in %s; give document_id for others", len(links), links[len(links)-1].documentName)
					break
				}
				if checkParsed(d.Document) != nil {
					large = append(large, nameOf(d.DocumentSummary).String())
					continue
				}
				add(d.Document)
			}
		}
	}
	if large != nil {
		list.Note = strings.Join(nonEmpty(list.Note, "too large to be looked through: "+firstParts(large)), "; ")
	}
	if err := addStates(ctx, env, links, read); err != nil {
		return list, err
	}
	for _, link := range links {
		if in.Broken && (link.State == "" || link.State == "ok") {
			continue
		}
		if list.Total++; list.Total > in.Offset {
			list.Links = append(list.Links, link)
		}
	}
	list.show(len(list.Links))
	return list, nil
}

// linksIn returns the links in the text of a document, in order.
func linksIn(env mcptool.Env, d outline.Document) (links []linkEntry) {
	lines, linked := lineFinder{text: d.Text, line: 1}, ""
	add := func(to, shown, target string) {
		links = append(links, linkEntry{documentName: nameOf(d.DocumentSummary), Line: lines.of(strings.TrimPrefix(to, mentionOf)), Text: output.Excerpt(shown, longestTitle), To: output.Excerpt(to, 1000), target: target, anchor: anchorIn(to)})
	}
	prosemirror.Walk(prosemirror.Parse(d.Text), func(n *prosemirror.Node) bool {
		link, _ := n.Mark(prosemirror.Link)
		switch href := link.Attrs.String("href"); {
		case n.Type == prosemirror.Mention && n.Attrs.String("type") == "document":
			target := n.Attrs.String("modelId")
			add(mentionOf+target, n.Attrs.String("label"), target)
		case n.Type != prosemirror.Text:
			linked = ""
		case href != linked: // a link with several marks is several texts
			if linked = href; href != "" {
				add(href, n.Text, targetOf(env, d, href))
			}
		}
		return true
	})
	return links
}

// targetOf returns the ID of the document of this wiki that an address leads to, or "".
func targetOf(env mcptool.Env, in outline.Document, href string) string {
	address, _, _ := strings.Cut(href, "#")
	if address == "" {
		return in.ID
	}
	if !strings.Contains(address, "/doc/") {
		return ""
	}
	id, err := env.Outline.ParseDocumentID(address)
	if err != nil {
		return ""
	}
	return id
}

// anchorIn returns the anchor of the heading that an address leads to, or "". Comments have
// other anchors, and browsers keep what follows :~: to themselves.
func anchorIn(href string) string {
	anchor, _, _ := strings.Cut(search.Fragment(href), ":~:")
	if strings.HasPrefix(anchor, "comment-") {
		return ""
	}
	return anchor
}

// addStates looks up the documents that links lead to, but for those that are known to be
// there, and says what became of each.
func addStates(ctx context.Context, env mcptool.Env, links []linkEntry, known map[string]bool) error {
	var targets []string
	asked := map[string]int{}
	for _, link := range links {
		if _, is := asked[link.target]; link.target != "" && !is && (!known[link.target] || link.anchor != "") && len(targets) < mostTargets {
			asked[link.target] = len(targets)
			targets = append(targets, link.target)
		}
	}
	there := make([]targetState, len(targets))
	mcptool.Parallel(env.BatchConcurrency, len(targets), func(i int) {
		if there[i].err = ctx.Err(); there[i].err == nil {
			there[i] = stateOfTarget(env.Outline.Document(ctx, targets[i]))
		}
	})
	for i := range links {
		link := &links[i]
		at, is := asked[link.target]
		switch {
		case link.target == "":
		case !is && known[link.target]:
			link.State = "ok"
		case !is:
			link.State = "unknown"
		case there[at].err != nil:
			return there[at].err
		default:
			link.State = there[at].of(link.anchor)
		}
	}
	return nil
}

// A targetState is the state of a document that links lead to.
type targetState struct {
	state   string
	anchors []string // sorted; nil if they are not known
	err     error
}

// stateOfTarget returns the state of a document, given the answer to its look-up.
func stateOfTarget(d outline.Document, err error) targetState {
	switch {
	case errors.Is(err, outline.ErrNotFound), errors.Is(err, outline.ErrForbidden):
		return targetState{state: "not_found"}
	case err != nil:
		return targetState{err: err}
	case d.DeletedAt != nil:
		return targetState{state: "in_trash"}
	case d.ArchivedAt != nil:
		return targetState{state: "archived"}
	case checkParsed(d) != nil:
		return targetState{state: "ok"}
	}
	anchors := search.Anchors(sluggedOf(prosemirror.Sections(d.Text)))
	slices.Sort(anchors)
	return targetState{state: "ok", anchors: anchors}
}

// of returns the state of a link to a heading of the document, or to the document.
func (t targetState) of(anchor string) string {
	if _, is := slices.BinarySearch(t.anchors, anchor); anchor != "" && t.anchors != nil && !is {
		return "anchor_missing"
	}
	return t.state
}

// A lineFinder finds the lines of addresses that are in a text in the order in which they
// are asked for. The tree does not know lines.
type lineFinder struct {
	text               string
	read, line, missed int
}

// of returns the line of the next place of an address that is not a part of a longer one. To
// look for many that are not there would take long, so that the line stays after a hundred
// of them.
func (f *lineFinder) of(address string) int {
	for from := f.read; f.missed < 100; {
		at := strings.Index(f.text[from:], address)
		if at < 0 || address == "" {
			f.missed++
			break
		}
		before, _ := utf8.DecodeLastRuneInString(f.text[:from+at])
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(f.text[from+at+len(address):], "."))
		from += at + len(address)
		if !(address[0] == '/' && isOfWord(before)) && !isOfWord(after) && !strings.ContainsRune("/?#&=%-~", after) {
			f.line += strings.Count(f.text[f.read:from], "\n")
			f.read = from
			break
		}
	}
	return f.line
}
