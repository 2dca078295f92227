package app_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

func TestAListHoldsTheToolsThatTheCallersKeyAllows(t *testing.T) {
	sample := seeded(t)
	s := serveTeam(t, app.Options{Transport: sample.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_DYNAMIC_TOOL_LIST=true")
	all := len(localServer(t, sample.Transport(), "ol_api_test_admin").Tools())
	for _, test := range []struct {
		key             string
		count           int
		listed, missing string
	}{
		{"ol_api_test_admin", all, "export_all_collections create_collection delete_document", ""},
		{"ol_api_test_member", all - 1, "create_document list_trash list_revisions", "export_all_collections"},
		{"ol_api_test_viewer", -1, "search_documents read_document add_comment export_document ask_ai_about_documents create_document update_document batch_move_documents update_collection delete_collection", "list_trash list_archived_documents create_collection export_collection"},
		{"ol_api_test_guest", -1, "read_document create_document archive_document delete_document list_document_comments list_revisions read_revision update_collection delete_collection",
			"list_trash create_collection restore_document unarchive_document add_comment"},
		{"ol_api_test_suspended", 0, "", "search_documents"},
		{"ol_api_test_reads", -1, "read_document search_documents list_collections export_document get_document_id_from_title", "create_document add_comment list_trash list_archived_documents"},
		{"ol_api_test_documents", -1, "read_document search_documents get_document_id_from_title", "list_collections create_document get_collection_structure list_document_comments"},
		{"ol_api_test_hidden", all, "create_document", ""}, // it may ask neither question
		{"ol_api_test_unknown", 0, "", "search_documents"},
	} {
		r := s.must(t, "tools/list", "{}", bearer(test.key))
		names := r.names()
		if r.status != http.StatusOK || r.Result.Tools == nil || test.count >= 0 && len(names) != test.count {
			t.Errorf("%s: %d tools, want %d: %.200s", test.key, len(names), test.count, r.body)
		}
		for name := range strings.FieldsSeq(test.listed) {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %s is missing", test.key, name)
			}
		}
		for name := range strings.FieldsSeq(test.missing) {
			if slices.Contains(names, name) {
				t.Errorf("%s: %s is listed", test.key, name)
			}
		}
	}
	// A call is Outline's to refuse, listed or not.
	if r := s.must(t, "tools/call", `{"name":"list_trash","arguments":{}}`, bearer("ol_api_test_viewer")); r.Error != nil || !r.Result.IsError || !strings.Contains(r.text(), "Outline refused") {
		t.Errorf("a tool that is not listed: %s", r.body)
	}
	if r := s.must(t, "tools/list", "{}", bearer("ol_api_test_documents"), "X-Outline-Read-Only: true"); slices.Contains(r.names(), "list_collections") || !slices.Contains(r.names(), "read_document") {
		t.Errorf("narrowed as well: %v", r.names())
	}
}

func TestAListHoldsTheToolsForFilesTemplatesAndPeopleThatTheCallersKeyAllows(t *testing.T) {
	sample := seeded(t)
	s := serveTeam(t, app.Options{Transport: sample.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_DYNAMIC_TOOL_LIST=true", "OUTLINE_TOOLS=all")
	for _, test := range []struct{ key, listed, missing string }{
		{"ol_api_test_admin", "read_attachment list_attachments upload_attachment import_document get_export list_templates create_template list_users update_comment delete_comment duplicate_document", ""},
		{"ol_api_test_member", "read_attachment list_attachments upload_attachment import_document get_export list_templates create_template list_users update_comment delete_comment duplicate_document", ""},
		{"ol_api_test_viewer", "read_attachment list_attachments get_export list_templates list_users update_comment delete_comment get_workspace upload_attachment import_document create_template", "duplicate_document"},
		{"ol_api_test_guest", "read_attachment list_attachments upload_attachment import_document get_export list_templates get_workspace update_comment delete_comment create_template", "list_users duplicate_document"},
		{"ol_api_test_reads", "read_attachment list_attachments get_export list_templates list_users get_workspace", "upload_attachment import_document create_template update_comment delete_comment duplicate_document"},
		{"ol_api_test_documents", "list_attachments", "read_attachment upload_attachment import_document get_export list_templates create_template list_users update_comment duplicate_document"},
	} {
		names := s.must(t, "tools/list", "{}", bearer(test.key)).names()
		for name := range strings.FieldsSeq(test.listed) {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %s is missing", test.key, name)
			}
		}
		for name := range strings.FieldsSeq(test.missing) {
			if slices.Contains(names, name) {
				t.Errorf("%s: %s is listed", test.key, name)
			}
		}
	}
}

func TestAListHoldsWhatTheServersReleaseAllowsARole(t *testing.T) {
	for release, tests := range map[fakeoutline.Release][]struct{ key, listed, missing string }{
		"": {
			{"ol_api_test_guest", "list_revisions read_revision upload_attachment", "duplicate_document list_users list_trash"},
			{"ol_api_test_viewer", "list_revisions upload_attachment list_users update_comment", "duplicate_document list_trash"},
			{"ol_api_test_reads", "read_attachment", "upload_attachment"},
		},
		"1.9.2": {
			{"ol_api_test_guest", "list_revisions read_revision upload_attachment duplicate_document list_users", "list_trash"},
			{"ol_api_test_viewer", "list_revisions upload_attachment list_users update_comment duplicate_document", "list_trash"},
			{"ol_api_test_reads", "list_attachments", "read_attachment upload_attachment"},
			{"ol_api_test_member", "read_attachment duplicate_document list_users list_trash", "export_all_collections"},
		},
	} {
		s := serveTeam(t, app.Options{Transport: released(t, release).Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_DYNAMIC_TOOL_LIST=true", "OUTLINE_TOOLS=all")
		for _, test := range tests {
			names := s.must(t, "tools/list", "{}", bearer(test.key)).names()
			for name := range strings.FieldsSeq(test.listed) {
				if !slices.Contains(names, name) {
					t.Errorf("release %q: %s: %s is missing", release, test.key, name)
				}
			}
			for name := range strings.FieldsSeq(test.missing) {
				if slices.Contains(names, name) {
					t.Errorf("release %q: %s: %s is listed", release, test.key, name)
				}
			}
		}
	}
}

func TestAListTellsAGuestOfCommentsWhereTheTeamAllowsThem(t *testing.T) {
	for commenting, want := range map[fakeoutline.Commenting]map[string]bool{
		fakeoutline.MembersComment:   {"member": true},
		fakeoutline.EveryoneComments: {"member": true, "guest": true},
		fakeoutline.NobodyComments:   {},
	} {
		sample, err := fakeoutline.Empty(fakeoutline.Options{}, fakeoutline.Seed{
			Team:  fakeoutline.Team{ID: "7ea00000-0000-4000-8000-000000000001", Name: "Test", Commenting: commenting},
			Users: seededUsers(),
			Keys:  seededKeys(),
		})
		if err != nil {
			t.Fatal(err)
		}
		s := serveTeam(t, app.Options{Transport: sample.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_DYNAMIC_TOOL_LIST=true")
		for _, who := range []string{"member", "guest"} {
			if listed := slices.Contains(s.must(t, "tools/list", "{}", bearer("ol_api_test_"+who)).names(), "add_comment"); listed != want[who] {
				t.Errorf("with the setting %q add_comment is listed to a %s: %t", commenting, who, listed)
			}
		}
	}
}

func TestAFailureOfASuspendedKeyNamesNoToolThatFailsToo(t *testing.T) {
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		sample := released(t, release)
		s := serveTeam(t, app.Options{Transport: sample.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
		tools := s.must(t, "tools/list", "{}", bearer("ol_api_test_suspended")).names()
		for _, call := range []string{
			`{"name":"search_documents","arguments":{"query":"x"}}`,
			`{"name":"get_document_id_from_title","arguments":{"query":"x"}}`,
			`{"name":"read_document","arguments":{"document_id":"00000000-0000-4000-8000-000000000000"}}`,
			`{"name":"edit_document","arguments":{"document_id":"00000000-0000-4000-8000-000000000000","edits":[{"old_text":"a","new_text":"b"}]}}`,
			`{"name":"archive_document","arguments":{"document_id":"00000000-0000-4000-8000-000000000000"}}`,
			`{"name":"batch_archive_documents","arguments":{"document_ids":["00000000-0000-4000-8000-000000000000"]}}`,
			`{"name":"add_comment","arguments":{"document_id":"00000000-0000-4000-8000-000000000000","text":"x"}}`,
		} {
			r := s.must(t, "tools/call", call, bearer("ol_api_test_suspended"))
			called, says, _ := strings.Cut(r.text(), " ")
			if !r.Result.IsError || !strings.Contains(says, "the owner of the API key is suspended") || !strings.Contains(says, "an admin of the workspace") || !strings.Contains(says, "code forbidden") {
				t.Errorf("release %q: %s: %s", release, call, r.text())
			}
			for _, tool := range tools {
				if strings.Contains(says, tool) {
					t.Errorf("%s %s names %s", called, says, tool)
				}
			}
		}
	}
}

// seeded is a workspace with the seeded users and keys, and nothing else.
func seeded(t *testing.T) *fakeoutline.Workspace {
	t.Helper()
	return released(t, "")
}

// released is the same of a release.
func released(t *testing.T, release fakeoutline.Release) *fakeoutline.Workspace {
	t.Helper()
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: release}, fakeoutline.Seed{
		Team:  fakeoutline.Team{ID: "7ea00000-0000-4000-8000-000000000001", Name: "Test"},
		Users: seededUsers(),
		Keys:  seededKeys(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func seededUsers() []fakeoutline.User {
	var users []fakeoutline.User
	for i, role := range []fakeoutline.Role{fakeoutline.Admin, fakeoutline.Member, fakeoutline.Viewer, fakeoutline.Guest} {
		users = append(users, fakeoutline.User{ID: seededUser(i), Name: string(role), Email: string(role) + "@example.com", Role: role})
	}
	return append(users, fakeoutline.User{ID: seededUser(4), Name: "suspended", Email: "suspended@example.com", Role: fakeoutline.Member, Suspended: true})
}

func seededUser(i int) string { return "7e500000-0000-4000-8000-00000000000" + string(rune('1'+i)) }

func seededKeys() []fakeoutline.Key {
	key := func(name string, user int, scopes ...string) fakeoutline.Key {
		return fakeoutline.Key{ID: "7ec00000-0000-4000-8000-0000000000" + string("abcdef"[len(name)%6]) + string("0123456789abcdef"[len(name)]), Secret: "ol_api_test_" + name, UserID: seededUser(user), Scopes: scopes}
	}
	return []fakeoutline.Key{
		key("admin", 0), key("member", 1), key("viewer", 2), key("guest", 3), key("suspended", 4),
		key("reads", 1, "read"),
		key("documents", 1, "documents:read", "/api/documents.search", "/api/apiKeys.list"),
		key("hidden", 1, "documents:read"),
	}
}

// A counting transport counts the questions that are asked of Outline.
type counting struct {
	mu    sync.Mutex
	asked map[string]int
	inner http.RoundTripper
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.asked[r.URL.Path+" "+r.Header.Get("Authorization")]++
	c.mu.Unlock()
	return c.inner.RoundTrip(r)
}

func (c *counting) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := 0
	for _, n := range c.asked {
		total += n
	}
	return total
}

// listLocally lists the tools without HTTP.
func listLocally(t *testing.T, server *app.App) int {
	t.Helper()
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return len(listed.Tools)
}

func localServer(t *testing.T, outline http.RoundTripper, key string) *app.App {
	t.Helper()
	loaded, err := config.Load([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + key, "OUTLINE_DYNAMIC_TOOL_LIST=true"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: outline})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func TestWhatAKeyAllowsIsAskedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sample, err := fakeoutline.New(fakeoutline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		asked := &counting{asked: map[string]int{}, inner: sample.Transport()}
		server := localServer(t, asked, fakeoutline.ViewerKey)
		first := listLocally(t, server)
		time.Sleep(59 * time.Second)
		if again := listLocally(t, server); again != first || first == 0 || first >= len(server.Tools()) || asked.total() != 2 {
			t.Errorf("%d and %d tools, %d questions", first, again, asked.total())
		}
		time.Sleep(2 * time.Second)
		if again := listLocally(t, server); again != first || asked.total() != 4 {
			t.Errorf("after a minute %d tools, %d questions", again, asked.total())
		}
	})
}

func TestAListWaitsAtMostTwoSecondsForOutlineAndThenHoldsAllTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sample, err := fakeoutline.New(fakeoutline.Options{Latency: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		server := localServer(t, sample.Transport(), fakeoutline.ViewerKey)
		begin := time.Now()
		if listed := listLocally(t, server); listed != len(server.Tools()) || time.Since(begin) > 2*time.Second {
			t.Errorf("%d tools after %s", listed, time.Since(begin))
		}
	})
}

func TestAnOutlineThatFailsHidesNoTool(t *testing.T) {
	for name, fails := range map[string]transport{
		"an error":         func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"no JSON":          answering(200, "text/html", "<html>"),
		"an error of it":   answering(500, "application/json", `{"ok":false,"error":"internal_error"}`),
		"a rate limit":     answering(429, "application/json", `{"ok":false,"error":"rate_limit_exceeded"}`),
		"another shape":    answering(200, "application/json", `{"ok":true,"data":{"user":5}}`),
		"an unknown role":  answering(200, "application/json", `{"ok":true,"data":{"user":{"id":"u","role":"emperor"},"team":{"id":"t"}}}`),
		"no access at all": answering(403, "application/json", `{"ok":false,"error":"authorization_error"}`),
	} {
		server := localServer(t, fails, "ol_api_test")
		for range 2 {
			if listed := listLocally(t, server); listed != len(server.Tools()) {
				t.Errorf("%s: %d tools", name, listed)
			}
		}
	}
	if listed := listLocally(t, localServer(t, answering(401, "application/json", `{"ok":false,"error":"authentication_required"}`), "ol_api_test")); listed != 0 {
		t.Errorf("an invalid key: %d tools", listed)
	}
}

func answering(status int, media, body string) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

func TestToolsThatNeedAIAreNotListedToACallerOnceOutlineSaidThatItHasNone(t *testing.T) {
	const ask = "ask_ai_about_documents"
	s := serveTeam(t, app.Options{Transport: seeded(t).Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	listed := func(key string) []string { return s.must(t, "tools/list", "{}", bearer(key)).names() }
	before := listed("ol_api_test_admin")
	question := `{"name":"` + ask + `","arguments":{"question":"Who lights the lamps?"}}`
	if r := s.must(t, "tools/call", question, bearer("ol_api_test_admin")); !r.Result.IsError || !strings.Contains(r.text(), "has no AI") {
		t.Fatal(r.body)
	}
	if after := listed("ol_api_test_admin"); !slices.Equal(after, slices.DeleteFunc(before, func(name string) bool { return name == ask })) {
		t.Errorf("listed afterwards: %v", after)
	}
	if !slices.Contains(listed("ol_api_test_member"), ask) {
		t.Error("another caller's list lacks it, too")
	}
	if r := s.must(t, "tools/call", question, bearer("ol_api_test_admin")); r.Error != nil || !strings.Contains(r.text(), "has no AI") {
		t.Errorf("a call afterwards: %s", r.body)
	}
}

func TestListsOfToolsSayHowLongTheyStayTrue(t *testing.T) {
	s := serveTeam(t, app.Options{Transport: seeded(t).Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	r := s.must(t, "tools/list", "{"+modernMeta+"}", bearer("ol_api_test_admin"), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")
	if !strings.Contains(r.body, `"ttlMs":60000`) || !strings.Contains(r.body, `"cacheScope":"private"`) {
		t.Errorf("2026-07-28: %.300s", r.body)
	}
	if r := s.must(t, "tools/list", "{}", bearer("ol_api_test_admin")); strings.Contains(r.body, "ttlMs") {
		t.Error("an older version has the hint")
	}
}
