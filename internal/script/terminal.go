package script

import (
	"io"
	"os"

	"golang.org/x/term"

	"outline-mcp/output"
)

// Shown returns w or, if w is a terminal, a writer to it that escapes control
// characters: documents must not write to the clipboard, move the cursor or hide
// what they say. Each write holds whole characters.
func Shown(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return visible{w}
	}
	return w
}

// IsTerminal reports whether a stream of the process is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

type visible struct{ w io.Writer }

func (v visible) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.w, output.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
