package edit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func TestPlanningEndsWithTheTimeOfTheCall(t *testing.T) {
	tree := prosemirror.Parse("# One\n\nFirst **words** here.\n\n* a\n* b\n\n| a | b |\n|---|---|\n| c | d |\n\n```\ncode\n```\n\nLast words.")
	tree.Content[1].Content[0].Marks = []prosemirror.Mark{{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: "c"}}}}
	before := outline.Document{Tree: tree, Text: prosemirror.ToText(tree)}
	edits := []Edit{{Old: "First **words**", New: "Other *words*\n\n> and"}, {Old: "| c |", New: "| *e* |"}, {Old: "* b", New: "* b\n  1. c\n\n\\\n\nd"}, {Old: "Last", New: "```"}}
	plans := map[string]func(ctx context.Context) error{
		"a whole text": func(ctx context.Context) error {
			_, err := PrepareText(ctx, before, strings.ReplaceAll(strings.ReplaceAll(before.Text, "words", "[things](/doc/x)"), "* b", "1. c"))
			return err
		},
		"edits": func(ctx context.Context) error {
			_, err := Prepare(ctx, before, edits[:3], []int{0, 1, 2})
			return err
		},
		"an edit that is refused": func(ctx context.Context) error {
			_, err := Prepare(ctx, before, edits[3:], []int{0})
			return err
		},
	}
	for name, plan := range plans {
		refused, times := plan(t.Context()), 0
		for ; ; times++ {
			err := plan(&fixtures.Ending{Context: t.Context(), Left: times})
			if err == nil && refused == nil || err != nil && refused != nil && err.Error() == refused.Error() {
				break
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%s, asked %d times: %v", name, times, err)
			}
		}
		if t.Logf("%s asks %d times: %v", name, times, refused); times < 5 {
			t.Errorf("%s asks %d times", name, times)
		}
	}
}
