package install

import (
	"strings"
	"testing"
)

// there is the place of the entry in the files here, which clients of either syntax have.
var (
	there  = place{"servers", "outline", false}
	inJSON = Client{}
	inTOML = Client{TOML: true}
)

// entry is a member as clients have them.
func entry() Object {
	return Object{
		{Name: "command", Value: `C:\Program Files\outline-mcp.exe`},
		{Name: "args", Value: []any{"--demo", "<&>"}},
		{Name: "env", Value: Object{{Name: "KEY", Value: `a"b`}}},
		{Name: "on", Value: true},
	}
}

// shown is entry on one line, and on several with two spaces.
const shown = `{"command": "C:\\Program Files\\outline-mcp.exe", "args": ["--demo", "<&>"], "env": {"KEY": "a\"b"}, "on": true}`

func expanded(indent, unit string) string {
	lines := []string{`{`, unit + `"command": "C:\\Program Files\\outline-mcp.exe",`, unit + `"args": ["--demo", "<&>"],`,
		unit + `"env": {`, unit + unit + `"KEY": "a\"b"`, unit + `},`, unit + `"on": true`, `}`}
	return strings.Join(lines, "\n"+indent)
}

func TestAJSONMemberIsAddedInTheLayoutOfTheFileAndTakenOutWithoutATrace(t *testing.T) {
	two := `"outline": ` + expanded("    ", "  ")
	for _, test := range []struct{ name, before, after string }{
		{"after another", "{\n  \"servers\": {\n    \"a\": {}\n  }\n}\n", "{\n  \"servers\": {\n    \"a\": {},\n    " + two + "\n  }\n}\n"},
		{"with tabs", "{\n\t\"servers\": {\n\t\t\"a\": {}\n\t}\n}", "{\n\t\"servers\": {\n\t\t\"a\": {},\n\t\t\"outline\": " + expanded("\t\t", "\t") + "\n\t}\n}"},
		{"after a comma at the end", "{\n  \"servers\": {\n    \"a\": {},\n  },\n}\n", "{\n  \"servers\": {\n    \"a\": {},\n    " + two + ",\n  },\n}\n"},
		{"after a comment", "{\n  \"servers\": {\n    \"a\": {} // of a\n  } // end\n}\n", "{\n  \"servers\": {\n    \"a\": {}, // of a\n    " + two + "\n  } // end\n}\n"},
		{"after a comma and a comment", "{\n  \"servers\": {\n    \"a\": {}, // of a\n    // more\n  }\n}\n", "{\n  \"servers\": {\n    \"a\": {}, // of a\n    // more\n    " + two + ",\n  }\n}\n"},
		{"before a comment that ends with the file", "{\n  \"servers\": {\n    \"a\": {}\n  }\n} // end", "{\n  \"servers\": {\n    \"a\": {},\n    " + two + "\n  }\n} // end"},
		{"after a comment alone", "{\n  \"servers\": {\n    // none yet\n  }\n}\n", "{\n  \"servers\": {\n    // none yet\n    " + two + "\n  }\n}\n"},
		{"after a comment between", "{\n  \"servers\": {\n    \"a\": {} /* a */ ,\n    \"b\": {} /* b */\n  }\n}\n", "{\n  \"servers\": {\n    \"a\": {} /* a */ ,\n    \"b\": {}, /* b */\n    " + two + "\n  }\n}\n"},
		{"on one line", `{"x":1,"servers":{"a":{}}}`, `{"x":1,"servers":{"a":{}, "outline": ` + shown + `}}`},
		{"on one line with a comment", `{"servers":{"a":{}/* a */}}`, `{"servers":{"a":{},/* a */ "outline": ` + shown + `}}`},
		{"where the last one begins", "{\n  \"servers\": {\n       \"a\": {}\n  }\n}\n", "{\n  \"servers\": {\n       \"a\": {},\n       \"outline\": " + expanded("       ", "  ") + "\n  }\n}\n"},
		{"with an escaped name", "{\n  \"s\\u0065rvers\": {\n    \"a\": {}\n  }\n}\n", "{\n  \"s\\u0065rvers\": {\n    \"a\": {},\n    " + two + "\n  }\n}\n"},
		{"in lines that end as on Windows", "{\r\n  \"servers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n", strings.ReplaceAll("{\n  \"servers\": {\n    \"a\": {},\n    "+two+"\n  }\n}\n", "\n", "\r\n")},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, err := inJSON.change([]byte(test.before), there, entry())
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != test.after {
				t.Errorf("with the member:\n%s\nwant\n%s", after, test.after)
			}
			again, err := inJSON.change(after, there, entry())
			if err != nil || string(again) != string(after) {
				t.Errorf("set twice: %v\n%s", err, again)
			}
			value, found, err := inJSON.get(after, there)
			if err != nil || !found || !same(value, entry()) {
				t.Errorf("read: %v, %v, %v", value, found, err)
			}
			removed, err := inJSON.change(after, there, nil)
			if err != nil || string(removed) != test.before {
				t.Errorf("without it again: %v\n%s", err, removed)
			}
		})
	}
}

