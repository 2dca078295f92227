package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"outline-mcp/internal/auth"
)

const user = "17067d3b-ca4f-4737-b7c7-ec60255b198b"

func TestThePrincipalOfALoginIsThePerson(t *testing.T) {
	expires := time.Now().Add(time.Hour)
	writes := auth.ForLogin(auth.Login{User: user, Writes: true, Expires: expires, Source: auth.APIKey("ol_at_secret")})
	reads := auth.ForLogin(auth.Login{User: user, Source: auth.APIKey("ol_at_other")})
	if writes.Subject != reads.Subject || !strings.HasPrefix(user, writes.ID()) || writes.Subject == user {
		t.Errorf("the subjects are %q and %q", writes.Subject, reads.Subject)
	}
	if writes.ReadOnly || writes.Upgradable || !writes.Expires.Equal(expires) || !reads.ReadOnly || !reads.Upgradable {
		t.Errorf("%+v, %+v", writes, reads)
	}
	if writes.Kind != auth.KindLogin {
		t.Errorf("it is of the kind %s", writes.Kind)
	}
	if shown := fmt.Sprintf("%v %+v %#v", writes, writes, writes); strings.Contains(shown, "secret") {
		t.Errorf("the token is shown: %s", shown)
	}
	nobody := auth.ForLogin(auth.Login{Writes: true, Source: auth.APIKey("ol_at_secret")})
	if token, err := nobody.Credential(t.Context()); token != "" || err != nil || nobody.Subject != "" {
		t.Errorf("without a person: %q, %v", token, err)
	}
}

func TestALoginIsRejectedWhereRepeatingTheRequestIsSafe(t *testing.T) {
	const unauthorized = http.StatusUnauthorized
	type answer struct {
		status  int
		command bool
	}
	for _, test := range []struct {
		name    string
		answers []answer
		want    bool
	}{
		{"without a request", nil, false},
		{"a rejected read", []answer{{unauthorized, false}}, true},
		{"a rejected write", []answer{{unauthorized, true}}, true},
		{"a read before", []answer{{200, false}, {unauthorized, true}}, true},
		{"a write before", []answer{{200, true}, {unauthorized, true}}, false},
		{"a write after", []answer{{unauthorized, true}, {200, true}}, false},
		{"a write without an answer", []answer{{0, true}, {unauthorized, true}}, false},
		{"a write that failed at Outline", []answer{{500, true}, {unauthorized, true}}, false},
		{"a write that was refused", []answer{{403, true}, {429, true}, {unauthorized, true}}, true},
		{"forbidden", []answer{{403, false}}, false},
	} {
		ctx, challenge := auth.NewChallenge(t.Context())
		for _, a := range test.answers {
			auth.ChallengeFrom(ctx).Answered(a.status, a.command)
		}
		if challenge.Rejected() != test.want || challenge.Insufficient() {
			t.Errorf("%s: rejected %t", test.name, !test.want)
		}
	}
	ctx, challenge := auth.NewChallenge(t.Context())
	if auth.ChallengeFrom(ctx).NeedsWrite(); !challenge.Insufficient() || challenge.Rejected() {
		t.Error("that more is needed is not noted")
	}
	none := auth.ChallengeFrom(context.Background())
	none.Answered(unauthorized, true) // a request with a key has no challenge
	none.NeedsWrite()
}

