package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/cli"
)

func TestArgumentsComeFromObjectsFilesAndPairs(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	object := write("object.json", "\ufeff{\n\"query\": \"buoy\",\n\"limit\": 2\n}\n")
	page := write("page.md", "# Title\n\n@text = 1\n")
	latin := write("latin.txt", "caf\xe9")
	two := write("two.json", "{}\n  {}")
	broken := write("broken.json", "{\n  \"café\": \"é\" x\n}")
	large := filepath.Join(folder, "large")
	if file, err := os.Create(large); err != nil || errors.Join(file.Truncate(33<<20), file.Close()) != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		object string
		pairs  []string
		stdin  string
		want   map[string]any
		fails  string
	}{
		{name: "nothing", want: map[string]any{}},
		{name: "pairs", pairs: []string{"query=a=b", "limit=5"}, want: map[string]any{"query": "a=b", "limit": "5"}},
		{name: "an empty value", pairs: []string{"query="}, want: map[string]any{"query": ""}},
		{name: "repeated pairs", pairs: []string{"id=a", "id=b", "id=c"}, want: map[string]any{"id": []any{"a", "b", "c"}}},
		{name: "a value that begins with @", pairs: []string{"text=@" + page}, want: map[string]any{"text": "@" + page}},
		{name: "a file as a value", pairs: []string{"text@=" + page}, want: map[string]any{"text": "# Title\n\n@text = 1\n"}},
		{name: "standard input as a value", pairs: []string{"text@=-"}, stdin: "typed\n", want: map[string]any{"text": "typed\n"}},
		{name: "JSON", object: `{"a":[1,{"b":null}],"n":12345678901234567890}`, want: map[string]any{"a": []any{number("1"), map[string]any{"b": nil}}, "n": number("12345678901234567890")}},
		{name: "a file with a byte order mark", object: "@" + object, want: map[string]any{"query": "buoy", "limit": number("2")}},
		{name: "standard input", object: "-", stdin: `{"query":"x"}`, want: map[string]any{"query": "x"}},
		{name: "a pair replaces", object: `{"id":["a"],"limit":1}`, pairs: []string{"id=b"}, want: map[string]any{"id": "b", "limit": number("1")}},
		{name: "pairs replace", object: `{"id":["a"]}`, pairs: []string{"id=b", "id=c"}, want: map[string]any{"id": []any{"b", "c"}}},

		{name: "no pair", pairs: []string{"query"}, fails: `"query" is not an argument of the form key=value`},
		{name: "no pair but a key of Outline", pairs: []string{"ol_api_fake"}, fails: `"****" is not an argument of the form key=value`},
		{name: "no key", pairs: []string{"=x"}, fails: "is not an argument of the form key=value"},
		{name: "a value in another encoding", pairs: []string{"title=caf\xe9"}, fails: "title is not text in UTF-8"},
		{name: "a key in another encoding", pairs: []string{"caf\xe9=x"}, fails: "caf? is not text in UTF-8"},
		{name: "JSON in another encoding", object: "{\"title\":\"caf\xe9\"}", fails: "--args is not text in UTF-8"},
		{name: "no key for a file", pairs: []string{"@=" + page}, fails: "is not an argument of the form key=value"},
		{name: "no file", pairs: []string{"text@="}, fails: "needs the name of a file"},
		{name: "a missing file", pairs: []string{"text@=" + folder + "/nope"}, fails: "text@=: open "},
		{name: "a folder", object: "@" + folder, fails: "is a directory"},
		{name: "another encoding", pairs: []string{"text@=" + latin}, fails: "latin.txt is not text in UTF-8"},
		{name: "a file that is too large", pairs: []string{"text@=" + large}, fails: "larger than 32 MiB"},
		{name: "standard input twice", object: "-", stdin: "{}", pairs: []string{"text@=-"}, fails: "--args and text@= cannot both read standard input"},
		{name: "nothing on standard input", object: "-", fails: "--args - must be a JSON object, such as '{\"query\": \"onboarding\"}': it is empty"},
		{name: "a list", object: "[1]", fails: "must be a JSON object"},
		{name: "null", object: "null", fails: "it is null"},
		{name: "an object and something after it", object: "@" + two, fails: "line 2, column 3: unexpected text after it"},
		{name: "a letter that does not belong there", object: "@" + broken, fails: "line 2, column 15: invalid character 'x'"},
		{name: "an end that comes too early", object: "{\"a\":\n  [1,", fails: "line 2, column 6: it ends too early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := cli.Source{Stdin: strings.NewReader(test.stdin)}
			got, err := source.Arguments(test.object, test.pairs)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Fatalf("got %v, %v", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func number(literal string) json.Number { return json.Number(literal) }

func TestAFilterPrintsAsJqDoes(t *testing.T) {
	const answer = `{"results":[{"id":"a","n":12345678901234567890},{"id":"b\n","n":1.50}],"none":null,"text":"<é>"}`
	for _, test := range []struct {
		expression string
		raw        bool
		want       string
	}{
		{".results[].id", false, "\"a\"\n\"b\\n\"\n"},
		{".results[].id", true, "a\nb\n\n"},
		{".results[0]", false, "{\n  \"id\": \"a\",\n  \"n\": 12345678901234567890\n}\n"},
		{".none, .text", true, "null\n<é>\n"},
		{".text", false, "\"<é>\"\n"},
		{".results[] | tojson", true, `{"id":"a","n":12345678901234567890}` + "\n" + `{"id":"b\n","n":1.50}` + "\n"},
		{"empty", false, ""},
		{"1, halt, 2", false, "1\n"},
		{"$ENV | length", false, "0\n"},
	} {
		t.Run(test.expression, func(t *testing.T) {
			filter, err := cli.ParseFilter(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			filter.Raw = test.raw
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
		if _, err := cli.ParseFilter(expression); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

func TestAnExpressionThatFailsSaysWhy(t *testing.T) {
	filter, err := cli.ParseFilter(".a.b, .a[0]")
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
	filter, err := cli.ParseFilter("last(repeat(1))")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	filter.Timeout = 10 * time.Millisecond
	if err := filter.Write(t.Context(), &out, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "it takes too long") {
		t.Errorf("after its time: %v", err)
	}
	values := 0
	many, err := cli.ParseFilter("repeat(1)")
	if err != nil {
		t.Fatal(err)
	}
	many.Timeout = 500 * time.Millisecond // in which a busy machine writes at least one
	if err := many.Write(t.Context(), writerFunc(func() { values++ }), json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "it takes too long") || values == 0 {
		t.Errorf("after the time for all values, of which there are %d: %v", values, err)
	}
	filter.Timeout = 0
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed Ctrl-C"))
	if err := filter.Write(ctx, &out, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), "the user pressed Ctrl-C") {
		t.Errorf("after a signal: %v", err)
	}
}

// writerFunc is told of each value.
type writerFunc func()

func (f writerFunc) Write(part []byte) (int, error) { f(); return len(part), nil }

func FuzzParseFilter(f *testing.F) {
	f.Add(".a[] | select(.b > 1)")
	f.Add("\"é\\(")
	f.Fuzz(func(t *testing.T, expression string) {
		if _, err := cli.ParseFilter(expression); err != nil && !strings.HasPrefix(err.Error(), "--jq: ") {
			t.Error(err)
		}
	})
}

func TestABarStaysOnItsLineAndLeavesNothing(t *testing.T) {
	var terminal strings.Builder
	bar := cli.NewBar(&terminal, "archive", unknown)
	bar.Items(1, 4)
	bar.Items(2, 4) // too soon after the last
	bar.Items(4, 4)
	bar.Clear()
	bar.Clear()
	want := "\rarchive [######..................] 1 of 4" +
		"\rarchive [########################] 4 of 4" +
		"\r" + strings.Repeat(" ", len("archive [########################] 4 of 4")) + "\r"
	if terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
}

func TestAShorterTextWipesWhatWasLonger(t *testing.T) {
	var terminal strings.Builder
	bar := cli.NewBar(&terminal, "", unknown)
	bar.Items(10, 10)
	bar.Items(1, 1)
	if lines := strings.Split(terminal.String(), "\r"); len(lines) != 3 || len(lines[1]) != len(lines[2]) {
		t.Errorf("got %q", terminal.String())
	}
}

func TestNoBarShowsNothing(t *testing.T) {
	var bar *cli.Bar
	bar.Items(1, 0)
	bar.Clear()
}

// unknown is the width of a terminal that does not say.
func unknown() int { return 0 }

func TestABarIsNarrowerThanItsTerminal(t *testing.T) {
	var terminal strings.Builder
	bar := cli.NewBar(&terminal, "archive", func() int { return 20 })
	bar.Items(4, 4)
	bar.Clear()
	if want := "\rarchive [##########" + "\r" + strings.Repeat(" ", 19) + "\r"; terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
}
