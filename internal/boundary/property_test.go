package boundary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

// A choice is what the operator and a request choose of a wiki's collections.
type choice struct {
	settings []string
	header   string // X-Outline-Collections; "" for none
	shown    []bool // by collection
	written  []bool
	only     bool // some are named
	drafts   bool
	limits   bool // some collections, or drafts, are outside
}

// choose makes random rules for a wiki. Each entry is in a random form.
func (w *wiki) choose() choice {
	c := choice{shown: make([]bool, len(w.names)), written: make([]bool, len(w.names)), drafts: w.random.IntN(4) > 0}
	for i := range c.shown {
		c.shown[i], c.written[i] = true, true
	}
	some := func(setting string) (named []bool) {
		named = make([]bool, len(w.names))
		var entries []string
		for i := range named {
			if named[i] = w.random.IntN(2) == 0; named[i] {
				is := w.seed.Collections[i]
				entries = append(entries, []string{is.ID, is.URLID, is.Name, strings.ToUpper(is.ID)}[w.random.IntN(4)])
			}
		}
		if len(entries) == 0 {
			return nil
		}
		if setting == "" {
			c.header = strings.Join(entries, ", ")
		} else {
			c.settings = append(c.settings, setting+"="+strings.Join(entries, ", "))
		}
		return named
	}
	keep := func(of, named []bool, value bool) {
		for i := range named {
			of[i] = of[i] && named[i] == value
		}
	}
	if w.random.IntN(3) > 0 {
		named := some("OUTLINE_COLLECTIONS")
		c.only = named != nil
		keep(c.shown, named, true)
	}
	if !c.only || w.random.IntN(3) == 0 {
		keep(c.shown, some("OUTLINE_EXCLUDE_COLLECTIONS"), false)
	}
	if w.random.IntN(4) == 0 {
		named := some("")
		c.only = c.only || named != nil
		keep(c.shown, named, true)
	}
	if w.random.IntN(2) == 0 {
		keep(c.written, some("OUTLINE_WRITE_COLLECTIONS"), true)
	}
	c.settings = append(c.settings, fmt.Sprintf("OUTLINE_ALLOW_DRAFTS=%t", c.drafts))
	c.limits = c.only || slices.Contains(c.shown, false)
	return c
}

// shows reports whether a thing is inside.
func (c choice) shows(t thing) bool {
	switch {
	case t.collection >= 0:
		return c.shown[t.collection]
	case t.kind == "template":
		return !c.only
	case t.kind == "export":
		return !c.limits && c.drafts
	}
	return c.drafts && (t.mine || !c.limits)
}

// A server is a server over HTTP for one choice.
type server struct {
	url    string
	client *http.Client
	header string
}

func (w *wiki) serve(t *testing.T, c choice, outline http.RoundTripper) *server {
	t.Helper()
	loaded, err := config.Load(append([]string{"MCP_TRANSPORT=http", "MCP_PORT=0", "OUTLINE_TOOLS=all", "OUTLINE_STRUCTURED_OUTPUT=true", "OUTLINE_API_URL=" + fakeoutline.BaseURL}, c.settings...))
	if err != nil {
		t.Fatal(err)
	}
	built, err := app.New(app.Options{Config: loaded, Version: "test", Transport: outline, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil // the rules contradict each other
	}
	listener, err := built.ListenHTTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- built.ServeHTTP(ctx, listener) }()
	s := &server{url: "http://" + listener.Addr().String() + "/mcp", client: &http.Client{Transport: &http.Transport{}}, header: c.header}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// send returns the body of an answer as it comes.
func (s *server) send(t *testing.T, method string, params any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+myKey)
	if s.header != "" {
		request.Header.Set("X-Outline-Collections", s.header)
	}
	response, err := s.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// leaks checks that an answer says nothing of what is outside, other than what the
// request itself says.
func (w *wiki) leaks(t *testing.T, c choice, request, answer string) {
	t.Helper()
	for _, is := range w.things {
		if c.shows(is) {
			continue
		}
		for _, secret := range []string{is.marker, is.id, is.urlID} {
			if secret != "" && strings.Contains(answer, secret) && !strings.Contains(request, secret) {
				t.Fatalf("%v %q: %s\nreveals the %s %s of collection %d:\n%.2000s", c.settings, c.header, request, is.kind, secret, is.collection, answer)
			}
		}
	}
}

// arguments returns random arguments for a schema, by the names of its properties.
func (w *wiki) arguments(schema map[string]any) map[string]any {
	given := map[string]any{}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, any(name)) && w.random.IntN(3) == 0 || name == "path" || name == "cursor" {
			continue
		}
		if value := w.value(name, properties[name].(map[string]any)); value != nil {
			given[name] = value
		}
	}
	return given
}