func TestAJSONContainerIsMadeWhereThereIsNone(t *testing.T) {
	block := `"servers": {` + "\n    \"outline\": " + expanded("    ", "  ") + "\n  }"
	for before, want := range map[string]string{
		"":                             "{\n  " + block + "\n}\n",
		" \r\n":                        "{\n  " + block + "\n}\n",
		"{\n  \"servers\": {}\n}\n":    "{\n  " + block + "\n}\n",
		"{}":                           "{\n  " + block + "\n}",
		"{\n  \"x\": [1, 2]\n}\n":      "{\n  \"x\": [1, 2],\n  " + block + "\n}\n",
		"// mine\n{\n  \"x\": 1.0,\n}": "// mine\n{\n  \"x\": 1.0,\n  " + block + ",\n}",
		`{"x":1}`:                      `{"x":1, "servers": {"outline": ` + shown + `}}`,
	} {
		after, err := inJSON.change([]byte(before), there, entry())
		if err != nil || string(after) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", before, err, after, want)
		}
		removed, err := inJSON.change(after, there, nil)
		if want := strings.TrimSpace(strings.Replace(before, "\n  \"servers\": {}\n", "", 1)); err != nil || strings.TrimSpace(string(removed)) != want && want != "" {
			t.Errorf("%q: %v without it again\n%s", before, err, removed)
		}
	}
}

func TestAJSONMemberIsReplacedInItsPlace(t *testing.T) {
	const before = "{\n  \"servers\": {\n    \"outline\": {\n      \"command\": \"old\", // mine\n    }, // of outline\n    \"b\": {}\n  }\n}\n"
	want := "{\n  \"servers\": {\n    \"outline\": " + expanded("    ", "  ") + ", // of outline\n    \"b\": {}\n  }\n}\n"
	after, err := inJSON.change([]byte(before), there, entry())
	if err != nil || string(after) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, after, want)
	}
}

func TestAJSONMemberIsTakenOutAndItsNeighboursStay(t *testing.T) {
	for before, want := range map[string]string{
		"{\"servers\": {\n  \"outline\": {},\n  \"b\": 2\n}}":                         "{\"servers\": {\n  \"b\": 2\n}}",
		"{\"servers\": {\"outline\": {}, \"b\": 2}}":                                  "{\"servers\": { \"b\": 2}}",
		"{\"servers\": {\"a\": 1, \"outline\": {}}}":                                  "{\"servers\": {\"a\": 1}}",
		"{\"servers\": {\n  \"a\": 1, // of a\n  \"outline\": {}, \"b\": 2\n}}":       "{\"servers\": {\n  \"a\": 1, // of a\n \"b\": 2\n}}",
		"{\"servers\": {\n  \"a\": 1, // of a\n  \"outline\": {} }}":                  "{\"servers\": {\n  \"a\": 1 // of a\n }}",
		"{\"servers\": {\n  \"a\": 1,\n  // mine\n  \"outline\": {}, // and mine\n}}": "{\"servers\": {\n  \"a\": 1,\n  // mine\n // and mine\n}}",
		"{\"servers\": {\"outline\": {} /* x */ , \"b\": 2}}":                         "{\"servers\": { /* x */  \"b\": 2}}",
		"{\"x\": 1, \"servers\": {\"outline\": {},}}":                                 "{\"x\": 1}",
		"{\"servers\": {\"outline\": {}}}":                                            "{}",
		"{\"servers\": {/* keep */ \"outline\": {}}}":                                 "{\"servers\": {/* keep */}}",
		"{\"servers\": {\"b\": {}}}":                                                  "{\"servers\": {\"b\": {}}}",
		"{\"x\": {\"outline\": {}}}":                                                  "{\"x\": {\"outline\": {}}}",
	} {
		after, err := inJSON.change([]byte(before), there, nil)
		if err != nil || string(after) != want {
			t.Errorf("%s\n%v\n%s\nwant\n%s", before, err, after, want)
		}
	}
}

