package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/workspace"
)

// completions returns what is offered for the last word of a command line, and
// the directive for the shell.
func completions(t *testing.T, environ []string, args ...string) (offered []string, directive string) {
	t.Helper()
	code, stdout, stderr := command(t, environ, append([]string{"__complete"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	return lines[:len(lines)-1], lines[len(lines)-1]
}

func TestCompletionKnowsToolsArgumentsAndTitles(t *testing.T) {
	for _, test := range []struct {
		name  string
		args  []string
		first string   // what is offered first, or its beginning
		has   []string // what is offered, too
		lacks []string
	}{
		{"commands", []string{"comp"}, "completion\tPrint a script that completes commands, tools, arguments and titles in a shell", nil, nil},
		{"shells", []string{"completion", ""}, "bash", []string{"zsh", "fish", "powershell"}, nil},
		{"tools", []string{"call", ""}, "search_documents\tSearch documents", []string{"batch_archive_documents\tArchive documents"}, nil},
		{"arguments, required ones first", []string{"call", "move_document", ""}, "document_id=\tUUID, slug or URL", []string{"index=\t"}, nil},
		{"arguments that are left", []string{"call", "search_documents", "query=x", "limit=5", ""}, "collection_id=\tOnly in this collection", []string{"offset=\tinteger"}, []string{"query=", "limit="}},
		{"an argument from a file", []string{"call", "update_document", "text@=page.md", ""}, "document_id=\tUUID, slug or URL", nil, []string{"text="}},
		{"lists again", []string{"call", "batch_archive_documents", "document_ids=a", ""}, "document_ids=\t", nil, nil},
		{"choices", []string{"call", "search_documents", "detail_level="}, "detail_level=ids", []string{"detail_level=summary", "detail_level=full"}, nil},
		{"choices of a list", []string{"call", "search_documents", "status_filter="}, "status_filter=draft", []string{"status_filter=archived"}, nil},
		{"true and false", []string{"call", "create_document", "publish="}, "publish=true", []string{"publish=false"}, nil},
		{"what an argument takes", []string{"call", "search_documents", "query="}, "_activeHelp_ query: Words, or a phrase in double quotes", nil, nil},
		{"titles of documents", []string{"call", "read_document", "document_id=runbook-"}, "document_id=runbook-ingest-backlog-cImbEqQG68\tRunbook: ingest backlog", nil, []string{"document_id=welcome"}},
		{"all titles", []string{"call", "read_document", "document_id="}, "", []string{"document_id=friday-soup-1wPyxUCdt9\tFriday soup 🍲", "document_id=runbooks-PThsbb1PvU\tRunbooks"}, nil},
		{"documents in a list", []string{"call", "batch_archive_documents", "document_ids=k7", "document_ids=on-"}, "document_ids=on-call-lesdaiqkpT\tOn-call", nil, nil},
		{"a parent", []string{"call", "create_document", "parent_document_id=on-"}, "parent_document_id=on-call-lesdaiqkpT\tOn-call", nil, nil},
		{"the beginning of a UUID", []string{"call", "read_document", "document_id=bca31"}, "document_id=bca31ae2-5118-49a1-bf30-d055e0af268a\tIncident 2026-03-14: no new values in Almanac", nil, nil},
		{"collections", []string{"call", "search_documents", "collection_id="}, "", []string{"Operations"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			offered, _ := completions(t, nil, append([]string{"--demo"}, test.args...)...)
			all := strings.Join(offered, "\n")
			if len(offered) == 0 || !strings.HasPrefix(offered[0], test.first) {
				t.Errorf("offered first %q, want %q", offered, test.first)
			}
			for _, one := range test.has {
				if !strings.Contains(all, one) {
					t.Errorf("%q is not offered:\n%s", one, all)
				}
			}
			for _, one := range test.lacks {
				if strings.Contains(all, one) {
					t.Errorf("%q is offered:\n%s", one, all)
				}
			}
		})
	}
}

func TestCompletionLeavesFilesToTheShell(t *testing.T) {
	for _, args := range [][]string{
		{"call", "update_document", "text@="}, {"call", "update_document", "text@=pa"}, {"call", "update_document", "text@=", "pa"},
		{"call", "read_document", "--stream", ""}, {"call", "read_document", "--args", "@"},
	} {
		if offered, directive := completions(t, nil, append([]string{"--demo"}, args...)...); len(offered) > 0 || directive != ":0" {
			t.Errorf("%q: %q %s", args, offered, directive)
		}
	}
	for _, args := range [][]string{{"call", "no_such_tool", ""}, {"call", "read_document", "nothing="}, {"call", "--stream", "x", ""}} {
		if offered, directive := completions(t, nil, append([]string{"--demo"}, args...)...); len(offered) > 0 || directive != ":4" && directive != ":36" {
			t.Errorf("%q: %q %s", args, offered, directive)
		}
	}
}

func TestCompletionOffersArchivedAndDeletedDocumentsWhereThoseAreWanted(t *testing.T) {
	sample, err := workspace.New(workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(sample)
	defer outline.Close()
	settings := []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + workspace.AdminKey}
	for tool, restore := range map[string]string{"archive_document": "unarchive_document", "delete_document": "restore_document"} {
		if code, _, stderr := command(t, settings, "call", tool, "document_id=1wPyxUCdt9"); code != 0 {
			t.Fatal(stderr)
		}
		offered, _ := completions(t, settings, "call", restore, "document_id=friday")
		if !slices.Contains(offered, "document_id=friday-soup-1wPyxUCdt9\tFriday soup 🍲") {
			t.Errorf("%s: %q", restore, offered)
		}
		if code, _, stderr := command(t, settings, "call", restore, "document_id=1wPyxUCdt9"); code != 0 {
			t.Fatal(stderr)
		}
	}
}

func TestCompletionIsQuietAndQuickWhateverIsWrong(t *testing.T) {
	outline := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client has left
		<-r.Context().Done()
	}))
	defer outline.Close()
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"ok":false,"error":"rate_limit_exceeded"}`)
	}))
	defer limited.Close()
	for name, settings := range map[string][]string{
		"an Outline that does not answer": {"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=ol_api_fake"},
		"a rate limit":                    {"OUTLINE_API_URL=" + limited.URL, "OUTLINE_API_KEY=ol_api_fake"},
		"no key":                          nil,
		"wrong settings":                  {"OUTLINE_MAX_RETRIES=many", "OUTLINE_API_KEY=ol_api_fake"},
		"no URL":                          {"OUTLINE_API_URL=wiki", "OUTLINE_API_KEY=ol_api_fake"},
	} {
		begin := time.Now()
		code, stdout, stderr := command(t, settings, "__complete", "call", "move_document", "document_id=")
		if took := time.Since(begin); code != 0 || took > 4*time.Second || stdout != "_activeHelp_ document_id: UUID, slug or URL\n:36\n" || strings.Contains(stderr, "WARN") {
			t.Errorf("%s: exit code %d after %s\n%s%s", name, code, took, stdout, stderr)
		}
		if offered, _ := completions(t, settings, "call", "move_d"); !slices.ContainsFunc(offered, func(one string) bool { return strings.HasPrefix(one, "move_document\t") }) {
			t.Errorf("%s: the tools are %q", name, offered)
		}
	}
}

func TestATitleCannotWriteElsewhereOnTheTerminal(t *testing.T) {
	if got := printable("a\x1b[2Jb\nc\td\u202ee\u00a0f 🍲"); got != "a[2Jb c de f 🍲" {
		t.Errorf("got %q", got)
	}
}
