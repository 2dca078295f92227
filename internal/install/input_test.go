package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

const asked = `"id": "outline-api-key"`

func TestAnInputOfTheUsersWithTheSameIDIsUsedAndStays(t *testing.T) {
	client := find(t, "vscode")
	path := filepath.Join(t.TempDir(), "mcp.json")
	const before = "{\n  \"inputs\": [\n    { \"type\": \"promptString\", \"id\": \"outline-api-key\", \"description\": \"mine\" }\n  ]\n}\n"
	write(t, path, before)
	must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
	if got := read(t, path); strings.Count(got, asked) != 1 || !strings.Contains(got, `"OUTLINE_API_KEY": "${input:outline-api-key}"`) {
		t.Errorf("with the entry:\n%s", got)
	}
	must(t, install.Removed)(install.Uninstall(path, client, "outline"))
	if got := read(t, path); got != before {
		t.Errorf("without the entry again:\n%s", got)
	}
}

func TestAnInputIsRemovedOnlyIfItIsWhatWasWrittenAndNothingElseUsesIt(t *testing.T) {
	client := find(t, "vscode")
	path := filepath.Join(t.TempDir(), "mcp.json")
	installed := func() {
		t.Helper()
		write(t, path, "")
		must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
	}

	installed()
	second := local(client)
	second.Name = "second"
	must(t, install.Added)(install.Install(path, entryOf(t, client, second)))
	must(t, install.Removed)(install.Uninstall(path, client, "second"))
	if got := read(t, path); strings.Contains(got, "second") || !strings.Contains(got, asked) {
		t.Errorf("after one of two:\n%s", got)
	}

	write(t, path, strings.Replace(read(t, path), "\"servers\": {", "\"servers\": {\n    \"mine\": { \"env\": { \"K\": \"${input:outline-api-key}\" } },", 1))
	must(t, install.Removed)(install.Uninstall(path, client, "outline"))
	if got := read(t, path); !strings.Contains(got, asked) {
		t.Errorf("an input that another server uses is gone:\n%s", got)
	}

	installed() // and the user gives the input another description
	write(t, path, strings.Replace(read(t, path), "Outline API key", "mine", 1))
	must(t, install.Unchanged)(install.Install(path, entryOf(t, client, local(client))))
	must(t, install.Removed)(install.Uninstall(path, client, "outline"))
	if got := read(t, path); !strings.Contains(got, asked) {
		t.Errorf("an input that the user has changed is gone:\n%s", got)
	}
}

func TestAnEntryWhoseInputIsGoneGetsItBack(t *testing.T) {
	client := find(t, "vscode")
	path := filepath.Join(t.TempDir(), "mcp.json")
	must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
	whole := read(t, path)
	start := strings.Index(whole, ",\n  \"inputs\"")
	write(t, path, whole[:start]+"\n}\n")
	must(t, install.Replaced)(install.Install(path, entryOf(t, client, local(client))))
	if read(t, path) != whole {
		t.Errorf("the input did not come back:\n%s", read(t, path))
	}
}
