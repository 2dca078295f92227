package outline

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// sameAsJSON decodes an answer as the client does and with encoding/json, which takes
// names in another case, too.
func sameAsJSON[T any](t *testing.T, answer string) {
	t.Helper()
	type data struct {
		OK         bool       `json:"ok"`
		Data       *T         `json:"data"`
		Pagination pagination `json:"pagination"`
	}
	var got, want data
	err, wantErr := decode([]byte(answer), &got), json.Unmarshal([]byte(answer), &want)
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%.200q: %v, want %v", answer, err, wantErr)
	}
	if err != nil || wantErr != nil {
		return
	}
	if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("%.200q: %s", answer, diff)
	}
}

// textAnswers are answers with texts, in forms that Outline sends and does not send.
var textAnswers = []string{
	`{"ok":true,"data":[{"id":"a","text":"one\n\"two\"\\"},{"id":"b","text":""}],"pagination":{"total":2},"policies":[{"id":"a","abilities":{"read":true}}]}`,
	` { "data" : [ { "text" : "a" , "title" : "T" } , null , { "title" : "without" } ] , "ok" : true } `,
	`{"data":{"id":"a","text":"# Title\n\nText \u00fc \ud83d\ude00 \u0000 \/","data":{"type":"doc","content":[{"text":"x"}]}},"ok":true}`,
	`{"data":{"document":{"id":"a","text":"nested"}},"ok":true}`,
	`{"data":[{"text":null}]}`,
	`{"data":[{"text":5}]}`,
	`{"data":[{"text":"first","text":"second"}]}`,
	`{"data":[{"text":"first","te\u0078t":""}]}`,
	`{"data":[],"d\u0061ta":[{"text":"two"}]}`,
	`{"data":[],"policies":null}`,
	`{"data":"text"}`,
	`{"data":[[{"text":"deeper"}]]}`,
	`{"data":[{"title":{"text":"deeper"},"text":"x"}]}`,
	"{\"data\":[{\"text\":\"a line\nend\"}]}",
	"{\"data\":[{\"text\":\"eight or more bytes\x01\"}]}",
	"{\"data\":[{\"text\":\"no UTF-8 \xff\"}]}",
	`{"data":[{"text":"\x"}]}`,
	`{"data":[{"text":"\ud800 alone"}]}`,
	`{"data":[{"text":"\\\\\""}]}`,
	`{"data":[{"text":"cut off`,
	`{"data":[{"text":"cut off\`,
	`{"data":[{"text":"a"},]}`,
	`{"data":[{"text":"a"}}`,
	`{"data":[{"text":"a"}]} more`,
	`{}`, `[]`, `"`, ``,
}

func TestAnswersWithTextsAreDecodedAsByEncodingJSON(t *testing.T) {
	for _, answer := range textAnswers {
		sameAsJSON[[]fullDocument](t, answer)
		sameAsJSON[documentAnswer](t, answer)
		sameAsJSON[revisionAnswer](t, answer)
	}
}

func FuzzAnswersWithTextsAreDecodedAsByEncodingJSON(f *testing.F) {
	for _, answer := range textAnswers {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		if strings.ContainsFunc(answer, unicode.IsUpper) || strings.Contains(answer, `\u`) {
			t.Skip("there may be names in another case")
		}
		if v := jsontext.Value(answer); v.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) && !v.IsValid(jsontext.AllowInvalidUTF8(true)) {
			t.Skip("encoding/json mixes values with the same name")
		}
		sameAsJSON[[]fullDocument](t, answer)
		sameAsJSON[documentAnswer](t, answer)
	})
}

func TestNamesInAnotherCaseAreOtherNames(t *testing.T) {
	var got envelope[fullDocument]
	if err := decode([]byte(`{"data":{"text":"first","Text":"second"},"DATA":{"text":"third"}}`), &got); err != nil || *got.Data.Text != "first" {
		t.Errorf("%v, %v", got.Data, err)
	}
}

func FuzzRedactReplacesAllThatThePatternMatches(f *testing.F) {
	for _, s := range []string{"", "_", "read_document", "ol_api_x", "a OL_Api_x b", "ol_ol_at_x", "omcp_at_x", "col_api_y", "ol_x ol_sk_1", "ol_\u017fk_1", "ol_s\u212a_1", "o_l_api_x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Redact(s), apiKey().ReplaceAllLiteralString(s, "****"); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	})
}
