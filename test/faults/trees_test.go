package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"outline-mcp/outline/prosemirror"
)

// The contents of the documents: Outline's tree, with what Markdown cannot express
// next to the text that the calls change. The functions below build its JSON.

type node = map[string]any

func doc(blocks ...any) node { return node{"type": "doc", "content": blocks} }

func paragraph(children ...any) node { return node{"type": "paragraph", "content": children} }

func text(s string, marks ...any) node {
	n := node{"type": "text", "text": s}
	if len(marks) > 0 {
		n["marks"] = marks
	}
	return n
}

// colored is the mark of a highlight with its own color.
func colored() node { return node{"type": "highlight", "attrs": node{"color": "#FDEA9B"}} }

// commented is the mark of a comment.
func commented(id, userID string, resolved bool) node {
	return node{"type": "comment", "attrs": node{"id": id, "draft": false, "userId": userID, "resolved": resolved}}
}

func heading(words string) node {
	return node{"type": "heading", "attrs": node{"level": 1}, "content": []any{text(words)}}
}

func bullets(items ...string) node {
	var list []any
	for _, item := range items {
		list = append(list, node{"type": "list_item", "content": []any{paragraph(text(item))}})
	}
	return node{"type": "bullet_list", "content": list}
}

// grid is a table of two columns with widths.
func grid(header, row [2]string) node {
	cells := func(kind string, texts [2]string) node {
		var list []any
		for i, s := range texts {
			attrs := node{"colspan": 1, "rowspan": 1, "colwidth": []any{137 + i}, "alignment": nil}
			list = append(list, node{"type": kind, "attrs": attrs, "content": []any{paragraph(text(s))}})
		}
		return node{"type": "tr", "content": list}
	}
	return node{"type": "table", "attrs": node{"layout": nil}, "content": []any{cells("th", header), cells("td", row)}}
}

// treeOf returns a tree in the form that the workspace accepts.
func treeOf(n node) *prosemirror.Node {
	data, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	tree, err := prosemirror.Decode(data)
	if err != nil {
		panic(err)
	}
	return tree
}

// sharedTrees holds trees by name. Workspaces share them, because they change no tree
// that they have been given.
var sharedTrees sync.Map

// sharedTree returns the tree with a name, which is always made of the same JSON.
func sharedTree(name string, n node) *prosemirror.Node {
	if tree, made := sharedTrees.Load(name); made {
		return tree.(*prosemirror.Node)
	}
	tree, _ := sharedTrees.LoadOrStore(name, treeOf(n))
	return tree.(*prosemirror.Node)
}

