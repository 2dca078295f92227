package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/observe/audit"
	upstream "outline-mcp/outline"
)

// A ledger is an Outline that notes the requests that it gets, by trace, and fails some.
type ledger struct {
	outline http.RoundTripper
	fails   func(endpoint string) (before, after bool) // nil fails nothing

	mu       sync.Mutex
	requests map[string][]entry // by trace ID
}

type entry struct {
	endpoint string
	changed  bool   // it was carried out, and changes something
	id       string // UUID of what it is about
}

// reading are the methods that change nothing.
var reading = []string{"info", "list", "search", "search_titles", "documents", "archived", "deleted", "drafts", "redirect", "answerQuestion", "get", "memberships", "group_memberships"}

func (l *ledger) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	endpoint := path.Base(r.URL.Path)
	noted := entry{endpoint: endpoint}
	before, after := false, false
	if l.fails != nil {
		before, after = l.fails(endpoint)
	}
	var response *http.Response
	if !before {
		response, err = l.outline.RoundTrip(r)
		_, method, _ := strings.Cut(endpoint, ".")
		noted.changed = err == nil && response.StatusCode == http.StatusOK && !slices.Contains(reading, method) && endpoint != "documents.export"
		var given struct{ ID string }
		if json.Unmarshal(body, &given) == nil && len(given.ID) == 36 {
			noted.id = given.ID
		}
	}
	l.mu.Lock()
	if l.requests == nil {
		l.requests = map[string][]entry{}
	}
	trace := strings.Split(r.Header.Get("Traceparent")+"--", "-")[1]
	l.requests[trace] = append(l.requests[trace], noted)
	l.mu.Unlock()
	if before || after {
		return nil, errors.New("connection reset by peer")
	}
	return response, err
}

// trailOf returns the lines of a trail.
func trailOf(t *testing.T, file string) []audit.Record {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var records []audit.Record
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r audit.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// randomArguments returns arguments for a tool: of those that it requires, all, of the
// others, some. Most of them are valid.
func randomArguments(r *rand.Rand, schema *jsonschema.Schema, pools map[string][]string) map[string]any {
	arguments := map[string]any{}
	for name, property := range schema.Properties {
		if slices.Contains(schema.Required, name) || r.IntN(4) == 0 {
			arguments[name] = randomValue(r, name, property, pools)
		}
	}
	return arguments
}

func randomValue(r *rand.Rand, name string, schema *jsonschema.Schema, pools map[string][]string) any {
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[r.IntN(len(schema.Enum))]
	case schema.Type == "boolean":
		return r.IntN(2) == 0
	case schema.Type == "integer" || schema.Type == "number":
		return 1 + r.IntN(5)
	case schema.Type == "array":
		return []any{randomValue(r, strings.TrimSuffix(name, "s"), schema.Items, pools), randomValue(r, strings.TrimSuffix(name, "s"), schema.Items, pools)}
	case schema.Type == "object":
		return randomArguments(r, schema, pools)
	}
	for kind, pool := range pools {
		if strings.HasSuffix(name, kind+"_id") || name == kind || name == "id" && kind == "document" {
			return pick(pool)
		}
	}
	return pick([]string{"buoy", "the tide", "Soup", "# Heading\n\nText"})
}

// ids returns the IDs in the answer of a workspace to a key.
func ids(t *testing.T, outline http.RoundTripper, endpoint, body string) []string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := outline.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Data) == 0 {
		t.Fatalf("%s: %v", endpoint, err)
	}
	var found []string
	for _, one := range answer.Data {
		found = append(found, one.ID)
	}
	return found
}