func TestAnItemOfAListIsAddedOnceAndTakenOut(t *testing.T) {
	item := Object{{Name: "id", Value: "k"}, {Name: "password", Value: true}}
	for before, want := range map[string]string{
		"{\n  \"x\": 1\n}\n": "{\n  \"x\": 1,\n  \"inputs\": [\n    {\n      \"id\": \"k\",\n      \"password\": true\n    }\n  ]\n}\n",
		"{\n  \"inputs\": [\n    { \"id\": \"a\" }\n  ]\n}\n": "{\n  \"inputs\": [\n    { \"id\": \"a\" },\n    {\n      \"id\": \"k\",\n      \"password\": true\n    }\n  ]\n}\n",
		"{\n  \"inputs\": [ // none\n  ]\n}\n":                "{\n  \"inputs\": [ // none\n    {\n      \"id\": \"k\",\n      \"password\": true\n    }\n  ]\n}\n",
		`{"x":1}`:                                             `{"x":1, "inputs": [{"id": "k", "password": true}]}`,
		`{"inputs":["k",{"id":7}]}`:                           `{"inputs":["k",{"id":7}, {"id": "k", "password": true}]}`,
	} {
		after, err := inJSON.change([]byte(before), place{"inputs", "k", true}, item)
		if err != nil || string(after) != want {
			t.Errorf("%s\n%v\n%s\nwant\n%s", before, err, after, want)
		}
		removed, err := inJSON.change(after, place{"inputs", "k", true}, nil)
		if err != nil || string(removed) != before {
			t.Errorf("without it again: %v\n%s\nwant\n%s", err, removed, before)
		}
	}
	for _, src := range []string{`{"inputs": {}}`, `{"inputs": [{"id":"k"},{"id":"k"}]}`} {
		if _, err := inJSON.change([]byte(src), place{"inputs", "k", true}, item); err == nil {
			t.Errorf("%s was edited", src)
		}
	}
}

func TestAMemberThatWasReadCanBeWrittenAgain(t *testing.T) {
	const src = "{\"servers\": {\"outline\": {\"b\": 1.0, \"a\": [1e3, {\"y\": null, \"x\": [true, \"<\"]}, []], \"env\": {\"Z\": \"1\", \"A\": {}}}}}"
	value, _, err := inJSON.get([]byte(src), there)
	if err != nil {
		t.Fatal(err)
	}
	again, err := inJSON.change([]byte(src), there, value.(Object))
	if err != nil || string(again) != src {
		t.Errorf("%v\n%s\nwant\n%s", err, again, src)
	}
	const table = "[servers.outline]\na = [1, -2.0, {x = ['<'], y = true}]\nd = 2026-01-02\nenv = {A = '1', 'b c' = {}}\nf = inf\nt = 2026-01-02T03:04:05.5Z\n"
	if value, _, err = inTOML.get([]byte(table), there); err != nil {
		t.Fatal(err)
	}
	again, err = inTOML.change([]byte(table), there, value.(Object))
	if err != nil || string(again) != table {
		t.Errorf("%v\n%s\nwant\n%s", err, again, table)
	}
}

const table = "[servers.outline]\n" +
	`command = 'C:\Program Files\outline-mcp.exe'` + "\n" +
	`args = ['--demo', '<&>']` + "\n" +
	`env = {KEY = 'a"b'}` + "\n" +
	"on = true\n"

func TestATOMLTableIsAddedAtTheEndAndTakenOutWithoutATrace(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"in an empty file", "", table},
		{"after keys", "model = \"o\" # mine\n", "model = \"o\" # mine\n\n" + table},
		{"after a table", "[servers.a]\ncommand = 'a'\n# the end\n", "[servers.a]\ncommand = 'a'\n# the end\n\n" + table},
		{"without an end of the last line", "[servers.a]\nx = 1", "[servers.a]\nx = 1\n\n" + strings.TrimSuffix(table, "\n")},
		{"after an empty line", "x = 1\n\n", "x = 1\n\n\n" + table},
		{"in lines that end as on Windows", "x = 1\r\n", "x = 1\r\n\r\n" + strings.ReplaceAll(table, "\n", "\r\n")},
		{"besides dotted keys", "servers.a.x = 1\n", "servers.a.x = 1\n\n" + table},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, err := inTOML.change([]byte(test.before), there, entry())
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != test.after {
				t.Errorf("with the table:\n%s\nwant\n%s", after, test.after)
			}
			again, err := inTOML.change(after, there, entry())
			if err != nil || string(again) != string(after) {
				t.Errorf("set twice: %v\n%s", err, again)
			}
			value, found, err := inTOML.get(after, there)
			if err != nil || !found || !same(value, entry()) {
				t.Errorf("read: %v, %v, %v", value, found, err)
			}
			removed, err := inTOML.change(after, there, nil)
			if err != nil || string(removed) != test.before {
				t.Errorf("without it again: %v\n%q\nwant\n%q", err, removed, test.before)
			}
		})
	}
}

