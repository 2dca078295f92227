package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"outline-mcp/output"
)

// IsTerminal reports whether a stream of the process is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// columns returns the width of a terminal, or 0 if it is unknown.
func columns(stream io.Writer) int {
	file, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Shown returns w or, if w is a terminal, a writer to it that escapes control
// characters: documents must not write to the clipboard, move the cursor or hide
// what they say. Each write holds whole characters.
func Shown(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return visibleWriter{w}
	}
	return w
}

type visibleWriter struct{ w io.Writer }

func (v visibleWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.w, output.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A Color is the color of lines with a prefix: of the prefix or of the whole line.
type Color struct {
	Prefix    string
	Color     ansi.BasicColor
	WholeLine bool
}

// DiffColors returns the colors of a unified diff.
func DiffColors() []Color {
	return []Color{
		{"--- ", ansi.BrightBlack, true}, {"+++ ", ansi.BrightBlack, true}, {"@@ ", ansi.Cyan, true},
		{"-", ansi.Red, true}, {"+", ansi.Green, true},
	}
}

// CheckColors returns the colors of the lines of a report.
func CheckColors() []Color {
	return []Color{{"✓", ansi.Green, false}, {"!", ansi.Yellow, false}, {"✗", ansi.Red, false}}
}

// ForReader returns a writer for texts that people read. On a terminal it escapes
// control characters, breaks lines between words at the terminal's width, and shows
// colors unless the environment has NO_COLOR, CLICOLOR=0 or TERM=dumb. Elsewhere the
// lines stay as they are, without colors unless CLICOLOR_FORCE is set. Each write
// holds whole lines.
func ForReader(w io.Writer, environ []string, colors ...Color) io.Writer {
	isTerminal := IsTerminal(w)
	if !colored(isTerminal, environ) {
		colors = nil
	}
	if !isTerminal && colors == nil {
		return w
	}
	return readableWriter{w, colors}
}

// colored decides by the environment whether to write colors. See
// https://no-color.org and https://bixense.com/clicolors.
func colored(isTerminal bool, environ []string) bool {
	value := func(name string) string {
		for _, entry := range slices.Backward(environ) { // the last one counts
			if found, ok := strings.CutPrefix(entry, name+"="); ok {
				return found
			}
		}
		return ""
	}
	if value("NO_COLOR") != "" {
		return false
	}
	return cmp.Or(value("CLICOLOR_FORCE"), "0") != "0" ||
		isTerminal && value("CLICOLOR") != "0" && value("TERM") != "dumb"
}

type readableWriter struct {
	w      io.Writer
	colors []Color
}

// Write implements io.Writer.
func (r readableWriter) Write(p []byte) (int, error) {
	var b strings.Builder
	width := columns(r.w)
	for line := range strings.Lines(output.Visible(string(p))) {
		content := strings.TrimSuffix(line, "\n")
		b.WriteString(r.color(wrap(content, width)) + line[len(content):])
	}
	if _, err := io.WriteString(r.w, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// color gives a line the color of the first prefix that it has.
func (r readableWriter) color(line string) string {
	for _, c := range r.colors {
		rest, ok := strings.CutPrefix(line, c.Prefix)
		switch style := ansi.NewStyle().ForegroundColor(c.Color); {
		case ok && c.WholeLine:
			return style.Styled(line)
		case ok:
			return style.Styled(c.Prefix) + rest
		}
	}
	return line
}

// Wrap breaks the lines of a text between words, so that they take at most that many
// columns.
func Wrap(text string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content := strings.TrimSuffix(line, "\n")
		b.WriteString(wrap(content, columns) + line[len(content):])
	}
	return b.String()
}

// lastCell returns where the last cell of a line of a table begins, which is after two
// spaces or more. In any other line, that is the first word.
func lastCell(line string) int {
	margin := len(line) - len(strings.TrimLeft(line, " "))
	if gap := strings.LastIndex(strings.TrimRight(line, " "), "  "); gap >= margin {
		return gap + 2
	}
	return margin
}

// wrap breaks a line between words so that each part takes at most that many columns,
// unless a word is longer. The parts below the first begin where the last cell of a table
// begins, and otherwise below the first word of a list's item.
func wrap(line string, columns int) string {
	if columns <= 0 || ansi.StringWidth(line) <= columns {
		return line
	}
	margin := len(line) - len(strings.TrimLeft(line, " "))
	cells := line[:lastCell(line)]
	indent := ansi.StringWidth(cells)
	if indent == margin || indent > columns/2 {
		indent = margin
		if sign, _, _ := strings.Cut(line, " "); ansi.StringWidth(sign) <= 1 { // "" if the line is indented
			indent += 2
		}
	}
	var b strings.Builder
	b.WriteString(cells)
	used := ansi.StringWidth(cells)
	for i, word := range strings.Split(line[len(cells):], " ") {
		width := ansi.StringWidth(word)
		switch {
		case i > 0 && used+1+width > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		case i > 0:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += width
	}
	return b.String()
}

// Terminal asks the user at a terminal.
type Terminal struct {
	fd       int
	terminal *term.Terminal
	out      io.Writer
}

// OpenTerminal returns the terminal that in is, or nil if it is not a terminal. Questions
// are written to out: with standard error, standard output can be a file.
func OpenTerminal(in io.Reader, out io.Writer) *Terminal {
	file, ok := in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &Terminal{int(file.Fd()), term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, ""), out}
}

// TerminalError reports that a question could not be asked or was not answered.
type TerminalError struct{ Reason string }

func (e TerminalError) Error() string { return e.Reason }

// attempts is how often one question is asked.
const attempts = 3

// Confirm asks a question, and reports whether the answer is yes.
func (t *Terminal) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := t.Ask(ctx, question, false, func(line string) (string, error) { return line, nil })
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))), err
}

// Ask asks a question until check accepts the answer, at most three times, and
// returns what check returns. A secret is not shown while it is typed: echo is
// off before the question appears. Ctrl-C, Ctrl-D and the end of ctx are a
// [TerminalError].
func (t *Terminal) Ask(ctx context.Context, question string, secret bool, check func(line string) (string, error)) (string, error) {
	before, err := term.MakeRaw(t.fd)
	if err != nil {
		return "", TerminalError{fmt.Sprintf("cannot read the terminal: %s", err)}
	}
	defer func() { _ = term.Restore(t.fd, before) }()
	if width, height, err := term.GetSize(t.fd); err == nil && width > 0 && height > 0 {
		_ = t.terminal.SetSize(width, height) // for long lines
	}
	for range attempts {
		line, err := t.line(ctx, question, secret)
		if err != nil {
			return "", TerminalError{"nothing was changed: " + err.Error()}
		}
		answer, err := check(line)
		if err == nil {
			return answer, nil
		}
		fmt.Fprintln(t.terminal, err)
	}
	return "", errors.New("nothing was changed: no valid answer in three attempts")
}

// line reads one line, and stops at once when ctx is done.
func (t *Terminal) line(ctx context.Context, question string, secret bool) (string, error) {
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		if secret {
			a.line, a.err = t.terminal.ReadPassword(question)
		} else {
			t.terminal.SetPrompt(question)
			a.line, a.err = t.terminal.ReadLine()
		}
		answers <- a
	}()
	select {
	case a := <-answers:
		if errors.Is(a.err, io.EOF) {
			fmt.Fprint(t.out, "\r\n") // not through t.terminal, which would show the last prompt again
			return "", errors.New("the question was not answered")
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", errors.New("interrupted")
	}
}
