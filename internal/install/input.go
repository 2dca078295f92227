package install

import (
	"bytes"
	"fmt"
	"strings"

	"outline-mcp/internal/clientfile"
)

// input describes the key in VS Code's format for values that it asks for and
// stores
// (https://code.visualstudio.com/docs/copilot/reference/mcp-configuration).
func input(id string) clientfile.Object {
	return clientfile.Object{
		{Name: "type", Value: "promptString"}, {Name: "id", Value: id},
		{Name: "description", Value: "Outline API key"}, {Name: "password", Value: true},
	}
}

// inputIDs returns the IDs that the input for an entry may have, the preferred
// one first. The user may have other inputs with some of them.
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

// withInput returns the entry with an input ID that suits the file: the one of
// the entry that is there, else one that is free or already has the same input.
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
	return e, fmt.Errorf("%q already has other inputs with the ID %s and its numbered variants; rename one, or give the entry another name with --name", e.Client.Inputs, inputIDs(e.Name)[0])
}

// putInput returns the text of a file with the input of the entry.
func (e Entry) putInput(src []byte) ([]byte, error) {
	if len(e.Input) == 0 {
		return src, nil
	}
	return clientfile.JSON{}.SetItem(src, e.Client.Inputs, e.Input.Field("id").(string), e.Input)
}

// takeInput returns the text of a file without the input of a removed entry, if
// it is as this program wrote it and nothing else uses it.
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
