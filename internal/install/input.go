package install

import (
	"bytes"
	"fmt"
	"strings"

	"outline-mcp/internal/clientfile"
)

// input is what a client asks for itself and keeps, in VS Code's words
// (https://code.visualstudio.com/docs/copilot/reference/mcp-configuration).
func input(id string) clientfile.Object {
	return clientfile.Object{
		{Name: "type", Value: "promptString"}, {Name: "id", Value: id},
		{Name: "description", Value: "Outline API key"}, {Name: "password", Value: true},
	}
}

// inputIDs are the IDs that the input for an entry may have, the best first: one
// may be another input of the user's.
func inputIDs(name string) []string {
	ids := []string{name + "-api-key"}
	for number := 2; number < 10; number++ {
		ids = append(ids, fmt.Sprintf("%s-api-key-%d", name, number))
	}
	return ids
}

func inputReference(id string) string { return "${input:" + id + "}" }

// inputOf returns the ID of the input that an entry takes its key from, or "".
func (c Client) inputOf(entry any) string {
	id, found := strings.CutPrefix(c.keyIn(entry), "${input:")
	if !found {
		return ""
	}
	return strings.TrimSuffix(id, "}")
}

// withInput returns the entry for a file in which another input may have the
// ID: the entry that is there may have one already, else one that is free or
// just what is to be written is taken.
func (e Entry) withInput(src []byte, there any) (Entry, error) {
	if len(e.Input) == 0 {
		return e, nil
	}
	used := e.Client.inputOf(there)
	for _, id := range append([]string{used}, inputIDs(e.Name)...) {
		item, found, err := clientfile.JSON{}.Item(src, e.Client.Inputs, id)
		if err != nil {
			return e, err
		}
		mine := found && (id == used || clientfile.Same(item, input(id)))
		if mine || !found && strings.HasPrefix(id, e.Name+"-") {
			return newEntry(e.Client, e.server, id), nil
		}
	}
	return e, fmt.Errorf("%q has other inputs with all IDs like %s; rename one, or name the entry with --name", e.Client.Inputs, inputIDs(e.Name)[0])
}

// putInput returns a file's text with what the client is to ask for.
func (e Entry) putInput(src []byte) ([]byte, error) {
	if len(e.Input) == 0 {
		return src, nil
	}
	return clientfile.JSON{}.SetItem(src, e.Client.Inputs, e.Input.Field("id").(string), e.Input)
}

// takeInput returns a file's text without the input of an entry that is gone,
// if it is what was written for it and nothing else uses it.
func (c Client) takeInput(src []byte, id string, keepEmpty bool) ([]byte, error) {
	if c.Inputs == "" || id == "" || bytes.Contains(src, []byte(inputReference(id))) {
		return src, nil
	}
	item, found, err := clientfile.JSON{}.Item(src, c.Inputs, id)
	if err != nil || !found || !clientfile.Same(item, input(id)) {
		return src, err
	}
	return clientfile.JSON{}.RemoveItem(src, c.Inputs, id, keepEmpty)
}
