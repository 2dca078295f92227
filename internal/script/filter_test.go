package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/script"
)

func number(literal string) json.Number { return json.Number(literal) }

func TestAFilterPrintsAsJqDoes(t *testing.T) {
	const answer = `{"results":[{"id":"a","n":12345678901234567890},{"id":"b\n","n":1.50}],"none":null,"text":"<é>"}`
	for _, test := range []struct {
		expression  string
		raw, indent bool
		want        string
	}{
		{".results[].id", false, false, "\"a\"\n\"b\\n\"\n"},
		{".results[].id", true, false, "a\nb\n\n"},
		{".results[0]", true, false, `{"id":"a","n":12345678901234567890}` + "\n"},
		{".results[0]", false, true, "{\n  \"id\": \"a\",\n  \"n\": 12345678901234567890\n}\n"},
		{".none, .text", true, true, "null\n<é>\n"},
		{".text", false, true, "\"<é>\"\n"},
		{".results[] | tojson", true, false, `{"id":"a","n":12345678901234567890}` + "\n" + `{"id":"b\n","n":1.50}` + "\n"},
		{"empty", false, false, ""},
		{"1, halt, 2", false, false, "1\n"},
		{"$ENV | length", false, false, "0\n"},
	} {
		t.Run(test.expression, func(t *testing.T) {
			filter, err := script.ParseFilter(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			filter.Raw, filter.Indent = test.raw, test.indent
			var out strings.Builder
			if err := filter.Write(t.Context(), &out, json.RawMessage(answer)); err != nil || out.String() != test.want {
				t.Errorf("got %q, %v, want %q", out.String(), err, test.want)
			}
		})
	}
}

func TestAWrongExpressionIsRefusedBeforeTheCall(t *testing.T) {
	for expression, says := range map[string]string{
		".a | | .b":     `--jq: unexpected token "|", at line 1, column 6`,
		".a\n  | \"x":   "--jq: unterminated string literal, at line 2",
		".a |":          "--jq: unexpected EOF",
		"nosuch":        "--jq: function not defined: nosuch/0",
		"input":         "--jq: ",
		"$x":            "--jq: variable not defined: $x",
		`import "a"; 1`: "--jq: ",
	} {
		if _, err := script.ParseFilter(expression); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

func TestAnExpressionThatFailsSaysWhy(t *testing.T) {
	filter, err := script.ParseFilter(".a.b, .a[0]")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = filter.Write(t.Context(), &out, json.RawMessage(`{"a":{"b":1}}`))
	if err == nil || !strings.Contains(err.Error(), "--jq: expected an array but got: object") || out.String() != "1\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func TestAnExpressionThatDoesNotEndIsEnded(t *testing.T) {
	filter, err := script.ParseFilter("last(repeat(1))")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	filter.Timeout = 10 * time.Millisecond
	if err := filter.Write(t.Context(), &out, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "it takes too long") {
		t.Errorf("after its time: %v", err)
	}
	values := 0
	many, err := script.ParseFilter("repeat(1)")
	if err != nil {
		t.Fatal(err)
	}
	many.Timeout = 10 * time.Millisecond
	if err := many.Write(t.Context(), writerFunc(func() { values++ }), json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "it takes too long") || values == 0 {
		t.Errorf("after the time for all values, of which there are %d: %v", values, err)
	}
	filter.Timeout = 0
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("somebody pressed Ctrl-C"))
	if err := filter.Write(ctx, &out, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "somebody pressed Ctrl-C") {
		t.Errorf("after a signal: %v", err)
	}
	filter.Grace = 10 * time.Millisecond
	if err := filter.Write(ctx, &out, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "somebody pressed Ctrl-C") {
		t.Errorf("after the time that is left: %v", err)
	}
	filter, err = script.ParseFilter(".")
	if err != nil {
		t.Fatal(err)
	}
	filter.Grace = time.Minute
	if err := filter.Write(ctx, &out, json.RawMessage("1")); err != nil || out.String() != "1\n" {
		t.Errorf("one that ends at once, after a signal: %q, %v", out.String(), err)
	}
}

// writerFunc is told of each value.
type writerFunc func()

func (f writerFunc) Write(part []byte) (int, error) { f(); return len(part), nil }

func FuzzParseFilter(f *testing.F) {
	f.Add(".a[] | select(.b > 1)")
	f.Add("\"é\\(")
	f.Fuzz(func(t *testing.T, expression string) {
		if _, err := script.ParseFilter(expression); err != nil && !strings.HasPrefix(err.Error(), "--jq: ") {
			t.Error(err)
		}
	})
}
