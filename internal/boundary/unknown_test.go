package boundary_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/boundary"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// A counter counts requests.
type counter struct {
	to http.RoundTripper
	mu sync.Mutex
	n  int
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	return c.to.RoundTrip(r)
}

// limitedClient returns a client of a wiki with rules, its context, and the number of
// its requests so far.
func (w *wiki) limitedClient(t *testing.T, r boundary.Rules, release fakeoutline.Release) (*outline.Client, context.Context, func() int) {
	t.Helper()
	count := &counter{to: w.start(t, release).Transport()}
	c, err := outline.New(outline.Options{
		BaseURL: fakeoutline.BaseURL, Transport: count, Bounds: boundary.New(r, nil, nil),
		Credentials: outline.StaticKey(myKey),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, auth.NewContext(t.Context(), auth.ForAPIKey(myKey)), func() int {
		count.mu.Lock()
		defer count.mu.Unlock()
		return count.n
	}
}

// IDs are those of one thing of each kind.
type ids struct{ collection, document, comment, revision, template, export, attachment string }

// first returns the IDs of things in a collection.
func (w *wiki) first(collection int) ids {
	of := func(kind string) string {
		for _, is := range w.things {
			if is.kind == kind && is.collection == collection {
				return is.id
			}
		}
		return ""
	}
	return ids{of("collection"), of("document"), of("comment"), of("revision"), of("template"), of("export"), of("attachment")}
}

// calls are calls of the client that name something.
func calls(c *outline.Client, inside ids) map[string]func(context.Context, ids) error {
	title, open := "x", false
	text := strings.NewReader("x")
	return map[string]func(context.Context, ids) error{
		"collections.info":      func(ctx context.Context, x ids) error { return failure(c.Collection(ctx, x.collection)) },
		"collections.documents": func(ctx context.Context, x ids) error { return failure(c.CollectionDocuments(ctx, x.collection)) },
		"collections.update": func(ctx context.Context, x ids) error {
			return failure(c.UpdateCollection(ctx, outline.UpdateCollectionParams{ID: x.collection, Name: &title}))
		},
		"collections.archive":    func(ctx context.Context, x ids) error { return failure(c.ArchiveCollection(ctx, x.collection, true)) },
		"collections.restore":    func(ctx context.Context, x ids) error { return failure(c.ArchiveCollection(ctx, x.collection, false)) },
		"collections.delete":     func(ctx context.Context, x ids) error { return c.DeleteCollection(ctx, x.collection) },
		"collections.export":     func(ctx context.Context, x ids) error { return failure(c.ExportCollection(ctx, x.collection, "")) },
		"documents.info":         func(ctx context.Context, x ids) error { return failure(c.Document(ctx, x.document)) },
		"documents.info as tree": func(ctx context.Context, x ids) error { return failure(c.DocumentWithTree(ctx, x.document)) },
		"documents.export":       func(ctx context.Context, x ids) error { return failure(c.ExportDocument(ctx, x.document)) },
		"documents.list of a collection": func(ctx context.Context, x ids) error {
			return failure(c.Documents(ctx, outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CollectionID: x.collection}}))
		},
		"documents.list below": func(ctx context.Context, x ids) error {
			return failure(c.Documents(ctx, outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{ParentDocumentID: x.document}}))
		},
		"documents.list by filters": func(ctx context.Context, x ids) error {
			return failure(c.Documents(ctx, outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CollectionID: x.collection, TitleContains: "a"}}))
		},
		"documents.search in a collection": func(ctx context.Context, x ids) error {
			return failure(c.Search(ctx, outline.SearchParams{Query: common, CollectionID: x.collection}))
		},
		"documents.search below": func(ctx context.Context, x ids) error {
			return failure(c.Search(ctx, outline.SearchParams{Query: common, Below: x.document}))
		},
		"documents.search_titles": func(ctx context.Context, x ids) error {
			return failure(c.TitlesLike(ctx, outline.SearchParams{Query: "Page", CollectionID: x.collection}))
		},
		"documents.archived": func(ctx context.Context, x ids) error {
			return failure(c.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: x.collection}))
		},
		"documents.create": func(ctx context.Context, x ids) error {
			return failure(c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x", CollectionID: x.collection, Publish: true}))
		},
		"documents.create below": func(ctx context.Context, x ids) error {
			return failure(c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x", ParentDocumentID: x.document}))
		},
		"documents.create from a template": func(ctx context.Context, x ids) error {
			return failure(c.CreateDocument(ctx, outline.CreateDocumentParams{CollectionID: inside.collection, TemplateID: x.template}))
		},
		"documents.import": func(ctx context.Context, x ids) error {
			return failure(c.ImportDocument(ctx, outline.ImportDocumentParams{Name: "x.md", ContentType: "text/markdown", Size: 1, CollectionID: x.collection}, text))
		},
		"documents.import below": func(ctx context.Context, x ids) error {
			return failure(c.ImportDocument(ctx, outline.ImportDocumentParams{Name: "x.md", ContentType: "text/markdown", Size: 1, ParentDocumentID: x.document}, text))
		},
		"documents.update": func(ctx context.Context, x ids) error {
			return failure(edit.Update(ctx, c, edit.Params{ID: x.document, Title: &title}))
		},
		"documents.move": func(ctx context.Context, x ids) error {
			return failure(c.MoveDocument(ctx, outline.MoveDocumentParams{ID: x.document, CollectionID: inside.collection}))
		},
		"documents.move elsewhere": func(ctx context.Context, x ids) error {
			return failure(c.MoveDocument(ctx, outline.MoveDocumentParams{ID: inside.document, CollectionID: x.collection}))
		},
		"documents.move below": func(ctx context.Context, x ids) error {
			return failure(c.MoveDocument(ctx, outline.MoveDocumentParams{ID: inside.document, ParentDocumentID: x.document}))
		},
		"documents.restore": func(ctx context.Context, x ids) error {
			return failure(c.RestoreDocument(ctx, x.document, inside.collection))
		},
		"documents.unarchive": func(ctx context.Context, x ids) error { return failure(c.UnarchiveDocument(ctx, x.document)) },
		"documents.duplicate": func(ctx context.Context, x ids) error {
			return failure(c.DuplicateDocument(ctx, outline.DocumentSummary{ID: x.document}, outline.DuplicateDocumentParams{CollectionID: inside.collection}))
		},
		"documents.unpublish": func(ctx context.Context, x ids) error { return failure(c.UnpublishDocument(ctx, x.document)) },
		"documents.archive":   func(ctx context.Context, x ids) error { return failure(c.ArchiveDocument(ctx, x.document)) },
		"documents.delete":    func(ctx context.Context, x ids) error { return c.DeleteDocument(ctx, x.document, false) },
		"documents.memberships": func(ctx context.Context, x ids) error {
			return failure(c.Grants(ctx, outline.Place{DocumentID: x.document}))
		},
		"collections.memberships": func(ctx context.Context, x ids) error {
			return failure(c.Grants(ctx, outline.Place{CollectionID: x.collection}))
		},
		"documents.add_user": func(ctx context.Context, x ids) error {
			return c.SetGrant(ctx, outline.Place{DocumentID: x.document}, outline.Grant{UserID: another, Permission: "read"})
		},
		"documents.remove_group": func(ctx context.Context, x ids) error {
			return c.SetGrant(ctx, outline.Place{DocumentID: x.document}, outline.Grant{GroupID: x.document})
		},
		"collections.add_group": func(ctx context.Context, x ids) error {
			return c.SetGrant(ctx, outline.Place{CollectionID: x.collection}, outline.Grant{GroupID: x.document, Permission: "read"})
		},
		"collections.remove_user": func(ctx context.Context, x ids) error {
			return c.SetGrant(ctx, outline.Place{CollectionID: x.collection}, outline.Grant{UserID: another})
		},
		"shares.create": func(ctx context.Context, x ids) error {
			return failure(c.SetShare(ctx, outline.Place{DocumentID: x.document}, outline.ShareParams{Published: true}))
		},
		"shares.create of a collection": func(ctx context.Context, x ids) error {
			return failure(c.SetShare(ctx, outline.Place{CollectionID: x.collection}, outline.ShareParams{Published: true}))
		},
		"shares.info": func(ctx context.Context, x ids) error {
			return failure(c.Share(ctx, outline.Place{DocumentID: x.document}))
		},
		"shares.revoke": func(ctx context.Context, x ids) error {
			return c.EndShare(ctx, outline.Share{ID: x.document, Place: outline.Place{DocumentID: x.document}})
		},
		"shares.revoke of a collection": func(ctx context.Context, x ids) error {
			return c.EndShare(ctx, outline.Share{ID: x.document, Place: outline.Place{CollectionID: x.collection}})
		},
		"revisions.list": func(ctx context.Context, x ids) error {
			return failure(c.Revisions(ctx, outline.RevisionsParams{DocumentID: x.document}))
		},
		"revisions.info": func(ctx context.Context, x ids) error { return failure(c.RevisionText(ctx, x.revision)) },
		"templates.list": func(ctx context.Context, x ids) error {
			return failure(c.Templates(ctx, outline.TemplateParams{CollectionID: x.collection}))
		},
		"templates.info": func(ctx context.Context, x ids) error { return failure(c.Template(ctx, x.template)) },
		"comments.list": func(ctx context.Context, x ids) error {
			return failure(c.Comments(ctx, outline.CommentParams{DocumentID: x.document}))
		},
		"comments.list of a collection": func(ctx context.Context, x ids) error {
			return failure(c.Comments(ctx, outline.CommentParams{CollectionID: x.collection}))
		},
		"comments.info": func(ctx context.Context, x ids) error { return failure(c.Comment(ctx, x.comment)) },
		"comments.create": func(ctx context.Context, x ids) error {
			return failure(c.CreateComment(ctx, outline.CreateCommentParams{DocumentID: x.document, Text: "x"}))
		},
		"comments.update": func(ctx context.Context, x ids) error {
			return failure(c.UpdateComment(ctx, outline.Comment{ID: x.comment}, "x"))
		},
		"comments.resolve":   func(ctx context.Context, x ids) error { return failure(c.ResolveComment(ctx, x.comment, true)) },
		"comments.unresolve": func(ctx context.Context, x ids) error { return failure(c.ResolveComment(ctx, x.comment, open)) },
		"comments.delete":    func(ctx context.Context, x ids) error { return c.DeleteComment(ctx, x.comment) },
		"attachments.create": func(ctx context.Context, x ids) error {
			return failure(c.CreateAttachment(ctx, outline.UploadParams{Name: "x", Size: 1, DocumentID: x.document}))
		},
		"attachments.redirect": func(ctx context.Context, x ids) error {
			return failure(c.AttachmentLink(ctx, x.attachment, x.document))
		},
		"attachments.redirect with another document": func(ctx context.Context, x ids) error {
			return failure(c.AttachmentLink(ctx, x.attachment, inside.document))
		},
		"fileOperations.info":     func(ctx context.Context, x ids) error { return failure(c.FileOperation(ctx, x.export)) },
		"fileOperations.redirect": func(ctx context.Context, x ids) error { return failure(c.ExportLink(ctx, x.export)) },
	}
}

