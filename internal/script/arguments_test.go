package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/script"
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
			source := script.Source{Stdin: strings.NewReader(test.stdin)}
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
