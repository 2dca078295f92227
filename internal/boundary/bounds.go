package boundary

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/outline/expiring"
	"outline-mcp/output"
)

// Bounds implement outline.Bounds: they apply the operator's rules, and those of each
// request, to every call of an Outline client.
type Bounds struct {
	rules    Rules
	operator *auth.Principal // nil for each caller
	log      *slog.Logger

	// What Outline says to one caller, kept for a short time. Nothing is shared between
	// subjects.
	collections expiring.Map[string, []Collection] // by subject
	users       expiring.Map[string, string]       // IDs by subject
	lists       expiring.Map[string, places]       // by listKey

	mu     sync.Mutex
	logged map[problem]bool             // in the log
	names  map[string]map[string]string // UUIDs by what names have meant, by subject
}

// lifetime is how long the collections and the user ID are kept.
const lifetime = time.Minute

// New returns the bounds of a server. Names in the rules are those of the collections that
// the operator sees; without a credential of its own, the operator sees no names. On a
// server with one caller, who is the operator, it is nil. A nil log discards.
func New(r Rules, operator *auth.Principal, log *slog.Logger) *Bounds {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Bounds{rules: r, operator: operator, log: log, logged: map[problem]bool{}, names: map[string]map[string]string{}}
}

// Apply implements outline.Bounds.
func (b *Bounds) Apply(ctx context.Context) bool {
	principal, _ := auth.FromContext(ctx)
	return b.rules.limits() || len(principal.Collections) > 0
}

// Do implements outline.Bounds.
func (b *Bounds) Do(ctx context.Context, x *outline.Exchange) error {
	carryOut, known := endpoints[x.Endpoint]
	if !known {
		return output.Failure{Code: output.Unsupported, Sentence: x.Endpoint + " is not available on a server that is limited to some collections."}
	}
	e := &exchange{Exchange: x, bounds: b, params: map[string]json.RawMessage{}}
	e.principal, _ = auth.FromContext(ctx)
	if err := json.Unmarshal(x.Params, &e.params); err != nil || e.params == nil {
		e.params = map[string]json.RawMessage{}
	}
	if err := e.look(ctx); err != nil {
		return err
	}
	err := carryOut(ctx, e)
	if x.Command() {
		b.forgetPlaces(e.principal.Subject)
	}
	if x.Command() && changesCollections(x.Endpoint) && (err == nil || outline.OutcomeUnknown(err)) {
		b.collections.Delete(e.principal.Subject)
	}
	return err
}

// look finds out what is inside for the caller.
func (e *exchange) look(ctx context.Context) error {
	r, narrowing := e.bounds.rules, e.principal.Collections
	var listed []Collection
	if needsNames(r.Only, r.Except, r.Write, narrowing) {
		var err error
		if listed, err = e.collections(ctx); err != nil {
			return err
		}
	}
	resolved, err := e.resolved(ctx, listed)
	if err != nil {
		return err
	}
	e.view = newView(resolved, narrowing, listed, !needsNames(r.Except))
	return nil
}

// resolved returns the operator's rules with UUIDs in place of names, as the operator sees
// them. listed are the collections that the caller sees.
func (e *exchange) resolved(ctx context.Context, listed []Collection) (Rules, error) {
	b, r, who := e.bounds, e.bounds.rules, e.principal
	if !needsNames(r.Only, r.Except, r.Write) {
		return r, nil
	}
	if b.operator != nil {
		who = *b.operator
	}
	if who.Subject == "" { // callers choose names, and share none
		listed = slices.Clone(listed)
		for i := range listed {
			listed[i].Name = ""
		}
	} else if b.operator != nil {
		as := *e
		as.principal = who
		var err error
		if listed, err = as.collections(auth.NewContext(ctx, who)); err != nil {
			return r, err
		}
	}
	b.mu.Lock()
	if b.names[who.Subject] == nil {
		b.names[who.Subject] = map[string]string{}
	}
	resolved, problems := r.resolve(listed, b.names[who.Subject])
	b.mu.Unlock()
	b.tell(ctx, problems)
	return resolved, nil
}

