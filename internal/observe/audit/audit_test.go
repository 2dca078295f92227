package audit_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"outline-mcp/internal/observe/audit"
	"outline-mcp/output"
)

// read returns the lines of files.
func read(t *testing.T, paths ...string) []audit.Record {
	t.Helper()
	var records []audit.Record
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(content))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if len(lines.Bytes()) == 0 { // another process was writing when the file was opened
				continue
			}
			var r audit.Record
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v: %s", path, err, lines.Text())
			}
			records = append(records, r)
		}
	}
	return records
}

// call adds the line of a call that reads.
func call(trail *audit.Trail, name string) {
	ctx, c := trail.Begin(context.Background(), audit.Record{Kind: "tool", Name: name})
	c.End(ctx, audit.End{Outcome: "ok", Requests: func() int64 { return 1 }})
}

func TestEveryCallHasItsLineAndAFileOnlyItsOwnerReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	trail := audit.New(audit.Options{Path: path, Required: true})
	defer trail.Close()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() { call(trail, fmt.Sprint("tool_", i)) })
	}
	all.Wait()
	records := read(t, path)
	if len(records) != 200 {
		t.Fatalf("%d lines", len(records))
	}
	names := map[string]bool{}
	for i, r := range records {
		if r.Seq != uint64(i+1) || r.Process != records[0].Process || r.Lost != 0 {
			t.Errorf("line %d is %+v", i+1, r)
		}
		names[r.Name] = true
	}
	if len(names) != 200 {
		t.Errorf("lines of %d calls", len(names))
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAFileIsRenamedBySizeAndOldOnesAreDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	trail := audit.New(audit.Options{Path: path, MaxSize: 1000, Keep: 3, Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	defer trail.Close()
	for range 50 {
		call(trail, "read_document")
	}
	older, err := audit.Rotated(path)
	if err != nil || len(older) != 3 {
		t.Fatalf("%v, %v", older, err)
	}
	records := read(t, append(older, path)...)
	for i := 1; i < len(records); i++ {
		if records[i].Seq != records[i-1].Seq+1 {
			t.Errorf("line %d follows line %d", records[i].Seq, records[i-1].Seq)
		}
	}
	if last := records[len(records)-1].Seq; last != 50 {
		t.Errorf("the last line is %d", last)
	}
	for _, file := range older {
		if info, err := os.Stat(file); err != nil || info.Size() > 1500 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
}

func TestNoLineIsLostIfAnOldFileCannotBeDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.MkdirAll(filepath.Join(path+".20200101T000000.000000Z", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	lost := 0
	trail := audit.New(audit.Options{Path: path, MaxSize: 1000, Keep: 2, Wrote: func(stored bool) {
		if !stored {
			lost++
		}
	}})
	defer trail.Close()
	for range 50 {
		call(trail, "read_document")
	}
	if lost != 0 {
		t.Errorf("%d lines are lost", lost)
	}
}

func TestNoLineIsLostIfTheFileIsRenamedOrTheClockJumps(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "audit.jsonl")
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	trail := audit.New(audit.Options{Path: path, MaxSize: 2000, Now: func() time.Time { return now }})
	defer trail.Close()
	for i := range 60 {
		if i%7 == 0 {
			now = now.Add(-time.Hour)
		}
		if i%10 == 5 {
			if err := os.Rename(path, filepath.Join(folder, fmt.Sprint("moved.", i))); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		call(trail, "read_document")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	records := read(t, files...)
	slices.SortFunc(records, func(a, b audit.Record) int { return int(a.Seq) - int(b.Seq) })
	if len(records) != 60 || records[0].Seq != 1 || records[59].Seq != 60 {
		t.Errorf("%d lines", len(records))
	}
}

func TestTwoProcessesShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var all sync.WaitGroup
	for range 3 {
		trail := audit.New(audit.Options{Path: path, MaxSize: 5000})
		defer trail.Close()
		for range 50 {
			all.Go(func() { call(trail, "read_document") })
		}
	}
	all.Wait()
	older, err := audit.Rotated(path)
	if err != nil {
		t.Fatal(err)
	}
	if records := read(t, append(older, path)...); len(records) != 150 {
		t.Errorf("%d lines", len(records))
	}
}

func TestLinesThatCannotBeStoredAreCountedByTheNext(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "logs")
	path := filepath.Join(folder, "audit.jsonl")
	var stored []bool
	trail := audit.New(audit.Options{Path: path, Wrote: func(ok bool) { stored = append(stored, ok) }})
	defer trail.Close()
	if err := trail.Open(); err == nil {
		t.Error("a file in a missing folder is opened")
	}
	call(trail, "a")
	call(trail, "b")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	call(trail, "c")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	call(trail, "d")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	call(trail, "e")
	if records := read(t, path); len(records) != 1 || records[0].Name != "e" || records[0].Lost != 1 || records[0].Seq != 5 {
		t.Errorf("%+v", records)
	}
	if want := []bool{false, false, true, false, true}; !slices.Equal(stored, want) {
		t.Errorf("%v", stored)
	}
}

func TestALineAfterOneThatBrokeOffIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"time":"2026-11-`), 0o600); err != nil {
		t.Fatal(err)
	}
	trail := audit.New(audit.Options{Path: path})
	defer trail.Close()
	call(trail, "a")
	content, err := os.ReadFile(path)
	if lines := strings.Split(string(content), "\n"); err != nil || len(lines) != 3 || !json.Valid([]byte(lines[1])) {
		t.Errorf("%v: %s", err, content)
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "missing", "audit.jsonl")} {
		if err := audit.New(audit.Options{Path: path}).Open(); err == nil {
			t.Errorf("%s is opened", path)
		}
	}
}

func TestNamesThatClientsChooseAreShortAndPlain(t *testing.T) {
	var out bytes.Buffer
	trail := audit.New(audit.Options{Path: audit.Stderr, Stderr: &out})
	ctx, c := trail.Begin(t.Context(), audit.Record{
		Kind: "tool", Name: "read_document", RequestID: strings.Repeat("x", 5000),
		Client: &audit.Client{Name: "a\nb\x1b[31m", Version: "ol_api_fake_key_of_a_test"},
	})
	c.End(ctx, audit.End{Outcome: "ok", Requests: func() int64 { return 0 }})
	if line := out.String(); strings.Count(line, "\n") != 1 || len(line) > 1000 || strings.Contains(line, "ol_api_fake") || strings.Contains(line, `\u001b`) {
		t.Error(line)
	}
}

// What a call costs, by the number of calls that run at a time.
func BenchmarkCall(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(callers, " at a time"), func(b *testing.B) {
			trail := audit.New(audit.Options{Path: filepath.Join(b.TempDir(), "audit.jsonl"), MaxSize: 64 << 20})
			defer trail.Close()
			b.ReportAllocs()
			b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					call(trail, "read_document")
				}
			})
		})
	}
}

func TestLinesGoToTheFileThatHasTakenThePlaceOfTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	trail := audit.New(audit.Options{Path: path})
	defer trail.Close()
	call(trail, "a")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil { // as logrotate does with create
		t.Fatal(err)
	}
	call(trail, "b")
	if records := read(t, path); len(records) != 1 || records[0].Name != "b" {
		t.Errorf("%+v", records)
	}
}

var update = flag.Bool("update", false, "rewrite docs/team/audit-trail.schema.json")

const documented = "../../../docs/team/audit-trail.schema.json"

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
