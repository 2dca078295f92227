package passage

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEachEditAppliesToTheResultOfThoseBefore(t *testing.T) {
	after, got, err := Apply("* it’s one\n* two\n", []Edit{
		{"- it's one\n", "* it’s a hundred\n"}, // found tolerantly, and put in as given
		{"hundred", "thousand"},                // added by the edit before
		{"\n* two", ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "* it’s a thousand\n"; after != want {
		t.Errorf("after the edits the text is %q, not %q", after, want)
	}
	want := []applied{
		{Match{0, 13, true}, "* it’s one\n", "* it’s a hundred\n"},
		{Match{11, 18, false}, "hundred", "thousand"},
		{Match{19, 25, false}, "\n* two", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoEditsChangeNothing(t *testing.T) {
	after, applied, err := Apply("a", nil)
	if after != "a" || applied != nil || err != nil {
		t.Errorf("%q, %v, %v", after, applied, err)
	}
}

func TestWhenAnEditFailsNoneIsApplied(t *testing.T) {
	for name, test := range map[string]struct {
		edit Edit
		as   any
		want string
	}{
		"not there":             {Edit{"cat", "x"}, new(*NotFoundError), `edits[1]: the document has no passage "cat"`},
		"replaced before":       {Edit{"one", "x"}, new(*NotFoundError), `edits[1]: the document has no passage "one"`},
		"twice since the first": {Edit{"two", "x"}, new(*AmbiguousError), `edits[1]: old_text "two" occurs 2 times.`},
		"empty":                 {Edit{"", "x"}, nil, `edits[1]: old_text is empty: `},
	} {
		t.Run(name, func(t *testing.T) {
			after, applied, err := Apply("one two", []Edit{{"one", "two"}, test.edit, {"two", "x"}})
			if after != "" || applied != nil {
				t.Errorf("%q and %v are answered", after, applied)
			}
			var failed *EditError
			if !errors.As(err, &failed) || failed.Index != 1 {
				t.Fatalf("the error is %v", err)
			}
			if test.as != nil && !errors.As(err, test.as) {
				t.Errorf("the error is a %T", failed.Err)
			}
			if got := err.Error(); len(got) < len(test.want) || got[:len(test.want)] != test.want {
				t.Errorf("the error is %q", got)
			}
		})
	}
}
