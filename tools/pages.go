package tools

import (
	"context"
	"fmt"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

// nextOffset returns where the next page of a list starts, and 0 when shown
// entries from offset on reach the end.
func nextOffset(offset, shown, total int) int {
	if offset+shown < total {
		return offset + shown
	}
	return 0
}

// shown says which entries of a list are shown, where that is not all.
func shown(offset, count, total int) string {
	if count == 0 || count == total {
		return ""
	}
	return fmt.Sprintf(", %d–%d shown", offset+1, offset+count)
}

func writeNextOffset(t *output.Text, next int) {
	if next > 0 {
		t.Blank()
		t.Line("More: call again with offset %d.", next)
	}
}

// longestTitle is the most characters of a title, a name or a heading that an
// answer shows. Outline's titles have at most 100; headings have no limit.
const longestTitle = 300

// untitled returns a title on one line, and says so where there is none.
func untitled(title string) string {
	if title = output.Excerpt(title, longestTitle); title == "" {
		return "(untitled)"
	}
	return title
}

// titleOf returns a title as list entries show it.
func titleOf(title string) string {
	if title = untitled(title); title == "(untitled)" {
		return title
	}
	return "**" + title + "**"
}

// stamp returns a time as both renderings show it.
func stamp(t time.Time) string {
	return t.Format(time.RFC3339Nano)
}

// optionalCollection returns the UUID of a collection given in any form, and
// "" when none is given.
func optionalCollection(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	return env.Outline.ResolveCollectionID(ctx, given)
}
