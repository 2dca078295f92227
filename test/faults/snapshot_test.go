package faults

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// A snapshot is the state of a workspace as the API shows it. New objects are
// identified by title instead of ID, so that an object created twice appears twice.
type snapshot struct {
	objects   map[string][]string // what each object is, by its name
	blocks    map[string][]string // of the tree of each document, as JSON
	trees     map[string]string   // the titles of each collection, in their order
	revisions map[string]int      // of the documents
	human     map[string]int      // how often each of the human's marks occurs
}

// humanMark is what another user writes during a run: its own paragraph.
var humanMark = regexp.MustCompile(`^\{"content":\[\{"text":"(HUMAN-\d+)","type":"text"\}\],"type":"paragraph"\}$`)

type seenDocument struct {
	ID, Title, Icon, CollectionID, ParentDocumentID string
	Data                                            struct{ Content json.RawMessage } // the tree
	PublishedAt, ArchivedAt, DeletedAt              *string
	Revision                                        int
}

func (d seenDocument) state() string {
	switch {
	case d.DeletedAt != nil:
		return "in the trash"
	case d.ArchivedAt != nil:
		return "archived"
	case d.PublishedAt == nil:
		return "draft"
	}
	return "published"
}

type seenNode struct {
	ID, Title string
	Children  []seenNode
}

func outlineOf(nodes []seenNode) string {
	var titles []string
	for _, node := range nodes {
		title := node.Title
		if len(node.Children) > 0 {
			title += "(" + outlineOf(node.Children) + ")"
		}
		titles = append(titles, title)
	}
	return strings.Join(titles, " | ")
}

// look takes a snapshot of the workspace.
func look(w *fakeoutline.Workspace) snapshot {
	s := snapshot{map[string][]string{}, map[string][]string{}, map[string]string{}, map[string]int{}, map[string]int{}}
	read := func(endpoint string, arguments map[string]any, into any) {
		if err := direct(w, serverKey, endpoint, arguments, into); err != nil {
			panic(err)
		}
	}
	add := func(id, title, format string, values ...any) (name string) {
		name = title
		if known[id] {
			name = id
		}
		s.objects[name] = append(s.objects[name], fmt.Sprintf(format, values...))
		return name
	}
	for _, endpoint := range []string{"documents.list", "documents.drafts", "documents.archived", "documents.deleted"} {
		for offset := 0; ; offset += 100 {
			var page []seenDocument
			read(endpoint, map[string]any{"limit": 100, "offset": offset}, &page)
			for _, d := range page {
				blocks := slices.DeleteFunc(blocksOf(d.Data.Content), func(block string) bool {
					mark := humanMark.FindStringSubmatch(block)
					if mark != nil {
						s.human[mark[1]]++
					}
					return mark != nil
				})
				name := add(d.ID, "document "+d.Title, "%s in %s below %s, icon %q, %q:\n%s", d.state(), place(d.CollectionID), place(d.ParentDocumentID), d.Icon, d.Title, strings.Join(blocks, "\n"))
				s.blocks[name], s.revisions[d.ID] = blocks, d.Revision
			}
			if len(page) < 100 {
				break
			}
		}
	}
	var collections []struct{ ID, Name, Description, Color, Permission string }
	read("collections.list", map[string]any{"limit": 100}, &collections)
	for _, c := range collections {
		if mark, ok := strings.CutPrefix(c.Description, "Made by "); ok {
			s.human[mark]++
			continue
		}
		add(c.ID, "collection "+c.Name, "%q, %s, %s: %s", c.Name, c.Color, c.Permission, c.Description)
		var tree []seenNode
		read("collections.documents", map[string]any{"id": c.ID}, &tree)
		s.trees[cmp.Or(c.ID, c.Name)] = outlineOf(tree)
	}
	var templates []struct {
		ID, Title, CollectionID string
		Data                    json.RawMessage
	}
	read("templates.list", map[string]any{"limit": 100}, &templates)
	for _, t := range templates {
		add(t.ID, "template "+t.Title, "%s for %s: %s", t.Title, t.CollectionID, t.Data)
	}
	var comments []struct {
		ID, DocumentID, AnchorText string
		Data                       any
		ResolvedAt                 *time.Time
	}
	read("comments.list", map[string]any{"limit": 100, "includeAnchorText": true}, &comments)
	for _, c := range comments {
		data := canonical(c.Data)
		add(c.ID, "comment "+data, "on %s at %q, resolved %t: %s", c.DocumentID, c.AnchorText, c.ResolvedAt != nil, data)
	}
	var files []struct{ ID, Name, Size, DocumentID string }
	read("attachments.list", map[string]any{"limit": 100}, &files)
	for _, f := range files {
		add(f.ID, "file "+f.Name, "%s bytes, on %q", f.Size, f.DocumentID)
	}
	for _, of := range []string{alpha, beta, elsewhere} {
		kind, key := "documents", "documentId"
		if of == elsewhere {
			kind, key = "collections", "collectionId"
		}
		var links struct {
			Shares []struct {
				ID, URLID                        string
				Published, IncludeChildDocuments bool
			}
		}
		type grant struct{ UserID, GroupID, Permission string }
		var grants struct{ Memberships, GroupMemberships []grant }
		if direct(w, serverKey, kind+".memberships", map[string]any{"id": of}, &grants) != nil {
			continue // it is deleted
		}
		_ = direct(w, serverKey, "shares.info", map[string]any{key: of}, &links) // nobody sees that of a document in the trash
		read(kind+".group_memberships", map[string]any{"id": of}, &grants)
		for _, link := range links.Shares {
			if !link.Published && link.ID != betaLink {
				continue // a new link that opens nothing, and has no address to keep
			}
			add("", "link to "+of, "%q, published %t, with what is below %t", link.URLID, link.Published, link.IncludeChildDocuments)
		}
		for _, g := range append(grants.Memberships, grants.GroupMemberships...) {
			add("", "access to "+of, "%s%s may %s", g.UserID, g.GroupID, g.Permission)
		}
	}
	for _, values := range s.objects {
		slices.Sort(values)
	}
	return s
}

// known are the IDs that exist from the start.
var known = map[string]bool{
	handbook: true, elsewhere: true, alpha: true, alphaSub: true, beta: true, gamma: true, archived: true, binned: true, bystander: true,
	remark: true, alphaRemark: true, betaRemark: true, gammaRemark: true,
}

// place is an ID, or "new" for one that did not exist at the start.
func place(id string) string {
	if id == "" || known[id] {
		return id
	}
	return "new"
}

// differs returns the names of the objects that differ between two snapshots.
func (s snapshot) differs(other snapshot) []string {
	var names []string
	all := maps.Clone(s.objects)
	maps.Copy(all, other.objects)
	for name := range all {
		if !slices.Equal(s.objects[name], other.objects[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// same reports whether two snapshots are equal, trees included.
func (s snapshot) same(other snapshot) bool {
	return len(s.differs(other)) == 0 && slices.Equal(s.shapes(), other.shapes())
}

// shapes are the trees without new collections, which are identified by name
// elsewhere.
func (s snapshot) shapes() []string {
	return slices.Sorted(maps.Values(s.trees))
}
