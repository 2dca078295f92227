package passage_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"outline-mcp/internal/passage"
)

func TestEditsOfTheSamePlaceBecomeOnePatch(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		edits []passage.Edit
		want  []string // old>new of each patch
	}{
		"one":                           {"one two three", []passage.Edit{{"two", "2"}}, []string{"two>2"}},
		"apart":                         {"one two three", []passage.Edit{{"three", "3"}, {"one", "1"}}, []string{"three>3", "one>1"}},
		"what an edit wrote":            {"one two three", []passage.Edit{{"two", "2b"}, {"b", "c"}}, []string{"two>2c"}},
		"beside what an edit wrote":     {"one two three", []passage.Edit{{"two", "2"}, {" three", ""}}, []string{"two three>2"}},
		"around what an edit wrote":     {"one two three", []passage.Edit{{"two", "2"}, {"one 2 t", "x"}}, []string{"one two t>x"}},
		"across two":                    {"one two three four", []passage.Edit{{"one", "1"}, {"three", "3"}, {"1 two 3", "z"}}, []string{"one two three>z"}},
		"one in between":                {"one two three four", []passage.Edit{{"one", "1!"}, {"four", "4"}, {"1!", "1?"}}, []string{"one>1?", "four>4"}},
		"after one that got longer":     {"a b c d", []passage.Edit{{"a", "aaaa"}, {"d", "dd"}, {"c", "cc"}}, []string{"a>aaaa", "d>dd", "c>cc"}},
		"after one that is gone":        {"a b c d", []passage.Edit{{"a b", ""}, {"d", "dd"}}, []string{"a b>", "d>dd"}},
		"in the middle of a longer one": {"one two", []passage.Edit{{"two", "2 x 3"}, {"x", "y"}}, []string{"two>2 y 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, patches, err := passage.Plan(test.text, test.edits)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range patches {
				got = append(got, test.text[p.Start:p.End]+">"+p.New)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func FuzzAPlanHasTheSameResultAsTheEdits(f *testing.F) {
	f.Add("one two three four", "one", "1", "two", "", "1  ", "x y")
	f.Add("aaa", "aaa", "b", "b", "aaa", "aaa", "")
	f.Add("* a\n* b\n* c", "- a", "- x", "b\n- c", "z", "x\n* z", "q")
	f.Add("a.b.c", "a", "", ".b.", "", "c", "d")
	f.Fuzz(func(t *testing.T, text, old1, new1, old2, new2, old3, new3 string) {
		edits := []passage.Edit{{old1, new1}, {old2, new2}, {old3, new3}}
		for n := 1; n <= len(edits); n++ {
			want, _, applyErr := passage.Apply(text, edits[:n])
			after, patches, err := passage.Plan(text, edits[:n])
			if (err == nil) != (applyErr == nil) {
				t.Fatalf("%v, but %v", err, applyErr)
			}
			if err != nil {
				var failed *passage.EditError
				if !errors.As(err, &failed) {
					t.Fatal(err)
				}
				return
			}
			if after != want {
				t.Fatalf("after is %q, want %q", after, want)
			}
			seen := map[int]bool{}
			byPlace := slices.SortedFunc(slices.Values(patches), func(a, b passage.Patch) int { return cmp.Compare(a.Start, b.Start) })
			made, end := "", 0
			for _, p := range byPlace {
				if p.Start < end {
					t.Fatalf("patches overlap: %+v", patches)
				}
				made += text[end:p.Start] + p.New
				end = p.End
				for _, e := range p.Edits {
					seen[e] = true
				}
			}
			made += text[end:]
			if made != want || len(seen) != n {
				t.Fatalf("Plan(%q, %q) = %+v, which makes %q, want %q", text, edits[:n], patches, made, want)
			}
		}
	})
}
