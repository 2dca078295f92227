package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		if code != 0 || !strings.Contains(stderr, "not taken over into the entry: OUTLINE_READ_ONLY, MCP_PORT;") && !strings.Contains(stderr, "not taken over into the entry: MCP_PORT, OUTLINE_READ_ONLY;") {
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
		if code != 0 || !strings.Contains(stdout, says) || !strings.Contains(stdout, "remove what you do not need") {
			t.Errorf("exit code %d\n%s", code, stdout)
		}
	}
	_, environ = here(t)
	if code, stdout, _ := command(t, environ, "uninstall", "cursor"); code != 0 || strings.Contains(stdout, "backup") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestInstallSaysWhatMayBeWrong(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const absent, clear = "There is no program at", "travels to Outline where others can read it"
	for _, test := range []struct {
		args          []string
		absent, clear bool
	}{
		{[]string{"--command", "/nowhere/outline-mcp", "--outline-url", "https://wiki.example.com"}, true, false},
		{[]string{"--command", program, "--outline-url", "http://wiki.example.com"}, false, true},
		{[]string{"--command", program, "--outline-url", "http://127.0.0.1:3000"}, false, false},
		{[]string{"--command", "outline-mcp", "--outline-url", "http://localhost:3000"}, false, false},
	} {
		_, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		code, stdout, stderr := command(t, environ, append([]string{"install", "cursor"}, test.args...)...)
		if code != 0 || strings.Contains(stdout, absent) != test.absent || strings.Contains(stdout, clear) != test.clear {
			t.Errorf("%v: exit code %d\n%s\n%s", test.args, code, stdout, stderr)
		}
	}
}

func TestAPrintedEntryHoldsNoKey(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("ol_api_fake_file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		installing("cursor", "--print"), installing("codex", "--print"),
		{"install", "cursor", "--print", "--url", "https://mcp.example.com/mcp"},
		{"install", "cursor", "--print", "--url", "https://mcp.example.com/mcp", "--key-file", keyFile},
	} {
		_, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		code, stdout, stderr := command(t, environ, args...)
		if code != 0 || strings.Contains(stdout+stderr, "ol_api_fake") || !strings.Contains(stdout, `"ol_api_..."`) || !strings.Contains(stderr, "no key is printed; put yours in the place of ol_api_...") {
			t.Errorf("%v: exit code %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{append([]string{"--demo"}, installing("cursor", "--print")...), installing("cursor", "--print", "--key-file", keyFile)} {
		if code, stdout, stderr := command(t, nil, args...); code != 0 || stderr != "" || strings.Contains(stdout, "ol_api") {
			t.Errorf("%v: exit code %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
}
