package outline_test

import (
	"errors"
	"strings"
	"testing"

	"outline-mcp/outline"
)

func TestWhatLooksLikeAKeyIsRedacted(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"no key":                            "no key",
		"ol_api_":                           "ol_api_",
		"ol_api_fake":                       "****",
		"OL_API_Fake":                       "****",
		"Bearer ol_api_fake":                "Bearer ****",
		"one ol_api_a two\tOl_Api_b\nthree": "one **** two\t****\nthree",
		"https://x.example/?k=ol_api_fake":  "https://x.example/?k=****",
		"token=omcp_at_fake and ol_rt_fake": "token=**** and ****",
		"omcp_client_fake":                  "omcp_client_fake",
		"xol_api_fake-\"'é$1 y":             "x**** y",
	} {
		equal(t, in, outline.Redact(in), want)
	}
}

func TestAnIdentifierThatHoldsAKeyIsShownWithoutIt(t *testing.T) {
	for _, in := range []string{
		"ol_api_fake", "OL_API_fake", `"ol_api_fake"`, "Bearer ol_api_fake", "https://x.example/doc/?k=ol_api_fake", "/home/Ol_Api_fake",
		strings.Repeat("é", 75) + "ol_api_fake",
	} {
		for _, parse := range []func(string) (string, error){outline.ParseDocumentID, outline.ParseCollectionID} {
			_, err := parse(in)
			var e *outline.IdentifierError
			if !errors.As(err, &e) || strings.Contains(strings.ToLower(err.Error()), "ol_api_") || strings.Contains(e.Value, "fake") {
				t.Errorf("%q: error %v", in, err)
			}
			contains(t, err, "****", "looks like an API key")
		}
	}
}