// value returns a random value of a property; nil leaves it out.
func (w *wiki) value(name string, schema map[string]any) any {
	one := func(things []thing) any {
		is := things[w.random.IntN(len(things))]
		if is.urlID != "" && w.random.IntN(3) == 0 {
			return is.urlID
		}
		return is.id
	}
	if choices, ok := schema["enum"].([]any); ok {
		return choices[w.random.IntN(len(choices))]
	}
	switch name {
	case "document_id", "parent_document_id", "below", "id", "document_ids":
		value := one(w.of("document"))
		if name == "document_ids" {
			return []any{value, one(w.of("document"))}
		}
		return value
	case "collection_id":
		return one(w.of("collection"))
	case "comment_id", "parent_comment_id":
		return one(w.of("comment"))
	case "attachment_id":
		return one(w.of("attachment"))
	case "revision_id", "compare_with":
		return one(w.of("revision"))
	case "template_id":
		return one(w.of("template"))
	case "export_id":
		return one(w.of("export"))
	case "query", "title_contains", "question", "heading":
		return []any{common, "Page", "zq", "Heading " + common}[w.random.IntN(4)]
	case "collaborator":
		return "Hana"
	case "limit":
		return 1 + w.random.IntN(30)
	case "permanent", "regex":
		return false
	case "name":
		return "note.txt"
	case "expected_revision", "offset", "start_line", "start_char", "size", "index", "content_base64", "color", "icon":
		return nil
	}
	switch schema["type"] {
	case "boolean":
		return w.random.IntN(2) == 0
	case "array":
		items, _ := schema["items"].(map[string]any)
		if items["type"] == "object" {
			return []any{w.arguments(items)}
		}
		if value := w.value("", items); value != nil {
			return []any{value}
		}
	case "string":
		return common
	}
	return nil
}

// TestNothingOutsideReachesAnAnswer calls every tool, resource, prompt and completion
// of servers with random rules, on random workspaces.
func TestNothingOutsideReachesAnAnswer(t *testing.T) {
	wikis, calls := fixtures.Count(3, 12), fixtures.Count(2, 6)
	for seed := range wikis {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWiki(rand.New(rand.NewPCG(uint64(seed), 21)))
			release := append([]fakeoutline.Release{"", ""}, fakeoutline.Releases()...)[w.random.IntN(2+len(fakeoutline.Releases()))]
			outline := w.start(t, release)
			c := w.choose()
			s := w.serve(t, c, outline.Transport())
			if s == nil {
				return
			}
			w.readable(t, c, s)
			before := w.outside(t, c, outline)
			w.readThings(t, c, s)
			w.callTools(t, c, s, calls)
			w.readResources(t, c, s)
			w.complete(t, c, s)
			w.getPrompts(t, c, s)
			if after := w.outside(t, c, outline); !maps.Equal(before, after) {
				for id := range before {
					if before[id] != after[id] {
						t.Errorf("%v: %s was changed:\n%.600s\n%.600s", c.settings, id, before[id], after[id])
					}
				}
			}
		})
	}
}

// readable checks that what is inside can be read.
func (w *wiki) readable(t *testing.T, c choice, s *server) {
	for _, is := range w.of("document") {
		answer := s.send(t, "tools/call", map[string]any{"name": "read_document", "arguments": map[string]any{"document_id": is.id}})
		inside := c.shows(is)
		if is.collection < 0 && !is.mine {
			continue // Outline itself decides
		}
		if strings.Contains(answer, is.marker) != inside {
			t.Errorf("%v %q: inside is %t, but: %.500s", c.settings, c.header, inside, answer)
		}
		if !inside && !strings.Contains(answer, `"code":"not_found"`) {
			t.Errorf("a document outside is not just unknown: %.500s", answer)
		}
	}
	listed := s.send(t, "tools/call", map[string]any{"name": "list_documents", "arguments": map[string]any{"limit": 100}})
	for _, is := range w.of("document") {
		archived := is.collection >= 0 && !w.seed.Collections[is.collection].ArchivedAt.IsZero()
		if is.listed && !archived && strings.Contains(listed, is.marker) != c.shows(is) {
			t.Errorf("%v %q: the list is wrong about %s: %.3000s", c.settings, c.header, is.marker, listed)
		}
	}
}

// readThings reads each thing by its ID, in every way there is.
func (w *wiki) readThings(t *testing.T, c choice, s *server) {
	ways := map[string][]string{
		"document":   {"read_document", "export_document", "get_document_outline", "list_document_comments", "list_revisions", "list_attachments", "get_document_backlinks", "fetch"},
		"collection": {"get_collection_structure", "list_document_comments", "list_documents", "list_archived_documents", "list_templates", "export_collection", "find_in_documents", "batch_read_documents"},
		"comment":    {"get_comment"}, "revision": {"read_revision"}, "attachment": {"read_attachment"}, "export": {"get_export"},
	}
	for _, is := range w.things {
		for _, tool := range ways[is.kind] {
			given := map[string]any{is.kind + "_id": is.id}
			switch tool {
			case "fetch":
				given = map[string]any{"id": is.id}
			case "find_in_documents":
				given["query"] = common
			case "read_attachment":
				given["document_id"] = w.things[slices.Index(w.things, is)-2].id // which shows it
			}
			request, err := json.Marshal(given)
			if err != nil {
				t.Fatal(err)
			}
			w.leaks(t, c, tool+string(request), s.send(t, "tools/call", map[string]any{"name": tool, "arguments": given}))
		}
	}
	for tool, given := range map[string]map[string]any{
		"list_documents": {"shared_with_me": true, "limit": 100}, "list_trash": {"limit": 100}, "list_templates": {"limit": 100}, "list_archived_documents": {"limit": 100},
		"list_collections": {"include_document_count": true}, "search_documents": {"query": common, "status_filter": []string{"draft", "archived", "published"}, "limit": 100},
		"list_document_comments": {}, "find_in_documents": {"query": common}, "get_document_id_from_title": {"query": "Page"}, "search": {"query": common},
	} {
		w.leaks(t, c, tool, s.send(t, "tools/call", map[string]any{"name": tool, "arguments": given}))
	}
}

