package install_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/install"
	"outline-mcp/test/fixtures"
)

var update = flag.Bool("update", false, "write the golden files")

// local is a server that the client starts, and remote one of a team.
func local(client install.Client) install.Server {
	server := install.Server{Name: "outline", Command: "/usr/local/bin/outline-mcp", Outline: "https://wiki.example.com/outline"}
	if client.NeedsKey(server) {
		server.Key = "ol_api_fake"
	}
	return server
}

func remote(client install.Client) install.Server {
	server := install.Server{Name: "outline", URL: "https://mcp.example.com/mcp"}
	if client.NeedsKey(server) {
		server.Key = "ol_api_fake"
	}
	return server
}

func entryOf(t *testing.T, client install.Client, server install.Server) install.Entry {
	t.Helper()
	entry, err := install.NewEntry(client, server)
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

func find(t *testing.T, name string) install.Client {
	t.Helper()
	client, found := install.Find(name)
	if !found {
		t.Fatalf("there is no client %s", name)
	}
	return client
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// must returns a result, which has to be the outcome wanted.
func must(t *testing.T, want install.Outcome) func(install.Result, error) install.Result {
	t.Helper()
	return func(result install.Result, err error) install.Result {
		t.Helper()
		if err != nil || result.Outcome != want {
			t.Fatalf("%s, %v, want %s", result.Outcome, err, want)
		}
		if want == install.Unchanged && result.Backup != "" {
			t.Errorf("%s with backup %q", want, result.Backup)
		}
		return result
	}
}

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		write(t, path, got)
	}
	if want := read(t, path); got != want {
		t.Errorf("%s differs; go generate ./... rewrites it. Got\n%s\nwant\n%s", path, got, want)
	}
}

// sample returns the name of a client's sample file.
func sample(t *testing.T, client install.Client) string {
	t.Helper()
	names, err := filepath.Glob("testdata/" + client.Name + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.Count(filepath.Base(name), ".") == 1 {
			return filepath.Base(name)
		}
	}
	t.Fatalf("%s has no sample file", client.Name)
	return ""
}

func TestEachClientsFileGetsTheEntryKeepsTheRestAndLosesTheEntryAgain(t *testing.T) {
	for _, client := range install.Clients() {
		t.Run(client.Name, func(t *testing.T) {
			name := sample(t, client)
			before := read(t, filepath.Join("testdata", name))
			extension := filepath.Ext(name)
			path := filepath.Join(t.TempDir(), name)
			write(t, path, before)

			result := must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
			golden(t, client.Name+".local"+extension, read(t, path))
			if read(t, result.Backup) != before {
				t.Errorf("the backup holds %s", read(t, result.Backup))
			}
			must(t, install.Unchanged)(install.Install(path, entryOf(t, client, local(client))))
			if client.Remote.URL != "" {
				must(t, install.Replaced)(install.Install(path, entryOf(t, client, remote(client))))
				golden(t, client.Name+".remote"+extension, read(t, path))
			}
			must(t, install.Removed)(install.Uninstall(path, client, "outline"))
			if after := read(t, path); after != before {
				t.Errorf("without the entry again:\n%s\nwant\n%s", after, before)
			}
			must(t, install.Unchanged)(install.Uninstall(path, client, "outline"))
		})
	}
}

