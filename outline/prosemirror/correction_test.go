package prosemirror

import (
	"strings"
	"testing"
)

// corrected is the raw form of a block with its corrections.
func corrected(block *Node) string {
	raw, list := Corrections(block)
	var out strings.Builder
	at := 0
	for _, c := range list {
		if c.Start < at {
			continue
		}
		out.WriteString(raw[at:c.Start] + c.Text)
		at = c.End
	}
	return out.String() + raw[at:]
}

func TestBlocksMeanThemselvesWithTheirCorrections(t *testing.T) {
	inRecordedYear(t, func(t *testing.T) {
		all, plain, right := 0, 0, 0
		seen := map[string]bool{}
		each := func(doc *Node) {
			for _, block := range doc.Content {
				want := &Node{Type: Doc, Content: []*Node{block}}
				raw, _ := Corrections(block)
				if seen[string(want.AppendJSON(nil))] {
					continue
				}
				seen[string(want.AppendJSON(nil))] = true
				all++
				if EqualWithoutComments(Parse(raw), want) {
					plain++
					continue
				}
				if text := corrected(block); EqualWithoutComments(Parse(text), want) {
					right++
				} else {
					t.Logf("%s: %q\n%s", quote(raw), text, describe("", Parse(text), want))
				}
			}
		}
		for _, r := range records[write](t, "gaps") {
			each(r.Before.Data)
		}
		for _, r := range records[roundtrip](t, "roundtrip") {
			each(r.Data)
		}
		for _, r := range records[write](t, "patches") {
			each(r.Before.Data)
		}
		t.Logf("%d blocks, %d plain, %d right", all, plain, right)
	})
}
