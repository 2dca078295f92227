package doctor_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/tools"
)

// keyTroubles are those of the key, and of what this Outline allows.
func keyTroubles() []trouble {
	with := func(options fakeoutline.Options, key string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return []string{"OUTLINE_API_URL=" + serveHandler(t, sample(t, options)), "OUTLINE_API_KEY=" + key}
		}
	}
	wrapped := func(wrap func(http.Handler) http.Handler, settings ...string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return at(serveHandler(t, wrap(sample(t, fakeoutline.Options{Answers: true}))), settings...)
		}
	}
	limit := says(http.StatusTooManyRequests, `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`, "Content-Type", asJS, "Retry-After", "60")
	return []trouble{
		{name: "a key that may call no tool", symbol: "✗", check: "tools", says: []string{fmt.Sprintf("0 of %d", offeredByDefault()), "more rights"}, arrange: keyed("ol_api_fake_no_tools")},
		{name: "no key", symbol: "✗", check: "key", says: []string{"no key is set", "OUTLINE_API_KEY"}, arrange: func(t *testing.T) []string {
			return []string{"OUTLINE_API_URL=" + serveHandler(t, small(t))}
		}},
		{name: "a key that Outline does not know", symbol: "✗", check: "key", says: []string{"****tten", "unknown", "Invalid API key", "another Outline"}, arrange: keyed("ol_api_fake_mistyped_or_forgotten")},
		{name: "a key that has expired", symbol: "✗", check: "key", says: []string{"****past has expired", "create a new one"}, arrange: keyed("ol_api_fake_ended_past")},
		{name: "something that is not a key", symbol: "✗", check: "key", says: []string{"form of an Outline key", "ol_api_"}, arrange: keyed("sk-something-else")},
		{name: "a key of a suspended user", symbol: "✗", check: "key", says: []string{"suspended", "admin of the workspace"}, arrange: keyed("ol_api_fake_suspended")},
		{name: "a proxy that takes the key as its own", symbol: "✗", check: "key", says: []string{"cannot be checked", "403", "Authorization"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return withKey(h, says(http.StatusForbidden, "<h1>no</h1>", "Content-Type", html))
		})},
		{name: "Outline that fails once it sees a key", symbol: "✗", check: "key", says: []string{"cannot be checked", "500", "Outline's log"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return withKey(h, says(http.StatusInternalServerError, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`, "Content-Type", asJS))
		})},
		{name: "a key that expires soon", symbol: "!", check: "expiry", says: []string{"in 5 days", "create a new one"}, arrange: keyed("ol_api_fake_ends_soon")},
		{name: "a viewer's key", symbol: "!", check: "tools", says: []string{"a viewer may not use: unarchive_document, restore_document", "a user with more rights", "OUTLINE_DYNAMIC_TOOL_LIST"}, arrange: with(fakeoutline.Options{Answers: true}, fakeoutline.ViewerKey)},
		{name: "a guest's key", symbol: "!", check: "tools", says: []string{"a guest may not use: unarchive_document", "create_collection"}, arrange: keyed("ol_api_fake_of_guest")},
		{name: "a guest's key where guests may not comment", symbol: "!", check: "tools", says: []string{"the settings of this workspace do not let a guest use: add_comment", "Settings → Security"}, arrange: keyed("ol_api_fake_of_guest")},
		{name: "a workspace where nobody may comment", symbol: "!", check: "tools", says: []string{"the settings of this workspace do not let anyone use: add_comment", "Settings → Security"}, arrange: func(t *testing.T) []string {
			return []string{"OUTLINE_API_URL=" + serveHandler(t, team(t, fakeoutline.NobodyComments)), "OUTLINE_API_KEY=ol_api_fake_of_admin"}
		}},
		{name: "a read-only key", symbol: "!", check: "tools", says: []string{"the scopes of the key do not allow: create_document"}, arrange: keyed("ol_api_fake_reads_only")},
		{name: "a key with few scopes, which it may not list", symbol: "!", check: "tools", says: []string{"the scopes of the key do not allow: update_document, edit_document, batch_update_documents, ask_ai_about_documents", "more scopes"}, arrange: with(fakeoutline.Options{Answers: true}, fakeoutline.ScopedKey)},
		{name: "scopes that Outline does not list", symbol: "!", check: "tools", says: []string{"may work with this key, but its scopes are not known", "a call can still be refused"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return instead(h, "apiKeys.list", says(http.StatusInternalServerError, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`, "Content-Type", asJS))
		})},
		{name: "a key that may not ask whose it is", symbol: "!", check: "tools", says: []string{"may work with this key, but the role of its owner is not known", "scopes auth.info and apiKeys.list"}, arrange: wrapped(func(h http.Handler) http.Handler {
			beyond := says(http.StatusForbidden, `{"ok":false,"error":"authorization_error","status":403,"message":"API key does not have access to this resource"}`, "Content-Type", asJS)
			return instead(h, "auth.info", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { withKey(h, beyond).ServeHTTP(w, r) }))
		})},
		{name: "an exhausted rate limit", symbol: "!", check: "rate_limit", says: []string{"429", "auth.info", "Retry-After: 60", "wait"}, arrange: served(limit)},
		{name: "Outline that cannot patch documents", symbol: "!", check: "edit_modes", says: []string{"only replace whole texts", "update Outline"}, arrange: with(fakeoutline.Options{Answers: true, NoEditModes: true}, fakeoutline.MemberKey)},
		{name: "Outline that overwrites newer changes", symbol: "!", check: "revisions", says: []string{"does not guard", "guarded false", "nothing to update"}, arrange: with(fakeoutline.Options{Answers: true, NoRevisionCheck: true}, fakeoutline.MemberKey)},
		{name: "Outline without AI answers", symbol: "!", check: "tools", says: []string{"no AI answers: ask_ai_about_documents", "set OUTLINE_DISABLE_AI_TOOLS"}, arrange: with(fakeoutline.Options{}, fakeoutline.MemberKey)},
	}
}

