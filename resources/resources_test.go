package resources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
	"outline-mcp/resources"
)

func TestAListEndsWithTheClientThatAskedForIt(t *testing.T) {
	const clients = 200
	w := newWiki(t, "MCP_MAX_CALLS_PER_KEY=200", "OUTLINE_MAX_REQUESTS=800")
	asked := make(chan struct{}, clients*2)
	var silent atomic.Bool
	w.before = func(r *http.Request) error {
		if !silent.Load() || strings.HasSuffix(r.URL.Path, "/auth.info") {
			return nil // whose key it is, is asked for all callers, and does not end with one
		}
		asked <- struct{}{}
		<-r.Context().Done() // Outline does not answer
		return r.Context().Err()
	}
	c := overHTTP(t, w, handshake)
	// Outline accepts the key first: until then it has only a part of what there is.
	c.ask(t, "tools/call", map[string]any{"name": "list_collections", "arguments": map[string]any{"include_document_count": false}})
	silent.Store(true)
	ctx, leave := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			_, _, err := c.send(ctx, c, "resources/list", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`, nil)
			if err == nil {
				t.Error("it is answered")
			}
		})
	}
	for range clients * 2 { // each client's first two requests
		select {
		case <-asked:
		case <-time.After(time.Minute):
			t.Fatal("requests do not reach Outline")
		}
	}
	leave()
	wait.Wait()
	// That no goroutine is left, TestMain checks.
}

func TestAListAsksForAllOfItSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWiki(t)
		release := make(chan struct{})
		var inFlight atomic.Int64
		w.before = func(*http.Request) error {
			inFlight.Add(1)
			<-release
			inFlight.Add(-1)
			return nil
		}
		c := overStdio(t, w, handshake)
		done := make(chan answer)
		go func() { done <- c.ask(t, "resources/list", nil) }()
		for _, want := range []int64{5} {
			synctest.Wait()
			if n := inFlight.Load(); n != want {
				t.Errorf("%d requests at a time, want %d", n, want)
			}
			for range want {
				release <- struct{}{}
			}
		}
		if a := <-done; len(a.Result.Resources) == 0 {
			t.Error(a.body)
		}
	})
}

const finance = "426d" // the beginning of the ID of a private collection

func TestTheListHasStarsPinsRecentDocumentsAndCollections(t *testing.T) {
	w := newWiki(t)
	overEverything(t, w, func(t *testing.T, c client) {
		w.requests()
		listed := c.list(t, "")
		if got := w.requests(); !slices.Equal(got, []string{"auth.info", "collections.list", "documents.list", "pins.list", "stars.list"}) {
			t.Errorf("Outline was asked %q", got)
		}
		resources := listed.Result.Resources
		if len(resources) != 29 { // 20 recent ones, of which 2 are starred or pinned, another starred one, a skill, the icons, and 6 collections
			t.Fatalf("%d resources: %q", len(resources), uris(listed))
		}
		first, pinned, last := resources[0], resources[2], resources[len(resources)-6]
		if first.URI != "outline://documents/"+budget || first.Name != "Budget 2026" || first.Description != `Document in "Finance", starred` || first.MIMEType != "text/markdown" ||
			first.Annotations.Priority != 1 || first.Annotations.LastModified != "2026-10-08T13:41:46.339Z" || !slices.Equal(first.Annotations.Audience, []string{"user", "assistant"}) {
			t.Errorf("the first is %+v", first)
		}
		if pinned.Name != "Welcome to Kelpwright" || pinned.Description != `Document in "Handbook", pinned` {
			t.Errorf("the third is %+v", pinned)
		}
		if last.URI[:len("outline://collections/")] != "outline://collections/" || last.Name != "Handbook" || !strings.HasPrefix(last.Description, "Collection: ") {
			t.Errorf("the first collection is %+v", last)
		}
		if all := uris(listed); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
			t.Errorf("some are listed twice: %q", all)
		}
		for _, r := range resources {
			shown := c.read(t, r.URI)
			if shown.Error != nil {
				t.Errorf("%s cannot be read: %s", r.URI, shown.body)
				continue
			}
			text := shown.text(t)
			if strings.HasPrefix(r.URI, "outline://documents/") && !strings.Contains(text, "\n\nMore: ") {
				if _, text, _ = strings.Cut(text, "\n\n"); len(text) != r.Size {
					t.Errorf("%s has %d bytes of text, listed with %d", r.URI, len(text), r.Size)
				}
			}
		}
		if c.version == modern && (listed.Result.TTLMs == nil || *listed.Result.TTLMs != 60000 || listed.Result.CacheScope != "private") {
			t.Errorf("the hints are %v %q", listed.Result.TTLMs, listed.Result.CacheScope)
		}
		if c.version != modern && (listed.Result.TTLMs != nil || listed.Result.CacheScope != "") {
			t.Errorf("hints in %s", c.version)
		}
	})
}

func TestTemplatesAreInOrderAndDescribed(t *testing.T) {
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		a := c.ask(t, "resources/templates/list", nil)
		var templates []string
		for _, template := range a.Result.ResourceTemplates {
			templates = append(templates, strings.TrimSuffix(template.URITemplate, "{?start_line,start_char}"))
			if template.Title == "" || template.Description == "" || template.Annotations == nil || len(template.Icons) == 0 || (template.MIMEType == "") != (template.Name == "attachment") {
				t.Errorf("%+v", template)
			}
		}
		want := []string{
			"outline://documents/{id}", "outline://documents/{id}/outline", "outline://documents/{id}/comments", "outline://documents/{id}/backlinks",
			"outline://collections/{id}", "outline://attachments/{id}", "outline://revisions/{id}",
		}
		if !slices.Equal(templates, want) {
			t.Errorf("the templates are %q", templates)
		}
		if c.version == modern && (a.Result.TTLMs == nil || *a.Result.TTLMs != 3600000 || a.Result.CacheScope != "private") {
			t.Errorf("the hints are %v %q", a.Result.TTLMs, a.Result.CacheScope)
		}
	})
}

func TestEachCallerHasTheirOwnList(t *testing.T) {
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		c.key = fakeoutline.AdminKey
		before := uris(c.list(t, ""))
		c.key = fakeoutline.MemberKey
		member := uris(c.list(t, ""))
		if slices.ContainsFunc(member, func(uri string) bool {
			return strings.HasSuffix(uri, budget) || strings.HasPrefix(uri, "outline://collections/"+finance)
		}) {
			t.Errorf("the member sees what is private: %q", member)
		}
		if member[0] != "outline://documents/0f54addc-b5eb-479f-a5ea-a3f383a66ac8" {
			t.Errorf("the member's star is not first: %q", member)
		}
		c.key = fakeoutline.AdminKey
		if again := uris(c.list(t, "")); !slices.Equal(again, before) {
			t.Errorf("the admin's list has changed to %q from %q", again, before)
		}
	})
}

func TestConcurrentCallersNeverSeeEachOthersLists(t *testing.T) {
	w := newWiki(t)
	for _, version := range []string{handshake, modern} {
		c := overHTTP(t, w, version)
		var wait sync.WaitGroup
		for n := range 60 {
			c := c
			c.key = []string{fakeoutline.AdminKey, fakeoutline.MemberKey, fakeoutline.ViewerKey}[n%3]
			wait.Go(func() {
				starred := ""
				for _, r := range c.list(t, "").Result.Resources {
					if strings.HasSuffix(r.Description, "starred") {
						starred += r.Name + ";"
					}
				}
				if want := []string{"Budget 2026;On-call;", "Flashing a Limpet board;", ""}[n%3]; starred != want {
					t.Errorf("%s: starred %q, not %q", c.key, starred, want)
				}
				a := c.read(t, "outline://documents/"+budget)
				if (a.Error == nil) != (n%3 == 0) {
					t.Errorf("%s reads the budget: %.300s", c.key, a.body)
				}
			})
		}
		wait.Wait()
	}
}

func TestWhatAKeyMayNotListIsLeftOut(t *testing.T) {
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		c.key = fakeoutline.ScopedKey // reads documents and collections, not stars and pins
		listed := c.list(t, "")
		if len(listed.Result.Resources) < 20 || strings.Contains(listed.body, "starred") || strings.Contains(listed.body, "pinned") {
			t.Errorf("%.1000s", listed.body)
		}
	})
	for _, endpoint := range []string{"collections.list", "documents.list"} {
		w := newWiki(t)
		w.forbidden = endpoint
		if listed := overStdio(t, w, handshake).list(t, ""); len(listed.Result.Resources) == 0 {
			t.Errorf("without %s: %s", endpoint, listed.body)
		}
	}
}

func TestABadKeyOrNoneIsAFailureOfTheList(t *testing.T) {
	w := newWiki(t)
	c := overHTTP(t, w, handshake)
	for key, code := range map[string]string{"ol_api_nobody": "unauthorized"} {
		c.key = key
		if a := c.ask(t, "resources/list", nil); a.Error == nil || a.Error.Code != -32603 || a.Error.Data.Code != code || !strings.HasPrefix(a.Error.Message, "resources/list: ") {
			t.Errorf("%s: %s", key, a.body)
		}
	}
	built := overStdio(t, w, handshake)
	built.key = ""
	if a := built.ask(t, "resources/list", nil); a.Error == nil || a.Error.Data.Code != "no_key" {
		t.Errorf("without a key: %s", a.body)
	}
}

func TestARequestThatIsLimitedToReadingHasAllResources(t *testing.T) {
	c := overHTTP(t, newWiki(t), handshake)
	all := uris(c.list(t, ""))
	c.readOnly = true
	if got := uris(c.list(t, "")); !slices.Equal(got, all) {
		t.Errorf("%q", got)
	}
}

func TestADynamicListHidesResourcesThatAKeyDoesNotAllow(t *testing.T) {
	c := overHTTP(t, newWiki(t, "OUTLINE_DYNAMIC_TOOL_LIST=true"), handshake)
	names := func(key string) (names []string) {
		c.key = key
		for _, template := range c.ask(t, "resources/templates/list", nil).Result.ResourceTemplates {
			names = append(names, template.Name)
		}
		return names
	}
	if got := names(fakeoutline.AdminKey); len(got) != 7 {
		t.Errorf("the admin has %q", got)
	}
	if got := names("ol_api_nobody"); len(got) != 0 {
		t.Errorf("an unknown key has %q", got)
	}
}

func TestUnknownCursorsAreRefused(t *testing.T) {
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		for _, cursor := range []string{"x", "!!", "b3V0bGluZQ==", "AAAA", strings.Repeat("A", 2000), "ü", " "} {
			a := c.ask(t, "resources/list", map[string]any{"cursor": cursor})
			if a.Error == nil || a.Error.Code != -32602 || a.Error.Data.Code != "invalid_arguments" || !strings.Contains(a.Error.Message, "cursor") {
				t.Errorf("%.40q: %.500s", cursor, a.body)
			}
		}
	})
}

func TestCollectionsAreListedInPages(t *testing.T) {
	w := newWiki(t)
	for n := range 230 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/collections.create",
			strings.NewReader(fmt.Sprintf(`{"name":"Same name","permission":"read","description":"%d"}`, n)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
		response, err := w.Transport().RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(err, response)
		}
		_, _ = io.Copy(io.Discard, response.Body)
	}
	c := overStdio(t, w, handshake)
	w.passed = time.Hour // Outline remembers for some seconds which collections a user sees
	if got := collectionsIn(t, c); len(got) != 236 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 236 {
		t.Errorf("%d collections on all pages", len(got))
	}
}

// collectionsIn returns the URIs of the collections on all pages.
func collectionsIn(t *testing.T, c client) (all []string) {
	for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
		page := c.list(t, cursor)
		for _, uri := range uris(page) {
			if strings.HasPrefix(uri, "outline://collections/") {
				all = append(all, uri)
			} else if n > 0 {
				t.Errorf("%s is on page %d", uri, n+1)
			}
		}
		cursor = page.Result.NextCursor
	}
	return all
}

func TestNamesInListsCannotForgeOtherFields(t *testing.T) {
	w := newWiki(t)
	c := overStdio(t, w, handshake)
	made := c.ask(t, "tools/call", map[string]any{"name": "create_document", "arguments": map[string]any{
		"title": "Plan\", starred\u202e\nPriority: 1", "text": "x", "collection_id": operations,
	}})
	if strings.Contains(made.body, `"isError":true`) {
		t.Fatal(made.body)
	}
	for _, r := range c.list(t, "").Result.Resources {
		if strings.ContainsAny(r.Name+r.Description, "\n\u202e") {
			encoded, _ := json.Marshal(r)
			t.Errorf("%s", encoded)
		}
	}
}

func TestURIsAreParsed(t *testing.T) {
	for uri, want := range map[string]resources.URI{
		"outline://documents/abc":                                   {Name: "document", ID: "abc"},
		"outline://documents/abc/outline?start_line=3":              {Name: "document_outline", ID: "abc", StartLine: 3},
		"outline://documents/abc/backlinks":                         {Name: "document_backlinks", ID: "abc"},
		"outline://documents/abc/comments":                          {Name: "document_comments", ID: "abc"},
		"outline://collections/abc?":                                {Name: "collection", ID: "abc"},
		"outline://attachments/abc?start_char=9&start_line=2":       {Name: "attachment", ID: "abc", StartLine: 2, StartChar: 9},
		"outline://revisions/https%3A%2F%2Fexample.com%2Fdoc%2Fabc": {Name: "revision", ID: "https://example.com/doc/abc"},
	} {
		if got, err := resources.Parse(uri); err != nil || got != want {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"outline://documents/abc", "outline://documents/%2e%2e/outline?start_line=2", "outline://attachments/a%2Fb?start_line=1&start_char=2", "outline://", "x",
		"outline://documents/a/b/c", "outline://documents/%ff", "outline://documents/abc?start_line=99999999999999999999",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		u, err := resources.Parse(uri)
		if err != nil {
			failure, ok := err.(output.Failure)
			if !ok || failure.Code != output.NotFound && failure.Code != output.InvalidArguments {
				t.Fatalf("%q: %#v", uri, err)
			}
			if !utf8.ValidString(failure.Sentence) || strings.ContainsFunc(failure.Sentence, unicode.IsControl) || len(failure.Sentence) > 2000 {
				t.Fatalf("%q: %q", uri, failure.Sentence)
			}
			return
		}
		if u.Name == "" || strings.Trim(u.ID, ". ") == "" || !utf8.ValidString(u.ID) || strings.ContainsFunc(u.ID, unicode.IsControl) || u.StartLine < 0 || u.StartChar < 0 {
			t.Fatalf("%q: %+v", uri, u)
		}
	})
}
