package main

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

//go:embed tasks.json
var taskList []byte

//go:embed chart.png
var chartImage []byte

// chart is the ID of the image on the page Capacity planning.
const chart = "c9a35fbb-2ffd-45ee-a02e-51f7d4b311e6"

func chartURI() string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(chartImage)
}

// A group is a list of tasks. Before and After are around each of them.
type group struct {
	Name          string
	Most          struct{ Calls, Tokens int } // of all tasks together, in the embedded workspace
	Before, After []call
	Tasks         []task
}

// A task is what a user asks for, and the calls that do it.
type task struct {
	Asked  string
	Before []call // what has happened already
	Calls  []call // of outline-mcp
	Own    []call // of Outline's own server, which some tasks compare
	Then   []call // what shows that it is done, beside Changed

	// Changed is how many pages and lines differ afterwards, and expressions that the
	// differences match. If it is empty, nothing may have changed.
	Changed []string
	Apart   string // what is not compared: titles of pages that match
}

// A call is a call of a tool or, with a point in its name, of Outline's API. ${name} in
// the arguments is what a group of an earlier expression has matched, or ${id of TITLE}.
type call struct {
	Call  string
	With  json.RawMessage
	Finds []string                       // expressions that the answer matches
	Fails bool                           // the call is refused
	Most  int                            // tokens that the answer may have; 0 is no limit
	Each  *struct{ Name, Of, As string } // all matches of an expression, expanded, as a value
}

// readTasks returns the tasks.
func readTasks() (groups []group, err error) {
	return groups, json.Unmarshal(taskList, &groups)
}

// A cost is how many calls there were, and how many characters a model wrote and read.
type cost struct{ calls, sent, received int }

func (c *cost) add(other cost) {
	c.calls, c.sent, c.received = c.calls+other.calls, c.sent+other.sent, c.received+other.received
}

func (c cost) String() string {
	return fmt.Sprintf("%d | %d | %d", c.calls, tokens(c.sent), tokens(c.received))
}

// tokens converts characters to tokens: four are one.
func tokens(characters int) int { return (characters + 2) / 4 }

// play plays a task with outline-mcp or with Outline's own server. The error tells why it
// is not done.
func (w *wiki) play(ctx context.Context, g group, t task, own bool) (took cost, err error) {
	var after map[string]seen
	server, calls := w.ours, t.Calls
	if own {
		server, calls = w.own, t.Own
	}
	values := texts()
	before := w.seen
	if before == nil {
		if before, err = w.look(ctx); err != nil {
			return took, err
		}
	}
	prepared := slices.Concat(g.Before, t.Before)
	for _, c := range prepared {
		if err := w.do(ctx, w.ours, c, before, values, nil); err != nil {
			return took, fmt.Errorf("before: %w", err)
		}
	}
	defer func() {
		w.seen = after
		if len(g.After) > 0 {
			w.seen = nil
		}
		for _, c := range g.After {
			if failed := w.do(ctx, w.ours, c, before, values, nil); failed != nil && err == nil {
				err = fmt.Errorf("after: %w", failed)
			}
		}
	}()
	if len(prepared) > 0 {
		if before, err = w.look(ctx); err != nil {
			return took, err
		}
	}
	for _, c := range calls {
		if err := w.do(ctx, server, c, before, values, &took); err != nil {
			return took, err
		}
	}
	for _, c := range t.Then {
		if err := w.do(ctx, w.ours, c, before, values, nil); err != nil {
			return took, fmt.Errorf("then: %w", err)
		}
	}
	if after, err = w.look(ctx); err != nil {
		return took, err
	}
	return took, t.compare(before, after)
}

// compare reports an error if other things differ than those that the task changes.
func (t task) compare(before, after map[string]seen) error {
	var all strings.Builder
	changed, removed, added := 0, 0, 0
	titles := maps.Clone(before)
	maps.Copy(titles, after)
	for _, title := range slices.Sorted(maps.Keys(titles)) {
		if t.Apart != "" && regexp.MustCompile(t.Apart).MatchString(title) {
			continue
		}
		gone, come := lacking(before[title].lines, after[title].lines), lacking(after[title].lines, before[title].lines)
		if len(gone)+len(come) == 0 {
			continue
		}
		changed, removed, added = changed+1, removed+len(gone), added+len(come)
		fmt.Fprintf(&all, "# %s\n", title)
		for _, line := range gone {
			fmt.Fprintf(&all, "-%s\n", line)
		}
		for _, line := range come {
			fmt.Fprintf(&all, "+%s\n", line)
		}
	}
	got := fmt.Sprintf("%d pages, -%d +%d", changed, removed, added)
	if len(t.Changed) == 0 && changed == 0 {
		return nil
	}
	if len(t.Changed) == 0 || t.Changed[0] != got {
		return fmt.Errorf("changed are %s:\n%.4000s", got, all.String())
	}
	for _, want := range t.Changed[1:] {
		if !regexp.MustCompile(want).MatchString(all.String()) {
			return fmt.Errorf("%q is not in what has changed:\n%.4000s", want, all.String())
		}
	}
	return nil
}

