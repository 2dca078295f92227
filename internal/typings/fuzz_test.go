package typings_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/internal/typings"
)

// fuzzed returns a tool that has what it is given wherever there is room.
func fuzzed(t *testing.T, name, property, text, value string) []typings.Tool {
	t.Helper()
	quote := func(text string) string {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	fill := strings.NewReplacer(
		"P1", quote(property), "P2", quote(property+"2"), "P3", quote(property+"3"),
		"TEXT", quote(text), "V1", quote(value), "V2", quote(value+"2"))
	inner := `{"type":"object","description":TEXT,"properties":{P1:{"type":"string","enum":[V1,V2],"description":TEXT}}}`
	return []typings.Tool{{Name: name, Description: text,
		InputSchema: json.RawMessage(fill.Replace(`{"type":"object","properties":{P1:` + inner + `},"required":[P1]}`)),
		OutputSchema: json.RawMessage(fill.Replace(`{"type":"object","anyOf":[
			{"properties":{P1:{"type":"array","items":` + inner + `},P2:{"type":"string","const":V1,"description":TEXT}},"required":[P1]},
			{"properties":{"error":{"type":"string"},"code":{"type":"string"},P3:{"type":"integer","description":TEXT}},"required":["error","code"]}]}`)),
	}}
}

// skeleton returns a file without comments, with all names and texts alike: what
// is left is the same whatever they are.
func skeleton(source, comment string) string {
	tokens := regexp.MustCompile(comment + `|"(?:[^"\\\n]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|\s+`)
	return tokens.ReplaceAllStringFunc(source, func(token string) string {
		switch {
		case strings.HasPrefix(token, "/"), strings.HasPrefix(token, "#"), strings.HasPrefix(token, `"""`), strings.TrimSpace(token) == "":
			return ""
		}
		return "x"
	})
}

func FuzzNamesAndTextsStayWhereTheyBelong(f *testing.F) {
	f.Add("read_document", "class", "ends */ here", "draft")
	f.Add("from", "a-b", `""" and \`, `a"b`)
	f.Add("1st", "é", "+build x\n[a]: b", "*/")
	f.Add("", "__x", "@ts-ignore", "\n")
	f.Add("x", "list", "# Title", "`")
	f.Add("x", "-", "- a\n- b", "//")
	imports := standardLibrary(f)
	f.Fuzz(func(t *testing.T, name, property, text, value string) {
		tools := fuzzed(t, name, property, text, value)
		if value == "" {
			if _, err := typings.TypeScript(tools); err == nil {
				t.Fatal("the empty text is taken as a value")
			}
			return
		}
		typeScript, err := typings.TypeScript(tools)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := typings.TypeScript(fuzzed(t, "t", "p", "x", "v"))
		if err != nil {
			t.Fatal(err)
		}
		comments := `/\*\*(?s:.*?)\*/|//[^\n]*`
		if got, want := skeleton(string(typeScript), comments), skeleton(string(plain), comments); got != want {
			t.Errorf("TypeScript is built in another way:\n%s\nwant\n%s\n%s", got, want, typeScript)
		}

		python, err := typings.Python(tools)
		if property == "" {
			if err == nil {
				t.Fatal("Python takes a key without a name")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		comments = `"""(?s:[^\\]|\\.)*?"""|#[^\n]*`
		got, built := skeleton(string(python), comments), false
		for _, like := range []string{"p", "class", "a-b"} { // as classes, as calls, as both
			plain, err := typings.Python(fuzzed(t, "t", like, "x", "v"))
			if err != nil {
				t.Fatal(err)
			}
			built = built || got == skeleton(string(plain), comments)
		}
		if !built {
			t.Errorf("Python is built in another way:\n%s\n%s", got, python)
		}

		golang, err := typings.Go(tools)
		if err != nil {
			if !strings.Contains(err.Error(), "encoding/json has no way") {
				t.Error(err)
			}
			return
		}
		checkGo(t, golang, imports)
	})
}

func FuzzSchemasAreReadOrRefused(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"string"}}}`,
		`{"type":"object","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}},"anyOf":[{"properties":{"a":{"$ref":"#/$defs/n"}}}]}`,
		`{"type":"object","anyOf":[{"properties":{"error":{"type":"string"},"code":{"type":"string"}},"required":["error","code"]}]}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer","minimum":1,"default":2}}},"required":["a"]}`,
		`[`, `{"type":1}`, `{"items":{}}`, `{"anyOf":{}}`, `{"a":1}{}`,
	} {
		f.Add([]byte(seed))
	}
	imports := standardLibrary(f)
	f.Fuzz(func(t *testing.T, schema []byte) {
		tools := []typings.Tool{{Name: "tool", InputSchema: json.RawMessage(`{"type":"object","properties":{}}`), OutputSchema: schema}}
		_, err := typings.TypeScript(tools)
		if _, other := typings.Python(tools); err != nil && other == nil {
			t.Errorf("TypeScript says %v, Python nothing", err)
		}
		golang, other := typings.Go(tools)
		if err != nil && other == nil {
			t.Errorf("TypeScript says %v, Go nothing", err)
		}
		if other == nil {
			checkGo(t, golang, imports)
		}
	})
}