func TestLineEndsAndLastLinesStayAsTheyAreWithoutAMark(t *testing.T) {
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	mark := func(text string) string { return "\ufeff" + text }
	cut := func(text string) string { return strings.TrimRight(text, "\r\n") }
	for name, change := range map[string]func(string) string{
		"Windows": windows, "byte order mark": mark, "no end of the last line": cut,
		"Windows and byte order mark": func(text string) string { return mark(windows(text)) },
		"Windows and no end":          func(text string) string { return cut(windows(text)) },
	} {
		for _, client := range install.Clients() {
			t.Run(name+"/"+client.Name, func(t *testing.T) {
				name := sample(t, client)
				before := change(read(t, filepath.Join("testdata", name)))
				want := strings.TrimPrefix(change(read(t, filepath.Join("testdata", client.Name+".local"+filepath.Ext(name)))), "\ufeff")
				if client.Name == "copilot" {
					want = strings.ReplaceAll(want, "\r", "") // all on one line
				}
				path := filepath.Join(t.TempDir(), name)
				write(t, path, before)
				result := must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
				if got := read(t, path); got != want {
					t.Errorf("got\n%q\nwant\n%q", got, want)
				}
				if said := strings.Contains(strings.Join(result.Notes, " "), "byte order mark"); said != strings.HasPrefix(before, "\ufeff") {
					t.Errorf("notes %q", result.Notes)
				}
				before = strings.TrimPrefix(before, "\ufeff")
				must(t, install.Removed)(install.Uninstall(path, client, "outline"))
				if got := read(t, path); got != before {
					t.Errorf("without the entry again:\n%q\nwant\n%q", got, before)
				}
			})
		}
	}
}

func TestAFileThatIsMissingOrEmptyIsWrittenAnew(t *testing.T) {
	for _, client := range install.Clients() {
		entry := entryOf(t, client, local(client))
		want, err := entry.Print()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "client", "file")
		result := must(t, install.Added)(install.Install(path, entry))
		if result.Backup != "" {
			t.Errorf("%s: a new file has the backup %s", client.Name, result.Backup)
		}
		if read(t, path) != want || len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "is "+client.Title+" installed") {
			t.Errorf("%s: notes %q\n%s", client.Name, result.Notes, read(t, path))
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: mode %v, %v", client.Name, info.Mode(), err)
		}
		for _, blank := range []string{"", "\n", " \r\n"} {
			write(t, path, blank)
			must(t, install.Added)(install.Install(path, entry))
			if got := strings.ReplaceAll(strings.TrimSpace(read(t, path)), "\r", ""); got != strings.TrimSpace(want) {
				t.Errorf("%s, from %q:\n%s", client.Name, blank, got)
			}
		}
	}
}

func TestWhatAnInstallMadeIsGoneAfterwards(t *testing.T) {
	for before, want := range map[string]string{
		"{\n  \"x\": 1\n}\n":                           "{\n  \"x\": 1\n}\n",
		"{\n  \"servers\": {}\n}\n":                    "{}\n",
		"{\n  \"inputs\": [],\n  \"servers\": {}\n}\n": "{}\n",
		"{}": "{}",
		"":   "{}\n",
	} {
		client := find(t, "vscode")
		path := filepath.Join(t.TempDir(), "mcp.json")
		write(t, path, before)
		must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
		must(t, install.Removed)(install.Uninstall(path, client, "outline"))
		if got := read(t, path); got != want {
			t.Errorf("%q became %q", before, got)
		}
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	must(t, install.Unchanged)(install.Uninstall(path, find(t, "cursor"), "outline"))
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("uninstalling made a file: %v", err)
	}
}