func TestScopesToReadCoverWhatOutlineCountsAsWriting(t *testing.T) {
	got := auth.ScopesToRead([]string{"documents.info", "documents.archived", "collections.list", "documents.archived", "documents.search_titles", "attachments.redirect"})
	if want := []string{"read", "/api/documents.archived", "/api/documents.search_titles", "/api/attachments.redirect"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, endpoint := range []string{"documents.archived", "documents.search_titles", "documents.info", "users.list"} {
		if !(auth.Permissions{Scopes: got}).Allows(endpoint) {
			t.Errorf("%s is not covered", endpoint)
		}
	}
	if (auth.Permissions{Scopes: got}).Allows("documents.update") {
		t.Error("more is covered than asked for")
	}
}

func TestScopesAllowWhatOutlineSaysTheyDo(t *testing.T) {
	for _, test := range []struct{ scope, allowed, refused string }{
		{"*", "documents.info documents.delete apiKeys.list", ""},
		{"read", "documents.info documents.search collections.export fileOperations.redirect attachments.redirect templates.list templates.info users.list users.info comments.info", "attachments.create attachments.delete templates.create documents.import documents.duplicate comments.update comments.resolve comments.unresolve documents.create documents.update documents.search_titles documents.archived"},
		{"create", "documents.create collections.create comments.create attachments.create templates.create", "attachments.delete documents.import documents.duplicate comments.resolve documents.info documents.update"},
		{"write", "documents.info documents.update documents.create collections.delete", ""},
		{"documents:read", "documents.info documents.list documents.search documents.export", "attachments.redirect users.list templates.list fileOperations.info documents.search_titles documents.archived documents.deleted collections.list auth.info apiKeys.list"},
		{"documents:create", "documents.create", "documents.info collections.create"},
		{"documents:write", "documents.info documents.create documents.move documents.search_titles documents.import documents.duplicate documents.unpublish", "templates.create attachments.create collections.list comments.create"},
		{"attachments:read", "attachments.redirect attachments.list", "attachments.create attachments.delete documents.info"},
		{"comments:write", "comments.resolve comments.unresolve comments.update comments.delete comments.list", "documents.info"},
		{"templates:create", "templates.create", "templates.list documents.create"},
		{"*:read", "documents.info collections.list", "documents.update"},
		{"/api/documents.list", "documents.list", "documents.info documents.search collections.list"},
		{"/api/documents.*", "documents.list documents.delete", "collections.list"},
		{"/api/*.list", "documents.list comments.list", "documents.info"},
		{"", "", "documents.info documents.create"},
		{"documents:", "", "documents.info"},
		{"Documents:read", "", "documents.info"},
	} {
		key := auth.Permissions{Scopes: []string{test.scope}}
		for endpoint := range strings.FieldsSeq(test.allowed) {
			if !key.Allows(endpoint) {
				t.Errorf("%q does not allow %s", test.scope, endpoint)
			}
		}
		for endpoint := range strings.FieldsSeq(test.refused) {
			if key.Allows(endpoint) {
				t.Errorf("%q allows %s", test.scope, endpoint)
			}
		}
	}
}

func TestOneOfSeveralScopesIsEnoughAndNoneOfThemAllowsNothing(t *testing.T) {
	both := auth.Permissions{Scopes: []string{"collections:read", "/api/documents.info"}}
	if !both.Allows("collections.list") || !both.Allows("documents.info") || both.Allows("documents.list") {
		t.Error("two scopes allow what neither does, or not what one does")
	}
	if (auth.Permissions{Scopes: []string{}}).Allows("documents.info") {
		t.Error("a list of no scopes allows something")
	}
	if !(auth.Permissions{}).Allows("documents.info") {
		t.Error("a key without a limit allows nothing")
	}
}

func TestRolesRuleOutWhatOutlineRefusesThem(t *testing.T) {
	for _, test := range []struct{ endpoint, roles string }{
		{"documents.info", "admin member viewer guest unknown"},
		{"documents.export", "admin member viewer guest unknown"},
		{"comments.list", "admin member viewer guest unknown"},
		{"comments.create", "admin member viewer unknown"},
		{"documents.create", "admin member viewer guest unknown"},
		{"documents.import", "admin member viewer guest unknown"},
		{"documents.update", "admin member viewer guest unknown"},
		{"attachments.create", "admin member viewer guest unknown"},
		{"templates.list", "admin member viewer guest unknown"},
		{"templates.info", "admin member viewer guest unknown"},
		{"templates.create", "admin member viewer guest unknown"}, // where the collection lets them
		{"users.list", "admin member viewer unknown"},
		{"users.info", "admin member viewer guest unknown"},
		{"comments.update", "admin member viewer guest unknown"},  // their own
		{"comments.delete", "admin member viewer guest unknown"},  // their own
		{"comments.resolve", "admin member viewer guest unknown"}, // their own threads
		{"comments.unresolve", "admin member viewer guest unknown"},
		{"attachments.delete", "admin member viewer guest unknown"}, // their own
		{"fileOperations.redirect", "admin member viewer guest unknown"},
		{"collections.update", "admin member viewer guest unknown"}, // those that they manage
		{"collections.delete", "admin member viewer guest unknown"},
		{"attachments.redirect", "admin member viewer guest unknown"},
		{"fileOperations.info", "admin member viewer guest unknown"}, // their own
		{"documents.delete", "admin member viewer guest unknown"},
		{"documents.archive", "admin member viewer guest unknown"},
		{"documents.restore", "admin member unknown"},
		{"documents.duplicate", "admin member unknown"},
		{"documents.archived", "admin member unknown"},
		{"documents.deleted", "admin member unknown"},
		{"revisions.list", "admin member viewer guest unknown"},
		{"revisions.info", "admin member viewer guest unknown"},
		{"collections.create", "admin member unknown"},
		{"collections.export", "admin member unknown"},
		{"collections.export_all", "admin unknown"},
		{"groups.list", "admin member viewer unknown"},
		{"shares.info", "admin member viewer guest unknown"},
		{"shares.create", "admin member viewer unknown"}, // viewers get a link that does not work
		{"shares.update", "admin member unknown"},
		{"shares.revoke", "admin member unknown"},
	} {
		for role := range strings.FieldsSeq("admin member viewer guest unknown") {
			if got := (auth.Permissions{Role: role}).Allows(test.endpoint); got != strings.Contains(test.roles, role) {
				t.Errorf("%s may call %s: %t", role, test.endpoint, got)
			}
		}
	}
}

func TestTheTeamDecidesWhoComments(t *testing.T) {
	for commenting, roles := range map[string]string{
		"":         "admin member viewer unknown",
		"members":  "admin member viewer unknown",
		"everyone": "admin member viewer guest unknown",
		"none":     "",
	} {
		for role := range strings.FieldsSeq("admin member viewer guest unknown") {
			key := auth.Permissions{Role: role, Commenting: commenting}
			if got := key.Allows("comments.create"); got != strings.Contains(roles, role) || key.TeamForbids("comments.create") == got {
				t.Errorf("with the setting %q %s may comment: %t", commenting, role, got)
			}
			if !key.Allows("comments.list") || key.TeamForbids("comments.list") {
				t.Errorf("with the setting %q %s may not read comments", commenting, role)
			}
		}
	}
}

func TestAToolNeedsAllItsEndpointsOrAnyOfThem(t *testing.T) {
	allows := func(endpoint string) bool { return endpoint == "documents.info" }
	for _, test := range []struct {
		endpoints string
		any, want bool
	}{
		{"documents.info", false, true}, {"documents.info documents.list", false, false}, {"documents.list documents.info", true, true},
		{"documents.list", true, false}, {"", false, true}, {"", true, false},
	} {
		if got := auth.AllowsTool(strings.Fields(test.endpoints), test.any, allows); got != test.want {
			t.Errorf("%q, any of them %t: %t", test.endpoints, test.any, got)
		}
	}
}

func TestTheScopesOfKeysThatEndAlikeCountTogether(t *testing.T) {
	read, write := auth.ListedKey{Last4: "tail", Scopes: []string{"read"}}, auth.ListedKey{Last4: "tail", Scopes: []string{"write"}}
	for _, test := range []struct {
		name    string
		listed  []auth.ListedKey
		scopes  []string
		matches int
	}{
		{"one", []auth.ListedKey{read, {Last4: "else"}}, []string{"read"}, 1},
		{"two", []auth.ListedKey{read, write}, []string{"read", "write"}, 2},
		{"one of two without a limit", []auth.ListedKey{read, {Last4: "tail"}, write}, nil, 3},
		{"one of another user", []auth.ListedKey{read, {Last4: "tail", UserID: "2", Scopes: []string{"write"}}}, []string{"read"}, 1},
		{"one of the owner", []auth.ListedKey{{Last4: "tail", UserID: "1", Scopes: []string{"write"}}}, []string{"write"}, 1},
		{"one limited to nothing", []auth.ListedKey{{Last4: "tail", Scopes: []string{}}}, []string{}, 1},
		{"none", []auth.ListedKey{{Last4: "else", Scopes: []string{"read"}}, {Scopes: []string{"read"}}}, nil, 0},
	} {
		scopes, matches := auth.APIKey("a key with a tail").Scopes("1", test.listed)
		if !slices.Equal(scopes, test.scopes) || (scopes == nil) != (test.scopes == nil) || matches != test.matches {
			t.Errorf("%s: %#v of %d, want %#v of %d", test.name, scopes, matches, test.scopes, test.matches)
		}
	}
}

func TestPrintingAPrincipalShowsItsSubjectAndNoSecret(t *testing.T) {
	one, other, operator := auth.ForAPIKey("ol_api_test_key_1"), auth.ForAPIKey("ol_api_test_key_2"), auth.ForOperator("ol_api_test_key_1")
	if one.Subject == other.Subject || len(one.Subject) != 64 || len(one.ID()) != 8 || one.ID() == other.ID() {
		t.Errorf("subjects are %s and %s", one.Subject, other.Subject)
	}
	if operator.Subject != one.Subject || operator.Kind == one.Kind {
		t.Errorf("the operator is %s, whose key as a caller's is %s", operator, one)
	}
	key, _ := one.APIKey()
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("call", "principal", one, "pointer", &one, "key", key)
	}
	encoded, err := json.Marshal(map[string]any{"principal": one, "key": key})
	if err != nil {
		t.Fatal(err)
	}
	shown := log.String() + string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown += fmt.Sprintf(verb, one) + fmt.Sprintf(verb, []auth.Principal{one}) + fmt.Sprintf(verb, key)
	}
	if strings.Contains(shown, "test_key") || strings.Contains(shown, fmt.Sprintf("%x", "test_key")) {
		t.Errorf("the key is shown: %s", shown)
	}
	if printed := fmt.Sprint(one); printed != "API key "+one.ID() {
		t.Errorf("it is printed as %s", printed)
	}
}

