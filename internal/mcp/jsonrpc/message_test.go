package jsonrpc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"outline-mcp/internal/mcp/jsonrpc"
)

func TestValuesAreCountedWithoutDecoding(t *testing.T) {
	for _, test := range []struct {
		json string
		want int
	}{
		{`5`, 1}, {`""`, 1}, {`{}`, 2}, {`[1,2,3]`, 4}, {`{"a":[{},{}],"b":"},{[,\"{"}`, 7}, {`"`, 1}, {`"\`, 1}, {``, 1},
	} {
		if got, err := jsonrpc.Values([]byte(test.json)); got != test.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", test.json, got, err, test.want)
		}
	}
	for _, many := range []string{
		"[" + strings.Repeat("{},", 30_000) + "{}]",
		strings.Repeat("[", 65),
		strings.Repeat(`{"a":`, 65),
		`{"a":"` + strings.Repeat("x", 1<<20) + `","b":[` + strings.Repeat("0,", 50_000) + `0]}`,
	} {
		if _, err := jsonrpc.Values([]byte(many)); !errors.Is(err, jsonrpc.ErrTooMany) {
			t.Errorf("%.60s…: %v", many, err)
		}
	}
	if _, err := jsonrpc.Values([]byte(strings.Repeat("[", 64) + strings.Repeat("]", 64))); err != nil {
		t.Error(err)
	}
}

func TestLinesAndMarksOfMarkdownAreCountedByText(t *testing.T) {
	dense := `"` + strings.Repeat(`* \n`, 60_000) + `"`
	for _, test := range []struct {
		json       string
		all, inOne int
	}{
		{`{"text":"# a\n\n*b* | _c_"}`, 7, 0},
		{dense, 120_000, 120_000},
		{`["` + strings.Repeat(`a\n`, 60_000) + `","` + strings.Repeat(`a\n`, 60_000) + `"]`, 120_001, 60_000},
		{`"` + strings.Repeat("words ", 50_000) + `"`, 0, 0},
	} {
		if all, inOne := jsonrpc.Marks([]byte(test.json)); all != test.all || inOne != test.inOne {
			t.Errorf("%.40s…: %d, %d, want %d, %d", test.json, all, inOne, test.all, test.inOne)
		}
	}
}

func TestTheArgumentsOfACallAreTakenOut(t *testing.T) {
	long := `{"text":"` + strings.Repeat(`a\"}]`, 2000) + `","n":[1,{"b":null}]}`
	for _, test := range []struct{ name, message, rest, arguments string }{
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":` + long + `,"_meta":{}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":{}}}`, long},
		{"a call with spaces", ` { "params" : { "arguments" : ` + long + ` , "name" : "x" } , "method" : "tools/call" } ` + "\n",
			` { "params" : { "arguments" : {} , "name" : "x" } , "method" : "tools/call" } ` + "\n", long},
		{"arguments twice", `{"method":"tools/call","params":{"arguments":5,"arguments":` + long + `}}`, `{"method":"tools/call","params":{"arguments":5,"arguments":{}}}`, long},
		{"arguments in text", `{"method":"tools/call","params":{"arguments":"` + strings.Repeat("x", 5000) + `"}}`, `{"method":"tools/call","params":{"arguments":{}}}`, `"` + strings.Repeat("x", 5000) + `"`},
		{"a call without spaces or anything else", `{"method":"tools/call","params":{"arguments":[1]}}`, `{"method":"tools/call","params":{"arguments":{}}}`, "[1]"},
		{"a call without arguments", `{"method":"tools/call","params":{"arguments":{}}}`, "", ""},
		{"another method", `{"method":"prompts/get","params":{"arguments":` + long + `}}`, "", ""},
		{"no arguments", `{"method":"tools/call","params":{"name":` + long + `}}`, "", ""},
		{"no parameters", `{"method":"tools/call","x":` + long + `}`, "", ""},
		{"parameters that are a list", `{"method":"tools/call","params":[` + long + `]}`, "", ""},
		{"arguments elsewhere", `{"method":"tools/call","params":{"_meta":{"arguments":` + long + `}},"arguments":` + long + `}`, "", ""},
		{"no object", `[` + long + `]`, "", ""},
		{"a list of what a call has", `["method","tools/call","params",{"arguments":` + long + `}]`, "", ""},
		{"no JSON", `{"method":"tools/call","params":{"arguments":` + long + `}`, "", ""},
	} {
		rest, arguments := jsonrpc.WithoutArguments([]byte(test.message))
		if test.rest == "" {
			test.rest = test.message
		}
		if string(rest) != test.rest || string(arguments) != test.arguments {
			t.Errorf("%s: rest %.200s, arguments %.200s", test.name, rest, arguments)
		}
	}
}

func FuzzWithoutArguments(f *testing.F) {
	f.Add(`{"method":"tools/call","params":{"arguments":{"a":"b"},"name":"x"}}`)
	f.Add(`{"method":"tools/call","params":{"arguments":["a\\",1e5,{}] }, "arguments":{}}`)
	f.Fuzz(func(t *testing.T, message string) {
		rest, arguments := jsonrpc.WithoutArguments([]byte(message))
		if arguments == nil {
			if string(rest) != message {
				t.Errorf("changed to %s", rest)
			}
			return
		}
		// The library must see what it would have seen, but for the arguments.
		type call struct {
			Method string
			Params struct {
				Name      json.RawMessage
				Arguments json.RawMessage `json:"arguments"`
			}
		}
		var before, after call
		if err := json.Unmarshal([]byte(message), &before); err != nil {
			return
		}
		if err := json.Unmarshal(rest, &after); err != nil || before.Method != after.Method || string(before.Params.Name) != string(after.Params.Name) || !json.Valid(arguments) {
			t.Errorf("%v: rest %s, arguments %s", err, rest, arguments)
		}
	})
}

func TestLinesAreReadOneByOne(t *testing.T) {
	const limit = 5
	for _, test := range []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"blank lines only", "\n \r\n\t", nil},
		{"numbers that count blank lines", "a\n\n b \r\n", []string{"1 a", "3 b"}},
		{"a last line without an end", "a\nb", []string{"1 a", "2 b"}},
		{"a byte order mark", "\ufeff{}\n", []string{"1 {}"}},
		{"the longest line", "12345\n12345", []string{"1 12345", "2 12345"}},
		{"a line that is too long, then another", "1234567\na", []string{"1 line too long", "2 a"}},
		{"a last line that is too long", "a\n" + strings.Repeat("x", 1<<17), []string{"1 a", "2 line too long"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for r := jsonrpc.NewReader(strings.NewReader(test.stream), limit); ; {
				line, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					line = []byte(err.Error())
				}
				got = append(got, fmt.Sprintf("%d %s", r.Number(), line))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAReadErrorDropsTheLineThatItCut(t *testing.T) {
	broken := errors.New("input/output error")
	r := jsonrpc.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 5)
	if line, err := r.Next(); string(line) != "a" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.Next(); line != nil || !errors.Is(err, broken) || r.Number() != 2 {
		t.Errorf("%q, %v on line %d", line, err, r.Number())
	}
}
