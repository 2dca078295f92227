package tools

import (
	"context"
	"strings"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// The lines of a document that a digest shows, and the characters of each.
const digestLines, digestLine = 12, 200

// digestOf returns the lines of a document that changed since a moment or, if it is zero,
// with its latest revision. What cannot be read is said in their place: the list is worth
// more than nothing.
func digestOf(ctx context.Context, env mcptool.Env, d outline.DocumentSummary, since time.Time) string {
	if !since.IsZero() && d.CreatedAt.After(since) {
		return "  new\n"
	}
	before, now, err := statesOf(ctx, env, d, since)
	switch {
	case err != nil:
		return "  changes unknown: " + strings.TrimSuffix(output.Error(err).Sentence, ".") + "\n"
	case before == nil:
		return "  changes unknown: Outline has no earlier revision\n"
	}
	_, lines := textChanges(before.Text, now.Text)
	var b strings.Builder
	if !before.IsTitle(now.Title) {
		b.WriteString("  renamed from " + output.Quote(output.Excerpt(before.Title, longestTitle)) + "\n")
	}
	all := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if lines == "" && b.Len() == 0 {
		return "  the text is the same\n"
	}
	for _, line := range all[:min(len(all), digestLines)] {
		if strings.Trim(line, "+- ") != "" {
			b.WriteString("  " + output.Label(text.Truncate(line, digestLine)) + "\n")
		}
	}
	if more := len(all) - digestLines; more > 0 {
		b.WriteString("  and " + output.Count(more, "more line", "more lines") + "\n")
	}
	return b.String()
}

// statesOf returns a document as it was at a moment, and as it is now; nil if no revision is
// that old. If the moment is zero, it is that before the latest change.
func statesOf(ctx context.Context, env mcptool.Env, d outline.DocumentSummary, since time.Time) (before *outline.RevisionContent, now outline.Document, err error) {
	if now, err = env.Outline.Document(ctx, d.ID); err != nil {
		return nil, now, err
	}
	read := 0
	for revision, err := range history(ctx, env, d.ID) {
		if err != nil {
			return nil, now, err
		}
		if revision.CreatedAt.After(since) && !since.IsZero() {
			continue
		}
		content, err := env.Outline.RevisionText(ctx, revision.ID)
		if err != nil {
			return nil, now, err
		}
		read++
		if !since.IsZero() || !holdsRevision(now, content) || read == 3 {
			return &content, now, nil
		}
		if read == 2 {
			before = &content
		}
	}
	return before, now, nil
}
