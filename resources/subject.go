package resources

import (
	"context"
	"fmt"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// A feedKind is a kind of things that change, each with its own list in Outline.
type feedKind int

// The kinds.
const (
	kindDocument   feedKind = iota // its text, title, place and state
	kindComments                   // the comments on a document
	kindCollection                 // its tree, name and description
	feedKinds
)

// A thing is what the URI of a resource stands for.
type thing struct {
	kind feedKind
	id   string // the UUID by which Outline lists it, or another form of its ID before find
}

// thingOf returns what the URI of a resource stands for. A revision never changes, nor
// does an attachment, and changes of backlinks are not looked for.
func thingOf(client *outline.Client, uri string) (what thing, err error) {
	named, err := Parse(uri)
	if err != nil {
		return thing{}, err
	}
	parse := client.ParseDocumentID
	switch named.Name {
	case Document, DocumentOutline:
		what.kind = kindDocument
	case DocumentComments:
		what.kind = kindComments
	case Collection:
		what.kind, parse = kindCollection, client.ParseCollectionID
	default:
		return thing{}, output.Failure{Code: output.NotFound, Sentence: "changes of this resource are not reported. Subscribe to documents, their outlines and comments, and collections."}
	}
	what.id, err = parse(named.ID)
	return what, err
}

// A subject is a principal with listeners. Its state is guarded by the mutex of the
// service, except for the fields that are guarded by asking.
type subject struct {
	name      string
	service   *Subscriptions
	principal auth.Principal     // of the latest listener, whose credential lasts longest
	stop      context.CancelFunc // ends the poller
	listeners map[*Listener]bool
	watched   map[thing]*watch
	changed   time.Time // when something watched last did

	asking chan struct{}   // held for a request to a feed
	feeds  [feedKinds]feed // guarded by asking
	begun  [feedKinds]bool // guarded by asking
}

// A watch is the state of a thing that listeners have subscribed to.
type watch struct {
	listeners  int
	version    string
	collection string // of a document: the UUID of its collection, or ""
	archived   bool   // with its collection
}

// A feed finds out what has changed by requests to Outline. Its state is guarded by
// asking.
type feed interface {
	// ask makes one request.
	ask(context.Context, *outline.Client) (news, error)
}

// news is what a feed has found. A thing has changed if its version has.
type news struct {
	versions map[string]string // of what is listed, by UUID
	places   map[string]string // of documents that are listed: the collections, by UUID
	archived map[string]string // unless nil, all archived collections, by UUID
	all      bool              // anything may have changed
	complete bool              // what is not listed is gone
	soon     bool              // the feed has to make a further request soon
}

// goneVersion is the version of what a complete list does not contain.
const goneVersion = "gone"

func (s *Subscriptions) newSubject(name string) *subject {
	polling, stop := context.WithCancel(context.Background()) // no request outlasts Close
	of := &subject{
		name: name, service: s, stop: stop,
		listeners: map[*Listener]bool{}, watched: map[thing]*watch{}, asking: make(chan struct{}, 1),
		feeds: [feedKinds]feed{kindDocument: &documentFeed{}, kindComments: &commentFeed{}, kindCollection: &collectionFeed{}},
	}
	s.pollers.Go(func() { of.poll(outline.WithCallOptions(polling, outline.NoRetries())) })
	return of
}

func (of *subject) who() auth.Principal {
	of.service.mu.Lock()
	defer of.service.mu.Unlock()
	return of.principal
}

// begin makes the first request to a feed, which later ones are compared with. It
// fails if the caller may not make it.
func (of *subject) begin(ctx context.Context, kind feedKind) error {
	select {
	case of.asking <- struct{}{}:
		defer func() { <-of.asking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if of.begun[kind] {
		return nil
	}
	_, err := of.feeds[kind].ask(ctx, of.service.options.Outline)
	of.begun[kind] = err == nil
	return err
}

// find returns a thing by its UUID, and its state.
func (of *subject) find(ctx context.Context, t thing) (thing, watch, error) {
	client := of.service.options.Outline
	if t.kind == kindCollection {
		collection, err := client.Collection(ctx, t.id)
		return thing{t.kind, collection.ID}, watch{version: versionOfCollection(collection)}, err
	}
	document, err := client.Document(ctx, t.id)
	what := thing{t.kind, document.ID}
	if err != nil || t.kind == kindComments {
		return what, watch{}, err
	}
	state := watch{version: versionOfDocument(document.DocumentSummary), collection: document.CollectionID}
	if document.ArchivedAt != nil && state.collection != "" {
		collection, err := client.Collection(ctx, state.collection)
		state.archived = err == nil && collection.ArchivedAt != nil // else it is reported once too often
	}
	return what, state, nil
}

// watch begins to watch a thing. The caller holds the mutex of the service.
func (of *subject) watch(what thing, state watch) {
	if w := of.watched[what]; w != nil {
		w.listeners++
		return
	}
	state.listeners = 1
	of.watched[what] = &state
}

// unwatch undoes one watch. The caller holds the mutex of the service.
func (of *subject) unwatch(what thing) {
	w := of.watched[what]
	if w.listeners--; w.listeners == 0 {
		delete(of.watched, what)
	}
}

// needed returns the kinds of the things that are watched.
func (of *subject) needed() []feedKind {
	of.service.mu.Lock()
	defer of.service.mu.Unlock()
	var has [feedKinds]bool
	for what := range of.watched {
		has[what.kind] = true
	}
	var list []feedKind
	for kind, needed := range has {
		if needed {
			list = append(list, feedKind(kind))
		}
	}
	return list
}

// publish tells the listeners what has changed according to news of a kind.
func (of *subject) publish(kind feedKind, n news) {
	of.service.mu.Lock()
	defer of.service.mu.Unlock()
	changed := map[thing]bool{}
	for what, w := range of.watched {
		if what.kind != kind {
			continue
		}
		if n.archived != nil {
			_, archived := n.archived[w.collection]
			if archived != w.archived {
				w.archived, changed[what] = archived, true
			}
			continue
		}
		if place, listed := n.places[what.id]; listed {
			w.collection = place
		}
		version, listed := n.versions[what.id]
		if !listed && n.complete {
			version, listed = goneVersion, true
		}
		if n.all || listed && version != w.version {
			changed[what] = true
		}
		if listed {
			w.version = version
		}
	}
	if len(changed) == 0 {
		return
	}
	of.changed = time.Now()
	for l := range of.listeners {
		l.tell(func(what thing) bool { return changed[what] })
	}
}

// versionOfDocument does not contain the revision number: Outline raises it some time
// after a change, too, when it writes the revision.
func versionOfDocument(d outline.DocumentSummary) string {
	return fmt.Sprint(d.UpdatedAt.UnixMilli(), d.Status(), d.CollectionID, d.ParentDocumentID)
}

func versionOfCollection(c outline.Collection) string {
	if c.ArchivedAt != nil {
		return goneVersion // as its list says
	}
	return fmt.Sprint(c.UpdatedAt.UnixMilli())
}
