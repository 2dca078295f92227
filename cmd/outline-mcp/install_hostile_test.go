//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallOnAFullDiskLeavesTheConfigurationAsItWas limits how long files may be
// until the new one fits. The umask would let everybody read and write.
func TestInstallOnAFullDiskLeavesTheConfigurationAsItWas(t *testing.T) {
	servers := map[string]any{}
	for i := range 40 {
		servers[fmt.Sprint("server", i)] = map[string]string{"command": strings.Repeat("x", 80)}
	}
	before, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	failed, done := 0, 0
	for blocks := 1; blocks <= 16; blocks++ { // of 512 or 1,024 bytes
		home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		file := filepath.Join(home, "mcp.json")
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := confined(t.Context(), fmt.Sprintf("umask 000; ulimit -f %d", blocks), environ, installing("cursor", "--file", file)...)
		said, err := cmd.CombinedOutput()
		after, readErr := os.ReadFile(file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		entries, readErr := os.ReadDir(home)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			failed++
			if string(after) != string(before) || len(entries) != 1 || !strings.Contains(string(said), file+" was not changed: cannot write the new file next to it") {
				t.Errorf("with %d blocks: %d files, %s", blocks, len(entries), said)
			}
			continue
		}
		done++
		if !json.Valid(after) || !strings.Contains(string(after), "ol_api_fake") || len(entries) != 2 {
			t.Errorf("with %d blocks: %d files, %s", blocks, len(entries), after)
		}
		for _, entry := range entries {
			if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %s: %v", entry.Name(), info.Mode(), err)
			}
		}
	}
	if failed == 0 || done == 0 {
		t.Errorf("%d failed and %d were done", failed, done)
	}
}

func TestAUmaskOfNothingLeavesTheKeyToItsOwner(t *testing.T) {
	for _, client := range strings.Split(clientNames(), ", ") {
		home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		for range 2 { // the second makes no backup, as nothing changes
			if said, err := confined(t.Context(), "umask 000", environ, installing(client)...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", client, err, said)
			}
		}
		err := filepath.WalkDir(home, func(path string, entry os.DirEntry, err error) error {
			if err != nil || path == home {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %s has mode %s", client, path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// confined returns the command that runs the program after a line of the shell.
func confined(ctx context.Context, line string, environ []string, args ...string) *exec.Cmd {
	run := program(ctx, environ, args...)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", line + `; exec "$0" "$@"`, run.Path}, args...)...)
	cmd.Env = run.Env
	return cmd
}
