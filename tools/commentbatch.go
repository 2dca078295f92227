package tools

import (
	"context"
	"strings"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// A commentWrite is a comment, or the change of one, that can be written.
type commentWrite struct {
	question func(context.Context) elicit.Question // for the user; nil if nothing changes
	write    func(context.Context) (writtenComment, error)
}

// A writtenComment is the answer to a call that writes one comment.
type writtenComment interface {
	output.Result
	// outcome returns what the line of a batch says.
	outcome() (id, title, note string)
}

// writeComments writes the comments of a call. If they are several, each succeeds or fails
// on its own, and one after the other, so that they keep their order. The user is asked once.
func writeComments(ctx context.Context, env mcptool.Env, operation string, ids []string, prepare func(ctx context.Context, i int) (commentWrite, error)) (output.Result, error) {
	b := newBatch(ctx, env, operation, ids)
	b.failRepeated(ctx)
	writes, errs := make([]commentWrite, len(ids)), make([]error, len(ids))
	mcptool.Parallel(env.BatchConcurrency, len(ids), func(i int) {
		if b.results[i].Status != "" {
			return // it has failed
		}
		if errs[i] = b.MayNotStart(ctx); errs[i] == nil {
			writes[i], errs[i] = prepare(ctx, i)
		}
		if errs[i] != nil {
			b.fail(i, errs[i])
		}
	})
	if len(ids) == 1 && errs[0] != nil {
		return nil, errs[0]
	}
	if err := confirmComments(ctx, env, writes); err != nil {
		return nil, err
	}
	if len(ids) == 1 {
		return writes[0].write(ctx)
	}
	return b.run(ctx, mcptool.OneByOne, func(ctx context.Context, i int) (outline.Document, error) {
		written, err := writes[i].write(ctx)
		if err != nil {
			return outline.Document{}, err
		}
		id, title, note := written.outcome()
		b.results[i].Note = note
		return outline.Document{DocumentSummary: outline.DocumentSummary{ID: id, Title: untitled(title)}}, nil
	}), nil
}

// confirmComments asks the user, once for all that is to be written.
func confirmComments(ctx context.Context, env mcptool.Env, writes []commentWrite) error {
	var ask []func(context.Context) elicit.Question
	for _, w := range writes {
		if w.question != nil {
			ask = append(ask, w.question)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		if len(ask) == 1 {
			return ask[0](ctx), nil
		}
		all := elicit.Question{Text: "Write " + output.Count(len(ask), "comment", "comments") + "?"}
		var details, bounds []string
		for _, question := range ask {
			one := question(ctx)
			// Indented, a line of a comment cannot pass for another comment.
			details = append(details, "- "+one.Text+"\n  "+strings.ReplaceAll(strings.Trim(one.Details, "\n"), "\n", "\n  "))
			bounds = append(bounds, one.Bound)
		}
		all.Details, all.Bound = strings.Join(details, "\n"), strings.Join(bounds, "\n")
		return all, nil
	})
}
