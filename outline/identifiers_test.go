package outline_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"outline-mcp/outline"
)

const uuid = "00ed4f62-c550-4809-8176-61d3a749b928"

func TestAUUIDIsRecognised(t *testing.T) {
	for s, want := range map[string]bool{
		uuid:                                   true,
		strings.ToUpper(uuid):                  true,
		"00000000-0000-0000-0000-000000000000": true,
		"":                                     false,
		uuid[1:]:                               false,
		uuid + "0":                             false,
		" " + uuid[1:]:                         false,
		"{" + uuid + "}":                       false,
		strings.ReplaceAll(uuid, "-", ""):      false,
		"g" + uuid[1:]:                         false,
		"00ed4f62c-550-4809-8176-61d3a749b928": false,
		"00ed4f62-c550-4809-8176-61d3a749b92é": false,
	} {
		if got := outline.IsUUID(s); got != want {
			t.Errorf("IsUUID(%q) is %v", s, got)
		}
	}
}

func TestADocumentIsAcceptedInEveryForm(t *testing.T) {
	for in, want := range map[string]string{
		uuid:                              uuid,
		strings.ToUpper(uuid):             uuid,
		"  " + uuid + "\n":                uuid,
		`"` + uuid + `"`:                  uuid,
		"1FF9VyHA4X":                      "1FF9VyHA4X",
		"'1FF9VyHA4X'":                    "1FF9VyHA4X",
		"abcdefghijklmno":                 "abcdefghijklmno",
		"deploy-guide-1FF9VyHA4X":         "1FF9VyHA4X",
		"-1FF9VyHA4X":                     "1FF9VyHA4X",
		"leitfaden_~2-1FF9VyHA4X":         "1FF9VyHA4X",
		"deploy-guide-1FF9VyHA4X#h-build": "1FF9VyHA4X",
		"/doc/deploy-guide-1FF9VyHA4X":    "1FF9VyHA4X",
		"doc/deploy-guide-1FF9VyHA4X":     "1FF9VyHA4X",
		"/doc/1FF9VyHA4X":                 "1FF9VyHA4X",
		"/doc/" + strings.ToUpper(uuid):   uuid,
		"https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X":                 "1FF9VyHA4X",
		"<https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X>":               "1FF9VyHA4X",
		"https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X/":                "1FF9VyHA4X",
		"https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X?q=a/doc/b#h-x":   "1FF9VyHA4X",
		"https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X/edit":            "1FF9VyHA4X",
		"https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X/history/" + uuid: "1FF9VyHA4X",
		"https://wiki.example.com/s/x/doc/deploy-guide-1FF9VyHA4X":             "1FF9VyHA4X",
		"https://wiki.example.com/s/doc/doc/deploy-guide-1FF9VyHA4X":           "1FF9VyHA4X",
		"https://x.example/wiki/doc/deploy-guide-1FF9VyHA4X":                   "1FF9VyHA4X",
		"https://wiki.example.com/doc/" + uuid:                                 uuid,
		"wiki.example.com/doc/deploy-guide-1FF9VyHA4X":                         "1FF9VyHA4X",
		"https://wiki.example.com/doc/%E6%96%87-1FF9VyHA4X":                    "1FF9VyHA4X",
		"https://wiki.example.com/doc/collection-1FF9VyHA4X":                   "1FF9VyHA4X",
	} {
		t.Run(in, func(t *testing.T) {
			if got, err := outline.ParseDocumentID(in); err != nil || got != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestACollectionIsAcceptedInEveryForm(t *testing.T) {
	for in, want := range map[string]string{
		uuid:                              uuid,
		"MrSBIwKq5R":                      "MrSBIwKq5R",
		"engineering-handbook-MrSBIwKq5R": "MrSBIwKq5R",
		"/collection/engineering-handbook-MrSBIwKq5R":                                "MrSBIwKq5R",
		"https://wiki.example.com/collection/engineering-handbook-MrSBIwKq5R/recent": "MrSBIwKq5R",
		"https://wiki.example.com/collection/" + uuid + "?x=1":                       uuid,
	} {
		t.Run(in, func(t *testing.T) {
			if got, err := outline.ParseCollectionID(in); err != nil || got != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestWhatIdentifiesNothingIsRefused(t *testing.T) {
	const document, collection = "https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X", "https://wiki.example.com/collection/handbook-MrSBIwKq5R"
	for _, test := range []struct{ kind, in, says string }{
		{"document", "", "it is empty"},
		{"document", " '' ", "it is empty"},
		{"document", "bad id!", `"bad id!" does not identify a document`},
		{"document", "Deploy guide", "Deploy guide"},
		{"document", "my deploy-guide-1FF9VyHA4X", "my deploy-guide"},
		{"document", uuid + "," + uuid, "give one at a time"},
		{"document", "1FF9VyHA4X,1FF9VyHA4X", "give one at a time"},
		{"document", "a-1FF9VyHA4X b-1FF9VyHA4X", "give its UUID"},
		{"document", "a-1FF9VyHA4X\u00a0b-1FF9VyHA4X", "give its UUID"},
		{"document", uuid + "\n" + uuid, "give its UUID"},
		{"document", "/doc/" + uuid + "," + uuid, "give one at a time"},
		{"document", document + "," + document, "give one at a time"},
		{"document", document + ", " + uuid, "give one at a time"},
		{"document", document + "?x=1 " + document, "give its UUID"},
		{"collection", collection + " " + collection, "give its UUID"},
		{"document", "deploy-guide", "deploy-guide"},
		{"document", "1FF9VyHA4", "1FF9VyHA4X"},
		{"document", "abcdefghijklmnop", "abcdefghijklmnop"},
		{"document", "deploy-guide-1FF9VyHA4é", "give its UUID"},
		{"document", uuid[:35], "8-4-4-4-12"},
		{"document", uuid + "0", "8-4-4-4-12"},
		{"document", strings.ReplaceAll(uuid, "-", ""), "give its UUID"},
		{"document", "#h-build", "give its UUID"},
		{"document", "/", "no /doc/"},
		{"document", "/doc/", "no /doc/"},
		{"document", "/doc", "no /doc/"},
		{"document", "/doc/" + uuid[:35], "no /doc/"},
		{"document", "https://wiki.example.com/s/0b1c2d3e-share", "no /doc/"},
		{"document", "https://wiki.example.com/home", "no /doc/"},
		{"document", "https://wiki.example.com/?to=/doc/deploy-guide-1FF9VyHA4X", "no /doc/"},
		{"document", collection, "it is the address of a collection"},
		{"collection", document, "it is the address of a document"},
		{"collection", "/handbook-MrSBIwKq5R", "no /collection/"},
		{"collection", "Handbook!", "does not identify a collection"},
		{"collection", "handbook", "https://…/collection/handbook-MrSBIwKq5R"},
	} {
		t.Run(test.kind+" "+test.in, func(t *testing.T) {
			parse := outline.ParseDocumentID
			if test.kind == "collection" {
				parse = outline.ParseCollectionID
			}
			got, err := parse(test.in)
			var e *outline.IdentifierError
			if !errors.As(err, &e) || got != "" || e.Kind != test.kind {
				t.Fatalf("%q, %v; want an *IdentifierError", got, err)
			}
			contains(t, err, test.says)
		})
	}
}

func TestALongValueIsCutAndAKeyIsNotRepeated(t *testing.T) {
	_, err := outline.ParseDocumentID(strings.Repeat("é", 81))
	contains(t, err, `"`+strings.Repeat("é", 80)+`…"`)
	if strings.Contains(err.Error(), strings.Repeat("é", 81)) {
		t.Errorf("error %q is too long", err)
	}
	_, err = outline.ParseDocumentID(testKey)
	contains(t, err, "looks like an API key")
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("error %q contains the key", err)
	}
}

func fuzzIdentifier(f *testing.F, parse func(string) (string, error)) {
	for _, s := range []string{uuid, "1FF9VyHA4X", "deploy-guide-1FF9VyHA4X", "https://x.example/doc/a-1FF9VyHA4X?x#y", "/collection/a-1FF9VyHA4X", "bad id!", "\xff/doc/\xff-1FF9VyHA4X", "<'>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		id, err := parse(in)
		if err != nil {
			var e *outline.IdentifierError
			if !errors.As(err, &e) || id != "" || utf8.RuneCountInString(e.Value) > 81 || !utf8.ValidString(err.Error()) {
				t.Errorf("%q: %q, %#v", in, id, err)
			}
			return
		}
		if !outline.IsUUID(id) && (len(id) < 10 || len(id) > 15) {
			t.Errorf("%q became %q", in, id)
		}
		if !strings.Contains(strings.ToLower(in), strings.ToLower(id)) {
			t.Errorf("%q became %q, which it does not hold", in, id)
		}
		if again, err := parse(id); err != nil || again != id {
			t.Errorf("%q became %q and then %q, %v", in, id, again, err)
		}
	})
}

func FuzzADocumentIDIsPartOfWhatWasGiven(f *testing.F) { fuzzIdentifier(f, outline.ParseDocumentID) }
func FuzzACollectionIDIsPartOfWhatWasGiven(f *testing.F) {
	fuzzIdentifier(f, outline.ParseCollectionID)
}

func TestOnlyACollectionThatIsNotGivenByUUIDIsLookedUp(t *testing.T) {
	found := gives(200, jsonType, `{"ok":true,"data":{"id":"`+uuid+`","url":"/collection/handbook-MrSBIwKq5R","name":"Handbook"}}`)
	for in, calls := range map[string]int{
		strings.ToUpper(uuid): 0, "/collection/" + uuid: 0,
		"MrSBIwKq5R": 1, "handbook-MrSBIwKq5R": 1, "https://wiki.example.com/collection/handbook-MrSBIwKq5R": 1,
	} {
		c, s := scripted(t, nil, found)
		got, err := c.ResolveCollectionID(t.Context(), in)
		if err != nil || got != uuid || s.calls != calls {
			t.Errorf("%s: %q, %v after %d calls; want %q after %d", in, got, err, s.calls, uuid, calls)
		}
		if calls == 1 {
			equal(t, "request", s.sent[0], `{"id":"MrSBIwKq5R"}`)
		}
	}
	c, s := scripted(t, nil, func(*http.Request) (*http.Response, error) {
		return answered(404, jsonType, `{"ok":false,"error":"not_found","message":"Resource not found"}`), nil
	})
	if id, err := c.ResolveCollectionID(t.Context(), "MrSBIwKq5R"); id != "" || !errors.Is(err, outline.ErrNotFound) {
		t.Errorf("%q, %v; want ErrNotFound", id, err)
	}
	var bad *outline.IdentifierError
	if id, err := c.ResolveCollectionID(t.Context(), "Handbook!"); id != "" || !errors.As(err, &bad) || s.calls != 1 {
		t.Errorf("%q, %v after %d calls; want an *IdentifierError without one", id, err, s.calls)
	}
}
