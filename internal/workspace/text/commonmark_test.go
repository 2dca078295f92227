package text

import "testing"

func TestHardBreaksInBothForms(t *testing.T) {
	tests := []struct{ name, commonMark, outline string }{
		{"two spaces", "one  \ntwo", `one\ntwo`},
		{"several", "one  \ntwo  \nthree\n\nfour", "one\\ntwo\\nthree\n\nfour"},
		{"not in fenced code", "```\na  \nb\n```", "```\na  \nb\n```"},
		{"not in code with a backslash and n", "```\nprintf(\"\\n\")\n```\n\nand `\\n`", "```\nprintf(\"\\n\")\n```\n\nand `\\n`"},
		{"not in indented code", "    a  \n    b\\n", "    a  \n    b\\n"},
		{"an escaped backslash is none", `path\\name`, `path\\name`},
		{"behind an open tilde fence", "~~~ text\n```\na  \nb\n~~~\nc  \nd", "~~~ text\n```\na  \nb\n~~~\nc\\nd"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := FromCommonMark(test.commonMark); got != test.outline {
				t.Errorf("Outline's form is %q, want %q", got, test.outline)
			}
			if got := ToCommonMark(test.outline); got != test.commonMark {
				t.Errorf("CommonMark is %q, want %q", got, test.commonMark)
			}
		})
	}
	if got := FromCommonMark("a\\\nb\\\\\nc\n\n"); got != "a\\nb\\\\\nc" {
		t.Errorf("a backslash at the end of a line becomes %q", got)
	}
}
