package install

import "testing"

func TestProgramsThatTheGoToolWillRemoveAreKnown(t *testing.T) {
	for path, want := range map[string]bool{
		"/tmp/go-build123/b001/exe/outline-mcp":        true,
		"/home/robin/.cache/go-build/ab/abcd-d/o":      true,
		"/home/robin/go/bin/outline-mcp":               false,
		"/home/robin/go-builder-of-things/outline-mcp": false,
		"/usr/local/bin/outline-mcp":                   false,
	} {
		if got := isTemporary(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
