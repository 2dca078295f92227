package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/text/unicode/norm"

	"outline-mcp/internal/auth"
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
// the caller of the context sees them. given is any form of the collection's ID, and not
// its name, which any member can give to another collection. It takes one request, and one
// more unless given is a UUID.
func Collect(ctx context.Context, client *outline.Client, given string) (Collected, error) {
	id, err := client.ResolveCollectionID(ctx, given)
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

// Unseen reports whether an error says that the caller does not see the collection, or
// that none of this Outline can have the ID.
func Unseen(err error) bool {
	_, foreign := errors.AsType[*outline.IdentifierError](err)
	return foreign || errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound) || errors.Is(err, outline.ErrNoKey) || errors.Is(err, outline.ErrUnauthorized)
}

// writtenBy finds the prompts of the operator's collection for each caller. Callers who
// do not see the collection have none.
type writtenBy struct {
	client *outline.Client
	given  string // of the setting; "" for no collection
	log    *slog.Logger

	known auth.PerCaller[lookup]
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
		for _, clash := range c.Clashes {
			w.tell(ctx, "a document of OUTLINE_PROMPTS_COLLECTION is not offered as a prompt, because another has its name; rename it",
				slog.String("document_id", clash.DocumentID), slog.String("other", clash.With))
		}
		if Unseen(err) {
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
	now := parsePrompt(d)
	in, err := read(now.arguments(), given)
	if err != nil {
		return nil, err
	}
	text := now.fill(in)
	if length := len([]rune(text)); maxChars > 0 && length > maxChars {
		return nil, output.Failure{Code: output.TooLarge, DocumentID: d.ID, Sentence: fmt.Sprintf(
			"the prompt has %d characters with its arguments, more than the %d of OUTLINE_MAX_RESPONSE_CHARS. Shorten its document or the arguments.", length, maxChars)}
	}
	return &mcp.GetPromptResult{Description: now.Description, Messages: []mcp.PromptMessage{userMessage(text)}}, nil
}

// prompt returns the prompt as prompts/list shows it.
func (w Written) prompt() mcp.Prompt {
	return mcp.Prompt{Name: w.Name, Title: w.Title, Description: w.Description, Arguments: slices.Clone(w.Arguments), Icons: mcptool.Icons("documents")}
}

// Limits for what a document of the operator's collection becomes.
const (
	longestName        = 60  // characters of a prompt's or an argument's name
	longestDescription = 300 // characters
	mostArguments      = 20
)

// A Written prompt is one that a user wrote as a document.
type Written struct {
	Name, Title, Description string
	Arguments                []mcp.PromptArgument
	DocumentID               string // UUID

	collection string // UUID of the one that the document is in
	text       string // with arguments in double braces
}

// parsePrompt reads a document as a prompt: its title is the name, its first paragraph the
// description, and the rest what the prompt says. If there is no rest, the paragraph is
// that, too. Words in double braces are arguments.
func parsePrompt(d outline.Document) Written {
	w := Written{
		Name:       cmp.Or(Identifier(d.Title), "prompt_"+d.URLID),
		Title:      output.Excerpt(d.Title, longestDescription),
		DocumentID: d.ID,
		collection: d.CollectionID,
	}
	w.Description, w.text = Described(d.Text, longestDescription)
	w.Description = strings.Clone(w.Description) // a part would keep the whole text
	seen := map[string]bool{}
	for _, match := range slots().FindAllStringSubmatch(w.text, -1) {
		title, name := slotOf(match[1])
		if name == "" || seen[name] || len(seen) == mostArguments {
			continue
		}
		seen[name] = true
		w.Arguments = append(w.Arguments, mcp.PromptArgument{Name: name, Title: title, Required: true})
	}
	return w
}

// Described divides a text into its first paragraph, cut to a description of limit
// characters, and the rest. If there is no rest, it is the paragraph. A text that begins
// with anything else has no description.
func Described(text string, limit int) (description, rest string) {
	text = strings.TrimSpace(text)
	first, rest, _ := strings.Cut(text, "\n\n")
	if !isParagraph(first) {
		return "", text
	}
	return output.Excerpt(first, limit), cmp.Or(strings.TrimSpace(rest), text)
}

// isParagraph reports whether a block of Markdown is plain text: no heading, list,
// quotation, table, rule or code.
func isParagraph(block string) bool {
	return block != "" && !notParagraph().MatchString(block)
}

var notParagraph = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:#|[-*+>|] |\\||```|---|\\d+[.)] |!\\[)") })

// slots matches an argument in a text.
var slots = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{ *([^{}\n]{1,80}?) *\}\}`) })

// slotOf returns the title and the name of an argument. Outline writes a backslash
// before an underscore.
func slotOf(inside string) (title, name string) {
	title = strings.Clone(output.OneLine(strings.ReplaceAll(inside, `\`, "")))
	return title, Identifier(title)
}

// fill returns the text with the values of its arguments. Braces in values stay as they
// are.
func (w Written) fill(values arguments) string {
	return slots().ReplaceAllStringFunc(w.text, func(slot string) string {
		_, name := slotOf(slots().FindStringSubmatch(slot)[1])
		if value, ok := values[name]; ok {
			return value
		}
		return slot
	})
}

// arguments returns the declaration of the arguments.
func (w Written) arguments() []Argument {
	var all []Argument
	for _, a := range w.Arguments {
		all = append(all, Argument{a.Name, a.Title, a.Required})
	}
	return all
}

// Identifier returns a name that clients accept: lower-case Latin letters, digits and
// single underscores. It is "" if nothing of the text can be kept.
func Identifier(text string) string {
	var name strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKD.String(latin.Replace(text))) {
		switch {
		case unicode.IsMark(r):
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if gap && name.Len() > 0 {
				name.WriteByte('_')
			}
			gap = false
			name.WriteRune(r)
		default:
			gap = true
		}
	}
	return strings.TrimRight(name.String()[:min(longestName, name.Len())], "_")
}

// latin replaces letters that Unicode does not decompose.
var latin = strings.NewReplacer("ß", "ss", "Æ", "ae", "æ", "ae", "Ø", "o", "ø", "o", "Œ", "oe", "œ", "oe", "Ł", "l", "ł", "l")

// A Clash is a document that cannot become a prompt because its name is taken.
type Clash struct {
	Name       string
	DocumentID string // UUID
	With       string // UUID of the other document; "" for a prompt of this server
}

func (c Clash) String() string {
	if c.With == "" {
		return fmt.Sprintf("document %s would be the prompt %s, which this server has already", c.DocumentID, c.Name)
	}
	return fmt.Sprintf("document %s would be the prompt %s, as document %s is", c.DocumentID, c.Name, c.With)
}

// distinct returns the prompts of documents, oldest first, without those whose names are
// taken. They have no texts, which can be long: many callers' prompts are kept.
func distinct(documents []outline.Document) (prompts []Written, clashes []Clash) {
	taken := map[string]string{}
	for _, s := range All() {
		taken[s.Name] = ""
	}
	for _, d := range documents {
		w := parsePrompt(d)
		if with, ok := taken[w.Name]; ok {
			clashes = append(clashes, Clash{w.Name, w.DocumentID, with})
			continue
		}
		taken[w.Name], w.text = w.DocumentID, ""
		prompts = append(prompts, w)
	}
	return prompts, clashes
}