func failure[T any](_ T, err error) error { return err }

// described is an error without IDs.
func described(err error) string {
	if err == nil {
		return "it succeeds"
	}
	return err.Error()
}

// unknown are IDs of nothing.
var unknown = func() ids {
	const id = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
	return ids{id, id, id, id, id, id, id}
}()

func TestWhatIsOutsideLooksAndLastsLikeWhatDoesNotExist(t *testing.T) {
	releases := fakeoutline.Releases()
	for _, release := range fixtures.Some([]fakeoutline.Release{"", releases[0], releases[len(releases)-1]}, 1) {
		for which, choose := range map[string]func(*wiki) boundary.Rules{
			"shown by UUID": func(w *wiki) boundary.Rules {
				return boundary.Rules{Only: []string{w.seed.Collections[0].ID}, Drafts: true}
			},
			"shown by name": func(w *wiki) boundary.Rules { return boundary.Rules{Only: []string{w.names[0]}, Drafts: true} },
			"excluded by UUID": func(w *wiki) boundary.Rules {
				return boundary.Rules{Except: []string{w.seed.Collections[1].ID}, Drafts: true}
			},
			"excluded by UUID, with others to write in": func(w *wiki) boundary.Rules {
				return boundary.Rules{Except: []string{w.seed.Collections[1].ID}, Write: []string{w.seed.Collections[0].ID}, Drafts: true}
			},
			"excluded by name": func(w *wiki) boundary.Rules { return boundary.Rules{Except: []string{w.names[1]}, Drafts: true} },
		} {
			w := newWiki(rand.New(rand.NewPCG(1, 1)))
			rules := choose(w)
			c, ctx, requests := w.limitedClient(t, rules, release)
			_, _ = c.KnowsRevisions(ctx) // what the client asks once
			for name, call := range calls(c, w.first(0)) {
				t.Run(string(release)+" "+which+" "+name, func(t *testing.T) {
					_, _ = c.Documents(ctx, outline.DocumentListParams{}) // so that the collections are known
					before := requests()
					about := call(ctx, w.first(1))
					outside := requests() - before
					before = requests()
					nothing := call(ctx, unknown)
					took := requests() - before
					switch name {
					case "comments.info", "comments.update", "comments.resolve", "comments.unresolve", "comments.delete", "revisions.info", "shares.revoke of a collection":
						took = outside // what it belongs to is looked up only if there is one
					}
					if took != outside {
						t.Errorf("outside takes %d requests, something unknown %d", outside, took)
					}
					if described(about) != described(nothing) {
						t.Errorf("outside is %q, something unknown %q", described(about), described(nothing))
					}
				})
			}
		}
	}
}

