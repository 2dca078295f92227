package tools

import (
	"strings"
	"testing"
)

// FuzzCellsOfCSV counts the cells of any table: no more than each line filled to the longest.
func FuzzCellsOfCSV(f *testing.F) {
	for _, seed := range []string{"a,b\nc\n", "a;b;\"c\nd\"\ne", "a\tb\r\"c", ",,,\n\n\"\"\"", "\"a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		columns := 1 + max(strings.Count(text, ","), strings.Count(text, ";"), strings.Count(text, "\t"))
		if cells := cellsOfCSV(text); cells < 0 || cells > columns*(1+strings.Count(text, "\n")+strings.Count(text, "\r")) {
			t.Errorf("%d cells", cells)
		}
	})
}
