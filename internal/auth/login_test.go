package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

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
	got := auth.ScopesToRead([]string{"documents.info", "documents.archived", "collections.list", "documents.archived", "documents.search_titles"})
	if want := []string{"read", "/api/documents.archived", "/api/documents.search_titles"}; !slices.Equal(got, want) {
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
