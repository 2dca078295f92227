package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outline-mcp/resources"
)

// here returns the environment of a user whose home is a folder of the test.
func here(t *testing.T, settings ...string) (home string, environ []string) {
	t.Helper()
	home = t.TempDir()
	return home, append([]string{"HOME=" + home, "USERPROFILE=" + home}, settings...)
}

// installing returns the arguments that install an entry, unchecked, for a program
// that is not this test.
func installing(args ...string) []string {
	return append([]string{"install", "--no-check", "--command", "/opt/outline-mcp/outline-mcp"}, args...)
}

func TestAnEntryIsInstalledAndUninstalledForEachClient(t *testing.T) {
	for _, client := range strings.Split(clientNames(), ", ") {
		t.Run(client, func(t *testing.T) {
			home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=https://wiki.example.com")
			code, stdout, stderr := command(t, environ, installing(client)...)
			if code != 0 || stderr != "" || !strings.Contains(stdout, "was added") || !strings.Contains(stdout, home) || strings.Contains(stdout, "ol_api_fake") {
				t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
			}
			if code, stdout, _ = command(t, environ, installing(client)...); code != 0 || !strings.Contains(stdout, "already has the entry") {
				t.Errorf("again: exit code %d\n%s", code, stdout)
			}
			if code, stdout, _ = command(t, environ, "--demo", "install", client, "--no-check", "--command", "/opt/x"); code != 0 || !strings.Contains(stdout, "was replaced") || !strings.Contains(stdout, "backup") {
				t.Errorf("another: exit code %d\n%s", code, stdout)
			}
			if code, stdout, _ = command(t, environ, "uninstall", client); code != 0 || !strings.Contains(stdout, "was removed") || !strings.Contains(stdout, "keeps using the entry until you restart it.") || !strings.Contains(stdout, "A backup contains the earlier file, including any key") {
				t.Errorf("uninstalled: exit code %d\n%s", code, stdout)
			}
			if code, stdout, _ = command(t, environ, "uninstall", client); code != 0 || !strings.Contains(stdout, "has no entry") {
				t.Errorf("uninstalled twice: exit code %d\n%s", code, stdout)
			}
		})
	}
}

