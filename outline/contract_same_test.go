package outline_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// compare holds a result against the recorded answer.
func (e endpoint) compare(t *testing.T, got any, answer map[string]any) {
	t.Helper()
	if e.check != nil {
		e.check(t, got, answer)
	} else if got != nil {
		sameAnswer(t, got, answer)
	}
}

// sameAnswer requires that each field of a result has the value that the answer has for
// it, or none if the answer has none.
func sameAnswer(t *testing.T, got any, answer map[string]any) {
	t.Helper()
	read, want := fieldsOf(t, got), answer["data"]
	if page := object(read); page["Limit"] != nil {
		pagination := object(answer["pagination"])
		if pagination["total"] == nil {
			pagination["total"] = -1.0
		}
		for _, field := range []string{"Limit", "Offset", "Total"} {
			equal(t, field, page[field], pagination[strings.ToLower(field)])
		}
		if read = page["Items"]; read == nil {
			t.Error("Items is nil")
		}
	}
	for _, name := range []string{"document", "fileOperation", "documents"} {
		if nested, ok := object(want)[name]; ok {
			want = nested
		}
	}
	if all, several := want.([]any); several && read == nil {
		read = []any{}
	} else if _, isList := read.([]any); several && !isList {
		want = all[len(all)-1] // the others moved with it
	}
	sameFields(t, "answer", read, want)
	sameMeaning(t, got, want)
}

// fieldsOf returns a result with the names that its fields have in answers.
func fieldsOf(t *testing.T, got any) (fields any) {
	t.Helper()
	raw, err := json.Marshal(got)
	if err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// sometimes are the fields that only some recorded answers have.
var sometimes = []string{
	"anchorText", "collaborationToken", "collectionId", "color", "commenting", "context", "createdBy", "email", "fullWidth",
	"icon", "id", "name", "parentDocumentId", "popularityScore", "ranking", "updatedAt", "updatedBy",
}

// sameFields compares what is read with the recording. A field that the recording does not
// have must be empty. Those of which the name begins with a capital are not Outline's.
func sameFields(t *testing.T, what string, got, want any) {
	t.Helper()
	switch got := got.(type) {
	case map[string]any:
		for name, value := range got {
			recorded, ok := object(want)[name]
			if !unicode.IsLower(rune(name[0])) {
				continue
			}
			if !ok && !slices.Contains(sometimes, name) {
				t.Errorf("%s has no field %s", what, name)
			}
			sameFields(t, what+"."+name, value, recorded)
		}
	case []any:
		list, _ := want.([]any)
		if len(list) != len(got) {
			t.Fatalf("%s has %d items, want %d", what, len(got), len(list))
		}
		for i, item := range got {
			sameFields(t, fmt.Sprintf("%s[%d]", what, i), item, list[i])
		}
	default:
		equal(t, what, plainValue(got), plainValue(want))
	}
}

// plainValue returns a value as text: "" for any that is empty, and times in one form.
func plainValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		if !v {
			return ""
		}
	case float64:
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return moment(&at)
		}
	case []any:
		if len(v) == 0 {
			return ""
		}
	}
	return fmt.Sprint(v)
}

// sameMeaning compares what the client makes of several fields.
func sameMeaning(t *testing.T, got, want any) {
	t.Helper()
	switch got := got.(type) {
	case outline.Page[outline.Comment]:
		for i, item := range got.Items {
			sameMeaning(t, item, want.([]any)[i])
		}
	case outline.Page[outline.Template]:
		for i, item := range got.Items {
			sameMeaning(t, item, want.([]any)[i])
		}
	case outline.Page[outline.Revision]:
		for i, item := range got.Items {
			sameMeaning(t, item, want.([]any)[i])
		}
	case outline.Document:
		sameMeaning(t, got.DocumentSummary, want)
	case outline.DocumentSummary:
		status := "draft"
		for _, s := range []string{"published", "archived", "deleted"} {
			if object(want)[s+"At"] != nil {
				status = s
			}
		}
		equal(t, "status", got.Status(), status)
	case outline.Comment:
		equal(t, "author", got.Author, text(object(object(want)["createdBy"])["name"]))
		sameText(t, got.Text, object(want)["data"])
	case outline.Template:
		sameText(t, prosemirror.ToText(got.Tree), object(want)["data"])
	case outline.Revision:
		equal(t, "first author", got.Authors()[0].Name, text(object(object(want)["createdBy"])["name"]))
	}
}

// textIn returns the text of all nodes in the data of a comment.
func textIn(data any) string {
	n := object(data)
	all := text(n["text"]) + text(object(n["attrs"])["label"])
	for _, child := range objects(n["content"]) {
		all += textIn(child)
	}
	return all
}

// sameText requires that Markdown has the letters of the nodes in their order. It may
// have more: numbers of lists, languages of code and addresses.
func sameText(t *testing.T, markdown string, data any) {
	t.Helper()
	rest := letters(markdown)
	for _, letter := range letters(textIn(data)) {
		_, after, ok := strings.Cut(rest, string(letter))
		if !ok {
			t.Errorf("text %q lacks letters of %q", markdown, textIn(data))
			return
		}
		rest = after
	}
	if strings.TrimSpace(textIn(data)) != "" && markdown == "" {
		t.Error("the text is empty")
	}
}

// letters omits everything that could be markup.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// contains checks that an error's text holds all of these.
func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

// The following read values of decoded JSON; null and a missing key are "",
// 0 or empty.

func text(v any) string           { s, _ := v.(string); return s }
func number(v any) int            { n, _ := v.(float64); return int(n) }
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func texts(v any) (all []string) {
	list, _ := v.([]any)
	for _, item := range list {
		all = append(all, text(item))
	}
	return all
}
func objects(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, item := range list {
		all = append(all, object(item))
	}
	return all
}

// moment formats a time as Outline does; a missing one is "".
func moment(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
