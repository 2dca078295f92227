package typings_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"outline-mcp/docs/types/outline"
	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/toolclient"
)

// typed decodes with the types of one tool.
type typed struct {
	arguments func([]byte) (encoded []byte, err error)
	answer    func([]byte) (encoded []byte, failure, err error)
}

func arguments[T any](data []byte) ([]byte, error) {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func answer[T interface{ Err() error }](data []byte) ([]byte, error, error) {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, nil, err
	}
	encoded, err := json.Marshal(value)
	return encoded, value.Err(), err
}

func typedTools() map[string]typed {
	return map[string]typed{
		"add_comment":                {arguments[outline.AddCommentArguments], answer[outline.AddCommentResult]},
		"archive_document":           {arguments[outline.ArchiveDocumentArguments], answer[outline.ArchiveDocumentResult]},
		"ask_ai_about_documents":     {arguments[outline.AskAIAboutDocumentsArguments], answer[outline.AskAIAboutDocumentsResult]},
		"batch_archive_documents":    {arguments[outline.BatchArchiveDocumentsArguments], answer[outline.BatchArchiveDocumentsResult]},
		"batch_create_documents":     {arguments[outline.BatchCreateDocumentsArguments], answer[outline.BatchCreateDocumentsResult]},
		"batch_delete_documents":     {arguments[outline.BatchDeleteDocumentsArguments], answer[outline.BatchDeleteDocumentsResult]},
		"batch_move_documents":       {arguments[outline.BatchMoveDocumentsArguments], answer[outline.BatchMoveDocumentsResult]},
		"batch_read_documents":       {arguments[outline.BatchReadDocumentsArguments], answer[outline.BatchReadDocumentsResult]},
		"batch_update_documents":     {arguments[outline.BatchUpdateDocumentsArguments], answer[outline.BatchUpdateDocumentsResult]},
		"create_collection":          {arguments[outline.CreateCollectionArguments], answer[outline.CreateCollectionResult]},
		"create_document":            {arguments[outline.CreateDocumentArguments], answer[outline.CreateDocumentResult]},
		"create_template":            {arguments[outline.CreateTemplateArguments], answer[outline.CreateTemplateResult]},
		"delete_collection":          {arguments[outline.DeleteCollectionArguments], answer[outline.DeleteCollectionResult]},
		"delete_comment":             {arguments[outline.DeleteCommentArguments], answer[outline.DeleteCommentResult]},
		"delete_document":            {arguments[outline.DeleteDocumentArguments], answer[outline.DeleteDocumentResult]},
		"edit_document":              {arguments[outline.EditDocumentArguments], answer[outline.EditDocumentResult]},
		"export_all_collections":     {arguments[outline.ExportAllCollectionsArguments], answer[outline.ExportAllCollectionsResult]},
		"export_collection":          {arguments[outline.ExportCollectionArguments], answer[outline.ExportCollectionResult]},
		"export_document":            {arguments[outline.ExportDocumentArguments], answer[outline.ExportDocumentResult]},
		"find_in_documents":          {arguments[outline.FindInDocumentsArguments], answer[outline.FindInDocumentsResult]},
		"get_collection_structure":   {arguments[outline.GetCollectionStructureArguments], answer[outline.GetCollectionStructureResult]},
		"duplicate_document":         {arguments[outline.DuplicateDocumentArguments], answer[outline.DuplicateDocumentResult]},
		"get_comment":                {arguments[outline.GetCommentArguments], answer[outline.GetCommentResult]},
		"get_document_backlinks":     {arguments[outline.GetDocumentBacklinksArguments], answer[outline.GetDocumentBacklinksResult]},
		"get_document_id_from_title": {arguments[outline.GetDocumentIDFromTitleArguments], answer[outline.GetDocumentIDFromTitleResult]},
		"get_document_outline":       {arguments[outline.GetDocumentOutlineArguments], answer[outline.GetDocumentOutlineResult]},
		"get_export":                 {arguments[outline.GetExportArguments], answer[outline.GetExportResult]},
		"get_workspace":              {arguments[outline.GetWorkspaceArguments], answer[outline.GetWorkspaceResult]},
		"import_document":            {arguments[outline.ImportDocumentArguments], answer[outline.ImportDocumentResult]},
		"list_archived_documents":    {arguments[outline.ListArchivedDocumentsArguments], answer[outline.ListArchivedDocumentsResult]},
		"list_attachments":           {arguments[outline.ListAttachmentsArguments], answer[outline.ListAttachmentsResult]},
		"list_collections":           {arguments[outline.ListCollectionsArguments], answer[outline.ListCollectionsResult]},
		"list_document_comments":     {arguments[outline.ListDocumentCommentsArguments], answer[outline.ListDocumentCommentsResult]},
		"list_documents":             {arguments[outline.ListDocumentsArguments], answer[outline.ListDocumentsResult]},
		"list_revisions":             {arguments[outline.ListRevisionsArguments], answer[outline.ListRevisionsResult]},
		"list_templates":             {arguments[outline.ListTemplatesArguments], answer[outline.ListTemplatesResult]},
		"list_trash":                 {arguments[outline.ListTrashArguments], answer[outline.ListTrashResult]},
		"search":                     {arguments[outline.SearchArguments], answer[outline.SearchResult]},
		"fetch":                      {arguments[outline.FetchArguments], answer[outline.FetchResult]},
		"list_users":                 {arguments[outline.ListUsersArguments], answer[outline.ListUsersResult]},
		"move_document":              {arguments[outline.MoveDocumentArguments], answer[outline.MoveDocumentResult]},
		"read_attachment":            {arguments[outline.ReadAttachmentArguments], answer[outline.ReadAttachmentResult]},
		"read_document":              {arguments[outline.ReadDocumentArguments], answer[outline.ReadDocumentResult]},
		"read_document_section":      {arguments[outline.ReadDocumentSectionArguments], answer[outline.ReadDocumentSectionResult]},
		"read_revision":              {arguments[outline.ReadRevisionArguments], answer[outline.ReadRevisionResult]},
		"restore_document":           {arguments[outline.RestoreDocumentArguments], answer[outline.RestoreDocumentResult]},
		"search_documents":           {arguments[outline.SearchDocumentsArguments], answer[outline.SearchDocumentsResult]},
		"unarchive_document":         {arguments[outline.UnarchiveDocumentArguments], answer[outline.UnarchiveDocumentResult]},
		"update_collection":          {arguments[outline.UpdateCollectionArguments], answer[outline.UpdateCollectionResult]},
		"update_comment":             {arguments[outline.UpdateCommentArguments], answer[outline.UpdateCommentResult]},
		"update_document":            {arguments[outline.UpdateDocumentArguments], answer[outline.UpdateDocumentResult]},
		"upload_attachment":          {arguments[outline.UploadAttachmentArguments], answer[outline.UploadAttachmentResult]},
	}
}

