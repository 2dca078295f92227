package tools_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
	"outline-mcp/tools/pdftext"
)

// TestMain lets this test binary be the process that reads a PDF.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "extract-pdf" {
		os.Exit(pdftext.Extract(os.Stdin, os.Stdout))
	}
	_ = flag.Set("test.parallel", "8") // most parallel tests wait
	os.Exit(m.Run())
}

// The limits of these tests: the lowest at which a batch of 100 fits, and the default.
const (
	leastLimit   = 10_000
	defaultLimit = 38_000
)

// limited returns a client of a server that operates under a limit, and on an
// Outline behind a transport.
func limited(t *testing.T, limit int, structured bool, outline http.RoundTripper, more ...string) *client.Client {
	t.Helper()
	settings := load(t, append([]string{
		"OUTLINE_MAX_RETRIES=0", fmt.Sprintf("OUTLINE_MAX_RESPONSE_CHARS=%d", limit), fmt.Sprintf("OUTLINE_STRUCTURED_OUTPUT=%t", structured)}, more...)...)
	return connectTo(t, app.Options{Config: settings, Transport: outline, PDFText: pdftext.Process{Path: os.Args[0], Args: []string{"extract-pdf"}}.Text})
}

// bounded calls a tool and checks its text against the limit.
func bounded(t *testing.T, c *client.Client, limit int, tool string, arguments map[string]any) cli.Answer {
	t.Helper()
	answer, err := cli.Call(t.Context(), c, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(answer.Text); n > limit {
		t.Fatalf("%s answers with %d bytes, the limit is %d: %.300s", tool, n, limit, answer.Text)
	}
	return answer
}

// success calls a tool as bounded does, and the call must not fail.
func success(t *testing.T, c *client.Client, limit int, tool string, arguments map[string]any) cli.Answer {
	t.Helper()
	answer := bounded(t, c, limit, tool, arguments)
	if answer.Code != "" {
		t.Fatalf("%s %v: %.500s", tool, arguments, answer.Text)
	}
	return answer
}

// A piece is one answer of several: the arguments of the call, and those for the
// next one, none at the end.
type piece struct {
	cli.Answer
	asked, onward map[string]any
}

// readToEnd calls a tool, and again with the arguments that each answer gives, until one
// gives none. It follows the text; the structured content must say the same.
func readToEnd(t *testing.T, limit int, outline http.RoundTripper, tool string, arguments map[string]any) []piece {
	t.Helper()
	return readToEndWith(t, limited(t, limit, true, outline), limited(t, limit, false, outline), limit, tool, arguments)
}

// readToEndWith reads with a client that also gets structured content, and with one that
// gets only text.
func readToEndWith(t *testing.T, both, textOnly *client.Client, limit int, tool string, arguments map[string]any) []piece {
	t.Helper()
	arguments = maps.Clone(arguments)
	asked := map[string]any{}
	var pieces []piece
	seen := map[string]bool{}
	for {
		answer := success(t, both, limit, tool, arguments)
		if len(pieces) < 2 {
			alone := success(t, textOnly, limit, tool, arguments)
			if diff := cmp.Diff(answer.Text, alone.Text); diff != "" || alone.Structured != nil {
				t.Fatalf("without structured content the answer differs:\n%s", diff)
			}
		}
		p := piece{Answer: answer, asked: asked, onward: onward(t, tool, answer.Text)}
		if diff := cmp.Diff(p.onward, structuredOnward(t, answer.Structured)); diff != "" {
			t.Fatalf("text and structured content go on differently:\n%s\n%.300s", diff, answer.Text)
		}
		pieces = append(pieces, p)
		if len(p.onward) == 0 {
			return pieces
		}
		if seen[fmt.Sprint(p.onward)] {
			t.Fatalf("answer %d leads to where it was before, %v", len(pieces), p.onward)
		}
		seen[fmt.Sprint(p.onward)] = true
		for _, name := range []string{"start_line", "start_char", "offset", "cursor"} {
			delete(arguments, name)
		}
		for name, value := range p.onward {
			arguments[name] = value
		}
		asked = p.onward
	}
}

var (
	partly   = regexp.MustCompile(`(?m)^(?:Lines \d+–(\d+) of (\d+)|Part of line \d+ of \d+)(?:; continue with (.*))?\.$`)
	below    = regexp.MustCompile(`^(?:Continue|(?:More|More headings|The description continues): call again) with (.*)\.$`)
	argument = regexp.MustCompile(`(start_line|start_char|offset|cursor) ([\w-]+)`)
)

// onward returns the arguments that a text gives to continue, in its last line. The content
// of a document may end with the same words; what is above it tells whether it is a part.
func onward(t *testing.T, tool, text string) map[string]any {
	t.Helper()
	next := map[string]any{}
	if slices.Contains([]string{"read_document", "read_document_section", "export_document", "read_attachment", "read_revision"}, tool) {
		head, _, _ := strings.Cut(text, "\n\n")
		if shown := partly.FindStringSubmatch(head); shown == nil || shown[1] != "" && shown[1] == shown[2] {
			return next
		}
	}
	said := below.FindStringSubmatch(text[strings.LastIndexByte(text, '\n')+1:])
	if said == nil {
		return next
	}
	// A client may cut the end of an answer: its head says the same.
	if head, _, _ := strings.Cut(text, "\n\n"); !strings.Contains(head, said[1]) && !strings.HasPrefix(said[1], "offset ") && !strings.HasPrefix(said[1], "start_char ") {
		t.Errorf("the head does not say how to continue with %s: %s", said[1], head)
	}
	for _, a := range argument.FindAllStringSubmatch(said[1], -1) {
		next[a[1]] = a[2]
		if n, err := strconv.ParseFloat(a[2], 64); err == nil && a[1] != "cursor" {
			next[a[1]] = n
		}
	}
	return next
}

// structuredOnward returns the arguments that structured content gives to continue.
func structuredOnward(t *testing.T, structured json.RawMessage) map[string]any {
	t.Helper()
	next := map[string]any{}
	for name, value := range decoded[map[string]json.RawMessage](t, structured) {
		if argument, ok := strings.CutPrefix(name, "next_"); ok {
			next[argument] = decoded[any](t, value)
		}
	}
	return next
}

func decoded[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// sameOnce compares what the answers showed with what exists, in any order. Everything
// must be shown exactly once.
func sameOnce(t *testing.T, want, got []string) {
	t.Helper()
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d entries instead of %d (-want +got):\n%.2000s", len(got), len(want), diff)
	}
}

// far fails if there are too few pieces to verify anything.
func far(t *testing.T, pieces []piece) {
	t.Helper()
	if len(pieces) < 2 {
		t.Error("with one answer, there is too little to tell")
	}
}

// TestWhateverEveryToolIsGivenItsAnswerStaysUnderTheLimit gives each argument of
// each tool values that are far too long, of the wrong type, or strange, and the
// other arguments usable ones.
func TestWhateverEveryToolIsGivenItsAnswerStaysUnderTheLimit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("go on with offset 3 🍲\n", 500)
	var list []any
	unknown := map[string]any{}
	for i := range 300 {
		list = append(list, long[:100])
		if i%10 == 0 {
			unknown[fmt.Sprint(long[:200], i)] = i
		}
	}
	hostile := map[string]any{
		"a long text": long, "a long list": list, "a large object": unknown, "a list of objects": []any{unknown, unknown},
		"a large number": 1e300, "a long number": strings.Repeat("9", 5000), "no text": "", "a URL": "https://wiki.example.com/doc/" + strings.Repeat("x-", 5000) + "1FF9VyHA4X",
	}
	c := limited(t, leastLimit, true, wiki(t, emptySeed()))
	definitions := listTools(t, c)
	for _, tool := range fixtures.Some(tools.All(), 30) {
		name := tool.Info().Name
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		for _, definition := range definitions {
			if definition.Name == name {
				if err := json.Unmarshal(definition.InputSchema, &schema); err != nil {
					t.Fatal(err)
				}
			}
		}
		bounded(t, c, leastLimit, name, unknown)
		for argument := range schema.Properties {
			for what, value := range hostile {
				t.Run(name+"/"+argument+"/"+what, func(t *testing.T) {
					arguments := map[string]any{argument: value}
					for _, required := range schema.Required {
						if _, given := arguments[required]; !given {
							arguments[required] = map[string]any{"string": uuid(1), "array": []any{uuid(1)}}[schema.Properties[required].Type]
						}
					}
					bounded(t, c, leastLimit, name, arguments)
				})
			}
		}
	}
}
