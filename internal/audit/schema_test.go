package audit_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"outline-mcp/internal/audit"
	"outline-mcp/output"
)

var update = flag.Bool("update", false, "rewrite docs/audit-trail.schema.json")

const documented = "../../docs/audit-trail.schema.json"

func TestTheDocumentedSchemaIsThatOfTheLines(t *testing.T) {
	schema, err := output.SchemaOf(reflect.TypeFor[audit.Record]())
	if err != nil {
		t.Fatal(err)
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", "A line of the audit trail of outline-mcp"
	want, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(documented, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(documented)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: it is out of date; run go generate ./...", err)
	}
}

func TestLinesConformToTheDocumentedSchema(t *testing.T) {
	source, err := os.ReadFile(documented)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(source, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	trail := audit.New(audit.Options{Path: path})
	defer trail.Close()
	call(trail, "read_document")
	ctx, c := trail.Begin(t.Context(), audit.Record{
		Kind: "tool", Name: "batch_create_documents", Effect: "adds", RequestID: "7", TraceID: "4bf9",
		Credential: &audit.Credential{Kind: "API key", ID: "9f7f7705"}, Client: &audit.Client{Name: "x", Version: "1"},
	})
	audit.CountItems(ctx, 1, 2)
	c.End(ctx, audit.End{Outcome: "ok", Bytes: 5, Took: 1e6, Requests: func() int64 { return 2 }})
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var value any
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}
