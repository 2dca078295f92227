package install

import (
	"fmt"
	"io"
)

// InstallSkill writes a skill to the file of a client, and tells what it did. What the
// file had before is kept in a backup.
func InstallSkill(w io.Writer, path, content string) error {
	there := false
	backup, err := updateFile(path, func(f *file) ([]byte, error) {
		there = string(f.content) == content
		return []byte(content), nil
	})
	if err != nil {
		return err
	}
	did := "was written"
	if there {
		did = "is there already"
	}
	fmt.Fprintf(w, "The skill %s.\n  file    %s\n", did, path)
	if backup != "" {
		fmt.Fprintf(w, "  backup  %s\n", backup)
	}
	return nil
}
