package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

const (
	initializeParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`
	modernMeta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

func TestTheServerIntroducesItselfOnceInBothErasOfTheProtocol(t *testing.T) {
	server, _, _ := onWorkspace(t)
	ctx := server.AsOperator(t.Context())
	for method, params := range map[string]string{"initialize": initializeParams, "server/discover": "{" + modernMeta + "}"} {
		answer := ask(ctx, t, server, method, params)
		for _, part := range []string{
			`"name":"outline"`, `"title":"Outline"`, `"version":"test"`, `"websiteUrl":"http://outline.demo.invalid/"`,
			`"src":"data:image/svg+xml;base64,`, `"src":"data:image/png;base64,`, `"completions":{}`, `"instructions":"Outline is the team's wiki`,
		} {
			if !strings.Contains(answer, part) {
				t.Errorf("%s: no %s in %s", method, part, answer)
			}
		}
	}
	// From protocol version 2026-07-28 on, each answer names the server.
	for method, params := range map[string]string{"tools/call": `{"name":"list_collections","arguments":{},` + modernMeta + "}", "tools/list": "{" + modernMeta + "}"} {
		if answer := ask(ctx, t, server, method, params); !strings.Contains(answer, `"title":"Outline"`) || strings.Contains(answer, `"icons"`) || strings.Contains(answer, "websiteUrl") {
			t.Errorf("%s: %.600s", method, answer)
		}
	}
}

func TestToolsHaveIconsIfTheOperatorAsksForThem(t *testing.T) {
	for setting, want := range map[string]bool{"OUTLINE_TOOL_ICONS=": false, "OUTLINE_TOOL_ICONS=true": true} {
		c := connect(t, io.Discard, setting)
		listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range listed.Tools {
			if got := len(tool.Icons) == 1; got != want {
				t.Errorf("%s: %s has %d icons", setting, tool.Name, len(tool.Icons))
			}
		}
	}
}

func TestTheChoiceOfToolsHoldsForWhatIsNoTool(t *testing.T) {
	resource := mcptool.Item{Method: mcp.MethodResourcesRead, Name: "collection", Group: "collections"}
	prompt := mcptool.Item{Method: mcp.MethodPromptsGet, Name: "tidy_up", Group: "documents", Writes: true}
	answer := mcptool.Item{Method: mcp.MethodPromptsGet, Name: "ask", Group: "ai"}
	for setting, want := range map[string][3]bool{ // which of the three are offered
		"OUTLINE_TOOLS=":                      {true, true, true},
		"OUTLINE_READ_ONLY=true":              {true, false, true},
		"OUTLINE_DISABLE_AI_TOOLS=true":       {true, true, false},
		"OUTLINE_TOOLS=collections":           {true, false, false},
		"OUTLINE_EXCLUDE_TOOLS=collections":   {false, true, true},
		"OUTLINE_EXCLUDE_TOOLS=read_document": {true, true, true},
	} {
		loaded, err := config.Load([]string{setting})
		if err != nil {
			t.Fatal(err)
		}
		p := app.PipelineOf(loaded)
		for i, item := range []mcptool.Item{resource, prompt, answer} {
			if got := p.Allows(t.Context(), item); got != want[i] {
				t.Errorf("%s: %s is offered: %t", setting, item.Name, got)
			}
		}
	}
}