// recordedCalls returns the arguments of the recorded calls of a tool by name.
func recordedCalls(t *testing.T, tool string) map[string]json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "tools", "testdata", "calls", tool, "arguments.json"))
	if err != nil {
		t.Fatal(err)
	}
	var calls map[string]json.RawMessage
	if err := json.Unmarshal(raw, &calls); err != nil {
		t.Fatal(err)
	}
	return calls
}

// demo returns a new server on the embedded workspace, with structured output.
func demo(t *testing.T) *app.App {
	t.Helper()
	settings, err := config.Load([]string{"OUTLINE_TOOLS=all", "OUTLINE_STRUCTURED_OUTPUT=true"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: settings, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// call calls a tool of a new server.
func call(t *testing.T, tool string, arguments json.RawMessage) toolclient.Answer {
	t.Helper()
	connection, err := demo(t).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	answer, err := toolclient.Call(t.Context(), connection, tool, arguments)
	if err != nil {
		t.Fatalf("%s: %s", arguments, err)
	}
	return answer
}

// outputSchemas returns the schema of each tool's answers.
func outputSchemas(t *testing.T) map[string]*validator.Schema {
	t.Helper()
	schemas := map[string]*validator.Schema{}
	for _, tool := range demo(t).Tools() {
		_, raw, err := tool.DocumentedSchemas()
		if err != nil {
			t.Fatal(err)
		}
		compiler := validator.NewCompiler()
		if err := compiler.AddResource("output.json", decoded(t, raw)); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("output.json")
		if err != nil {
			t.Fatal(err)
		}
		schemas[tool.Name] = schema
	}
	return schemas
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	value, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheGoTypesHoldRealAnswersAndRefuseWhatTheSchemaRefuses(t *testing.T) {
	schemas, types := outputSchemas(t), typedTools()
	if there, known := slices.Sorted(maps.Keys(schemas)), slices.Sorted(maps.Keys(types)); !slices.Equal(there, known) {
		t.Fatalf("the tools are %q, those with types here %q", there, known)
	}
	for tool, schema := range schemas {
		t.Run(tool, func(t *testing.T) {
			refused, ways, tried := 0, map[bool]int{}, map[string]bool{}
			for name, given := range recordedCalls(t, tool) {
				answered := call(t, tool, given)
				structured := answered.Structured
				encoded, failure, err := types[tool].answer(structured)
				if err != nil {
					t.Fatalf("%s: %s\n%s", name, err, structured)
				}
				if diff := cmp.Diff(decoded(t, structured), decoded(t, encoded)); diff != "" {
					t.Errorf("%s: encoded again it differs (-answered +encoded):\n%s", name, diff)
				}
				ways[failure != nil]++
				if coded, ok := errors.AsType[interface {
					error
					FailureCode() string
				}](failure); failure != nil && (!ok || coded.FailureCode() == "" || !strings.Contains(answered.Text, coded.Error())) {
					t.Errorf("%s: %v is not the failure in the text: %s", name, failure, answered.Text)
				} else if shared, ok := errors.AsType[*outline.Failure](failure); failure != nil && (!ok || shared.FailureCode() != coded.FailureCode() || shared.Error() != coded.Error()) {
					t.Errorf("%s: errors.As finds %v in the failure %v", name, shared, coded)
				}
				refused += checkChanges(t, schema, types[tool], structured, tried)
				if strings.HasPrefix(name, "success") {
					encoded, err := types[tool].arguments(given)
					if err != nil {
						t.Errorf("%s: arguments: %s", name, err)
					} else if diff := cmp.Diff(decoded(t, given), decoded(t, encoded)); diff != "" {
						t.Errorf("%s: arguments encoded again differ (-given +encoded):\n%s", name, diff)
					}
				}
			}
			if refused < 10 || ways[true] == 0 || ways[false] == 0 {
				t.Errorf("%d wrong answers were refused; %d successes and %d failures were tried", refused, ways[false], ways[true])
			}
		})
	}
}

// checkChanges changes an answer in every way at every place, except where it
// tried an answer with the same keys before. The types must take and refuse
// what the schema takes and refuses. It returns how many were refused.
func checkChanges(t *testing.T, schema *validator.Schema, types typed, right []byte, tried map[string]bool) int {
	t.Helper()
	refused := 0
	keys := slices.Sorted(maps.Keys(decoded(t, right).(map[string]any)))
	for _, place := range places(decoded(t, right), nil) {
		key := fmt.Sprint(keys, place)
		if tried[key] {
			continue
		}
		tried[key] = true
		for how, change := range map[string]func(any) any{
			"leave out": func(any) any { return leftOut{} },
			"null":      func(any) any { return nil },
			"number":    func(any) any { return json.Number("1.5") },
			"text":      func(any) any { return "no such value" },
			"truth":     func(was any) any { return was != true },
			"list":      func(any) any { return []any{nil} },
			"object":    func(any) any { return map[string]any{} },
			"more": func(was any) any {
				object, ok := was.(map[string]any)
				if ok {
					for key := range maps.Clone(object) {
						object[strings.ToUpper(key)] = 1.5 // another key, whatever encoding/json says
					}
					object["no_such_key"] = 1
				}
				return was
			},
		} {
			changed := changedAt(decoded(t, right), place, change)
			raw, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			wrong := schema.Validate(decoded(t, raw))
			if _, _, err := types.answer(raw); (err == nil) != (wrong == nil) {
				t.Errorf("%s at %v: the schema says %v, the types say %v\n%s", how, place, wrong, err, raw)
			}
			if wrong != nil {
				refused++
			}
		}
	}
	return refused
}

// leftOut stands for a key to take away.
type leftOut struct{}

// places returns the way to each value in a value, of lists to the first
// element only.
func places(in any, at []any) [][]any {
	found := [][]any{at}
	switch in := in.(type) {
	case map[string]any:
		for key, value := range in {
			found = append(found, places(value, append(slices.Clone(at), key))...)
		}
	case []any:
		if len(in) > 0 {
			found = append(found, places(in[0], append(slices.Clone(at), 0))...)
		}
	}
	return found
}

func changedAt(in any, place []any, change func(any) any) any {
	if len(place) == 0 {
		return change(in)
	}
	switch in := in.(type) {
	case map[string]any:
		key := place[0].(string)
		in[key] = changedAt(in[key], place[1:], change)
		if in[key] == (leftOut{}) {
			delete(in, key)
		}
	case []any:
		in[0] = changedAt(in[0], place[1:], change)
		if in[0] == (leftOut{}) {
			return in[1:]
		}
	}
	return in
}
