// Command tour draws docs/tour.svg, the picture of a terminal in the README:
//
//	go -C test/docs/tour run .
//
// What it shows is in session.txt, which the tests of the documentation hold
// against what the commands print, and the picture against it.
package main

import (
	_ "embed"
	"log"
	"os"
	"os/exec"
	"strings"
)

//go:embed session.txt
var session string

func main() {
	log.SetFlags(0)
	if err := draw("../../../docs/tour.svg"); err != nil {
		log.Fatal("draw the tour: ", err)
	}
}

// draw writes the picture. The font is the reader's own, so that the file stays
// small; the window brings its background, for light and dark pages.
func draw(file string) error {
	coloured, err := os.CreateTemp("", "tour-*.ansi")
	if err != nil {
		return err
	}
	defer os.Remove(coloured.Name())
	defer coloured.Close()
	if _, err := coloured.WriteString(colour(session)); err != nil {
		return err
	}
	command := exec.Command("go", "tool", "freeze", coloured.Name(), "--language", "ansi", "--output", file,
		"--font.family", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
		"--window", "--background", "#161b22", "--border.radius", "8", "--border.width", "1", "--border.color", "#30363d",
		"--padding", "16,24", "--line-height", "1.3")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return command.Run()
}

// colour marks who speaks, what is typed and called, what is left out, and what
// an edit takes away and adds, in colours of a terminal.
func colour(session string) string {
	const typed, person, assistant, called, quiet, away, added = "1;38;5;250", "1;38;5;221", "1;38;5;117", "38;5;110", "38;5;245", "38;5;210", "38;5;114"
	styles := []struct{ prefix, code string }{
		{"$ ", typed}, {"You:", person}, {"Assistant:", assistant}, {"  Source:", assistant}, {"  > ", called},
		{"    -*", away}, {"    +*", added}, {"    ", quiet}, {"...", quiet},
	}
	var text strings.Builder
	for line := range strings.Lines(session) {
		for _, style := range styles {
			if !strings.HasPrefix(line, style.prefix) {
				continue
			}
			marked, rest := strings.TrimSuffix(line, "\n"), "\n"
			if strings.HasSuffix(style.prefix, ":") { // the name alone
				marked, rest = style.prefix, strings.TrimPrefix(line, style.prefix)
			}
			line = "\x1b[" + style.code + "m" + marked + "\x1b[0m" + rest
			break
		}
		text.WriteString(line)
	}
	return text.String()
}
