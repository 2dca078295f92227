package passage_test

import (
	"testing"

	"outline-mcp/internal/passage"
)

func TestAListKeepsItsBulletsWhateverBulletsTheEditUses(t *testing.T) {
	for name, test := range map[string]struct{ stored, old, new, want string }{
		"dashes for asterisks":       {"* a\n* b", "- a\n- b", "- a\n- c\n  - d", "* a\n* c\n  * d"},
		"boxes":                      {"* [ ] a", "- [ ] a", "- [x] a", "* [x] a"},
		"in a quote":                 {"> * a", "> - a", "> - b", "> * b"},
		"the same bullets":           {"* a", "* a", "* a\n- b", "* a\n- b"},
		"no bullets in the passage":  {"a", "a", "- b", "- b"},
		"code stays":                 {"* a", "- a", "- a\n\n```\n- x\n```\n\n- b", "* a\n\n```\n- x\n```\n\n* b"},
		"a rule stays":               {"* a", "- a", "- b\n\n- - -", "* b\n\n- - -"},
		"words with a dash stay":     {"* a - b", "- a - b", "- a - c", "* a - c"},
		"nothing is left":            {"* a", "- a", "", ""},
		"two forms in what is there": {"* a\n- b", "+ a\n+ b", "+ c", "+ c"},
	} {
		edit := passage.Edit{Old: test.old, New: test.new}
		if got := edit.Replacement(test.stored); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
