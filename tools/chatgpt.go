package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// The tools of this group have the names, arguments and answers that ChatGPT requires
// of a source for its company knowledge and deep research: their answer is the same
// object as text in JSON and as structured content, whatever the operator's settings
// (platform.openai.com/docs/mcp, 2026).

func chatGPTSearch() mcptool.Tool {
	return mcptool.Spec[chatGPTSearchIn, chatGPTResults]{
		Name:        "search",
		Title:       "Search Outline",
		Description: "Finds the pages of the Outline wiki that answer a question or contain words, best first. To read a result, pass its id to fetch.",
		Endpoints:   []string{"documents.search"},
		Effect:      mcptool.Reads,
		Optional:    true,
		Structured:  true,
		Run: func(ctx context.Context, env mcptool.Env, in chatGPTSearchIn) (chatGPTResults, error) {
			found, err := searchFor(ctx, env, outline.SearchParams{Query: in.Query})
			return chatGPTResults{entriesOf(found.hits, func(hit foundHit) chatGPTResult {
				return chatGPTResultOf(env, hit.Document.DocumentSummary)
			})}, err
		},
	}
}

type chatGPTSearchIn struct {
	Query string `json:"query" maxLength:"1000"`
}

type chatGPTResults struct {
	Results []chatGPTResult `json:"results"`
}

func (r chatGPTResults) WriteText(t *output.Text) { t.JSON(r) }

func (r *chatGPTResults) Cuts() []output.Cut { return cutEntries(&r.Results, func(int) {}) }

type chatGPTResult struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url" format:"uri"`
}

func chatGPTResultOf(env mcptool.Env, d outline.DocumentSummary) chatGPTResult {
	return chatGPTResult{cmp.Or(d.URLID, d.ID), untitled(d.Title), env.Outline.AbsoluteURL(d.URL)}
}

func chatGPTFetch() mcptool.Tool {
	return mcptool.Spec[chatGPTFetchIn, chatGPTDocument]{
		Name:        "fetch",
		Title:       "Fetch from Outline",
		Description: "Reads an Outline document as Markdown, by the id of a search result or its URL. If metadata has a next_id, fetch it to continue.",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Optional:    true,
		Structured:  true,
		Run: func(ctx context.Context, env mcptool.Env, in chatGPTFetchIn) (chatGPTDocument, error) {
			window, err := windowOf(in.ID)
			if err != nil {
				return chatGPTDocument{}, err
			}
			names := env.Collections.Begin(ctx)
			d, err := fetchDocument(ctx, env, in.ID)
			if errors.Is(err, outline.ErrNotFound) {
				err = output.Failure{Code: output.NotFound, Cause: err, Sentence: "nothing found with this id. Take one from the results of search."}
			}
			if err != nil {
				return chatGPTDocument{}, err
			}
			window.Seen = sees(ctx, env, d)
			text, lines, err := output.LinesOf(prosemirror.Unpadded(d.Text), window)
			return chatGPTDocument{
				chatGPTResult: chatGPTResultOf(env, d.DocumentSummary),
				Text:          text,
				Metadata: chatGPTMetadata{
					Collection: homeOf(names(), d.CollectionID).CollectionName, Status: d.Status(),
					UpdatedAt: d.UpdatedAt, UpdatedBy: output.Excerpt(d.UpdatedBy.Name, longestTitle),
				},
				lines: lines,
			}, withDocument(d, err)
		},
	}
}

type chatGPTFetchIn struct {
	ID string `json:"id" names:"document"`
}

type chatGPTDocument struct {
	chatGPTResult
	Text     string          `json:"text"`
	Metadata chatGPTMetadata `json:"metadata"`

	lines output.Lines
}

// Shown is called when it is decided which lines an answer shows.
func (d chatGPTDocument) Shown() { d.lines.Shown() }

type chatGPTMetadata struct {
	Collection string    `json:"collection,omitempty"`
	Status     string    `json:"status" enum:"draft,published,archived,deleted"`
	UpdatedAt  time.Time `json:"updated_at"`
	UpdatedBy  string    `json:"updated_by,omitempty"`
	NextID     string    `json:"next_id,omitempty" jsonschema:"Fetch this to read on"`
}

func (d chatGPTDocument) WriteText(t *output.Text) { t.JSON(d) }

// Cuts implements output.Cuttable. The tool has no argument for the place to continue
// from, so it is part of the id, as in 1FF9VyHA4X?start_line=120.
func (d *chatGPTDocument) Cuts() []output.Cut {
	cuts := d.lines.CutText(&d.Text)
	keep := cuts[0].Keep
	cuts[0].Keep = func(n int) {
		keep(n)
		if d.lines.NextStartLine > 0 {
			d.Metadata.NextID = fmt.Sprintf("%s?start_line=%d", d.ID, d.lines.NextStartLine)
		}
		if d.lines.NextStartChar > 0 {
			d.Metadata.NextID += fmt.Sprintf("&start_char=%d", d.lines.NextStartChar)
		}
	}
	return cuts
}

// windowOf returns the place that the id of a document names after a question mark.
func windowOf(id string) (w output.Window, err error) {
	_, query, _ := strings.Cut(id, "?")
	query, _, _ = strings.Cut(query, "#")
	values, _ := url.ParseQuery(query) // the rest may be part of the document's URL
	for name, place := range map[string]*int{"start_line": &w.StartLine, "start_char": &w.StartChar} {
		if given := values.Get(name); given != "" {
			if *place, err = strconv.Atoi(given); err != nil || *place < 1 {
				return w, output.Invalid("the %s in id must be a number from 1, not %s", name, output.Quote(output.Excerpt(given, 40)))
			}
		}
	}
	return w, nil
}