// renewed is a source whose credential is another one each time.
type renewed struct{ times *int }

func (r renewed) Credential(context.Context) (string, error) {
	if *r.times++; *r.times > 2 {
		return "", errors.New("the login has expired")
	}
	return fmt.Sprint("token ", *r.times), nil
}

func TestAPrincipalKeepsItsSubjectWhenItsCredentialIsRenewed(t *testing.T) {
	user := auth.New("login", "user-1", renewed{new(int)})
	ctx := auth.NewContext(t.Context(), user)
	for _, want := range []string{"token 1", "token 2"} {
		p, ok := auth.FromContext(ctx)
		if token, err := p.Credential(ctx); err != nil || token != want || !ok || p.Subject != "user-1" {
			t.Errorf("%v: %s has %s, want %s", err, p, token, want)
		}
	}
	if token, err := user.Credential(ctx); err == nil || token != "" {
		t.Errorf("after its end it has %q", token)
	}
	if _, ok := user.APIKey(); ok {
		t.Error("it has an API key")
	}
}

func TestWithoutAPrincipalThereIsNoCredential(t *testing.T) {
	p, ok := auth.FromContext(t.Context())
	if token, err := p.Credential(t.Context()); ok || token != "" || err != nil || p.Subject != "" || p.ID() != "" || fmt.Sprint(p) != "" {
		t.Errorf("%t %q %v %q", ok, token, err, p.Subject)
	}
	if nobody := auth.ForOperator(""); nobody.Subject != "" {
		t.Errorf("an operator without a key is %s", nobody.Subject)
	}
}

func TestAQuestionGoesOnFromOneRequestToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache auth.PerCaller[string]
		var asked atomic.Int32
		slow := func(ctx context.Context) (string, bool) {
			asked.Add(1)
			time.Sleep(time.Second)
			return "known", ctx.Err() == nil
		}
		for range 4 { // as completion asks with each letter, and cancels what it asked before
			ctx, leave := context.WithCancel(t.Context())
			cache.Begin(ctx, slow)
			time.Sleep(200 * time.Millisecond)
			leave()
		}
		if got := cache.Begin(t.Context(), slow)(); got != "known" || asked.Load() != 1 {
			t.Errorf("the last request is told %q; asked %d times", got, asked.Load())
		}
	})
}

func TestAValueOutlivesTheRequestThatAskedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache auth.PerCaller[string]
		ctx, leave := context.WithCancel(t.Context())
		ask := func(context.Context) (string, bool) { return "known", true }
		if got := cache.Begin(ctx, ask)(); got != "known" {
			t.Errorf("got %q", got)
		}
		leave()
		synctest.Wait()
		if got, known := cache.Known(t.Context()); got != "known" || !known {
			t.Errorf("later it is %q, known: %v", got, known)
		}
	})
}

func TestAKnownValueKeepsNothingOfTheRequestThatAskedForIt(t *testing.T) {
	var cache auth.PerCaller[string]
	request := askInARequest(t, &cache)
	const rounds = 1000 // the goroutine that asked may not have ended at the first
	for range rounds {
		if runtime.GC(); request.Value() == nil {
			break
		}
	}
	if request.Value() != nil {
		t.Error("the request is still in memory")
	}
	if got, known := cache.Known(t.Context()); got != "known" || !known {
		t.Errorf("the value is %q, known: %v", got, known)
	}
}

// askInARequest has the cache ask in a request that ends, and returns what the request
// carried.
func askInARequest(t *testing.T, cache *auth.PerCaller[string]) weak.Pointer[[1024]byte] {
	type key struct{}
	body := new([1024]byte)
	ctx, end := context.WithCancel(context.WithValue(t.Context(), key{}, body))
	defer end()
	cache.Begin(ctx, func(context.Context) (string, bool) { return "known", true })()
	return weak.Make(body)
}
