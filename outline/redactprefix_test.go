package outline

import "testing"

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
