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
	_, lines := textChanges(*before, now)
	var b strings.Builder
	all := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if lines == "" {
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

// statesOf returns the text of a document at a moment, and as it is now; nil if no revision is
// that old. If the moment is zero, it is that before the latest change.
func statesOf(ctx context.Context, env mcptool.Env, d outline.DocumentSummary, since time.Time) (before *string, now string, err error) {
	document, err := env.Outline.Document(ctx, d.ID)
	if err != nil {
		return nil, "", err
	}
	read := 0
	for revision, err := range history(ctx, env, d.ID) {
		if err != nil {
			return nil, "", err
		}
		if revision.CreatedAt.After(since) && !since.IsZero() {
			continue
		}
		content, err := env.Outline.RevisionText(ctx, revision.ID)
		if err != nil {
			return nil, "", err
		}
		if read++; !since.IsZero() || !sameText(document, content) || read == 3 {
			return &content.Text, document.Text, nil
		}
	}
	return nil, document.Text, nil
}
