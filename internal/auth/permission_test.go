package auth_test

import (
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/auth"
)

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
		{"documents.create", "admin member guest unknown"},
		{"documents.import", "admin member guest unknown"},
		{"documents.update", "admin member guest unknown"},
		{"attachments.create", "admin member viewer guest unknown"}, // viewers outside of documents
		{"documents.unpublish", "admin member guest unknown"},
		{"templates.list", "admin member viewer guest unknown"},
		{"templates.info", "admin member viewer guest unknown"},
		{"templates.create", "admin member unknown"}, // members where the collection lets them
		{"users.list", "admin member viewer unknown"},
		{"users.info", "admin member viewer guest unknown"},
		{"comments.update", "admin member viewer guest unknown"},  // their own
		{"comments.delete", "admin member viewer guest unknown"},  // their own
		{"comments.resolve", "admin member viewer guest unknown"}, // threads of their own
		{"comments.unresolve", "admin member viewer guest unknown"},
		{"attachments.delete", "admin member viewer guest unknown"}, // their own
		{"fileOperations.redirect", "admin member viewer guest unknown"},
		{"collections.archive", "admin member unknown"},
		{"attachments.redirect", "admin member viewer guest unknown"},
		{"fileOperations.info", "admin member viewer guest unknown"}, // their own
		{"documents.delete", "admin member guest unknown"},
		{"documents.archive", "admin member guest unknown"},
		{"documents.restore", "admin member unknown"},
		{"documents.duplicate", "admin member unknown"},
		{"documents.archived", "admin member unknown"},
		{"documents.deleted", "admin member unknown"},
		{"revisions.list", "admin member viewer unknown"},
		{"revisions.info", "admin member viewer unknown"},
		{"collections.create", "admin member unknown"},
		{"collections.export", "admin member unknown"},
		{"collections.export_all", "admin unknown"},
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
		{"one of somebody else", []auth.ListedKey{read, {Last4: "tail", UserID: "2", Scopes: []string{"write"}}}, []string{"read"}, 1},
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