func TestTheSkillIsInstalledWithTheEntry(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
	path := filepath.Join(home, ".claude", "skills", "outline-wiki", "SKILL.md")
	for _, want := range []string{"The skill was written", "The skill is already there"} {
		code, stdout, stderr := command(t, environ, installing("claude-code", "--skill")...)
		if content, err := os.ReadFile(path); code != 0 || err != nil || string(content) != resources.SkillFile || !strings.Contains(stdout, want) {
			t.Fatalf("exit code %d, %v: %s %s", code, err, stdout, stderr)
		}
	}
	writeFile(t, path, "mine")
	if code, stdout, _ := command(t, environ, installing("claude-code", "--skill")...); code != 0 || !strings.Contains(stdout, "backup") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if code, _, stderr := command(t, environ, installing("cursor", "--skill")...); code != 2 || !strings.Contains(stderr, "Cursor reads no skills from files") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestAHomeThatIsNotThereIsNotMade(t *testing.T) {
	home := filepath.Join(t.TempDir(), "nobody")
	environ := []string{"HOME=" + home, "USERPROFILE=" + home, "OUTLINE_API_KEY=ol_api_fake"}
	for _, client := range strings.Split(clientNames(), ", ") {
		for _, args := range [][]string{installing(client), {"uninstall", client}} {
			if code, _, stderr := command(t, environ, args...); code == 0 || !strings.Contains(stderr, "no home directory at "+home) || !strings.Contains(stderr, "--file") {
				t.Errorf("%v: exit code %d: %s", args, code, stderr)
			}
		}
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("it was made: %v", err)
	}
}

func TestAHugeConfigurationIsRefusedBeforeItIsRead(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
	file, err := os.Create(filepath.Join(home, "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(60 << 20); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, environ, installing("cursor", "--file", file.Name())...); code == 0 || !strings.Contains(stderr, "larger than 16 MiB") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestWhatInstallRefusesAndWhy(t *testing.T) {
	home, nobody := here(t)
	file := func(name, content string) string {
		path := filepath.Join(home, name)
		writeFile(t, path, content)
		return path
	}
	given := append(slices.Clone(nobody), "OUTLINE_API_KEY=ol_api_fake")
	with := func(settings ...string) []string { return append(slices.Clone(nobody), settings...) }
	for _, test := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"unknown client", given, installing("emacs"), 2, "the clients are claude-desktop, claude-code, vscode, cursor, windsurf, codex, gemini, qwen, copilot"},
		{"ChatGPT, which has no file", given, installing("ChatGPT"), 2, "ChatGPT has no configuration file on this machine"},
		{"claude.ai, which has no file", given, []string{"uninstall", "claude.ai"}, 2, "docs/team/login.md has the steps for the server and for claude.ai"},
		{"no client", given, []string{"install"}, 2, "name one client; the clients are claude-desktop, claude-code"},
		{"no client to uninstall", given, []string{"uninstall"}, 2, "name one client; the clients are claude-desktop, claude-code"},
		{"a key for a client", given, []string{"install", "ol_api_fake_and_long"}, 2, `unknown client "****"`},
		{"a name that Gemini misreads", given, installing("gemini", "--name", "my_wiki"), 2, "use - instead"},
		{"no key and no terminal", nobody, installing("cursor"), 2, "set OUTLINE_API_KEY, give --key-file FILE, or use --demo"},
		{"a key under another name", with("OUTLINE_API_TOKEN=ol_api_fake"), installing("cursor"), 2, "OUTLINE_API_TOKEN is set, but the setting is called OUTLINE_API_KEY; set that"},
		{"an address under another name", with("OUTLINE_API_KEY=ol_api_fake", "OUTLINE_URL=https://wiki.example.com"), installing("cursor"), 2, "OUTLINE_URL is set, but the setting is called OUTLINE_API_URL; set that"},
		{"a key on the command line", given, installing("cursor", "--key", "ol_api_fake"), 2, `unknown flag "--key"; did you mean --key-file?`},
		{"a key with spaces", with("OUTLINE_API_KEY=ol_api_fake two"), installing("cursor"), 2, "the key contains spaces"},
		{"a server's address for Claude Desktop", given, []string{"install", "claude-desktop", "--url", "https://mcp.example.com/mcp"}, 2, "mcp-remote"},
		{"a key for a key file", nobody, installing("cursor", "--key-file", "ol_api_fake"), 2, "is a key, not a path"},
		{"the demo and an address", given, []string{"--demo", "install", "cursor", "--url", "https://mcp.example.com/mcp"}, 2, "leave out --url"},
		{"a name that is none", given, installing("cursor", "--name", "my outline"), 2, "not a valid name for an entry"},
		{"no home directory", []string{"OUTLINE_API_KEY=ol_api_fake"}, installing("cursor"), 1, "there is no home directory"},
		{"no home directory to uninstall", nil, []string{"uninstall", "cursor"}, 1, "--file"},
		{"a broken file", given, installing("cursor", "--file", file("broken", "{\n")), 1, "was not changed: line 1: the { has no } that closes it"},
		{"a broken file to uninstall", given, []string{"uninstall", "cursor", "--file", file("broken2", "{\n")}, 1, "was not changed: line 1: the { has no }"},
		{"a folder for a file", given, installing("cursor", "--file", home), 1, "is a folder"},
		{"a program of go run", given, []string{"install", "cursor"}, 2, "go run"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := command(t, test.environ, test.args...)
			if code != test.code || !strings.Contains(stderr, test.says) || stdout != "" || strings.Contains(stderr, "secret") || strings.Contains(stderr, "ol_api_fake") {
				t.Errorf("exit code %d, want %d; standard output %q, standard error %q, want %q", code, test.code, stdout, stderr, test.says)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(home, ".cursor")); err == nil {
		t.Error("something was written all the same")
	}
}

func TestAnotherFileAndAnotherNameCanBeGiven(t *testing.T) {
	path := filepath.Join(t.TempDir(), "project", "mcp.json")
	code, stdout, stderr := command(t, []string{"OUTLINE_API_KEY=ol_api_fake"}, installing("cursor", "--file", path, "--name", "wiki")...)
	if code != 0 || !strings.Contains(stdout, path) {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if content, err := os.ReadFile(path); err != nil || !strings.Contains(string(content), `"wiki": {`) {
		t.Errorf("%v\n%s", err, content)
	}
	if code, stdout, _ := command(t, nil, "uninstall", "cursor", "--file", path, "--name", "wiki"); code != 0 || !strings.Contains(stdout, "was removed") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestClaudeCodeKeepsTheToolsLoadedIfAsked(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
	path := filepath.Join(home, ".claude.json")
	for _, test := range []struct {
		name   string
		args   []string
		loaded bool
		says   string
	}{
		{"not asked", installing("claude-code"), false, "was added"},
		{"asked", installing("claude-code", "--always-load"), true, "was replaced"},
		{"asked again", installing("claude-code", "--always-load"), true, "nothing was changed"},
		{"asked before", installing("claude-code"), true, "nothing was changed"},
		{"asked for a server over HTTP", []string{"install", "claude-code", "--no-check", "--always-load", "--url", "https://mcp.example.com/mcp"}, true, "was replaced"},
	} {
		code, stdout, stderr := command(t, environ, test.args...)
		content, err := os.ReadFile(path)
		if loaded := strings.Count(string(content), `"alwaysLoad": true`) == 1; code != 0 || err != nil || loaded != test.loaded || !strings.Contains(stdout, test.says) {
			t.Errorf("%s: exit code %d, %v\n%s\n%s\n%s", test.name, code, err, stdout, stderr, content)
		}
	}
	writeFile(t, path, `{"mcpServers": {"outline": {"command": "x", "alwaysLoad": false}}}`)
	if code, _, stderr := command(t, environ, installing("claude-code", "--always-load")...); code != 0 {
		t.Error(stderr)
	}
	if content, err := os.ReadFile(path); err != nil || !strings.Contains(string(content), `"alwaysLoad": true`) || strings.Contains(string(content), "false") {
		t.Errorf("%v\n%s", err, content)
	}
	if code, _, stderr := command(t, environ, installing("cursor", "--always-load")...); code != 2 || !strings.Contains(stderr, "Cursor has no setting that keeps the tools loaded; leave out --always-load") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestVSCodeAsksForTheKeyItself(t *testing.T) {
	_, environ := here(t)
	code, stdout, stderr := command(t, environ, installing("vscode")...)
	if code != 0 || !strings.Contains(stdout, "VS Code asks for it and stores it") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
}

func TestPrintingChangesNothingAndNeedsNoHome(t *testing.T) {
	home, environ := here(t)
	for _, environ := range [][]string{environ, nil} {
		for _, client := range strings.Split(clientNames(), ", ") {
			code, stdout, stderr := command(t, environ, installing(client, "--print")...)
			if code != 0 || !strings.Contains(stdout, "/opt/outline-mcp/outline-mcp") {
				t.Errorf("%s: exit code %d\n%s\n%s", client, code, stdout, stderr)
			}
		}
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

// TestThePrintedEntryOfTheDemoStartsAndAnswers starts exactly what is printed,
// as a client does: with the entry's variables and hardly any others, in
// another folder.
func TestThePrintedEntryOfTheDemoStartsAndAnswers(t *testing.T) {
	folder := t.TempDir()
	built := filepath.Join(folder, "bin", "outline-mcp")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", built, ".").CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", err, output)
	}
	link := filepath.Join(folder, "outline-mcp")
	if err := os.Symlink(built, link); err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]string{"by its path": built, "by a link": link} {
		t.Run(name, func(t *testing.T) {
			printing := exec.CommandContext(t.Context(), start, "--demo", "install", "claude-desktop", "--print")
			printing.Env = []string{"HOME=" + folder}
			printed, err := printing.Output()
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				MCPServers map[string]struct {
					Command string
					Args    []string
					Env     map[string]string
				}
			}
			decoder := json.NewDecoder(strings.NewReader(string(printed)))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&file); err != nil {
				t.Fatalf("%s\n%s", err, printed)
			}
			entry := file.MCPServers["outline"]
			if entry.Command != start {
				t.Errorf("the entry starts %s, want %s", entry.Command, start)
			}
			server := exec.CommandContext(t.Context(), entry.Command, entry.Args...)
			server.Dir = t.TempDir()
			server.Env = []string{"HOME=" + folder, "PATH=/usr/bin:/bin"}
			for name, value := range entry.Env {
				server.Env = append(server.Env, name+"="+value)
			}
			server.Stdin = strings.NewReader(strings.Join([]string{initialize, initialized, toolsCall(2, "search_documents", `{"query":"buoy"}`)}, "\n"))
			output, err := server.Output()
			if err != nil {
				t.Fatal(err)
			}
			answers := messages(t, output)
			if answer := string(answers["2"].Result); answers["1"].Result == nil || !strings.Contains(answer, "Buoy") && !strings.Contains(answer, "buoy") || strings.Contains(answer, `"isError":true`) {
				t.Errorf("answers:\n%s", output)
			}
		})
	}
}

func TestTheEntriesInTheDocumentationAreThosePrinted(t *testing.T) {
	documented, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range strings.Split(clientNames(), ", ") {
		for _, args := range [][]string{
			{"install", client, "--print", "--command", "/path/to/outline-mcp"},
			{"install", client, "--print", "--url", "https://mcp.example.com/mcp"},
		} {
			code, printed, _ := command(t, nil, args...)
			if code == 0 && !strings.Contains(string(documented), "\n"+printed+"```") {
				t.Errorf("docs/clients.md lacks what %v prints:\n%s", args, printed)
			}
		}
	}
}

func TestInstallingSeveralEntriesAtOnceLosesNone(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
	const many = 8
	codes := make(chan string, many)
	for i := range many {
		go func() {
			code, _, stderr := command(t, environ, installing("cursor", "--name", fmt.Sprintf("wiki-%d", i))...)
			codes <- fmt.Sprintf("%d%s", code, stderr)
		}()
	}
	for range many {
		if code := <-codes; code != "0" {
			t.Errorf("exit code %s", code)
		}
	}
	content, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	for i := range many {
		if name := fmt.Sprintf(`"wiki-%d": {`, i); err != nil || !strings.Contains(string(content), name) {
			t.Errorf("%s is not there, %v\n%s", name, err, content)
		}
	}
}

func TestInstallSaysWhichSettingsTheEntryDoesNotGet(t *testing.T) {
	_, environ := here(t, "OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=https://wiki.example.com", "OUTLINE_READ_ONLY=true", "MCP_PORT=4000", "OUTLINE_CA_FILE=", "OUTLINE_OTHER=x")
	for _, args := range [][]string{installing("cursor"), installing("cursor", "--print")} {
		code, _, stderr := command(t, environ, args...)
		if code != 0 || !strings.Contains(stderr, "not part of the entry: OUTLINE_READ_ONLY, MCP_PORT;") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}

func TestUninstallNamesAllBackupsEachTime(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
	path := filepath.Join(home, ".cursor", "mcp.json")
	for _, args := range [][]string{installing("cursor"), installing("cursor", "--name", "second"), installing("cursor", "--name", "third")} {
		if code, _, stderr := command(t, environ, args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	for _, says := range []string{"was removed", "nothing was changed"} {
		code, stdout, _ := command(t, environ, "uninstall", "cursor", "--name", "third")
		for _, backup := range []string{"", ".2", ".3"} {
			if !strings.Contains(stdout, "  backup  "+path+".outline-mcp.bak"+backup+"\n") {
				t.Errorf("the backup %q is not named:\n%s", backup, stdout)
			}
		}
		if code != 0 || !strings.Contains(stdout, says) || !strings.Contains(stdout, "delete the backups that you do not need") {
			t.Errorf("exit code %d\n%s", code, stdout)
		}
	}
	_, environ = here(t)
	if code, stdout, _ := command(t, environ, "uninstall", "cursor"); code != 0 || strings.Contains(stdout, "backup") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestAPrintedEntryHoldsNoKey(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	writeFile(t, keyFile, "ol_api_fake_file")
	for _, args := range [][]string{
		installing("cursor", "--print"), installing("codex", "--print"),
		{"install", "cursor", "--print", "--url", "https://mcp.example.com/mcp"},
		{"install", "cursor", "--print", "--url", "https://mcp.example.com/mcp", "--key-file", keyFile},
	} {
		_, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		code, stdout, stderr := command(t, environ, args...)
		if code != 0 || strings.Contains(stdout+stderr, "ol_api_fake") || !strings.Contains(stdout, "ol_api_...") || !strings.Contains(stderr, "no key is printed; replace ol_api_... with yours. It is kept in this entry, in ") {
			t.Errorf("%v: exit code %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := command(t, nil, append([]string{"--demo"}, installing("cursor", "--print")...)...); code != 0 || stderr != "" || strings.Contains(stdout, "ol_api") {
		t.Errorf("the demo: exit code %d\n%s\n%s", code, stdout, stderr)
	}
	code, stdout, stderr := command(t, nil, installing("cursor", "--print", "--key-file", keyFile)...)
	if code != 0 || !strings.Contains(stderr, "where the key is kept: in "+keyFile) || strings.Contains(stdout, "ol_api") {
		t.Errorf("a key file: exit code %d\n%s\n%s", code, stdout, stderr)
	}
}
