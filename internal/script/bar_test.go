package script_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/script"
)

func TestABarStaysOnItsLineAndLeavesNothing(t *testing.T) {
	var terminal strings.Builder
	bar := script.NewBar(&terminal, "archive", unknown)
	bar.Items(1, 4)
	bar.Items(2, 4) // too soon after the last
	bar.Items(4, 4)
	bar.Clear()
	bar.Clear()
	want := "\rarchive [######..................] 1 of 4" +
		"\rarchive [########################] 4 of 4" +
		"\r" + strings.Repeat(" ", len("archive [########################] 4 of 4")) + "\r"
	if terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
}

func TestAShorterTextWipesWhatWasLonger(t *testing.T) {
	var terminal strings.Builder
	bar := script.NewBar(&terminal, "", unknown)
	bar.Items(10, 10)
	bar.Items(1, 1)
	if lines := strings.Split(terminal.String(), "\r"); len(lines) != 3 || len(lines[1]) != len(lines[2]) {
		t.Errorf("got %q", terminal.String())
	}
}

func TestNoBarShowsNothing(t *testing.T) {
	var bar *script.Bar
	bar.Items(1, 0)
	bar.Calls(1, 1)
	bar.Clear()
}

// unknown is the width of a terminal that does not say.
func unknown() int { return 0 }

func TestABarIsNarrowerThanItsTerminal(t *testing.T) {
	var terminal strings.Builder
	bar := script.NewBar(&terminal, "archive", func() int { return 20 })
	bar.Items(4, 4)
	bar.Clear()
	if want := "\rarchive [##########" + "\r" + strings.Repeat(" ", 19) + "\r"; terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
}