// silent takes a request and does not answer it.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadAll(r.Body) // to be told when the client leaves
	<-r.Context().Done()
}

func TestDoctorNamesTheDynamicListOnlyWhereItHelps(t *testing.T) {
	url := "OUTLINE_API_URL=" + serveHandler(t, sample(t, fakeoutline.Options{Answers: true}))
	others := "OUTLINE_API_URL=" + serveHandler(t, small(t))
	for _, test := range []struct {
		name    string
		environ []string
		want    bool
	}{
		{"a role that Outline tells", []string{url, "OUTLINE_API_KEY=" + fakeoutline.ViewerKey}, true},
		{"scopes that Outline tells", []string{others, "OUTLINE_API_KEY=ol_api_fake_reads_only"}, true},
		{"scopes that Outline does not tell", []string{url, "OUTLINE_API_KEY=" + fakeoutline.ScopedKey}, false},
		{"a list that is so already", []string{url, "OUTLINE_API_KEY=" + fakeoutline.ViewerKey, "OUTLINE_DYNAMIC_TOOL_LIST=true"}, false},
	} {
		_, report := doctorSays(t, false, test.environ)
		if got := strings.Contains(report, "set OUTLINE_DYNAMIC_TOOL_LIST=true"); got != test.want || !strings.Contains(report, "to use them") {
			t.Errorf("%s: %t, want %t:\n%s", test.name, got, test.want, report)
		}
	}
}

func TestDoctorNamesNoCommentsWhereTheTeamAllowsThem(t *testing.T) {
	for _, test := range []struct {
		setting fakeoutline.Commenting
		key     string
		named   bool
	}{
		{fakeoutline.MembersComment, "ol_api_fake_of_admin", false},
		{fakeoutline.MembersComment, "ol_api_fake_of_guest", true},
		{fakeoutline.EveryoneComments, "ol_api_fake_of_guest", false},
		{fakeoutline.NobodyComments, "ol_api_fake_of_guest", true},
	} {
		environ := []string{"OUTLINE_API_URL=" + serveHandler(t, team(t, test.setting)), "OUTLINE_API_KEY=" + test.key}
		if _, report := doctorSays(t, false, environ); strings.Contains(report, "use: add_comment;") != test.named {
			t.Errorf("with the setting %q and %s add_comment is named: %t, want %t:\n%s", test.setting, test.key, !test.named, test.named, report)
		}
	}
}

func TestDoctorDoesNotGuessWhichOfTwoKeysThatEndAlikeItHas(t *testing.T) {
	list := says(http.StatusOK, `{"ok":true,"status":200,"data":[{"last4":"dmin","scope":["documents:read"]},{"last4":"dmin","scope":["collections:read"]},{"last4":"else","scope":null}]}`, "Content-Type", asJS)
	code, report := doctorSays(t, false, at(serveHandler(t, instead(sample(t, fakeoutline.Options{Answers: true}), "apiKeys.list", list)), "OUTLINE_TOOLS=read_document,list_collections,create_document"))
	if code != 0 || !contains(report, []string{"- scopes, expiry: skipped, 2 keys in Outline's list end in the same characters\n", "! tools: all 3 may work with this key, but its scopes are not known, so a call can still be refused\n"}) {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}

// offeredByDefault returns the number of tools that are offered if no setting
// chooses among them.
func offeredByDefault() int {
	return len(slices.DeleteFunc(tools.All(), func(tool mcptool.Tool) bool { return tool.Info().Optional }))
}

func TestDoctorDoesNotWaitForOneFeatureAfterTheOther(t *testing.T) {
	outline := sample(t, fakeoutline.Options{Answers: true})
	for _, endpoint := range []string{"installation.info", "documents.update", "documents.answerQuestion"} {
		outline = instead(outline, endpoint, http.HandlerFunc(silent))
	}
	start := time.Now()
	_, report := doctorSays(t, false, at(serveHandler(t, outline), "OUTLINE_REQUEST_TIMEOUT=1s"))
	if took := time.Since(start); took > 3*time.Second || !strings.Contains(report, "- version, edit_modes, revisions, ai_answers: skipped, no answer came within 1s\n") {
		t.Errorf("it took %s:\n%s", took, report)
	}
}

func TestDoctorGivesEachRequestOfASlowOutlineItsTime(t *testing.T) {
	quick := sample(t, fakeoutline.Options{Answers: true})
	slow := sample(t, fakeoutline.Options{Answers: true, Latency: 5100 * time.Millisecond / 2}) // two of these, one after the other
	var first sync.Once
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := quick
		if strings.HasSuffix(r.URL.Path, "/auth.info") && r.Header.Get("Authorization") != "" {
			first.Do(func() { answers = slow })
		}
		answers.ServeHTTP(w, r)
	})
	code, report := doctorSays(t, false, []string{fakeKey, "OUTLINE_API_URL=" + serveHandler(t, instead(handler, "apiKeys.list", slow))})
	if code != 0 || !contains(report, []string{"✓ scopes: unrestricted", fmt.Sprintf("✓ tools: all %d", offeredByDefault()), "\nNo failures, no warnings.\n"}) {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}