func TestAChoiceOfToolsThatCannotBeMeantIsAProblemOfItsSetting(t *testing.T) {
	const only, except = "OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS"
	for _, test := range []struct {
		name, environ string   // variables with | between them
		want          []string // for each problem, its settings and how its text ends or begins
	}{
		{"none", "", nil},
		{"groups and tools", only + "=search,read_document|" + except + "=list_collections", nil},
		{"a misspelled group", only + "=serch", []string{only + "  no tool or group is called serch; did you mean search?"}},
		{"the default tools and more", only + "=default,list_trash", nil},
		{"every tool", only + "=all", nil},
		{"a misspelled word", only + "=defualt", []string{only + "  no tool or group is called defualt; did you mean default?"}},
		{"a word that says only what to offer", except + "=default", []string{except + "  no tool or group is called default; "}},
		{"the tools for ChatGPT", only + "=chatgpt", nil},
		{"a misspelled tool", except + "=delete_documnt", []string{except + "  no tool or group is called delete_documnt; did you mean delete_document?"}},
		{"several misspelled names", only + "=reding,coments|" + except + "=serch", []string{only + "  no tool or group is called reding; did you mean reading?",
			only + "  no tool or group is called coments; did you mean comments?", except + "  no tool or group is called serch; did you mean search?"}},
		{"a name like no other", only + "=fly", []string{only + "  no tool or group is called fly; groups are search, reading, documents, "}},
		{"a name like none of the words", only + "=writes", []string{only + "  no tool or group is called writes; groups are search, reading, documents, history, lifecycle, comments, collections, files, templates, people, batch, ai, chatgpt, default, essential, compact, all; "}},
		{"an API key", only + "=ol_api_fake", []string{only + "  no tool or group is called ****; groups are "}},
		{"nothing left beside read-only", only + "=delete_document|OUTLINE_READ_ONLY=yes", []string{only + " " + except + " the settings leave no tool to offer: "}},
		{"nothing left beside what is left out", only + "=search|" + except + "=search", []string{only + " " + except + " the settings leave no tool to offer: "}},
		{"everything left out", except + "=search,reading,documents,history,lifecycle,comments,collections,files,templates,people,batch,ai,chatgpt", []string{except + " " + only + " the settings leave no tool to offer: "}},
		{"nothing left, and a misspelled name to leave out", only + "=delete_document|OUTLINE_READ_ONLY=yes|" + except + "=serch", []string{
			except + "  no tool or group is called serch; did you mean search?", only + " " + except + " the settings leave no tool to offer: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := config.Examine(strings.Split(test.environ, "|"), app.CheckTools)
			var got []string
			for _, p := range report.Problems {
				got = append(got, p.Setting+" "+p.Also+" "+p.Text)
			}
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if again := app.CheckTools(report.Config); len(again) > 0 {
				t.Errorf("with the defaults in place of what cannot be used it still finds %v", again)
			}
		})
	}
}

func TestRedirectsAndProxiesThatCannotBeUsedAreRefused(t *testing.T) {
	for environ, says := range map[string]string{
		"MCP_OAUTH_REDIRECTS=app.example.com":                 "redirect URI refused: use https",
		"MCP_OAUTH_REDIRECTS=https://app.example.com/#x":      "redirect URI refused: it has a fragment",
		"MCP_OAUTH_REDIRECTS=http://app.example.com/callback": "http is for loopback hosts",
		"MCP_OAUTH_REDIRECTS=javascript:alert(1)//":           "redirect URI refused: use https",
		"MCP_TRUSTED_PROXIES=11":                              "the number of proxies is not from 0 to 10; set how many proxies there are",
		"MCP_TRUSTED_PROXIES=10.0.0.0/8,proxy":                "not a number, an address, or a network",
	} {
		report := config.Examine([]string{environ}, app.Checks(true)...)
		if len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Text, says) {
			t.Errorf("%s: %v", environ, report.Problems)
		}
		if again := app.CheckLogin(report.Config); len(again) > 0 {
			t.Errorf("%s: with the default in its place it still finds %v", environ, again)
		}
	}
}

func TestTheSettingOfToolsNamesTheWordsAndTheGroups(t *testing.T) {
	for _, setting := range config.Settings() {
		if setting.Name != "OUTLINE_TOOLS" {
			continue
		}
		for _, tool := range tools.All() {
			if group := string(tool.Info().Group); !regexp.MustCompile(`Groups are .*\b` + group + `\b`).MatchString(setting.Doc) {
				t.Errorf("the documentation of OUTLINE_TOOLS does not name the group %s", group)
			}
		}
	}
}

