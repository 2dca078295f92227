package fakeoutline

import (
	"testing"
)

func TestScopesAllowWhatTheirGrammarSays(t *testing.T) {
	tests := []struct {
		scope   scope
		allowed []string
		refused []string
	}{
		{"*", []string{"documents.info", "documents.delete", "auth.info"}, nil},
		{"read", []string{"documents.info", "collections.list", "documents.search", "documents.export", "auth.info", "documents.drafts", "collections.documents", "documents.memberships", "attachments.redirect"},
			[]string{"documents.search_titles", "documents.archived", "documents.deleted", "documents.create", "documents.insights", "documents.users"}},
		{"write", []string{"documents.info", "documents.update", "documents.create", "auth.info"}, nil},
		{"create", []string{"documents.create", "comments.create"}, []string{"documents.info", "documents.update"}},
		{"documents:read", []string{"documents.info", "documents.search", "documents.viewed"},
			[]string{"documents.search_titles", "documents.archived", "documents.create", "collections.list", "auth.info"}},
		{"documents:write", []string{"documents.info", "documents.update", "documents.create", "documents.archived"}, []string{"collections.info"}},
		{"documents:create", []string{"documents.create"}, []string{"documents.update", "documents.info", "comments.create"}},
		{"*:read", []string{"collections.list", "auth.info"}, []string{"documents.update"}},
		{"/api/documents.list", []string{"documents.list"}, []string{"documents.info", "collections.list"}},
		{"/api/documents.*", []string{"documents.list", "documents.delete"}, []string{"collections.list"}},
		{"/api/*.list", []string{"documents.list", "collections.list"}, []string{"documents.info"}},
		{"documents.list", nil, []string{"documents.list", "documents.info"}},
		{"", nil, []string{"documents.list"}},
	}
	for _, test := range tests {
		for _, method := range test.allowed {
			if !test.scope.allows(method, false) {
				t.Errorf("%q refuses %s", test.scope, method)
			}
		}
		for _, method := range test.refused {
			if test.scope.allows(method, false) {
				t.Errorf("%q allows %s", test.scope, method)
			}
		}
	}
}

func TestReleasesCountSomeMethodsAsWriting(t *testing.T) {
	for _, method := range []string{"fileOperations.redirect", "documents.memberships", "collections.group_memberships"} {
		if scope("read").allows(method, true) || !scope("write").allows(method, true) || !scope("read").allows(method, false) {
			t.Errorf("the scopes of %s are wrong", method)
		}
	}
	if !scope("read").allows("documents.info", true) {
		t.Error("reading a document counts as writing")
	}
}
