package outline

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameAsJSON decodes an answer as the client does and with encoding/json alone.
func sameAsJSON[T any](t *testing.T, answer string) {
	t.Helper()
	type public struct {
		OK         bool
		Data       *T
		Pagination pagination
	}
	var got, want envelope[T]
	err := got.decode([]byte(answer))
	wantErr := json.Unmarshal([]byte(answer), &want)
	if (err == nil) != (wantErr == nil) && !left(answer) {
		t.Errorf("%.200q: %v, want %v", answer, err, wantErr)
	}
	if err != nil || wantErr != nil {
		return
	}
	if diff := cmp.Diff(public{want.OK, want.Data, want.Pagination}, public{got.OK, got.Data, got.Pagination}); diff != "" {
		t.Errorf("%.200q: %s", answer, diff)
	}
}

// left reports whether an answer has what is left out, in which errors go unnoticed.
func left(answer string) bool {
	return strings.Contains(answer, `"policies"`) || strings.Contains(answer, `"data"`) && strings.Count(answer, `"data"`) > 1
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
	`{"data":[{"text":"first","Text":"second"}]}`,
	`{"data":[{"Text":"first","text":"second"}]}`,
	`{"data":[{"text":"first","te\u0078t":""}]}`,
	`{"data":[{"text":"one"}],"data":[{"title":"two"}]}`,
	`{"data":[{"text":"one"}],"DATA":[{"title":"two"}]}`,
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
		sameAsJSON[[]fullDocument](t, answer)
		sameAsJSON[documentAnswer](t, answer)
	})
}

func TestTextsThatOutlineSendsTakeNoSecondPass(t *testing.T) {
	a := apart{jsonScanner: jsonScanner{source: []byte(textAnswers[0])}}
	if !a.take() {
		t.Fatal("the texts are not taken out")
	}
	const want = `{"ok":true,"data":[{"id":"a","text":""},{"id":"b","text":""}],"pagination":{"total":2},"policies":null}`
	if string(a.rest) != want || len(a.texts) != 2 || *a.texts[0] != "one\n\"two\"\\" || *a.texts[1] != "" {
		t.Errorf("%s", a.rest)
	}
}
