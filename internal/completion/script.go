package completion

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// wordsForBash lets the script for bash work where the package bash-completion
// is not installed, as on a new Mac.
//
//go:embed completion.bash
var wordsForBash string

// Shells returns the shells that WriteScript knows.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// WriteScript writes the script that completes the command lines of a program
// in a shell.
func WriteScript(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		if _, err := io.WriteString(w, wordsForBash); err != nil {
			return err
		}
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return fmt.Errorf("unknown shell %q", shell)
}
