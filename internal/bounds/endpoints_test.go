package bounds_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"outline-mcp/internal/bounds"
)

// An endpoint without an entry is refused while callers are limited, so this is about
// tools that would stop working, not about safety.
func TestEveryEndpointThatTheClientCallsHasItsLimits(t *testing.T) {
	files, err := filepath.Glob("../../outline/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("the client is not there", err)
	}
	endpoint := regexp.MustCompile(`^(auth|installation|apiKeys|users|userMemberships|collections|documents|revisions|templates|comments|stars|pins|attachments|fileOperations)\.[a-z][A-Za-z_]+$`)
	called := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && endpoint.MatchString(text) {
					called[text] = true
				}
			}
			return true
		})
	}
	limited := bounds.Endpoints()
	for name := range called {
		if !slices.Contains(limited, name) {
			t.Errorf("the client calls %s, for which package bounds has no entry", name)
		}
	}
	for _, name := range limited {
		if !called[name] {
			t.Errorf("package bounds has an entry for %s, which the client does not call", name)
		}
	}
}
