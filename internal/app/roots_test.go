package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inRoots calls tools as a client does that works in one folder, whose user agrees to
// everything: before 2026-07-28 if old, and "" for a client without roots. It counts how
// often it is asked for the folder.
func (c *lineClient) inRoots(t *testing.T, old bool, root string, tool string, arguments map[string]any) (o outcome, asked int) {
	t.Helper()
	answer := func(method string) map[string]any {
		if method == "roots/list" {
			asked++
			return map[string]any{"roots": []map[string]any{{"uri": "https://example.com/etc"}, {"uri": "file://elsewhere" + filepath.Dir(root)}, {"uri": "file://" + root}}}
		}
		return map[string]any{"action": "accept", "content": map[string]any{"confirm": true}}
	}
	params := map[string]any{"name": tool, "arguments": arguments}
	if !old {
		params["_meta"] = metaOf(capabilitiesIn(root))
	}
	c.request(t, "tools/call", params)
	for range 12 {
		m := c.read(t)
		var asks required
		switch {
		case m.Method != "":
			c.write(t, map[string]any{"id": m.ID, "result": answer(m.Method)})
		case m.Error == nil && json.Unmarshal(m.Result, &asks) == nil && asks.ResultType == "input_required":
			answers := map[string]any{}
			for id, request := range asks.InputRequests {
				answers[id] = answer(request.Method)
			}
			params["inputResponses"], params["requestState"] = answers, asks.RequestState
			c.request(t, "tools/call", params)
		default:
			return o.of(t, m), asked
		}
	}
	t.Fatal("the server does not stop asking")
	return o, asked
}

func capabilitiesIn(root string) map[string]any {
	all := elicits()
	if root != "" {
		all["roots"] = map[string]any{}
	}
	return all
}

func TestPathsAreAllowedInTheRootsOfTheClientOnly(t *testing.T) {
	parent := t.TempDir()
	project, allowed := filepath.Join(parent, "my project"), filepath.Join(parent, "allowed")
	for _, name := range []string{"my project/notes.txt", "my project/.env", "my project/.ssh/id", "allowed/other.txt", "secret.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(parent, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(parent, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, link := range map[string]string{"out": "../secret.txt", "env": ".env", "keys": ".ssh"} {
		if err := os.Symlink(link, filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
	}
	const outside, hidden, none = "outside the folders that this server may use", "begins with a dot", "set OUTLINE_FILES_DIR to the folder of such files"
	tests := map[string]struct{ root, setting, path, fails string }{
		"a path in the root":                 {project, "", filepath.Join(project, "notes.txt"), ""},
		"a path from the root":               {project, "", "notes.txt", ""},
		"a path in the root and a setting":   {project, allowed, filepath.Join(project, "notes.txt"), ""},
		"a path from the root and a setting": {project, allowed, "notes.txt", ""},
		"a path in the setting":              {project, allowed, "other.txt", ""},
		"a path beside the root":             {project, "", filepath.Join(parent, "secret.txt"), outside},
		"a path of the system":               {project, allowed, "/etc/hostname", outside},
		"a path out of the root":             {project, "", "../secret.txt", outside},
		"a link out of the root":             {project, "", "out", outside},
		"a dotfile":                          {project, "", ".env", hidden},
		"a file below a dot":                 {project, "", filepath.Join(project, ".ssh", "id"), hidden},
		"a link to a dotfile":                {project, "", "env", hidden},
		"a missing folder before a link":     {project, "", project + "/missing/../env", hidden},
		"a missing folder from the root":     {project, "", "missing/../env", hidden},
		"a link to a hidden folder":          {project, "", "keys/id", hidden},
		"no root and no setting":             {"", "", filepath.Join(project, "notes.txt"), none},
		"no root but a setting":              {"", allowed, filepath.Join(project, "notes.txt"), outside},
	}
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		for name, test := range tests {
			t.Run(era+", "+name, func(t *testing.T) {
				c := onLines(t, newWorkspace(t).Transport(), "OUTLINE_FILES_DIR="+test.setting, "OUTLINE_CONFIRM=writes")
				old := era == "2025-11-25"
				if old {
					c.initialize(t, capabilitiesIn(test.root))
				}
				for range 2 { // each call asks anew
					got, asked := c.inRoots(t, old, test.root, "upload_attachment", map[string]any{"path": test.path})
					if got.failed != (test.fails != "") || !strings.Contains(got.text, test.fails) || test.fails == "" && !strings.Contains(got.text, "Uploaded") {
						t.Error(got.text)
					}
					if wanted := map[bool]int{true: 1}[test.root != ""]; asked != wanted {
						t.Errorf("asked %d times for the roots", asked)
					}
				}
				if got, asked := c.inRoots(t, old, test.root, "list_collections", nil); got.failed || asked != 0 {
					t.Errorf("without a path, the client is asked %d times for roots: %s", asked, got.text)
				}
			})
		}
	}
}
