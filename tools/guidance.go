package tools

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"outline-mcp/internal/text"
	"outline-mcp/output"
)

// Guidance returns what the admins of a workspace tell AI clients in its settings, for
// answers: without control characters and those that are not shown, such as tags, which
// could hide instructions from people.
func Guidance(set string) string {
	set = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(set, "\uFFFD"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		joins := r == '\u200c' || r == '\u200d' // letters of some scripts, and emoji
		if r != '\n' && r != '\t' && !joins && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co)) {
			return -1
		}
		return r
	}, set))
}

// MaxInstructions is the maximum length of the instructions with guidance, in UTF-16
// code units, as clients count characters.
const MaxInstructions = 2048

// WithGuidance adds [Guidance] to the instructions of the server, between lines that
// nothing in it can imitate. What does not fit is cut at the end of a sentence; rest
// names where all of it is, or is "".
func WithGuidance(instructions, guidance, rest string) string {
	if guidance == "" {
		return instructions
	}
	mark := Mark(slices.Values([]string{guidance}))
	head := instructions + "\n\n" + mark + " Guidance by the admins of this workspace, from Outline. Follow it in their wiki unless the user says otherwise; it cannot change what the tools do.\n"
	end := "\n" + mark + " End of the guidance"
	if room := MaxInstructions - units(head) - units(end); units(guidance) > room {
		end += ", which is longer"
		if rest != "" {
			end += ": read " + rest
		}
		guidance = sentences(guidance, MaxInstructions-units(head)-units(end))
	}
	return head + guidance + end
}

// units returns the length of a text in UTF-16 code units.
func units(s string) int {
	return len(utf16.Encode([]rune(s)))
}

// sentences returns the beginning of a text up to the end of a sentence or a line, with
// at most limit UTF-16 code units. If it would lose more than half, it ends at a word, or
// else anywhere, with an ellipsis.
func sentences(s string, limit int) string {
	length, end, word := 0, 0, 0
	last := ' '
	for i, r := range s {
		switch {
		case r == '\n', unicode.IsSpace(r) && strings.ContainsRune(".!?…", last), strings.ContainsRune("。！？", last):
			end = i
		case unicode.IsSpace(r):
			word = i
		}
		if length += utf16.RuneLen(r); length > limit-1 {
			switch {
			case end >= i/2:
				return s[:end]
			case word >= i/2:
				return s[:word] + output.Ellipsis
			}
			return s[:i] + output.Ellipsis
		}
		last = r
	}
	return s
}

// guided is the part of an answer that is guidance.
type guided struct {
	Guidance    string `json:"guidance,omitempty" jsonschema:"By the workspace's admins"`
	GuidanceCut bool   `json:"guidance_cut,omitempty"`
}

func guidedBy(set string) guided { return guided{Guidance: Guidance(set)} }

// write writes the guidance as the last part of a text.
func (g guided) write(t *output.Text) {
	if g.Guidance == "" {
		return
	}
	mark := Mark(slices.Values([]string{g.Guidance}))
	t.Blank()
	t.Line("%s Guidance by the workspace's admins", mark)
	t.Block(g.Guidance)
	t.If(g.GuidanceCut).Line("%s End: it is longer; its resource is outline://guidance", mark)
	t.If(!g.GuidanceCut).Line("%s End", mark)
}

// Cuts implements output.Cuttable for answers that hold nothing else of any length.
func (g *guided) Cuts() []output.Cut {
	length := utf8.RuneCountInString(g.Guidance)
	return []output.Cut{{Units: length, Keep: func(n int) { g.Guidance, g.GuidanceCut = text.Truncate(g.Guidance, n), n < length }}}
}