// An hour of calls of all tools, by eight callers at a time, with requests that fail
// before they are carried out and answers that are lost.
func TestTheTrailAgreesWithWhatOutlineSaw(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{Answers: true})
	if err != nil {
		t.Fatal(err)
	}
	const callers, calls = 8, 60
	var random sync.Mutex
	dice := rand.New(rand.NewPCG(1, 2))
	outline := &ledger{outline: sample.Transport(), fails: func(endpoint string) (bool, bool) {
		random.Lock()
		defer random.Unlock()
		n := dice.IntN(40)
		return n == 0, n == 1
	}}
	pools := map[string][]string{
		"document":   ids(t, sample.Transport(), "documents.list", `{"limit":40}`),
		"collection": ids(t, sample.Transport(), "collections.list", `{}`),
		"comment":    ids(t, sample.Transport(), "comments.list", `{}`),
		"user":       ids(t, sample.Transport(), "users.list", `{}`),
	}
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	var clock sync.Mutex
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s := serveTeam(t, app.Options{Transport: outline, Now: func() time.Time {
		clock.Lock()
		defer clock.Unlock()
		now = now.Add(time.Hour / (callers * calls))
		return now
	}}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "MCP_AUDIT_LOG="+file, "OUTLINE_TOOLS=all", "OUTLINE_MAX_RETRIES=1")
	loaded, err := config.Load([]string{"OUTLINE_TOOLS=all"})
	if err != nil {
		t.Fatal(err)
	}
	local, err := app.New(app.Options{Config: loaded, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	offered := local.Tools()
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(caller)))
			key := fakeoutline.AdminKey
			if caller%2 == 1 {
				key = fmt.Sprint("ol_api_demo_user_", caller)
			}
			for n := range calls {
				tool := offered[(caller*calls+n)%len(offered)]
				schema, err := tool.InputSchema()
				if err != nil {
					t.Error(err)
					return
				}
				arguments, err := json.Marshal(randomArguments(r, schema, pools))
				if err != nil {
					t.Error(err)
					return
				}
				trace := fmt.Sprintf("%032x", 1+caller*calls+n)
				if _, err := s.send(t.Context(), "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool.Name, arguments),
					bearer(key), "Traceparent: 00-"+trace+"-00f067aa0ba902b7-01"); err != nil {
					t.Errorf("%s: %v", tool.Name, err)
				}
			}
		})
	}
	all.Wait()

	ended, written := map[string]audit.Record{}, map[string][]audit.Record{}
	for i, r := range trailOf(t, file) {
		if r.Seq != uint64(i+1) {
			t.Fatalf("line %d has the number %d", i+1, r.Seq)
		}
		switch _, twice := ended[r.TraceID]; {
		case twice:
			t.Errorf("%s %s has a line after its last one", r.Name, r.TraceID)
		case r.Event == audit.EventCall:
			ended[r.TraceID] = r
		default:
			written[r.TraceID] = append(written[r.TraceID], r)
		}
	}
	if len(ended) != callers*calls {
		t.Errorf("%d calls have lines", len(ended))
	}
	changes, succeeded := 0, map[string]int{}
	for trace, call := range ended {
		if call.Outcome == "ok" {
			succeeded[call.Effect]++
		}
		// Names of collections and users, and public links, may arrive when a call has ended.
		sure, most := int64(0), int64(len(outline.requests[trace]))
		for _, request := range outline.requests[trace] {
			if !slices.Contains([]string{"collections.list", "auth.info", "shares.info"}, request.endpoint) {
				sure++
			}
			if !request.changed {
				continue
			}
			changes++
			if !slices.ContainsFunc(written[trace], func(r audit.Record) bool { return r.Endpoint == request.endpoint }) {
				t.Errorf("%s: there is no line before %s", call.Name, request.endpoint)
			}
			if request.id != "" && !slices.ContainsFunc(call.IDs, func(o upstream.Object) bool {
				return o.ID == request.id && o.Write
			}) {
				t.Errorf("%s: %s of %s is not in %v", call.Name, request.endpoint, request.id, call.IDs)
			}
		}
		if call.Requests < sure || call.Requests > most {
			t.Errorf("%s: %d requests, %d were sent: %v", call.Name, call.Requests, most, outline.requests[trace])
		}
	}
	if changes < 30 || succeeded["reads"] < 100 {
		t.Errorf("only %d changes, and calls that succeeded: %v", changes, succeeded)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"ol_api_", "buoy", "Soup", "# Heading", "the tide", "outline.demo.invalid"} {
		if bytes.Contains(content, []byte(secret)) {
			t.Errorf("%q is in the trail", secret)
		}
	}
}

const createDraft = `{"name":"create_document","arguments":{"title":"Tide tables","text":"secret","publish":false}}`