// collections returns all collections that the caller sees, archived ones included.
func (e *exchange) collections(ctx context.Context) ([]Collection, error) {
	if kept, ok := e.bounds.collections.Get(e.principal.Subject); ok {
		return kept, nil
	}
	all := []Collection{}
	for _, archived := range []bool{false, true} {
		found, err := outline.Collect(outline.All(ctx, func(ctx context.Context, p outline.ListParams) (outline.Page[Collection], error) {
			params := map[string]any{"limit": p.Limit, "offset": p.Offset}
			if archived {
				params["statusFilter"] = []string{"archived"}
			}
			page, err := ask[[]Collection](ctx, e, "collections.list", params)
			return outline.Page[Collection]{Items: page}, err
		}, outline.Paging{}))
		if err != nil {
			return nil, namesUnknown(err)
		}
		all = append(all, found...)
	}
	if e.principal.Subject != "" { // otherwise there is nobody to keep it for
		e.bounds.collections.Set(e.principal.Subject, all, lifetime)
	}
	return all, nil
}

// user returns the ID of the caller.
func (e *exchange) user(ctx context.Context) (string, error) {
	if id, ok := e.bounds.users.Get(e.principal.Subject); ok {
		return id, nil
	}
	info, err := ask[outline.AuthInfo](ctx, e, "auth.info", struct{}{})
	if outlineRefuses(err) {
		return "", nil // and sees no drafts
	}
	if err != nil {
		return "", err
	}
	id := info.User.ID
	if e.principal.Subject != "" && id != "" {
		e.bounds.users.Set(e.principal.Subject, id, lifetime)
	}
	return id, nil
}

// A place is where a page of a merged list begins.
type place struct {
	positions []int // in each source; nil if it is not known
	total     *int  // of the whole list; nil if it is not known
}

// places are those of one list, by offset, so that the next page continues where the last
// one ended.
type places struct {
	subject string
	begins  map[int][]int
	total   *int
}

// keepPlaces is how long places are kept after the last page.
const keepPlaces = 10 * time.Second

// listKey identifies a list without its page.
func (e *exchange) listKey() string {
	params := maps.Clone(e.params)
	delete(params, "limit")
	delete(params, "offset")
	asked, _ := json.Marshal(params) // raw JSON, in the order of the names
	return strings.Join([]string{e.principal.View(), e.Endpoint, string(asked)}, "\n")
}

// recall returns where a page begins. What others change in the meantime can move items,
// as it can between any two pages of Outline.
func (b *Bounds) recall(list string, offset, sources int) place {
	known, _ := b.lists.Get(list)
	if offset == 0 || len(known.begins[offset]) != sources {
		return place{}
	}
	return place{known.begins[offset], known.total}
}

// remember keeps where the page after one begins.
func (b *Bounds) remember(list string, offset int, positions []int, total *int) {
	subject, _, _ := strings.Cut(list, "\n")
	if subject == "" {
		return
	}
	b.lists.Update(list, func(known places) (places, time.Duration) {
		begins := map[int][]int{offset: positions}
		for at, known := range known.begins {
			if at != offset {
				begins[at] = known
			}
		}
		return places{subject, begins, total}, keepPlaces
	})
}

// forgetPlaces drops the places of a subject, which has changed something.
func (b *Bounds) forgetPlaces(subject string) {
	b.lists.DeleteFunc(func(_ string, known places) bool { return known.subject == subject })
}

// tell logs once what is wrong with the operator's rules.
func (b *Bounds) tell(ctx context.Context, problems []problem) {
	for _, p := range problems {
		b.mu.Lock()
		told := b.logged[p]
		b.logged[p] = true
		b.mu.Unlock()
		if told {
			continue
		}
		why := "no collection matches; it allows nothing"
		if p.matches > 1 {
			why = "several collections match; it allows none of them"
		}
		if p.setting == SettingExcept {
			why = "no collection matches"
			if p.matches > 1 {
				why = "several collections match; all of them are excluded"
			}
		}
		b.log.WarnContext(ctx, "a collection setting does not match one collection", "setting", p.setting, "entry", p.entry, "problem", why)
	}
}

// namesUnknown explains why names of collections cannot be resolved.
func namesUnknown(err error) error {
	if outlineRefuses(err) {
		return output.Failure{Code: output.Forbidden, Cause: err,
			Sentence: "this server is limited to some collections by name, and this key may not list collections, so that none is shown.",
			Next:     "Use a key with the scope collections.list; the operator can name collections by UUID instead."}
	}
	return err
}
