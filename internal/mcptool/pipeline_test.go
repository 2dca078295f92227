package mcptool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/observe"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

// newServer returns a server of notes: made-up resources, a prompt and
// completions, as docs/project/architecture.md shows them.
func newServer(p mcptool.Pipeline) *server.MCPServer {
	note := mcptool.Item{Name: "note", Group: "notes"}
	rewrite := mcptool.Item{Name: "rewrite_note", Group: "notes", Writes: true}

	items := map[string]mcptool.Item{rewrite.Name: rewrite}
	hooks := &server.Hooks{}
	p.RecordUnknown(hooks)
	s := server.NewMCPServer("notes", "1",
		server.WithHooks(hooks),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithPromptFilter(func(ctx context.Context, list []mcp.Prompt) []mcp.Prompt {
			return slices.DeleteFunc(list, func(prompt mcp.Prompt) bool { return !p.Allows(ctx, items[prompt.Name]) })
		}),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(p.Completion(note, completeNote)),
		server.WithResourceCompletionProvider(p.Completion(note, completeNote)),
	)
	s.AddResourceTemplate(mcp.NewResourceTemplate("note://{id}", "note"), p.Resource(note, readNote))
	s.AddPrompt(mcp.NewPrompt(rewrite.Name, mcp.WithArgument("id")), p.Prompt(rewrite, promptForNote))

	// Resources have no filter in the library: what a request may not use is
	// refused when it is read.
	opened := mcptool.Item{Name: "open_note", Group: "notes", Writes: true}
	secret := mcptool.Item{Name: "secret", Group: "secrets"}
	s.AddResourceTemplate(mcp.NewResourceTemplate("open://{id}", "open"), p.Resource(opened, readNote))
	s.AddResourceTemplate(mcp.NewResourceTemplate("secret://{id}", "secret"), p.Resource(secret, readNote))
	return s
}

func readNote(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	_, id, _ := strings.Cut(request.Params.URI, "://")
	text, err := note(ctx, id)
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: text}}, err
}

func promptForNote(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text, err := note(ctx, request.Params.Arguments["id"])
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Rewrite it:")),
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "note://it", Text: text})),
	}}, err
}

func completeNote(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	text, err := note(ctx, argument.Value)
	return &mcp.Completion{Values: []string{text}}, err
}

// A transport connects to a server. The function that it returns sends a request
// of a client, which may limit itself to reading, and returns the answer.
type transport func(*testing.T, *server.MCPServer) func(readOnly bool, method, params string) string

func message(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func transports() map[string]transport {
	return map[string]transport{"stdio": overStdio, "HTTP": overHTTP}
}

func overStdio(t *testing.T, s *server.MCPServer) func(bool, string, string) string {
	return func(readOnly bool, method, params string) string {
		principal := auth.ForOperator("ol_api_test")
		principal.ReadOnly = readOnly
		var out bytes.Buffer
		served := wire.Stdio{MCP: s, Log: slog.New(slog.DiscardHandler), CallTimeout: 10 * time.Second}
		if err := served.Serve(auth.NewContext(t.Context(), principal), strings.NewReader(message(method, params)), &out); err != nil {
			t.Error(err)
		}
		return out.String()
	}
}

func overHTTP(t *testing.T, s *server.MCPServer) func(bool, string, string) string {
	h, err := httpd.New(httpd.Options{MCP: wire.NewHTTP(s, slog.New(slog.DiscardHandler)).Serve})
	if err != nil {
		t.Fatal(err)
	}
	return func(readOnly bool, method, params string) string {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(message(method, params)))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer ol_api_test")
		if readOnly {
			request.Header.Set("X-Outline-Read-Only", "true")
		}
		recorder := httptest.NewRecorder()
		h.Handler(true).ServeHTTP(recorder, request)
		return recorder.Body.String()
	}
}

// A record is what a pipeline writes and counts.
type record struct {
	metrics *observe.Metrics

	mu  sync.Mutex
	log bytes.Buffer
}

func newRecord() *record {
	return &record{metrics: observe.New(observe.Options{Outcomes: mcptool.Outcomes()})}
}

// Write implements io.Writer.
func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(p)
}

// logged returns what was logged since it was called last.
func (r *record) logged() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.log.Reset()
	return r.log.String()
}

func (r *record) counted() string {
	recorder := httptest.NewRecorder()
	r.metrics.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return recorder.Body.String()
}

const maxChars = 100

// newPipeline returns a pipeline with every limit, which records what it does.
func newPipeline() (mcptool.Pipeline, *record) {
	r := newRecord()
	return mcptool.Pipeline{
		Timeout:  50 * time.Millisecond,
		MaxChars: maxChars,
		Includes: func(i mcptool.Item) bool { return i.Group != "secrets" },
		Log:      slog.New(slog.NewTextHandler(r, nil)),
		Metrics:  r.metrics,
	}, r
}

