package typings_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/docs/types/outline"
)

func TestTheGoTypesEncodeListsThatMustBeThereAsLists(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{outline.BatchMoveDocumentsArguments{CollectionID: "c"}, `{"document_ids":[],"collection_id":"c"}`},
		{outline.BatchCreateDocumentsArguments{}, `{"documents":[]}`},
		{&outline.EditDocumentArguments{DocumentID: "d"}, `{"document_id":"d","edits":[]}`},
		{outline.SearchDocumentsArguments{Query: "q"}, `{"query":"q"}`}, // without the list that may be absent
	} {
		if encoded, err := json.Marshal(test.value); err != nil || string(encoded) != test.want {
			t.Errorf("%T: %s, %v, want %s", test.value, encoded, err, test.want)
		}
	}
}

func TestTheGoTypesTellZeroFromAbsentWhereTheTwoDiffer(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{outline.MoveDocumentArguments{DocumentID: "d", Index: outline.Of(0)}, `{"document_id":"d","index":0}`},
		{outline.CreateDocumentArguments{Title: "t", Publish: outline.Of(false)}, `{"title":"t","publish":false}`},
		{outline.UpdateDocumentArguments{DocumentID: "d", Publish: outline.Of(false)}, `{"document_id":"d","publish":false}`},
		{outline.UpdateCommentArguments{CommentID: "c", Resolved: outline.Of(false)}, `{"comment_id":"c","resolved":false}`},
		{outline.GetCollectionStructureArguments{CollectionID: "c", MaxDepth: outline.Of(0)}, `{"collection_id":"c","max_depth":0}`},
		{outline.DeleteDocumentArguments{DocumentID: "d", Permanent: true}, `{"document_id":"d","permanent":true}`},
		{outline.ListTrashArguments{Offset: 25}, `{"offset":25}`},
		{outline.ListTrashArguments{}, `{}`},
	} {
		if encoded, err := json.Marshal(test.value); err != nil || string(encoded) != test.want {
			t.Errorf("%T: %s, %v, want %s", test.value, encoded, err, test.want)
		}
	}
}

func TestTheGoTypesDecodeExactKeysOnly(t *testing.T) {
	var arguments outline.AddCommentArguments
	if err := json.Unmarshal([]byte(`{"document_id":"d","text":"right","Text":"wrong","ANCHOR_TEXT":"wrong"}`), &arguments); err != nil {
		t.Fatal(err)
	}
	if arguments.Text != "right" || arguments.AnchorText != "" {
		t.Errorf("%+v", arguments)
	}
	if err := json.Unmarshal([]byte(`{"document_id":"d","Text":"wrong"}`), &arguments); err == nil {
		t.Error("Text is taken for text")
	}
}

// The Go types leave out what is zero. This makes each call twice: with the zero
// value, as a program means it, and without the argument, as the types send it.
func TestWhatTheGoTypesLeaveOutMakesNoDifference(t *testing.T) {
	types, tried := typedTools(), 0
	for _, d := range demo(t).Tools() {
		t.Run(d.Name, func(t *testing.T) {
			for name, given := range recordedCalls(t, d.Name) {
				if !strings.HasPrefix(name, "success") {
					continue
				}
				arguments, _, err := d.DocumentedSchemas()
				if err != nil {
					t.Fatal(err)
				}
				for _, place := range zeros(t, arguments) {
					at := func(change func(any) any) []byte {
						raw, err := json.Marshal(changedAt(decoded(t, given), place.at, change))
						if err != nil {
							t.Fatal(err)
						}
						return raw
					}
					without := at(func(any) any { return leftOut{} })
					with := at(func(any) any { return place.zero })
					encoded, err := types[d.Name].arguments(with)
					if err != nil || !cmp.Equal(decoded(t, encoded), decoded(t, without)) {
						continue // sent, or not to be sent at all
					}
					tried++
					if want, got := answerTo(t, d.Name, without), answerTo(t, d.Name, with); want != got {
						t.Errorf("%s: %s is answered with\n%s\nand %s with\n%s", name, with, got, without, want)
					}
				}
				break // one call of each tool
			}
		})
	}
	if tried < 40 {
		t.Errorf("only %d arguments were tried", tried)
	}
}

// zero is a place in arguments for an optional value, with the zero value of its
// type in Go.
type zero struct {
	at   []any
	zero any
}

// zeros returns the optional values of arguments, in lists of the first element.
// It leaves out numbers that may not be zero.
func zeros(t *testing.T, raw json.RawMessage) []zero {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{}
	for _, name := range schema.Required {
		required[name] = true
	}
	var found []zero
	for name, raw := range schema.Properties {
		var property struct {
			Type    string
			Enum    []string
			Minimum float64
			Items   json.RawMessage
		}
		if err := json.Unmarshal(raw, &property); err != nil {
			t.Fatal(err)
		}
		switch {
		case property.Type == "array":
			for _, inside := range zeros(t, property.Items) {
				found = append(found, zero{append([]any{name, 0}, inside.at...), inside.zero})
			}
		case required[name] || property.Enum != nil || property.Minimum > 0:
		case property.Type == "string":
			found = append(found, zero{[]any{name}, ""})
		case property.Type == "boolean":
			found = append(found, zero{[]any{name}, false})
		case property.Type == "integer":
			found = append(found, zero{[]any{name}, json.Number("0")})
		}
	}
	return found
}

// answerTo returns what a call is answered, without what is new in each.
func answerTo(t *testing.T, tool string, arguments []byte) string {
	t.Helper()
	answer := call(t, tool, arguments)
	return regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-[0-9a-f]{16})?|-[A-Za-z0-9]{10}\b|"url_id":"[A-Za-z0-9]{10}"|\d{4}-\d\d-\d\dT[\d:.]+Z`).ReplaceAllString(string(answer.Structured), "new")
}
