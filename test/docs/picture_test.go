//go:build unix

package docs_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThePictureShowsWhatTheCommandsPrint(t *testing.T) {
	shown, err := os.ReadFile(filepath.Join("tour", "session.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range newShell(t).checkSession(t, string(shown)+"...\n") {
		t.Errorf("tour/session.txt: %s", complaint)
	}
	picture := filepath.Join(root(t), "docs", "tour.svg")
	difference := cmp.Diff(lines(string(shown)), drawn(t, picture))
	if difference != "" && *update {
		draw(t, picture, string(shown))
		difference = cmp.Diff(lines(string(shown)), drawn(t, picture))
	}
	if difference != "" {
		t.Errorf("docs/tour.svg shows something else than session.txt; draw it with go test ./test/docs -update\n%s", difference)
	}
}

// drawn are the lines of text in a picture, none if there is no picture.
func drawn(t *testing.T, file string) []string {
	t.Helper()
	picture, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	var found []string
	decoder := xml.NewDecoder(picture)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return lines(strings.Join(found, "\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "text" {
				found = append(found, "")
			}
		case xml.CharData:
			if len(found) > 0 {
				found[len(found)-1] += strings.Trim(string(token), "\n")
			}
		}
	}
}

// draw writes the picture. The font is the reader's own, so that the file stays
// small; the window brings its background, for light and dark pages.
func draw(t *testing.T, file, session string) {
	t.Helper()
	coloured := filepath.Join(t.TempDir(), "tour.ansi")
	if err := os.WriteFile(coloured, []byte(colour(session)), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "tool", "freeze", coloured, "--language", "ansi", "--output", file,
		"--font.size", "28", "--font.family", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
		"--window", "--background", "#161b22", "--border.radius", "16", "--border.width", "2", "--border.color", "#30363d",
		"--padding", "32,48", "--line-height", "1.3")
	command.Dir = "tour" // whose go.mod has the tool
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("draw the picture: %s\n%s", err, out)
	}
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const title = "<title>An AI assistant shows a change of one line of a page, and saves it after the user agrees</title>\n<rect"
	picture = bytes.Replace(picture, []byte("<rect"), []byte(title), 1)
	// With a viewBox, pages can show the picture at any size.
	picture = regexp.MustCompile(`<svg width="([\d.]+)" height="([\d.]+)"`).ReplaceAll(picture, []byte(`$0 viewBox="0 0 $1 $2"`))
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		t.Fatal(err)
	}
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
