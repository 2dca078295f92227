package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A step of a conversation: one call, or several at once.
type step struct {
	Tool string
	Args map[string]any
	// Follow repeats the call from the line that the answer names, until it names none.
	Follow bool
	Calls  []step
}

// A model plays a conversation in place of a real model, in the formats of four vendors. What
// it says next follows from the request alone, so a client may repeat requests.
type model struct {
	conversation []step
	url          string

	mu      sync.Mutex
	tools   []tool // the most that a request had
	results []any  // likewise
	longest string // the request with these results, which may have images outside of them
}

// A tool as a client shows it to the model.
type tool struct {
	Name, Namespace, Type string
	Schema                any
}

// startModel starts a model that plays the conversation of a file, with words in it replaced.
func startModel(t *testing.T, file string, replace ...string) *model {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	m := new(model)
	if err := json.Unmarshal([]byte(strings.NewReplacer(replace...).Replace(string(text))), &m.conversation); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request map[string]any
	i := slices.IndexFunc(formats, func(f format) bool { return f.path.MatchString(r.URL.Path) })
	if err := json.Unmarshal(body, &request); err != nil || i < 0 {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"list","data":[],"models":[],"input_tokens":9,"totalTokens":9}`)
		return
	}
	f := formats[i]
	var tools []tool
	_ = json.Unmarshal([]byte(inJSON(valuesOf(f.tools, request))), &tools)
	results := valuesOf(f.results, request)
	slices.SortStableFunc(results, func(a, b any) int { return cmp.Compare(callOf(a), callOf(b)) }) // those of calls at once come in any order
	m.mu.Lock()
	if len(tools) > len(m.tools) {
		m.tools = tools
	}
	if len(results) >= len(m.results) {
		m.results, m.longest = results, string(body)
	}
	m.mu.Unlock()
	reply := map[string]any{"text": "Done."}
	if _, next := m.walk(results); len(tools) > 0 && len(next) > 0 { // without tools, the client wants a title or the like
		var calls []any
		for i, call := range next {
			t := offered(tools, call.Tool)
			args := maps.Clone(call.Args)
			if strings.Contains(inJSON(t.Schema), `"wait_for_previous"`) { // an argument of the client, which tells models to set it
				args["wait_for_previous"] = true
			}
			made := map[string]any{"id": fmt.Sprintf("call_%d_%d", len(results), i), "name": t.Name, "type": t.Type, "args": args}
			if t.Namespace != "" {
				made["namespace"] = t.Namespace
			}
			calls = append(calls, made)
		}
		reply = map[string]any{"calls": calls}
	}
	answer := valuesOf(f.answer, reply)[0]
	if stream, _ := request["stream"].(bool); !stream && !strings.Contains(r.URL.Path, ":stream") {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, inJSON(answer))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range valuesOf(f.events, answer) {
		data, isText := event.(string)
		if !isText {
			data = inJSON(event)
			if kind, ok := event.(map[string]any)["type"]; ok {
				fmt.Fprintf(w, "event: %s\n", kind)
			}
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

func inJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

var callID = regexp.MustCompile(`call_(\d+)_(\d+)`)

// callOf returns the place of the call that a result answers, if the result has its ID.
func callOf(result any) int {
	id := callID.FindStringSubmatch(inJSON(result))
	if id == nil {
		return 0
	}
	before, _ := strconv.Atoi(id[1])
	at, _ := strconv.Atoi(id[2])
	return before + at
}

// offered returns the tool that a client offers under a name of its own, mcp__outline__NAME
// or the like.
func offered(tools []tool, name string) tool {
	for _, found := range tools {
		if prefix, ok := strings.CutSuffix(found.Name, name); ok && (prefix == "" || strings.Contains(prefix, "outline")) {
			return found
		}
	}
	return tool{Name: name}
}

var further = regexp.MustCompile(`[Cc]ontinue with start_line (\d+)`)

// walk returns the calls that led to results, and those that follow.
func (m *model) walk(results []any) (made, next []step) {
	for _, s := range m.conversation {
		calls := s.Calls
		if calls == nil {
			calls = []step{s}
		}
		for {
			if len(results) < len(calls) {
				return made, calls
			}
			made = append(made, calls...)
			found := further.FindStringSubmatch(textOf(results[0]))
			results = results[len(calls):]
			if !s.Follow || found == nil {
				break
			}
			again := maps.Clone(s.Args)
			again["start_line"], _ = strconv.Atoi(found[1])
			calls = []step{{Tool: s.Tool, Args: again}}
		}
	}
	return made, nil
}

// textOf returns all text of a result, also of JSON in its text.
func textOf(value any) (text string) {
	switch value := value.(type) {
	case string:
		var inner any
		if strings.ContainsAny(value, "{[") && json.Unmarshal([]byte(value), &inner) == nil {
			return textOf(inner)
		}
		return value + "\n"
	case []any:
		for _, v := range value {
			text += textOf(v)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			text += textOf(value[key])
		}
	}
	return text
}
