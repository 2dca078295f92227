package prompts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/bysubject"
	"outline-mcp/internal/icons"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// mostWritten is how many documents of a collection become prompts: the oldest.
const mostWritten = 100

// A Collected is what a caller finds in the operator's collection.
type Collected struct {
	Collection string // UUID
	Prompts    []Written
	Clashes    []Clash
	More       int // documents that are too many
}

// Collect reads the prompts that people wrote as documents of a collection, as far as
// the caller of the context sees them. given is the name of the collection or any form
// of its ID. It takes one request, and one or two more unless given is a UUID.
func Collect(ctx context.Context, client *outline.Client, given string) (Collected, error) {
	id, err := collectionOf(ctx, client, given)
	if err != nil {
		return Collected{}, err
	}
	page, err := client.DocumentTexts(ctx, id, outline.ListParams{Limit: mostWritten})
	if err != nil {
		return Collected{}, fmt.Errorf("read the prompts of a collection: %w", err)
	}
	c := Collected{Collection: id, More: page.Total - len(page.Items)}
	c.Prompts, c.Clashes = distinct(page.Items)
	return c, nil
}

// collectionOf returns the UUID of the collection that a setting names.
func collectionOf(ctx context.Context, client *outline.Client, given string) (string, error) {
	if id, err := client.ParseCollectionID(given); err == nil {
		id, err = client.ResolveCollectionID(ctx, id)
		// A name of one word can look like a URL id.
		if err == nil || strings.ContainsAny(given, "-/") || !errors.Is(err, outline.ErrNotFound) && !errors.Is(err, outline.ErrForbidden) {
			return id, err
		}
	} else if !isName(given) {
		return "", err
	}
	page, err := client.Collections(ctx, outline.ListParams{Limit: 100})
	if err != nil {
		return "", fmt.Errorf("find a collection by its name: %w", err)
	}
	names := mcptool.CollectionNames{}
	for _, c := range page.Items {
		if strings.EqualFold(output.OneLine(c.Name), output.OneLine(given)) {
			names[c.ID] = mcptool.CollectionName{Name: c.Name, URLID: c.URLID}
		}
	}
	one, err := only("OUTLINE_PROMPTS_COLLECTION", "collection", given, collections(names), "")
	return one.uuid, err
}

// writtenBy finds the prompts of the operator's collection for each caller. Callers who
// do not see the collection have none.
type writtenBy struct {
	client *outline.Client
	given  string // of the setting; "" for no collection
	log    *slog.Logger

	known bysubject.Cache[lookup]
	told  sync.Map // problems that were logged
}

// lookup is the outcome of a request for a caller's prompts.
type lookup struct {
	Collected
	done bool // false if Outline did not answer in time
	err  error
}

// find returns the prompts of the caller.
func (w *writtenBy) find(ctx context.Context) ([]Written, error) {
	found := w.known.Begin(outline.WithCallOptions(ctx, outline.NoRetries()), func(ctx context.Context) (lookup, bool) {
		c, err := Collect(ctx, w.client, w.given)
		_, several := errors.AsType[output.Failure](err)
		_, malformed := errors.AsType[*outline.IdentifierError](err)
		if several || malformed {
			w.tell(ctx, "OUTLINE_PROMPTS_COLLECTION does not name one collection that a caller sees; use its UUID", slog.String("value", outline.Redact(w.given)))
		}
		for _, clash := range c.Clashes {
			w.tell(ctx, "a document of OUTLINE_PROMPTS_COLLECTION is not offered as a prompt, because another has its name; rename it",
				slog.String("document_id", clash.DocumentID), slog.String("other", clash.With))
		}
		unseen := errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound) || errors.Is(err, outline.ErrNoKey) || errors.Is(err, outline.ErrUnauthorized)
		if several || malformed || unseen {
			return lookup{done: true}, true // the caller has none of them
		}
		return lookup{c, true, err}, err == nil
	})()
	if !found.done {
		return nil, output.Failure{Code: output.Timeout, Sentence: "Outline did not answer in time which prompts there are. Try again."}
	}
	return found.Prompts, found.err
}

// tell logs a problem once, for the IDs in it.
func (w *writtenBy) tell(ctx context.Context, problem string, attrs ...slog.Attr) {
	if _, again := w.told.LoadOrStore(fmt.Sprint(problem, attrs), true); !again {
		w.log.LogAttrs(ctx, slog.LevelWarn, problem, attrs...)
	}
}

// get returns what a prompt says now.
func (w *writtenBy) get(ctx context.Context, prompt Written, given map[string]string, maxChars int) (*mcp.GetPromptResult, error) {
	d, err := w.client.Document(ctx, prompt.DocumentID)
	if err != nil {
		return nil, err
	}
	if d.CollectionID != prompt.collection || d.Status() != "published" {
		w.known.Forget(ctx)
		return nil, output.Failure{Code: output.NotFound, Sentence: "its document is no longer in the collection of prompts. List the prompts again.", DocumentID: d.ID}
	}
	now := written(d)
	in, err := read(now.arguments(), given)
	if err != nil {
		return nil, err
	}
	text := now.fill(in)
	if length := len([]rune(text)); maxChars > 0 && length > maxChars {
		return nil, output.Failure{Code: output.TooLarge, DocumentID: d.ID, Sentence: fmt.Sprintf(
			"the prompt has %d characters with its arguments, more than the %d of OUTLINE_MAX_RESPONSE_CHARS. Shorten its document or the arguments.", length, maxChars)}
	}
	return &mcp.GetPromptResult{Description: now.Description, Messages: []mcp.PromptMessage{say(text)}}, nil
}

// prompt returns the prompt as prompts/list shows it.
func (w Written) prompt() mcp.Prompt {
	return mcp.Prompt{Name: w.Name, Title: w.Title, Description: w.Description, Arguments: slices.Clone(w.Arguments), Icons: icons.Of("documents")}
}
