package folder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestChangesOfDifferentBlocksAreMergedAndOthersAreNot(t *testing.T) {
	for _, test := range []struct {
		name, earlier, ours, theirs, want string // "" for a conflict
	}{
		{"one side", "a\n\nb", "a\n\nB", "a\n\nb", "a\n\nB"},
		{"far apart", "a\n\nb\n\nc", "A\n\nb\n\nc", "a\n\nb\n\nC", "A\n\nb\n\nC"},
		{"next to each other", "a\n\nb", "A\n\nb", "a\n\nB", "A\n\nB"},
		{"the same change", "a\n\nb", "A\n\nb", "A\n\nb", "A\n\nb"},
		{"the same block", "a\n\nb", "A\n\nb", "AA\n\nb", ""},
		{"deleted and changed", "a\n\nb", "b", "A\n\nb", ""},
		{"deleted beside a change", "a\n\nb\n\nc", "a\n\nc", "a\n\nb\n\nC", ""},
		{"added at the same place", "a", "a\n\nx", "a\n\ny", ""},
		{"added at both ends", "a", "x\n\na", "a\n\ny", "x\n\na\n\ny"},
		{"lines of one block of code", "```\na\n\nb\n```", "```\nA\n\nb\n```", "```\na\n\nB\n```", ""},
		{"from nothing", "", "a", "", "a"},
		{"everything deleted", "a\n\nb", "", "a\n\nb", ""},
	} {
		got, ok := merge(test.earlier, test.ours, test.theirs)
		if want := test.want != "" || test.name == "everything deleted"; ok != want || got != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, ok, test.want)
		}
		back, backOK := merge(test.earlier, test.theirs, test.ours)
		if back != got || backOK != ok {
			t.Errorf("%s: with the sides exchanged, %q, %v", test.name, back, backOK)
		}
	}
}

// TestAMergeLosesNoBlock changes blocks of a text at random on both sides.
func TestAMergeLosesNoBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	merged := 0
	for range 5000 {
		var earlier []string
		for i := range 1 + random.IntN(8) {
			earlier = append(earlier, fmt.Sprintf("block %d", i))
		}
		change := func(side string) (text []string, added []string) {
			text = slices.Clone(earlier)
			for n := range random.IntN(4) {
				word := fmt.Sprintf("%s%d", side, n)
				switch at := random.IntN(len(text) + 1); {
				case random.IntN(2) == 0 || at == len(text):
					text, added = slices.Insert(text, at, word), append(added, word)
				default:
					text[at], added = word, append(added, word)
				}
			}
			return text, slices.DeleteFunc(added, func(word string) bool { return !slices.Contains(text, word) })
		}
		ours, addedHere := change("ours")
		theirs, addedThere := change("theirs")
		got, ok := merge(strings.Join(earlier, "\n\n"), strings.Join(ours, "\n\n"), strings.Join(theirs, "\n\n"))
		if !ok {
			continue
		}
		merged++
		result := strings.Split(got, "\n\n")
		for _, word := range slices.Concat(addedHere, addedThere) {
			if !slices.Contains(result, word) {
				t.Fatalf("%q, %q and %q give %q, without %q", earlier, ours, theirs, result, word)
			}
		}
		for _, block := range result {
			if slices.Contains(earlier, block) && (!slices.Contains(ours, block) || !slices.Contains(theirs, block)) {
				t.Fatalf("%q, %q and %q give %q: %q comes back", earlier, ours, theirs, result, block)
			}
		}
	}
	if merged < 1000 {
		t.Errorf("only %d of 5,000 are merged", merged)
	}
}
