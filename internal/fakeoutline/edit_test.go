package fakeoutline

import (
	"regexp"
	"testing"
)

func TestEditsThatOutlineDoesNotCarryOut(t *testing.T) {
	const mention = "Hi @[Annabel Lee Montgomery](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) inside."
	w := newTestWorkspace(t, Document{Title: "Page", Text: mention})
	before := show(t, w, documentID(0))
	for name, test := range map[string]struct {
		fields  string
		status  int
		message string
	}{
		"a patch behind a mention":     {`"editMode":"patch","findText":" inside.","text":" outside."`, 500, "Internal error"},
		"a patch of an absent passage": {`"editMode":"patch","findText":"outside","text":"x"`, 404, "Resource not found"},
		"a patch of nothing":           {`"editMode":"patch","findText":"","text":"x"`, 400, "findText is required when using patch editMode"},
		"a patch without a new text":   {`"editMode":"patch","findText":"Hi"`, 400, "text is required when using patch editMode"},
		"an empty append":              {`"editMode":"append","text":""`, 400, "text is required when using append, prepend, or editMode"},
		"an empty append in old style": {`"append":true,"text":""`, 400, "text is required when using append, prepend, or editMode"},
		"a mode without text":          {`"editMode":"replace"`, 400, "text is required when using append, prepend, or editMode"},
	} {
		t.Run(name, func(t *testing.T) {
			expectError(t, call(t, w, keyOf("member"), "documents.update", `{"id":"document00",`+test.fields+`}`), test.status, test.message)
			if got := show(t, w, documentID(0)); got.Text != before.Text || got.Revision != before.Revision {
				t.Errorf("the document is %+v", got)
			}
		})
	}
}

func TestImagesInTheTextBecomeAttachments(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "one"})
	do(t, w, "documents.update", `{"id":"document00","text":"![a](data:image/gif;base64,R0lGODlhAQABAAAAACw=) end"}`)
	image := regexp.MustCompile(`^!\[a\]\(/api/attachments\.redirect\?id=[0-9a-f-]{36}\) end$`)
	if got := show(t, w, documentID(0)).Text; !image.MatchString(got) {
		t.Errorf("the text is %q", got)
	}
}
