package install

import (
	"strings"
	"testing"
)

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