// note returns the text of a note, or what its name says.
func note(ctx context.Context, id string) (string, error) {
	switch id {
	case "long":
		return strings.Repeat("é", maxChars-11), nil // the prompt says "Rewrite it:", too
	case "longer":
		return strings.Repeat("é", maxChars+1), nil
	case "slow":
		<-ctx.Done()
		return "", fmt.Errorf("read the note: %w", ctx.Err())
	case "panic":
		panic("secret panic value")
	case "missing":
		return "", output.Failure{Code: output.NotFound, Sentence: "there is no such note."}
	case "key":
		return "", output.Failure{Code: output.NotFound, Sentence: "there is no note ol_api_secret."}
	case "forbidden":
		return "", fmt.Errorf("read the note: %w", &outline.Error{Endpoint: "notes.info", Status: 403})
	case "broken":
		return "", errors.New("secret error")
	}
	principal, _ := auth.FromContext(ctx)
	return "for " + principal.ID(), nil
}

// requests are the ways to ask for a note, by the kind of request.
func requests(id string) map[string][2]string {
	return map[string][2]string{
		"resource":   {"resources/read", `{"uri":"note://` + id + `","_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`},
		"prompt":     {"prompts/get", `{"name":"rewrite_note","arguments":{"id":"` + id + `"},"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`},
		"completion": {"completion/complete", `{"ref":{"type":"ref/resource","uri":"note://{id}"},"argument":{"name":"id","value":"` + id + `"}}`},
	}
}

func TestEveryKindOfRequestPassesTheSameSteps(t *testing.T) {
	asker := auth.ForAPIKey("ol_api_test").ID()
	names := map[string]string{"resource": "note", "prompt": "rewrite_note", "completion": "note"}
	for over, connect := range transports() {
		synctest.Test(t, func(t *testing.T) { // so that only what is slow takes time
			p, recorded := newPipeline()
			send := connect(t, newServer(p))
			for _, test := range []struct{ id, outcome, answer string }{
				{"short", "ok", "for " + asker},
				{"long", "ok", "éé"},
				{"longer", "too_large", "OUTLINE_MAX_RESPONSE_CHARS"},
				{"slow", "timeout", "OUTLINE_CALL_TIMEOUT"},
				{"panic", "internal", "bug in outline-mcp"},
				{"broken", "internal", "bug in outline-mcp"},
				{"missing", "not_found", "there is no such note."},
				{"key", "not_found", "****"},
			} {
				for kind, request := range requests(test.id) {
					answer, logged := send(false, request[0], request[1]), recorded.logged()
					for _, want := range []string{`msg="` + kind + ` call"`, " " + kind + "=" + names[kind] + " ", "outcome=" + test.outcome + " ", "key=" + asker} {
						if !strings.Contains(logged, want) {
							t.Errorf("%s: %s of %s: the log lacks %s: %s", over, kind, test.id, want, logged)
						}
					}
					if kind != "completion" && !strings.Contains(logged, "trace_id=4bf92f3577b34da6a3ce929d0e0e4736") {
						t.Errorf("%s: %s of %s: the log lacks the trace: %s", over, kind, test.id, logged)
					}
					code := "-32603"
					if test.outcome == "not_found" {
						code = map[string]string{"resource": "-32002", "prompt": "-32602", "completion": code}[kind]
					}
					if kind == "completion" && test.outcome != "ok" {
						if !strings.Contains(answer, `"completion":{"values":[]}`) {
							t.Errorf("%s: a completion of %s is answered with %s", over, test.id, answer)
						}
					} else if failed := strings.Contains(answer, `"error":{"code":`+code+`,"message":"`+names[kind]+": "); !strings.Contains(answer, test.answer) || failed != (test.outcome != "ok") {
						t.Errorf("%s: %s of %s is answered with %s", over, kind, test.id, answer)
					}
					if strings.Contains(answer+logged, "secret ") || strings.Contains(answer+logged, "ol_api") {
						t.Errorf("%s: %s of %s shows a secret: %s %s", over, kind, test.id, answer, logged)
					}
					if count := fmt.Sprintf(`outline_mcp_requests_total{kind=%q,name=%q,outcome=%q} `, kind, names[kind], test.outcome); !strings.Contains(recorded.counted(), count) {
						t.Errorf("%s: %s of %s is not counted", over, kind, test.id)
					}
				}
			}
		})
	}
}

func TestARequestThatIsLimitedToReadingChangesNothing(t *testing.T) {
	for over, connect := range transports() {
		synctest.Test(t, func(t *testing.T) { // so that only what is slow takes time
			p, recorded := newPipeline()
			send := connect(t, newServer(p))
			for _, test := range []struct {
				method, params string
				answer         [2]string // without and with the limit
				logged         [2]string
			}{
				{"resources/read", `{"uri":"note://a"}`, [2]string{"for ", "for "}, [2]string{"outcome=ok", "outcome=ok"}},
				{"resources/read", `{"uri":"open://a"}`, [2]string{"for ", "limited to reading"}, [2]string{"outcome=ok", "outcome=forbidden"}},
				{"resources/read", `{"uri":"secret://a"}`, [2]string{"settings do not offer it", "settings do not offer it"}, [2]string{"outcome=forbidden", "outcome=forbidden"}},
				{"resources/read", `{"uri":"none://a"}`, [2]string{"-32002", "-32002"}, [2]string{"resource=other outcome=unknown_resource", "resource=other outcome=unknown_resource"}},
				{"prompts/get", `{"name":"rewrite_note"}`, [2]string{"for ", "not found"}, [2]string{"outcome=ok", "prompt=other outcome=unknown_prompt"}},
				{"prompts/list", `{}`, [2]string{"rewrite_note", `"prompts":[]`}, [2]string{"", ""}},
			} {
				for i, readOnly := range []bool{false, true} {
					answer, logged := send(readOnly, test.method, test.params), recorded.logged()
					if !strings.Contains(answer, test.answer[i]) || !strings.Contains(logged, test.logged[i]) {
						t.Errorf("%s: %s %s, limited %t: %s %s", over, test.method, test.params, readOnly, answer, logged)
					}
				}
			}
		})
	}
}