func TestAFileThatCannotBeEditedIsNamedWithItsLineAndLeftAsItIs(t *testing.T) {
	for _, test := range []struct{ client, content, says string }{
		{"cursor", "{\n  \"mcpServers\": {,}\n}", "line 2"},
		{"cursor", "{\n  \"mcpServers\": {\n", "line 2: the { has no }"},
		{"cursor", "not JSON", "line 1"},
		{"cursor", "[]", "line 1: the file does not contain a JSON object"},
		{"cursor", "{} {}", "line 1: something follows the } that ends the file; remove it"},
		{"cursor", "{\n  \"mcpServers\": {} x\n}", "line 2: a comma is missing after a value, or the text after it does not belong there"},
		{"cursor", "{\n\"k\": \"C:\\Users\\secret\"}", `line 2: a \ in quotation marks must be written twice; write C:\\Users\\...`},
		{"cursor", "{ // 27\" display\n\"cwd\": \"C:\\\\work\\\\\",\n\"o\": \"C:\\Users\"}", `line 3: a \ in quotation marks must be written twice; write "o": "C:\\Users"}`},
		{"cursor", "{\n\"k\": 'x'}", "line 2: a value is not valid JSON: strings need quotation marks"},
		{"cursor", "{\n\"k\" 1}", "line 2: a colon is missing"},
		{"cursor", "{\"k\":\n" + strings.Repeat("[", fixtures.Count(1<<14, 1<<22)), "line 2: more than 1000 brackets are open here; remove some"},
		{"cursor", "{\"k\": [1\n}", "line 2: the [ on line 1 is not closed before this }; add ] in front of it"},
		{"cursor", "{\"mcpServers\": {\"outline\": 1,\n\"outline\": 1}}", `line 2: "outline" occurs twice; remove one`},
		{"cursor", "{\n  \"mcpServers\": []\n}", `line 2: "mcpServers" is not an object`},
		{"cursor", "{\n  \"mcpServers\": \"x\"\n}", `line 2: "mcpServers" is not an object`},
		{"cursor", "{\"mcpServers\": {},\n\"mcpServers\": {}}", `line 2: "mcpServers" occurs twice`},
		{"claude-desktop", "\xff\xfe{\x00}\x00", "line 1: it is encoded as UTF-16; save it as UTF-8"},
		{"codex", "\xff\xfe[\x00", "line 1: it is encoded as UTF-16; save it as UTF-8"},
		{"vscode", "{\n\"inputs\": {}}", `line 2: "inputs" is not a list`},
		{"codex", "x = 1\n[mcp_servers", "line 2"},
		{"codex", strings.Repeat("a.", fixtures.Count(1<<13, 1<<21)) + "a = 1", "its tables are more than 1000 levels deep"},
		{"codex", "mcp_servers = 1", `"mcp_servers" is not a table`},
		{"codex", "mcp_servers = { a = { command = 'a' } }", `its servers are not written as tables`},
	} {
		client := find(t, test.client)
		path := filepath.Join(t.TempDir(), "file")
		write(t, path, test.content)
		_, err := install.Install(path, entryOf(t, client, local(client)))
		if err == nil || !strings.Contains(err.Error(), path+" was not changed: "+test.says) || !strings.Contains(err.Error(), "--print") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q", test.content, err, test.says)
		}
		if read(t, path) != test.content {
			t.Errorf("%q became %q", test.content, read(t, path))
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("%q: %d files, %v", test.content, len(entries), err)
		}
	}
}

func TestWhatMayBeWrongIsSaid(t *testing.T) {
	for _, test := range []struct {
		client, content string
		mode            fs.FileMode
		keyFile         string
		says            string
	}{
		{"cursor", "{} // mine", 0o600, "", ""},
		{"cursor", "{}", 0o644, "", "Other users of this machine can read the file and the key in it"},
		{"cursor", "{}", 0o640, "", "Other users of this machine can read the file and the key in it"},
		{"cursor", "{}", 0o644, "/run/key", ""},
		{"cursor", "{}", 0o644, "key", "/key: run chmod 600 on it"},
		{"vscode", "{}", 0o644, "", ""},
	} {
		client := find(t, test.client)
		path := filepath.Join(t.TempDir(), "file")
		write(t, path, test.content)
		if err := os.Chmod(path, test.mode); err != nil {
			t.Fatal(err)
		}
		server := local(client)
		if test.keyFile != "" {
			server.Key, server.KeyFile = "", test.keyFile
		}
		if test.keyFile == "key" {
			server.KeyFile = filepath.Join(t.TempDir(), test.keyFile)
			write(t, server.KeyFile, "ol_api_fake")
			if err := os.Chmod(server.KeyFile, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		result := must(t, install.Added)(install.Install(path, entryOf(t, client, server)))
		if got := strings.Join(result.Notes, "\n"); !strings.Contains(got, test.says) || (test.says == "") != (got == "") {
			t.Errorf("%s, %q: notes %q, want %q", test.client, test.content, got, test.says)
		}
	}
}