// canonical returns a block as JSON that is the same for equal blocks. In the block
// it replaces the IDs of new comments, and of files and mentions, all of which are new.
func canonical(block any) string {
	visit(block, func(n node) {
		attrs, _ := n["attrs"].(node)
		switch {
		case n["type"] == "comment" && !known[fmt.Sprint(attrs["id"])]:
			attrs["id"] = "new"
		case n["type"] == "mention":
			attrs["id"] = "new"
		case n["type"] == "attachment":
			attrs["href"] = "new"
		}
	})
	data, err := json.Marshal(block)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// visit calls a function for all objects in a JSON value.
func visit(value any, by func(node)) {
	switch value := value.(type) {
	case []any:
		for _, child := range value {
			visit(child, by)
		}
	case node:
		by(value)
		for _, child := range value {
			visit(child, by)
		}
	}
}

// extras are the parts of blocks that Markdown cannot express.
type extras struct {
	anchors        []string // the comments
	colors, widths int
}

func extrasOf(blocks []string) (e extras) {
	for _, block := range blocks {
		var value any
		if err := json.Unmarshal([]byte(block), &value); err != nil {
			panic(err)
		}
		visit(value, func(n node) {
			attrs, _ := n["attrs"].(node)
			switch {
			case n["type"] == "comment" && !slices.Contains(e.anchors, fmt.Sprint(attrs["id"])):
				e.anchors = append(e.anchors, fmt.Sprint(attrs["id"]))
			case n["type"] == "highlight" && attrs["color"] != nil:
				e.colors++
			case attrs["colwidth"] != nil:
				e.widths++
			}
		})
	}
	slices.Sort(e.anchors)
	return e
}

// attached is a block that shows a file.
func attached(name, size string) node {
	return node{"type": "attachment", "attrs": node{"contentType": nil, "height": nil, "href": "new", "id": nil, "preview": false, "size": size, "title": name, "width": nil}}
}

// uncommented returns blocks without the marks of comments, which copies do not get.
func uncommented(blocks []string) []string {
	return without(blocks, func(n node) {
		if marks, ok := n["marks"].([]any); ok {
			n["marks"] = slices.DeleteFunc(marks, func(m any) bool { return m.(node)["type"] == "comment" })
			if len(n["marks"].([]any)) == 0 {
				delete(n, "marks")
			}
		}
	})
}

// mention is a mention of the one who edits concurrently.
func mention() node {
	return node{"type": "mention", "attrs": node{"id": "new", "label": "Human", "modelId": humanUser, "type": "user"}}
}

// without returns blocks from whose objects a function has removed something.
func without(blocks []string, remove func(node)) []string {
	list := make([]string, len(blocks))
	for i, block := range blocks {
		var value any
		if err := json.Unmarshal([]byte(block), &value); err != nil {
			panic(err)
		}
		visit(value, remove)
		join(value)
		list[i] = canonical(value)
	}
	return list
}

// join joins neighboring texts with the same marks.
func join(value any) {
	visit(value, func(n node) {
		children, _ := n["content"].([]any)
		var joined []any
		for _, child := range children {
			child := child.(node)
			if len(joined) > 0 {
				last := joined[len(joined)-1].(node)
				if last["type"] == "text" && child["type"] == "text" && canonical(last["marks"]) == canonical(child["marks"]) {
					last["text"] = last["text"].(string) + child["text"].(string)
					continue
				}
			}
			joined = append(joined, child)
		}
		if children != nil {
			n["content"] = joined
		}
	})
}

// A rewrite returns the blocks that a call should make of a document's blocks.
type rewrite func(blocks []string) []string

// wanted are the documents whose blocks each call changes, by the names of the
// write and the object. All others keep their blocks.
func wanted(name string) map[string]rewrite {
	ends := func(blocks ...any) rewrite {
		return func(before []string) []string { return append(slices.Clone(before), canonicals(blocks)...) }
	}
	is := func(blocks ...any) rewrite { return func([]string) []string { return canonicals(blocks) } }
	says := func(words string) node { return paragraph(text(words)) }
	return map[string]map[string]rewrite{
		"create a document":                      {"document New page": is(says("Hello."))},
		"create a document below another":        {"document New page": is(says("Hello."))},
		"create a draft":                         {"document New draft": is(says("Hello."))},
		"create a document that mentions a user": {"document New page": is(paragraph(text("Ask "), mention(), text(".")))},
		"comment on a passage": {alpha: func(before []string) []string {
			anchored := paragraph(text("Second paragraph", commented("new", serverUser, false)), text(", the one to change, "), text("with care", colored()), text("."))
			return slices.Concat(before[:2], canonicals([]any{anchored}), before[3:])
		}},
		"replace the text":               {beta: is(says("Wholly new."))},
		"replace the text of a revision": {beta: is(says("Wholly new."))},
		"replace the text, and retitle":  {beta: is(says("Wholly new."))},
		"append":                         {beta: ends(says("One more line."))},
		"append, and retitle":            {beta: ends(says("One more line."))},
		"put at the beginning": {beta: func(before []string) []string {
			return append(canonicals([]any{says("One line before.")}), before...)
		}},
		"append to a section": {alphaSub: func(before []string) []string {
			return slices.Concat(before[:2], canonicals([]any{bullets("a hook", "a rope", "a net")}), before[3:])
		}},
		"append to the last section": {alphaSub: ends(says("One more line."))},
		"put at the beginning of a section": {alphaSub: func(before []string) []string {
			return slices.Concat(before[:1], canonicals([]any{says("One line before.")}), before[1:])
		}},
		"replace a section": {alphaSub: func(before []string) []string {
			return slices.Concat(before[:2], canonicals([]any{bullets("a net", "a rope")}), before[3:])
		}},
		"replace the last section, and retitle": {alphaSub: func(before []string) []string {
			return append(before[:4:4], canonical(says("Wholly new.")))
		}},
		"edit": {alpha: func(before []string) []string {
			return slices.Concat(before[:2], []string{swap(before[2], "the one to change", "the one that was changed")}, before[3:])
		}},
		"edit a passage with a comment": {beta: func(before []string) []string {
			// New text does not get the mark.
			anchored := text("Text to ", commented(betaRemark, humanUser, false))
			return append(before[:1:1], canonical(paragraph(anchored, text("amend of "), text("beta", colored()), text("."))))
		}},
		"edit so that it mentions a user": {alpha: func(before []string) []string {
			return slices.Concat(before[:1], canonicals([]any{paragraph(text("First paragraph for "), mention(), text("."))}), before[2:])
		}},
		"edit at the cost of a comment": {gamma: func(before []string) []string {
			return slices.Concat(canonicals([]any{bullets("Text of gamma.")}), before[1:])
		}},
		"edit in three places": {alpha: func(before []string) []string {
			return slices.Concat(before[:1], []string{swap(before[1], "First paragraph", "Opening paragraph"), before[2]},
				canonicals([]any{bullets("another point"), says("Closing paragraph."), says("And one more.")}), before[5:])
		}},
		"restore a revision": {bystander: func(before []string) []string {
			return append([]string{swap(before[0], "Nobody's", "Somebody's")}, before[1:]...)
		}},
		"restore a revision at the cost of a comment": {gamma: func(before []string) []string {
			return append(canonicals([]any{says("Text of gamma."), says("The end.")}), before[1])
		}},
		"upload a file and append it": {beta: ends(attached("lamp.txt", "3"))},
		"upload a file into the middle": {alpha: func(before []string) []string {
			// The paragraph is written anew, which colors do not survive.
			plain := node{"type": "highlight", "attrs": node{"color": nil}}
			rest := paragraph(text(", the one to change, "), text("with care", plain), text("."))
			return slices.Concat(before[:2], canonicals([]any{says("Second paragraph"), attached("lamp.txt", "3"), rest}), before[3:])
		}},
		"import a file":                     {"document New page": is(says("Hello."))},
		"create several":                    {"document One": is(says("First.")), "document Two": is(says("Second.")), "document Three": is(says("Third."))},
		"update several":                    {beta: is(says("Wholly new.")), gamma: ends(says("More."))},
		"append to several":                 {beta: ends(says("More.")), gamma: ends(says("More.")), bystander: ends(says("More."))},
		"create a document from a template": {"document Template": is(says("Write here."))},
	}[name]
}

// copied are the documents that a call copies, by the name of the write and the copy.
func copied(name string) map[string]string {
	return map[string]map[string]string{
		"duplicate a document with what is below it": {"document New copy": alpha, "document Alpha's child": alphaSub},
		"duplicate a document below its namesake":    {"document Gamma": gamma},
		"duplicate a document as a draft":            {"document Beta": beta},
	}[name]
}

func canonicals(blocks []any) []string {
	list := make([]string, 0, len(blocks))
	for _, block := range blocks {
		list = append(list, canonical(block))
	}
	return list
}

// readBlocks holds what blocksOf has read: most documents are the same after every run.
var readBlocks sync.Map

// blocksOf returns the blocks of a document's content, each as canonical returns it.
func blocksOf(content json.RawMessage) []string {
	if list, read := readBlocks.Load(string(content)); read {
		return slices.Clone(list.([]string))
	}
	var blocks []any
	if err := json.Unmarshal(content, &blocks); err != nil {
		panic(err)
	}
	list := canonicals(blocks)
	readBlocks.Store(string(content), slices.Clone(list))
	return list
}

// swap replaces words that occur once in a block.
func swap(block, words, by string) string {
	if strings.Count(block, words) != 1 {
		panic("there is not one " + words + " in " + block)
	}
	return strings.Replace(block, words, by, 1)
}

// checkTrees compares the documents after a call without faults with the expected
// ones, block by block.
func (r run) checkTrees(t *testing.T, v version) {
	t.Helper()
	rewrites := wanted(r.write.name)
	for name := range rewrites {
		if _, there := r.after.blocks[name]; !there {
			t.Errorf("%s: %s is not there", r.write.name, name)
		}
	}
	for name, got := range r.after.blocks {
		want := r.steps[0].blocks[name]
		if by := rewrites[name]; by != nil {
			want = by(want)
		}
		if original, ok := copied(r.write.name)[name]; ok {
			want = uncommented(r.steps[0].blocks[original])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the blocks of %s are\n%s\nand were to be\n%s", r.write.name, name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