func TestWhatIsInsideWorks(t *testing.T) {
	w := newWiki(rand.New(rand.NewPCG(1, 1)))
	c, ctx, _ := w.limitedClient(t, boundary.Rules{Only: []string{w.seed.Collections[0].ID}, Drafts: true}, "")
	inside := w.first(0)
	for name, call := range calls(c, inside) {
		switch name {
		case "collections.delete", "collections.archive", "collections.restore", "documents.delete", "documents.archive", "documents.unarchive", "documents.restore",
			"documents.unpublish", "comments.delete", "documents.move below", "documents.create from a template", "documents.import", "documents.import below", "comments.unresolve",
			"documents.remove_group", "collections.add_group", "collections.remove_user", "shares.revoke", "shares.revoke of a collection":
			continue // changes what the others need, or is wrong as it is
		}
		if err := call(ctx, inside); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWritingIsRefusedWhereOnlyReadingIsAllowed(t *testing.T) {
	w := newWiki(rand.New(rand.NewPCG(1, 1)))
	c, ctx, _ := w.limitedClient(t, boundary.Rules{Write: []string{w.names[0]}, Drafts: true}, "")
	reading := []string{"list", "info", "search", "documents", "export", "archived", "redirect", "duplicate", "memberships"}
	for name, call := range calls(c, w.first(0)) {
		_, method, _ := strings.Cut(name, ".")
		method, _, _ = strings.Cut(method, " ")
		method, _, _ = strings.Cut(method, "_")
		read := false
		for _, one := range reading {
			read = read || method == one
		}
		if read || name == "documents.create from a template" {
			continue
		}
		err := call(ctx, w.first(1))
		refused, ok := errors.AsType[output.Failure](err)
		if !ok || refused.Code != output.Forbidden || !strings.Contains(refused.Next, w.names[0]) {
			t.Errorf("%s: %v does not say that writing is not allowed there, and where it is", name, err)
		}
	}
	if err := failure(c.CreateCollection(ctx, outline.CreateCollectionParams{Name: "x"})); !errors.Is(err, outline.ErrWithheld) {
		t.Errorf("a collection is created: %v", err)
	}
	if err := failure(c.CreateTemplate(ctx, outline.CreateTemplateParams{Title: "x"})); !errors.Is(err, outline.ErrWithheld) {
		t.Errorf("a template for all collections is created: %v", err)
	}
	if _, err := c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x"}); err != nil {
		t.Errorf("a draft of one's own is refused: %v", err)
	}
}

func TestDraftsOfOthersAreNotChangedWhereWritingIsLimited(t *testing.T) {
	found := 0
	for seed := range uint64(20) {
		w := newWiki(rand.New(rand.NewPCG(seed, 1)))
		c, ctx, _ := w.limitedClient(t, boundary.Rules{Write: []string{w.names[0]}, Drafts: true}, "")
		for _, is := range w.of("document") {
			if is.collection >= 0 {
				continue
			}
			if _, err := c.Document(ctx, is.id); err != nil {
				continue // it is not shared with the caller
			}
			_, err := c.CreateComment(ctx, outline.CreateCommentParams{DocumentID: is.id, Text: "x"})
			if is.mine {
				if err != nil {
					t.Errorf("the caller's own draft: %v", err)
				}
				continue
			}
			found++
			if refused, _ := errors.AsType[output.Failure](err); refused.Code != output.Forbidden {
				t.Errorf("a draft of another else: %v", err)
			}
		}
	}
	if found == 0 {
		t.Error("no wiki has a draft that another else shares")
	}
}

func TestWhatIsAboutTheWholeWorkspaceIsRefused(t *testing.T) {
	w := newWiki(rand.New(rand.NewPCG(1, 1)))
	for name, rules := range map[string]boundary.Rules{
		"some are shown": {Only: []string{w.names[0]}, Drafts: true}, "one is hidden": {Except: []string{w.names[0]}, Drafts: true}, "drafts are hidden": {},
	} {
		if !rules.Hide() || len(boundary.WholeWorkspace()) != 2 {
			t.Error("tools that cannot work are offered where " + name)
		}
		c, ctx, requests := w.limitedClient(t, rules, "")
		_, _ = c.Collections(ctx, outline.ListParams{})
		before := requests()
		for what, err := range map[string]error{
			"the AI": failure(c.AnswerQuestion(ctx, outline.QuestionParams{Query: common})), "an export": failure(c.ExportAllCollections(ctx, "")),
		} {
			if refused, _ := errors.AsType[output.Failure](err); refused.Code != output.Forbidden {
				t.Errorf("%s where %s: %v", what, name, err)
			}
		}
		if requests() != before {
			t.Errorf("Outline is asked where %s", name)
		}
	}
}

func TestAClientWithoutLimitsMakesNoFurtherRequest(t *testing.T) {
	w := newWiki(rand.New(rand.NewPCG(1, 1)))
	c, ctx, requests := w.limitedClient(t, boundary.Rules{Drafts: true}, "")
	if _, err := c.Documents(ctx, outline.DocumentListParams{}); err != nil || requests() != 1 {
		t.Error(err, requests())
	}
}