func TestAServerOffersOptionalToolsOnlyIfItsSettingsSaySo(t *testing.T) {
	for environ, want := range map[string]func(mcptool.Info) bool{
		"OUTLINE_TOOLS=":                   func(i mcptool.Info) bool { return !i.Optional },
		"OUTLINE_TOOLS=default":            func(i mcptool.Info) bool { return !i.Optional },
		"OUTLINE_TOOLS=default,list_trash": func(i mcptool.Info) bool { return !i.Optional || i.Name == "list_trash" },
		"OUTLINE_TOOLS=all":                func(mcptool.Info) bool { return true },
		"OUTLINE_COLLECTIONS=Handbook": func(i mcptool.Info) bool {
			return !i.Optional && i.Group != mcptool.AI && i.Name != "export_all_collections"
		},
		"OUTLINE_WRITE_COLLECTIONS=Handbook": func(i mcptool.Info) bool { return !i.Optional },
	} {
		loaded, err := config.Load([]string{environ}, app.CheckTools)
		if err != nil {
			t.Fatal(err)
		}
		server, err := app.New(app.Options{Config: loaded, Demo: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.All() {
			info := tool.Info()
			if got := slices.ContainsFunc(server.Tools(), func(b mcptool.Bound) bool { return b.Name == info.Name }); got != want(info) {
				t.Errorf("%s: %s is offered: %t", environ, info.Name, got)
			}
		}
	}
}

func TestAServerWithAToolThatThereIsNotIsRefused(t *testing.T) {
	if _, err := app.New(app.Options{Config: config.Config{ExcludeTools: config.Names{"delete_documnt"}}, Demo: true}); err == nil || !strings.Contains(err.Error(), "OUTLINE_EXCLUDE_TOOLS: no tool or group") {
		t.Errorf("%v", err)
	}
}

func TestLongMessagesAndValuesAreTruncatedInTheLog(t *testing.T) {
	long := strings.Repeat("é", 1000)
	for _, format := range []config.Format{"text", "json"} {
		var log bytes.Buffer
		logger := app.NewLogger(&log, config.Config{LogFormat: format})
		logger.With("key", long).WithGroup("in").Info(long, "text", long, "error", errors.New(long), slog.Group("group", "text", long), "number", 7)
		if got := strings.Count(log.String(), strings.Repeat("é", 200)+"…"); got != 5 || len(log.String()) > 3000 || !strings.Contains(log.String(), "7") {
			t.Errorf("%s: %d of 5 texts are truncated: %s", format, got, &log)
		}
	}
}

func TestTheLogKeepsStacksAndRedactsKeys(t *testing.T) {
	var log bytes.Buffer
	stack := strings.Repeat("goroutine 1 [running]\n", 100)
	app.NewLogger(&log, config.Config{LogFormat: "json"}).Info("tool 'ol_api_fake' panicked", "stack", stack, "error", errors.New("no tool ol_api_fake"))
	if got := log.String(); strings.Count(got, "goroutine") != 100 || strings.Contains(got, "fake") || strings.Count(got, "****") != 2 {
		t.Error(got)
	}
}

func TestARequestThatCannotBeReadIsAnsweredWithASentence(t *testing.T) {
	w := newWorkspace(t)
	lines := onLines(t, w.Transport())
	lines.initialize(t, map[string]any{})
	over := serveTeam(t, app.Options{Transport: w.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	for _, test := range []struct {
		method, params, want string
		code                 int
	}{
		{"prompts/get", `{"name":"catch_up","arguments":{"since":7}}`, "prompts/get: wrong type of arguments. Send what the MCP specification says.", mcp.INVALID_PARAMS},
		{"resources/read", `{"uri":{}}`, "resources/read: wrong type of uri. Send what the MCP specification says.", mcp.INVALID_PARAMS},
		{"completion/complete", `{"ref":7}`, "completion/complete: wrong type of its parameters. Send what the MCP specification says.", mcp.INVALID_PARAMS},
		{"prompts/list", `{"cursor":"?"}`, "prompts/list: unknown cursor. Ask for the first page without a cursor.", mcp.INVALID_PARAMS},
		{"tools/list", `{"cursor":"?"}`, "tools/list: unknown cursor. ", mcp.INVALID_PARAMS},
	} {
		lines.id++
		if _, err := lines.in.Write([]byte(`{"jsonrpc":"2.0","id":9,"method":"` + test.method + `","params":` + test.params + "}\n")); err != nil {
			t.Fatal(err)
		}
		if m := lines.read(t); m.Error == nil || m.Error.Code != test.code || !strings.HasPrefix(m.Error.Message, test.want) || strings.Contains(m.Error.Message, "Go ") {
			t.Errorf("%s %s on stdio: %+v", test.method, test.params, m.Error)
		}
		r, err := over.send(t.Context(), test.method, test.params, bearer(fakeoutline.AdminKey), "Mcp-Protocol-Version: 2025-11-25")
		if err != nil || r.status != http.StatusOK || !strings.Contains(r.body, test.want) || strings.Contains(r.body, "Go ") {
			t.Errorf("%s %s over HTTP: %v, %d: %s", test.method, test.params, err, r.status, r.body)
		}
	}
}

func TestACallOfAToolThatIsNotOfferedSaysWhy(t *testing.T) {
	over := serveTeam(t, app.Options{Demo: true}, "OUTLINE_DISABLE_DELETE=true")
	for _, test := range []struct{ tool, limit, want string }{
		{"get_workspace", "false", "get_workspace is not one of the default tools; to offer it, set OUTLINE_TOOLS=default,get_workspace"},
		{"search", "false", "search is not one of the default tools; to offer it, set OUTLINE_TOOLS=default,chatgpt"},
		{"delete_document", "false", "the setting OUTLINE_DISABLE_DELETE leaves the tool delete_document out"},
		{"create_document", "true", "create_document: it changes the workspace, and this request is limited to reading."},
		{"read_documnt", "false", "there is no tool read_documnt; did you mean read_document?"},
		{"creat_document", "true", "there is no tool creat_document; did you mean read_document?"},
		{"", "false", "name must be that of a tool, as a string"},
	} {
		r, err := over.send(t.Context(), "tools/call", `{"name":"`+test.tool+`","arguments":{}}`, bearer(fakeoutline.AdminKey), "Mcp-Protocol-Version: 2025-11-25", "X-Outline-Read-Only: "+test.limit)
		if err != nil || !strings.Contains(r.body, `"message":"tools/call: `+test.want+`"`) {
			t.Errorf("%s: %v: %s", test.tool, err, r.body)
		}
	}
}

// onWorkspace returns an app on a sample workspace, which counts what it asks
// and with which token, and its log.
func onWorkspace(t *testing.T, settings ...string) (*app.App, *counting, *bytes.Buffer) {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := &counting{asked: map[string]int{}, inner: sample.Transport()}
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: asked, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return server, asked, &log
}

// ask has the server of an app answer one request.
func ask(ctx context.Context, t *testing.T, server *app.App, method, params string) string {
	t.Helper()
	request := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	encoded, err := json.Marshal(app.MCPOf(server).HandleMessage(ctx, json.RawMessage(request)))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func TestARequestWithoutAPrincipalHasNoCredential(t *testing.T) {
	server, asked, _ := onWorkspace(t)
	if answer := ask(t.Context(), t, server, "tools/call", listCollections); !strings.Contains(answer, "no_key") || asked.total() != 0 {
		t.Errorf("%d requests to Outline: %s", asked.total(), answer)
	}
	if answer := ask(server.AsOperator(t.Context()), t, server, "tools/call", listCollections); strings.Contains(answer, "no_key") || asked.total() == 0 {
		t.Errorf("the operator: %d requests to Outline: %s", asked.total(), answer)
	}
}

// A login is a kind of credential that the program does not know: each request
// to Outline gets another token.
type login struct{ renewals *atomic.Int64 }

func (l login) Credential(context.Context) (string, error) {
	return fmt.Sprint("ol_api_demo_user_", l.renewals.Add(1)), nil
}

func TestAnotherKindOfCredentialIsRenewedWithoutLosingItsSubject(t *testing.T) {
	server, asked, log := onWorkspace(t, "OUTLINE_DYNAMIC_TOOL_LIST=true")
	ctx := auth.NewContext(t.Context(), auth.New("login", "user-0001-and-more", login{new(atomic.Int64)}))
	for range 2 { // what the subject may do is asked once
		if answer := ask(ctx, t, server, "tools/list", `{}`); !strings.Contains(answer, "list_collections") || asked.total() != 1 {
			t.Errorf("%d requests to Outline: %s", asked.total(), answer)
		}
	}
	for range 2 {
		if answer := ask(ctx, t, server, "tools/call", `{"name":"list_collections","arguments":{"include_document_count":false}}`); strings.Contains(answer, "isError") {
			t.Errorf("a call is answered with %s", answer)
		}
	}
	want := []string{"/api/auth.info Bearer ol_api_demo_user_1", "/api/collections.list Bearer ol_api_demo_user_2", "/api/collections.list Bearer ol_api_demo_user_3"}
	if got := slices.Sorted(maps.Keys(asked.asked)); !slices.Equal(got, want) {
		t.Errorf("Outline is asked %v", got)
	}
	if logged := log.String(); strings.Count(logged, "key=user-000 ") != 2 && strings.Count(logged, "key=user-000\n") != 2 || strings.Contains(logged, "ol_api") {
		t.Error(logged)
	}
}

func TestHealthSaysWhatAnswersInPlaceOfOutline(t *testing.T) {
	const unauthorized = `{"ok":false,"error":"authentication_required","status":401,"message":"Authentication required"}`
	for answer, says := range map[string]string{
		unauthorized:                            "",
		"{}":                                    "a gateway that refuses requests answers in place of Outline (status 401)",
		"<!doctype html><title>Sign in</title>": "a login page answers in place of Outline (status 200); check OUTLINE_API_URL",
		"hello":                                 "another server answers in place of Outline (status 200)",
	} {
		outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(answer, "{") {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
			}
			fmt.Fprint(w, answer)
		}))
		settings, err := config.Load([]string{"OUTLINE_API_URL=" + outline.URL})
		if err != nil {
			t.Fatal(err)
		}
		server, err := app.New(app.Options{Config: settings})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Ready(t.Context()); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", answer, err, says)
		}
		outline.Close()
	}
}