func TestALineSaysWhoDidWhatBeforeTheAnswerArrives(t *testing.T) {
	outline, file := &ledger{outline: newNoting(t).RoundTripper}, filepath.Join(t.TempDir(), "audit.jsonl")
	s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "MCP_AUDIT_LOG="+file)
	s.must(t, "tools/call", createDraft, bearer(fakeoutline.MemberKey), "Traceparent: "+ofHeader)
	records := trailOf(t, file)
	if len(records) != 2 {
		t.Fatalf("%d lines", len(records))
	}
	before, after := records[0], records[1]
	if before.Event != audit.EventWrite || before.Endpoint != "documents.create" || before.Call != after.Call || len(before.IDs) == 0 {
		t.Errorf("before: %+v", before)
	}
	if after.Event != audit.EventCall || after.Name != "create_document" || after.Effect != "adds" || after.Outcome != "ok" || after.RequestID != "1" ||
		after.TraceID != "4bf92f3577b34da6a3ce929d0e0e4736" || after.User == nil || after.User.Name != "Priya Lindqvist" || after.Credential.Kind != "API key" ||
		after.Bytes == 0 || after.DurationMS == 0 || after.Requests < 1 || !after.IDs[0].Write || after.IDs[0].After == 0 || after.IDs[0].ID != before.IDs[0].ID {
		t.Errorf("after: %+v, %+v", after, after.User)
	}
	s.must(t, "tools/call", listCollections, bearer(fakeoutline.MemberKey))
	s.must(t, "tools/call", listCollections, bearer("ol_api_demo_expired"))
	s.must(t, "resources/list", "{}", bearer(fakeoutline.MemberKey))
	s.must(t, "tools/call", `{"name":"batch_archive_documents","arguments":{"document_ids":["`+after.IDs[0].ID+`","1wPyxUCdt9"]}}`, bearer(fakeoutline.MemberKey))
	records = trailOf(t, file)
	byName := map[string]audit.Record{}
	for _, r := range records[2:] {
		if r.Event == audit.EventCall {
			byName[r.Name+" "+r.Outcome] = r
		}
	}
	if r := byName["list_collections unauthorized"]; r.User != nil || r.Credential == nil || r.Credential.ID == after.Credential.ID {
		t.Errorf("a key that Outline rejects: %+v", r)
	}
	if r := byName["list ok"]; r.Kind != "resource" || r.User == nil {
		t.Errorf("a list of resources: %+v", r)
	}
	if r := byName["batch_archive_documents ok"]; r.Items == nil || r.Items.Succeeded+r.Items.Failed != 2 || r.Items.Failed == 0 {
		t.Errorf("a batch: %+v, %+v", r, r.Items)
	}
	for range 2 { // its scopes do not let it ask, which is remembered, too
		s.must(t, "tools/call", listCollections, bearer(fakeoutline.ScopedKey))
		if records := trailOf(t, file); records[len(records)-1].User != nil || records[len(records)-1].Outcome != "ok" {
			t.Errorf("a key that may not ask: %+v", records[len(records)-1].User)
		}
	}
	asked := 0
	for _, requests := range outline.requests {
		for _, request := range requests {
			if request.endpoint == "auth.info" {
				asked++
			}
		}
	}
	if asked != 2 {
		t.Errorf("Outline was asked %d times who the two callers are", asked)
	}
}

func TestNothingIsChangedWhileTheTrailCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no full disk here")
	}
	for _, required := range []bool{true, false} {
		outline := &ledger{outline: newNoting(t).RoundTripper}
		s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "MCP_AUDIT_LOG=/dev/full", fmt.Sprint("MCP_AUDIT_REQUIRED=", required))
		created := s.must(t, "tools/call", createDraft, bearer(fakeoutline.MemberKey))
		if refused := strings.Contains(created.text(), "create_document: this change was not made: this server cannot write its audit trail"); created.Result.IsError != required || refused != required {
			t.Errorf("required %t: %s", required, created.body)
		}
		batch := s.must(t, "tools/call", `{"name":"batch_create_documents","arguments":{"documents":[{"title":"a","text":"b","publish":false},{"title":"c","text":"d","publish":false}]}}`, bearer(fakeoutline.MemberKey))
		if batch.Result.IsError != required || strings.Contains(batch.text(), "cannot write its audit trail") != required {
			t.Errorf("required %t: %s", required, batch.body)
		}
		if read := s.must(t, "tools/call", listCollections, bearer(fakeoutline.MemberKey)); read.Result.IsError {
			t.Errorf("required %t: reading: %s", required, read.body)
		}
		changes := 0
		for _, requests := range outline.requests {
			for _, request := range requests {
				if request.changed {
					changes++
				}
			}
		}
		if want := map[bool]int{true: 0, false: 3}[required]; changes != want {
			t.Errorf("required %t: %d changes", required, changes)
		}
		if log := s.log.String(); strings.Count(log, "cannot write the audit trail") != 1 {
			t.Errorf("the log says: %s", log)
		}
		if _, body := scrape(t, strings.TrimSuffix(s.url, "/mcp")+"/metrics"); strings.Contains(body, "outline_mcp_audit_failures_total 0") || !strings.Contains(body, "outline_mcp_audit_lines_total 0") {
			t.Error("failures are not counted")
		}
	}
}

func TestAnAuditTrailThatCannotBeOpenedIsAProblemOfTheSettings(t *testing.T) {
	loaded, err := config.Load([]string{"MCP_AUDIT_LOG=" + filepath.Join(t.TempDir(), "missing", "audit.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	built, err := app.New(app.Options{Config: loaded, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	problem, ok := errors.AsType[*config.Error](built.OpenAudit())
	if !ok || len(problem.Problems) != 1 || problem.Problems[0].Setting != "MCP_AUDIT_LOG" || !strings.Contains(problem.Error(), "no such file or directory; set the path of a file") {
		t.Errorf("%v", problem)
	}
}

func TestTheTrailSaysWithWhomSomethingWasShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	s := serveTeam(t, app.Options{Transport: newNoting(t).RoundTripper}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "MCP_AUDIT_LOG="+file, "OUTLINE_TOOLS=all")
	for _, test := range []struct{ arguments, kind, access string }{
		{`"user":"Hana Weissbach","role":"read"`, "user", "read"},
		{`"link":"on"`, "share", "public"},
		{`"link":"off"`, "share", "closed"},
	} {
		kind, call := test.kind, `{"name":"share_document","arguments":{"document_id":"lesdaiqkpT",`+test.arguments+`}}`
		before := 0
		if raw, err := os.ReadFile(file); err == nil {
			before = bytes.Count(raw, []byte("\n"))
		}
		if r := s.must(t, "tools/call", call, bearer(fakeoutline.AdminKey)); r.Result.IsError {
			t.Fatal(r.text())
		}
		records := trailOf(t, file)[before:]
		for _, event := range []string{audit.EventWrite, audit.EventCall} {
			at := slices.IndexFunc(records, func(r audit.Record) bool {
				return r.Event == event && r.Name == "share_document" && (event == audit.EventCall || kind == "user" || r.Endpoint == "shares.update")
			})
			if at < 0 {
				t.Fatalf("no line for %s: %+v", event, records)
			}
			document := slices.ContainsFunc(records[at].IDs, func(o upstream.Object) bool {
				return o.Kind == "document" && o.ID == "ab3962f8-ab8f-4926-b13f-c4430705ce1c"
			})
			with := slices.ContainsFunc(records[at].IDs, func(o upstream.Object) bool { return o.Kind == kind })
			if !document || !with || records[at].Effect != "changes" || event == audit.EventWrite && records[at].Access != test.access {
				t.Errorf("%s: %+v", event, records[at])
			}
		}
	}
	s.must(t, "tools/call", `{"name":"update_collection","arguments":{"collection_id":"mTem8tcJ8a","permission":"private"}}`, bearer(fakeoutline.AdminKey))
	if !slices.ContainsFunc(trailOf(t, file), func(r audit.Record) bool {
		return r.Event == audit.EventWrite && r.Name == "update_collection" && r.Access == "private"
	}) {
		t.Error("no line says that members lose their access")
	}
}
