package folder

import "testing"

func TestATextIsLikeItselfHoweverItsLinesAreBroken(t *testing.T) {
	t.Parallel()
	stored := linesOf("The pump is checked by the shift lead, each Monday. It must not run dry.\n\n* Open the valve\n* Wait")
	for text, most := range map[string]bool{
		"The pump is checked by\nthe shift lead, each\nMonday. It must not\nrun dry.\n\n- Open the valve\n- Wait\n":           true,
		"The pump is checked by\nthe shift lead, each\nFriday. It must not\nrun dry.\n\n1. Open the valve\n2. Wait a while\n": true,
		"Something else is written here, as in a new page. It has its own words.":                                             false,
	} {
		if same := inCommon(stored, linesOf(text)); same > 0 != most {
			t.Errorf("%q has %d clauses of the other text", text, same)
		}
	}
}
