package cli

import (
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
)

// demo returns the completer of a server on the embedded workspace.
func demo(t *testing.T) (*app.App, Completer) {
	t.Helper()
	settings, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: settings, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	return server, Completer{Tools: server.Tools(), Source: server.Suggestions()}
}

func TestCompletionKnowsToolsArgumentsAndTitles(t *testing.T) {
	server, completer := demo(t)
	for _, test := range []struct {
		name  string
		args  []string
		first string   // what is offered first, or its beginning
		has   []string // what is offered, too
		lacks []string
	}{
		{"tools", []string{""}, "search_documents\tSearch documents", []string{"batch_archive_documents\tArchive documents"}, nil},
		{"arguments, required ones first", []string{"move_document", ""}, "document_id=\tID or URL", []string{"index=\t"}, nil},
		{"arguments that are left", []string{"search_documents", "query=x", "limit=5", ""}, "collection_id=\tstring", []string{"offset=\tinteger"}, []string{"query=", "limit="}},
		{"an argument from a file", []string{"update_document", "text@=page.md", ""}, "document_id=\tID or URL", nil, []string{"text="}},
		{"lists again", []string{"batch_archive_documents", "document_ids=a", ""}, "document_ids=\t", nil, nil},
		{"choices", []string{"search_documents", "detail_level="}, "detail_level=ids", []string{"detail_level=summary", "detail_level=full"}, nil},
		{"choices of a list", []string{"search_documents", "status_filter="}, "status_filter=draft", []string{"status_filter=archived"}, nil},
		{"true and false", []string{"create_document", "publish="}, "publish=true", []string{"publish=false"}, nil},
		{"what an argument takes", []string{"search_documents", "query="}, "_activeHelp_ query: Words. a | b finds either (synonyms, other languages), word* longer words, -word excludes, \"a b\" is a phrase", nil, nil},
		{"titles of documents", []string{"read_document", "document_id=runbook-"}, "document_id=runbook-ingest-backlog-cImbEqQG68\tRunbook: ingest backlog", nil, []string{"document_id=welcome"}},
		{"all titles", []string{"read_document", "document_id="}, "", []string{"document_id=friday-soup-1wPyxUCdt9\tFriday soup 🍲", "document_id=runbooks-PThsbb1PvU\tRunbooks"}, nil},
		{"documents in a list", []string{"batch_archive_documents", "document_ids=k7", "document_ids=on-"}, "document_ids=on-call-lesdaiqkpT\tOn-call", nil, nil},
		{"a parent", []string{"create_document", "parent_document_id=on-"}, "parent_document_id=on-call-lesdaiqkpT\tOn-call", nil, nil},
		{"the beginning of a UUID", []string{"read_document", "document_id=bca31"}, "document_id=bca31ae2-5118-49a1-bf30-d055e0af268a\tIncident 2026-03-14: no new values in Almanac", nil, nil},
		{"templates", []string{"create_document", "template_id="}, "template_id=", []string{"\tMeeting {date}"}, []string{"template_id=Meeting"}},
		{"people", []string{"search_documents", "collaborator="}, "collaborator=", []string{"collaborator=17067d3b-ca4f-4737-b7c7-ec60255b198b\tIsla Renwick"}, []string{"=Isla"}},
		{"collections", []string{"search_documents", "collection_id="}, "", []string{"Operations"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			last := len(test.args) - 1
			offered, _ := completer.Call(server.AsOperator(t.Context()), test.args[:last], test.args[last])
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

func TestCompletionOffersArchivedAndDeletedDocumentsWhereThoseAreWanted(t *testing.T) {
	server, completer := demo(t)
	connection, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	call := func(tool string) {
		answer, err := Call(t.Context(), connection, tool, map[string]any{"document_id": "1wPyxUCdt9"})
		if err != nil || answer.Code != "" {
			t.Fatalf("%s: %v %s", tool, err, answer.Text)
		}
	}
	for tool, restore := range map[string]string{"archive_document": "unarchive_document", "delete_document": "restore_document"} {
		call(tool)
		offered, _ := completer.Call(server.AsOperator(t.Context()), []string{restore}, "document_id=friday")
		if !slices.Contains(offered, "document_id=friday-soup-1wPyxUCdt9\tFriday soup 🍲 (Handbook)") {
			t.Errorf("%s: %q", restore, offered)
		}
		call(restore)
	}
}

func TestEachNamesTagIsAKindThatHasTitles(t *testing.T) {
	_, completer := demo(t)
	tagged := 0
	for _, tool := range completer.Tools {
		schema, err := tool.InputSchema()
		if err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			tag := tool.Names(name)
			if tag == "" {
				continue
			}
			tagged++
			if !slices.Contains([]mcptool.ValueKind{mcptool.KindDocument, mcptool.KindArchived, mcptool.KindDeleted, mcptool.KindCollection, mcptool.KindTemplate, mcptool.KindPerson}, mcptool.ValueKind(tag)) {
				t.Errorf("%s of %s names a %q, which nobody can look up", name, tool.Name, tag)
			}
		}
	}
	if tagged == 0 {
		t.Error("no argument has a names tag")
	}
}

func TestATitleCannotWriteElsewhereOnTheTerminal(t *testing.T) {
	if got := printable("a\x1b[2Jb\nc\td\u202ee\u00a0f 🍲"); got != "a[2Jb c de f 🍲" {
		t.Errorf("got %q", got)
	}
}
