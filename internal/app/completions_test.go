package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// A completing client sends requests for completions to a server in one of the eras of
// the protocol, and returns the answers as sent.
type completing func(params string) string

// completingClients returns clients of the demo by transport and era.
func completingClients(t *testing.T) map[string]completing {
	t.Helper()
	team := serveTeam(t, app.Options{Demo: true})
	loaded, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Demo: true, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	server.Suggestions().Within = time.Minute // the machine may be busy
	overStdio := func(params string) string {
		var out bytes.Buffer
		line := `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":` + params + `}`
		if err := server.ServeStdio(t.Context(), strings.NewReader(line), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	modern := func(params string) string { return strings.TrimSuffix(params, "}") + "," + modernMeta + "}" }
	return map[string]completing{
		"stdio, 2025-11-25": overStdio,
		"stdio, 2026-07-28": func(params string) string { return overStdio(modern(params)) },
		"HTTP, 2025-11-25": func(params string) string {
			return team.must(t, "completion/complete", params, "Mcp-Protocol-Version: 2025-11-25").body
		},
		"HTTP, 2026-07-28": func(params string) string {
			return team.must(t, "completion/complete", modern(params), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: completion/complete").body
		},
	}
}

func ofPrompt(name, argument, typed string) string {
	return fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":%q,"value":%q}}`, name, argument, typed)
}

func ofResource(uri, argument, typed string) string {
	return fmt.Sprintf(`{"ref":{"type":"ref/resource","uri":%q},"argument":{"name":%q,"value":%q}}`, uri, argument, typed)
}

// completed returns the values of a completion.
func completed(t *testing.T, answer string) []string {
	t.Helper()
	var got struct {
		Result struct {
			Completion struct{ Values []string }
		}
		Error any
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Error != nil || got.Result.Completion.Values == nil {
		t.Errorf("%v: %s", err, answer)
	}
	return got.Result.Completion.Values
}

func TestArgumentsOfPromptsAndResourcesAreCompleted(t *testing.T) {
	for over, complete := range completingClients(t) {
		for _, test := range []struct {
			name, params string
			want         []string
		}{
			{"a document", ofResource("outline://documents/{id}{?start_line,start_char}", "id", "friday"), []string{"friday-soup-1wPyxUCdt9"}},
			{"the outline of a document", ofResource("outline://documents/{id}/outline", "id", "on-call"), []string{"on-call-lesdaiqkpT"}},
			{"a collection", ofResource("outline://collections/{id}", "id", "hand"), []string{"handbook-mTem8tcJ8a"}},
			{"a line", ofResource("outline://documents/{id}{?start_line,start_char}", "start_line", "1"), []string{}},
			{"a revision", ofResource("outline://revisions/{id}", "id", ""), []string{}},
			{"a resource of another server", ofResource("file:///{id}", "id", "friday"), []string{}},
			{"the collection of a prompt", ofPrompt("summarize_collection", "collection", "oper"), []string{"operations-bcMQ4TVPCO"}},
			{"the document of a prompt", ofPrompt("review_document", "document", "friday"), []string{"friday-soup-1wPyxUCdt9"}},
			{"the template of a prompt", ofPrompt("write_from_template", "template", "inc"), []string{"Incident {date}"}},
			{"text of a prompt", ofPrompt("write_from_template", "notes", "inc"), []string{}},
			{"a person", ofPrompt("team_prompt", "author", "hana"), []string{"Hana Weissbach"}},
			{"nobody", ofPrompt("team_prompt", "author", "zzz"), []string{}},
		} {
			if got := completed(t, complete(test.params)); !slices.Equal(got, test.want) {
				t.Errorf("%s: %s: %q, want %q", over, test.name, got, test.want)
			}
		}
		for name, params := range map[string]string{
			"no reference": `{"argument":{"name":"id","value":""}}`, "another kind of reference": `{"ref":{"type":"ref/tool","name":"x"},"argument":{"name":"id","value":""}}`,
		} {
			if answer := complete(params); !strings.Contains(answer, `"error":{"code":-32`) {
				t.Errorf("%s: %s is answered with %s", over, name, answer)
			}
		}
	}
}

func TestWhatACompletionSuggestsFitsItsPromptAndResource(t *testing.T) {
	s := serveTeam(t, app.Options{Demo: true})
	for method, test := range map[string]struct{ complete, use string }{
		"resources/read": {ofResource("outline://documents/{id}", "id", "ADR"), `{"uri":"outline://documents/%s"}`},
		"prompts/get":    {ofPrompt("write_from_template", "template", ""), `{"name":"write_from_template","arguments":{"template":%q,"notes":"x"}}`},
	} {
		values := completed(t, s.must(t, "completion/complete", test.complete).body)
		if len(values) < 2 {
			t.Errorf("%s: %q", method, values)
		}
		for _, value := range values {
			if r := s.must(t, method, fmt.Sprintf(test.use, value)); r.Error != nil {
				t.Errorf("%s of %q: %s", method, value, r.body)
			}
		}
	}
	for _, prompt := range []string{"summarize_collection", "review_document"} {
		argument := prompt[strings.IndexByte(prompt, '_')+1:]
		for _, value := range completed(t, s.must(t, "completion/complete", ofPrompt(prompt, argument, "s")).body)[:2] {
			if r := s.must(t, "prompts/get", fmt.Sprintf(`{"name":%q,"arguments":{%q:%q}}`, prompt, argument, value)); r.Error != nil {
				t.Errorf("%s of %q: %s", prompt, value, r.body)
			}
		}
	}
}

// TestCallersAreCompletedOnlyWhatTheySee has members with private collections and
// drafts complete the same words at the same time.
func TestCallersAreCompletedOnlyWhatTheySee(t *testing.T) {
	const callers, rounds = 20, 15
	s := serveTeam(t, app.Options{Demo: true}, "MCP_MAX_CALLS_PER_KEY=256")
	key := func(n int) string { return bearer(fmt.Sprintf("ol_api_demo_user_%d", n)) }
	for n := range callers {
		if r := s.must(t, "tools/call", fmt.Sprintf(`{"name":"create_collection","arguments":{"name":"Vault of %d"}}`, n), key(n)); r.Result.IsError {
			t.Fatal(r.body)
		}
		listed := completed(t, s.must(t, "completion/complete", ofResource("outline://collections/{id}", "id", fmt.Sprintf("vault of %d", n)), key(n)).body)
		if len(listed) != 1 {
			t.Fatalf("%d sees %q", n, listed)
		}
		if r := s.must(t, "tools/call", fmt.Sprintf(`{"name":"create_document","arguments":{"title":"Secret %d","collection_id":%q}}`, n, listed[0]), key(n)); r.Result.IsError {
			t.Fatal(r.body)
		}
	}
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			for range rounds {
				for params, want := range map[string]string{
					ofResource("outline://collections/{id}", "id", "vault"): fmt.Sprintf("vault-of-%d-", n),
					ofResource("outline://documents/{id}", "id", "secret"):  fmt.Sprintf("secret-%d-", n),
				} {
					r, err := s.send(t.Context(), "completion/complete", params, key(n))
					if err != nil {
						t.Error(err)
						return
					}
					if values := completed(t, r.body); len(values) != 1 || !strings.HasPrefix(values[0], want) {
						t.Errorf("%d is suggested %q", n, values)
					}
				}
			}
		})
	}
	all.Wait()
	if values := completed(t, s.must(t, "completion/complete", ofPrompt("x", "collection", "vault"), bearer("ol_api_demo_expired")).body); len(values) != 0 {
		t.Errorf("an unknown key is suggested %q", values)
	}
}

func TestWhatTheOperatorLeavesOutIsNotSuggested(t *testing.T) {
	for settings, want := range map[string][4]bool{ // documents, collections, people, templates
		"":                               {true, true, true, true},
		"OUTLINE_TOOLS=list_collections": {false, true, false, false},
		"OUTLINE_TOOLS=chatgpt":          {true, false, false, false},
		"OUTLINE_EXCLUDE_TOOLS=list_templates,list_users":                                        {true, true, true, false},
		"OUTLINE_EXCLUDE_TOOLS=search,people":                                                    {false, false, false, true},
		"OUTLINE_TOOLS=default,list_users OUTLINE_EXCLUDE_TOOLS=search_documents,list_documents": {true, true, true, true},
	} {
		server, _, _ := onWorkspace(t, strings.Fields(settings)...)
		server.Suggestions().Within = time.Minute
		for i, argument := range []string{"document", "collection", "person", "template"} {
			values := completed(t, ask(server.AsOperator(t.Context()), t, server, "completion/complete", ofPrompt("x", argument, "")))
			if got := len(values) > 0; got != want[i] {
				t.Errorf("%q: %s is suggested: %q", settings, argument, values)
			}
		}
	}
}

func TestACompletionThatFailsIsEmpty(t *testing.T) {
	for name, outline := range map[string]transport{
		"outline_unavailable": func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"rate_limited": func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"60"}}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
		},
		"bad_answer": func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader("<html>")), Request: r}, nil
		},
		"timeout": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
	} {
		s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_CALL_TIMEOUT=0.1")
		for _, argument := range []string{"document", "person"} {
			if values := completed(t, s.must(t, "completion/complete", ofPrompt("x", argument, "a"), bearer(fakeoutline.AdminKey)).body); len(values) != 0 {
				t.Errorf("%s: %q", name, values)
			}
		}
		if log := s.log.String(); strings.Count(log, `msg="completion call" completion=document outcome=`) != 1 || strings.Contains(log, "outcome=ok") || strings.Contains(log, "ol_api") {
			t.Errorf("%s: %s", name, log)
		}
	}
}
