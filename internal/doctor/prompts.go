package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"outline-mcp/internal/explain"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/prompts"
)

// checkPrompts reports which prompts the documents of a collection become, if the
// settings name one.
func checkPrompts(ctx context.Context, e *examination) {
	const check, setting = "prompts", "OUTLINE_PROMPTS_COLLECTION"
	if e.settings.PromptsCollection == "" {
		return
	}
	if why := e.lacks(validKey); why != "" {
		e.skip(why, check)
		return
	}
	client, err := outline.New(outline.Options{
		BaseURL: e.base, URLAliases: e.settings.URLAliases, Credentials: outline.StaticKey(e.key.Reveal()),
		UserAgent: e.agent, Transport: e.transport, RequestTimeout: e.timeout, MaxAnswerBytes: int64(e.settings.MaxAnswerBytes),
	})
	var found prompts.Collected
	if err == nil {
		found, err = prompts.Collect(ctx, client, e.settings.PromptsCollection)
	}
	if err != nil {
		failure, ok := errors.AsType[output.Failure](err)
		if !ok {
			failure = explain.Error(err)
		}
		e.add(Failure, check, "they cannot be read: "+strings.TrimSuffix(failure.Sentence, "."),
			"set "+setting+" to the UUID of a collection that this key can see, or remove it")
		return
	}
	names := []string{}
	for _, p := range found.Prompts {
		names = append(names, p.Name)
	}
	details := map[string]any{"collection_id": found.Collection, "prompts": names}
	if len(names) == 0 {
		e.add(Warning, check, "the collection in "+setting+" has no published documents", "publish a document in it for each prompt", details)
	} else {
		e.add(OK, check, count(len(names), "document")+" of "+setting+": "+strings.Join(names, ", "), "", details)
	}
	for _, clash := range found.Clashes {
		e.add(Warning, check, clash.String(), "rename the document; until then it is not offered", map[string]any{"document_id": clash.DocumentID})
	}
	if found.More > 0 {
		e.add(Warning, check, fmt.Sprintf("%s are not offered: only the oldest %d are", count(found.More, "further document"), len(names)+len(found.Clashes)), "move them to another collection", details)
	}
}