// lacking returns the lines of one text that the other one does not have.
func lacking(in, other []string) (lines []string) {
	count := map[string]int{}
	for _, line := range other {
		count[line]++
	}
	for _, line := range in {
		if count[line]--; count[line] < 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

var placeholder = regexp.MustCompile(`\$\{([^}]+)\}`)

// do makes a call. Those that a model makes are counted; others are repeated for half a
// minute if they do not find what they are to find, because the index of a real Outline is
// behind.
func (w *wiki) do(ctx context.Context, server *client.Client, c call, there map[string]seen, values map[string]string, count *cost) error {
	var unknown error
	given := placeholder.ReplaceAllStringFunc(string(c.With), func(name string) string {
		name = name[2 : len(name)-1]
		value, ok := values[name]
		if title, isID := strings.CutPrefix(name, "id of "); isID {
			value, ok = there[title].id, there[title].id != ""
		}
		if !ok {
			unknown = fmt.Errorf("%s: %s is not known", c.Call, name)
		}
		quoted, _ := json.Marshal(value)
		return string(quoted[1 : len(quoted)-1])
	})
	if unknown != nil {
		return unknown
	}
	for tries := 0; ; tries++ {
		text, failed, err := w.answer(ctx, server, c.Call, json.RawMessage(given))
		if err != nil {
			return err
		}
		if count != nil && !strings.Contains(c.Call, ".") { // not what somebody else does meanwhile
			count.add(cost{1, len(c.Call) + utf8.RuneCountInString(given), utf8.RuneCountInString(text)})
		}
		problem := c.check(text, failed, values)
		if problem == nil || count != nil || w.made == nil || tries == 30 {
			return problem
		}
		time.Sleep(time.Second)
	}
}

// check holds an answer against what it is to say, and keeps the values in it.
func (c call) check(text string, failed bool, values map[string]string) error {
	if failed != c.Fails {
		return fmt.Errorf("%s %.200s: failed is %t: %.1000s", c.Call, c.With, failed, text)
	}
	if n := tokens(utf8.RuneCountInString(text)); c.Most > 0 && n > c.Most {
		return fmt.Errorf("%s answers with %d tokens", c.Call, n)
	}
	for _, expression := range c.Finds {
		re, err := regexp.Compile(expression)
		if err != nil {
			return err
		}
		found := re.FindStringSubmatch(text)
		if found == nil {
			return fmt.Errorf("%s %.300s does not answer with %q: %.3000s", c.Call, c.With, expression, text)
		}
		for i, name := range re.SubexpNames() {
			if name != "" {
				values[name] = found[i]
			}
		}
	}
	if c.Each != nil {
		of, all := regexp.MustCompile(c.Each.Of), []byte(nil)
		for _, match := range of.FindAllStringSubmatchIndex(text, -1) {
			all = of.ExpandString(all, c.Each.As, text, match)
		}
		values[c.Each.Name] = string(all)
	}
	return nil
}

// answer returns the text that a call answers with.
func (w *wiki) answer(ctx context.Context, server *client.Client, name string, given json.RawMessage) (text string, failed bool, err error) {
	if strings.Contains(name, ".") {
		var answer json.RawMessage
		err := w.ask(ctx, name, given, &answer)
		return string(answer), false, err
	}
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = name, given
	result, err := server.CallTool(ctx, request)
	if err != nil {
		return "", false, fmt.Errorf("call %s: %w", name, err)
	}
	var all strings.Builder
	for _, content := range result.Content {
		if part, ok := content.(mcp.TextContent); ok {
			all.WriteString(part.Text)
		}
	}
	return all.String(), result.IsError, nil
}

// seen is a page: its ID, and lines that say where it is and what is in it.
type seen struct {
	id    string
	lines []string
}

// look returns the pages by title.
func (w *wiki) look(ctx context.Context) (map[string]seen, error) {
	all := map[string]seen{}
	for offset := 0; ; offset += 100 {
		var list struct {
			Data []struct{ ID, Title, Text, CollectionID, ParentDocumentID, ArchivedAt string }
		}
		err := w.ask(ctx, "documents.list", map[string]any{"limit": 100, "offset": offset, "sort": "createdAt", "statusFilter": []string{"published", "archived", "draft"}}, &list)
		if err != nil {
			return nil, err
		}
		for _, d := range list.Data {
			place := fmt.Sprintf("in %s below %s, archived %t", d.CollectionID, d.ParentDocumentID, d.ArchivedAt != "")
			all[d.Title] = seen{d.ID, append(strings.Split(d.Text, "\n"), place)}
		}
		if len(list.Data) < 100 {
			return all, nil
		}
	}
}
