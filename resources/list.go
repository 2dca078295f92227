package resources

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

const (
	collectionsPerPage = 100 // the most that Outline lists at once
	recentDocuments    = 20
)

// list returns a page of what the caller may pick: first the documents that are
// starred, pinned or were changed last, with the first collections, then further
// collections. What the credential may not list is left out, and so is what Outline does
// not say in time.
func (s *Server) list(ctx context.Context, at mcp.Cursor) (result mcp.ListResourcesResult, err error) {
	var offset int64
	if at != "" {
		if err := output.DecodeCursor(string(at), "resources", 1, nil, &offset); err != nil || offset < 1 {
			return result, output.Invalid("the cursor is not one of resources/list. Ask for the first page without a cursor")
		}
	}
	offered := s.offered(ctx)
	var collections outline.Page[outline.Collection]
	var starred, pinned, recent []outline.ListedDocument
	var requests []func() error
	if offered(Collection) {
		requests = append(requests, func() (err error) {
			collections, err = s.o.Env.Outline.Collections(ctx, outline.ListParams{Limit: collectionsPerPage, Offset: int(offset)})
			return err
		})
	}
	if offered(Document) && offset == 0 {
		requests = append(requests,
			func() (err error) { recent, err = s.o.Env.Outline.RecentDocuments(ctx, recentDocuments); return err },
			func() (err error) { starred, err = s.o.Env.Outline.StarredDocuments(ctx); return err },
			func() (err error) { pinned, err = s.o.Env.Outline.PinnedDocuments(ctx); return err })
	}
	guided := false
	if offset == 0 {
		requests = append(requests, func() error { guided = s.o.HasGuidance(ctx); return nil })
	}
	failures := make([]error, len(requests))
	mcptool.Parallel(len(requests), len(requests), func(i int) { failures[i] = requests[i]() })
	for _, err := range failures {
		switch {
		case errors.Is(err, outline.ErrTimeout):
			if server.IsModernRequest(ctx) {
				result.SetCacheHints(0, mcp.CacheScopePrivate) // something is missing
			}
		case err != nil && !errors.Is(err, outline.ErrForbidden):
			return result, err
		}
	}
	names := map[string]string{}
	for _, c := range collections.Items {
		names[c.ID] = c.Name
	}
	if guided {
		result.Resources = append(result.Resources, s.single(guidance()))
	}
	result.Resources = append(result.Resources, s.documents([]documentGroup{{"starred", 1, starred}, {"pinned", 0.9, pinned}, {"", declarationOf(Document).priority, recent}}, names)...)
	if offset == 0 {
		result.Resources = append(result.Resources, s.listedSkill(ctx))
		result.Resources = append(result.Resources, s.single(icons()))
	}
	for _, c := range collections.Items {
		result.Resources = append(result.Resources, s.collection(c))
	}
	if after := offset + int64(len(collections.Items)); len(collections.Items) > 0 && int(after) < collections.Total {
		result.NextCursor = mcp.Cursor(output.EncodeCursor("resources", 1, nil, after))
	}
	return result, nil
}

// documentGroup are documents that are listed for the same reason.
type documentGroup struct {
	reason    string // "" for those that were changed last
	priority  float64
	documents []outline.ListedDocument
}

// documents returns the resources of groups of documents, each document once. names
// are those of collections by UUID.
func (s *Server) documents(groups []documentGroup, names map[string]string) []mcp.Resource {
	d := declarationOf(Document)
	listed := []mcp.Resource{}
	at := map[string]int{}
	for _, group := range groups {
		for _, document := range group.documents {
			if i, known := at[document.ID]; known {
				if group.reason != "" {
					listed[i].Description += ", " + group.reason
				}
				continue
			}
			at[document.ID] = len(listed)
			r := s.resource(d, document.ID, cmp.Or(document.Title, "Untitled"), group.priority, document.UpdatedAt)
			r.Description = "Document"
			if name := names[document.CollectionID]; name != "" {
				r.Description += " in " + output.Quote(output.Excerpt(name, 100))
			}
			if group.reason != "" {
				r.Description += ", " + group.reason
			}
			if document.TextBytes > 0 {
				r.Size = new(int64(document.TextBytes))
			}
			listed = append(listed, r)
		}
	}
	return listed
}

func (s *Server) collection(c outline.Collection) mcp.Resource {
	d := declarationOf(Collection)
	r := s.resource(d, c.ID, c.Name, d.priority, c.UpdatedAt)
	r.Description = "Collection"
	if about := output.Excerpt(c.Description, 200); about != "" {
		r.Description += ": " + about
	}
	return r
}

// resource returns the resource of a document or collection.
func (s *Server) resource(d declaration, id, name string, priority float64, changed time.Time) mcp.Resource {
	r := mcp.Resource{URI: uriOf(d, id), Name: output.Excerpt(name, 300), MIMEType: d.mimeType}
	r.Annotations = annotations(priority)
	if !changed.IsZero() {
		r.Annotations.LastModified = changed.UTC().Format(time.RFC3339Nano)
	}
	return r
}

// single returns a resource of which there is one.
func (s *Server) single(d declaration) mcp.Resource {
	r := s.resource(d, "", d.name, d.priority, time.Time{})
	r.Title, r.Description = d.title, d.description
	return r
}

// templates returns the templates of the resources that a request may read.
func (s *Server) templates(ctx context.Context) []mcp.ResourceTemplate {
	offered := s.offered(ctx)
	templates := []mcp.ResourceTemplate{}
	for _, d := range declarations() {
		if !offered(d.name) {
			continue
		}
		t := mcp.NewResourceTemplate(d.template(), d.name)
		t.Title, t.Description, t.MIMEType, t.Icons, t.Annotations = d.title, d.description, d.mimeType, mcptool.Icons(d.icon), annotations(d.priority)
		templates = append(templates, t)
	}
	return templates
}

func annotations(priority float64) *mcp.Annotations {
	return &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser, mcp.RoleAssistant}, Priority: &priority}
}

// uriOf returns the URI of a resource by the UUID of what it shows.
func uriOf(d declaration, id string) string { return strings.Replace(d.uri(), "{id}", id, 1) }