func TestATOMLMemberIsReplacedHoweverItIsWritten(t *testing.T) {
	for before, want := range map[string]string{
		"[servers.outline]\ncommand = 'old' # mine\n\n# of b\n[servers.b]\nx = 1\n":                     table + "\n# of b\n[servers.b]\nx = 1\n",
		"[servers.outline.env]\nA = '1'\n[servers.outline]\ncommand = 'old'":                            strings.TrimSuffix(table, "\n"),
		"[servers.outline]\ncommand = 'old'\n[servers.b]\nx = 1\n[servers.outline.env]\nA = '1'\n[z]\n": table + "[servers.b]\nx = 1\n[z]\n",
		"[ \"servers\" . 'outline' ] # mine\nx = 1\n":                                                   table,
		"[servers.outline]\nx = '''\n[servers.b]\n# mine\n'''\ny = [\n1,\n]\n# of z\n[z]\n":             table + "# of z\n[z]\n",
		"[[servers.outline]]\nx = 1\n":                                                                  table,
		"[servers.b]\nx = 1\n\n[servers.outline]\ncommand = 'old'\n\n[servers.c]\n":                     "[servers.b]\nx = 1\n\n" + table + "\n[servers.c]\n",
	} {
		after, err := inTOML.change([]byte(before), there, entry())
		if err != nil || string(after) != want {
			t.Errorf("%s\n%v\n%s\nwant\n%s", before, err, after, want)
		}
	}
}

func TestATOMLMemberIsTakenOutAndItsNeighboursStay(t *testing.T) {
	for before, want := range map[string]string{
		"[servers.b]\nx = 1\n\n[servers.outline]\ny = 1\n\n# of c\n[servers.c]\n": "[servers.b]\nx = 1\n\n# of c\n[servers.c]\n",
		"[servers.outline]\ny = 1\n\n[z]\n":                                       "[z]\n",
		"[servers.outline]\ny = 1\n# the end\n":                                   "# the end\n",
		"[servers.b]\nx = nan\n":                                                  "[servers.b]\nx = nan\n",
		"[servers.outline]\n[b]\nx = nan\n":                                       "[b]\nx = nan\n",
		"[servers.outlines]\n[x.servers.outline]\n":                               "[servers.outlines]\n[x.servers.outline]\n",
	} {
		after, err := inTOML.change([]byte(before), there, nil)
		if err != nil || string(after) != want {
			t.Errorf("%s\n%v\n%s\nwant\n%s", before, err, after, want)
		}
	}
}

func TestATOMLFileThatCannotBeEditedIsRefused(t *testing.T) {
	const tables = "its servers are not written as tables that begin with [servers.NAME]"
	for src, says := range map[string]string{
		"x = 1\n[servers\n":                             "line 2",
		"x = 1\nx = 2\n":                                "x",
		"x = 'a\xffb'":                                  "line 1",
		"x = 1\nservers = { a = { x = 1 } }":            tables,
		"[servers]\noutline = { x = 1 }\n":              tables,
		"servers.outline.x = \"\"\"\n[servers.b]\"\"\"": tables,
	} {
		if text, err := inTOML.change([]byte(src), there, entry()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q\n%s", src, err, says, text)
		}
	}
	for _, src := range []string{"servers = 1", "[[servers]]\nx = 1"} {
		if _, _, err := inTOML.get([]byte(src), there); err == nil || !strings.Contains(err.Error(), `"servers" is not a table`) {
			t.Errorf("%q: %v", src, err)
		}
	}
	if text, err := inTOML.change([]byte("[servers]\noutline = {}\n"), there, nil); err == nil {
		t.Errorf("removed: %s", text)
	}
}