func TestTheZeroPipelineHasNoLimits(t *testing.T) {
	for _, id := range []string{"short", "longer"} {
		answer, err := mcptool.Do(t.Context(), mcptool.Pipeline{}, mcptool.Request{}, func(ctx context.Context) (string, output.Code, error) {
			text, err := note(ctx, id)
			return text, "", err
		}, func(text string) int { return len(text) })
		if err != nil || answer == "" {
			t.Errorf("%s: %q, %v", id, answer, err)
		}
	}
}

func TestAFailureIsAProblemAndKeepsNoAnswer(t *testing.T) {
	for id, code := range map[string]output.Code{"panic": output.Internal, "missing": output.NotFound, "forbidden": output.Forbidden} {
		answer, err := mcptool.Do(t.Context(), mcptool.Pipeline{}, mcptool.Request{}, func(ctx context.Context) (string, output.Code, error) {
			_, err := note(ctx, id)
			return "half of it", "", err
		}, nil)
		var problem output.Problem
		if !errors.As(err, &problem) || problem.FailureCode() != code || answer != "" {
			t.Errorf("%s: %q, %v", id, answer, err)
		}
	}
}

// sends counts requests and answers none.
type sends struct{ atomic.Int64 }

func (s *sends) RoundTrip(*http.Request) (*http.Response, error) {
	s.Add(1)
	return nil, http.ErrHandlerTimeout
}

type nothing struct{}

func (nothing) WriteText(t *output.Text) { t.Line("done, whatever happened") }

func TestAToolThatForgetsToAskCannotWrite(t *testing.T) {
	const document = "488d6e14-db91-4e8e-99b4-c468545e6dc7"
	sent := new(sends)
	client, err := outline.New(outline.Options{BaseURL: "http://outline.invalid/api", Transport: sent, Credentials: outline.StaticKey("ol_api_x")})
	if err != nil {
		t.Fatal(err)
	}
	forgetful := mcptool.Spec[struct{}, nothing]{
		Name: "forgetful", Title: "Forgetful tool", Description: "Deletes a document.", Effect: mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, _ struct{}) (nothing, error) {
			_ = env.Outline.DeleteDocument(ctx, document, false)
			return nothing{}, nil // it does not even look at the error
		},
	}
	bound, err := mcptool.Bind([]mcptool.Tool{forgetful}, mcptool.Deps{
		Env: mcptool.Env{Outline: client}, Desk: elicit.NewDesk(elicit.Options{When: elicit.Deletes}),
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(capabilities mcp.ClientCapabilities, given mcp.MultiRoundTripParams) *mcp.CallToolResult {
		t.Helper()
		ctx := server.WithRequestProtocolInfo(t.Context(), &server.RequestProtocolInfo{Modern: true, ProtocolVersion: mcp.ProtocolVersion20260728, ClientCapabilities: &capabilities})
		request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "forgetful", Arguments: map[string]any{}}}
		request.Params.MultiRoundTripParams = given
		result, err := bound[0].Handler(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	asks := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
	asked := call(asks, mcp.MultiRoundTripParams{})
	if question := asked.InputRequests["answer"].Elicitation; question == nil || question.Message != "Forgetful tool in Outline (forgetful), with these arguments?\n\n    {}" || sent.Load() > 0 {
		t.Errorf("%d requests are sent, and the result is %+v", sent.Load(), asked)
	}
	refused := call(mcp.ClientCapabilities{}, mcp.MultiRoundTripParams{})
	if !refused.IsError || sent.Load() > 0 || !strings.Contains(refused.Content[0].(mcp.TextContent).Text, "this client cannot show the question") {
		t.Errorf("%d requests are sent, and the result is %+v", sent.Load(), refused)
	}
	yes := mcp.NewElicitationInputResponse(mcp.ElicitationResult{ElicitationResponse: elicit.Agreement()})
	agreed := call(asks, mcp.MultiRoundTripParams{RequestState: asked.RequestState, InputResponses: mcp.InputResponses{"answer": yes}})
	if agreed.IsError || agreed.NeedsInput() || sent.Load() == 0 {
		t.Errorf("%d requests are sent, and the result is %+v", sent.Load(), agreed)
	}
}
