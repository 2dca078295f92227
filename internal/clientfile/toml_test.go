package clientfile_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/clientfile"
)

const table = "[servers.outline]\n" +
	`command = "C:\\Program Files\\outline-mcp.exe"` + "\n" +
	`args = ["--demo", "<&>"]` + "\n" +
	`env = { KEY = "a\"b" }` + "\n" +
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
			after, err := clientfile.TOML{}.SetMember([]byte(test.before), "servers", "outline", entry())
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != test.after {
				t.Errorf("with the table:\n%s\nwant\n%s", after, test.after)
			}
			again, err := clientfile.TOML{}.SetMember(after, "servers", "outline", entry())
			if err != nil || string(again) != string(after) {
				t.Errorf("set twice: %v\n%s", err, again)
			}
			value, found, err := clientfile.TOML{}.Member(after, "servers", "outline")
			if err != nil || !found || !clientfile.Same(value, entry()) {
				t.Errorf("read: %v, %v, %v", value, found, err)
			}
			removed, err := clientfile.TOML{}.RemoveMember(after, "servers", "outline", false)
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
		"[servers]\noutline = { command = 'old' }\nb = { x = 1 }\n":                                     "[servers]\nb = { x = 1 }\n\n" + table,
		"[servers]\noutline.command = 'old'\noutline.args = [\n  'a', # b\n]\nb.x = 1\n":                "[servers]\nb.x = 1\n\n" + table,
		"servers.outline.command = '''\n# no comment'''\ny = 1\n":                                       "y = 1\n\n" + table,
		"[ \"servers\" . 'outline' ] # mine\nx = 1\n":                                                   table,
		"[[servers.outline]]\nx = 1\n":                                                                  table,
		"[servers.b]\nx = 1\n\n[servers.outline]\ncommand = 'old'\n\n[servers.c]\n":                     "[servers.b]\nx = 1\n\n" + table + "\n[servers.c]\n",
	} {
		after, err := clientfile.TOML{}.SetMember([]byte(before), "servers", "outline", entry())
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
		"[servers]\noutline = {}\n":                                               "[servers]\n",
		"[servers.b]\nx = nan\n":                                                  "[servers.b]\nx = nan\n",
		"[servers.outline]\n[b]\nx = nan\n":                                       "[b]\nx = nan\n",
		"[servers.outlines]\n[x.servers.outline]\n":                               "[servers.outlines]\n[x.servers.outline]\n",
	} {
		after, err := clientfile.TOML{}.RemoveMember([]byte(before), "servers", "outline", false)
		if err != nil || string(after) != want {
			t.Errorf("%s\n%v\n%s\nwant\n%s", before, err, after, want)
		}
	}
}

func TestATOMLFileThatCannotBeEditedIsRefusedByItsLine(t *testing.T) {
	for src, says := range map[string]string{
		"x = 1\n[servers\n":                  "line 2",
		"x = 1\nx = 2\n":                     "x",
		"x = 1\nservers = { a = { x = 1 } }": `line 2: "servers" is an inline table; write each server as a table [servers.NAME]`,
		"servers = 1":                        `line 1: "servers" is not a table`,
		"[[servers]]\nx = 1":                 `line 1: "servers" is not a table`,
		"x = 'a\xffb'":                       "line 1",
	} {
		for what, err := range map[string]error{
			"set":    second(clientfile.TOML{}.SetMember([]byte(src), "servers", "outline", entry())),
			"remove": second(clientfile.TOML{}.RemoveMember([]byte(src), "servers", "outline", false)),
		} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s in %q: %v, want %q", what, src, err, says)
			}
		}
	}
}
