package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
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
		{"commands", []string{"comp"}, "completion\tPrint a script that completes commands, tools, arguments and titles in your shell", nil, nil},
		{"shells", []string{"completion", ""}, "bash", []string{"zsh", "fish", "powershell"}, nil},
		{"tools", []string{"call", ""}, "search_documents\tSearch documents", []string{"batch_archive_documents\tArchive documents"}, nil},
		{"titles of documents", []string{"call", "read_document", "document_id=runbook-"}, "document_id=runbook-ingest-backlog-cImbEqQG68\tRunbook: ingest backlog", nil, []string{"document_id=welcome"}},
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

func TestCompletionIsQuietAndQuickWhateverIsWrong(t *testing.T) {
	outline := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client has left
		<-r.Context().Done()
	}))
	defer outline.Close()
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "15")
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
		if took := time.Since(begin); code != 0 || took > 12*time.Second || stdout != "_activeHelp_ document_id: ID or URL\n:36\n" || strings.Contains(stderr, "WARN") {
			t.Errorf("%s: exit code %d after %s\n%s%s", name, code, took, stdout, stderr)
		}
		if offered, _ := completions(t, settings, "call", "move_d"); !slices.ContainsFunc(offered, func(one string) bool { return strings.HasPrefix(one, "move_document\t") }) {
			t.Errorf("%s: the tools are %q", name, offered)
		}
	}
}