// outside returns what Outline holds of the documents that must not be changed.
func (w *wiki) outside(t *testing.T, c choice, outline *fakeoutline.Workspace) map[string]string {
	held := map[string]string{}
	client := &http.Client{Transport: outline.Transport()}
	for _, is := range w.of("document") {
		if c.shows(is) && (is.collection < 0 || c.written[is.collection]) {
			continue
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/documents.info", strings.NewReader(`{"id":"`+is.id+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+myKey)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		held[is.id] = string(body)
	}
	return held
}

func (w *wiki) callTools(t *testing.T, c choice, s *server, times int) {
	var list struct {
		Result struct {
			Tools []struct {
				Name        string         `json:"name"`
				InputSchema map[string]any `json:"inputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(s.send(t, "tools/list", map[string]any{})), &list); err != nil || len(list.Result.Tools) < len(tools.All())-2 {
		t.Fatal(err, len(list.Result.Tools))
	}
	// Tools that read come first: they see the wiki as it was made.
	slices.SortStableFunc(list.Result.Tools, func(a, b struct {
		Name        string         `json:"name"`
		InputSchema map[string]any `json:"inputSchema"`
	}) int {
		return order(a.Name) - order(b.Name)
	})
	for _, tool := range list.Result.Tools {
		for range times {
			params := map[string]any{"name": tool.Name, "arguments": w.arguments(tool.InputSchema)}
			request, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			w.leaks(t, c, string(request), s.send(t, "tools/call", params))
		}
	}
}

func order(tool string) int {
	for _, tools := range tools.All() {
		if info := tools.Info(); info.Name == tool {
			return int(info.Effect)
		}
	}
	return 0
}

func (w *wiki) readResources(t *testing.T, c choice, s *server) {
	w.leaks(t, c, "", s.send(t, "resources/list", map[string]any{}))
	for _, is := range w.things {
		var uris []string
		switch is.kind {
		case "document":
			uris = []string{"outline://documents/" + is.id, "outline://documents/" + is.urlID + "/outline", "outline://documents/" + is.id + "/comments", "outline://documents/" + is.id + "/backlinks"}
		case "collection":
			uris = []string{"outline://collections/" + is.id}
		case "attachment":
			uris = []string{"outline://attachments/" + is.id}
		case "revision":
			uris = []string{"outline://revisions/" + is.id}
		}
		for _, uri := range uris {
			w.leaks(t, c, uri, s.send(t, "resources/read", map[string]any{"uri": uri}))
		}
	}
}

func (w *wiki) complete(t *testing.T, c choice, s *server) {
	for _, typed := range []string{"", "p", "page", "zq", "harbour", common} {
		for _, template := range []string{"outline://documents/{id}{?start_line}", "outline://collections/{id}", "outline://documents/{id}/comments"} {
			w.leaks(t, c, typed, s.send(t, "completion/complete", map[string]any{
				"ref": map[string]any{"type": "ref/resource", "uri": template}, "argument": map[string]any{"name": "id", "value": typed},
			}))
		}
		for _, argument := range []string{"document", "collection"} {
			w.leaks(t, c, typed, s.send(t, "completion/complete", map[string]any{
				"ref": map[string]any{"type": "ref/prompt", "name": "summarize_" + argument}, "argument": map[string]any{"name": argument, "value": typed},
			}))
		}
	}
}

func (w *wiki) getPrompts(t *testing.T, c choice, s *server) {
	answer := s.send(t, "prompts/list", map[string]any{})
	w.leaks(t, c, "", answer)
	var list struct {
		Result struct {
			Prompts []struct {
				Name      string `json:"name"`
				Arguments []struct {
					Name string `json:"name"`
				} `json:"arguments"`
			} `json:"prompts"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Result.Prompts) == 0 {
		t.Fatal(err, answer)
	}
	for _, prompt := range list.Result.Prompts {
		for range 4 {
			given := map[string]string{}
			for _, argument := range prompt.Arguments {
				switch argument.Name {
				case "document", "documents":
					given[argument.Name] = fmt.Sprint(w.value("document_id", nil))
				case "collection":
					given[argument.Name] = fmt.Sprint(w.value("collection_id", nil))
				case "topic", "question":
					given[argument.Name] = common
				}
			}
			request, err := json.Marshal(given)
			if err != nil {
				t.Fatal(err)
			}
			w.leaks(t, c, string(request), s.send(t, "prompts/get", map[string]any{"name": prompt.Name, "arguments": given}))
		}
	}
}
