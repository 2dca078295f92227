package fakeoutline

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

func FuzzRequest(f *testing.F) {
	w := searchWorkspace(f)
	endpoints := []string{}
	for name := range w.endpoints {
		endpoints = append(endpoints, name)
	}
	for _, body := range []string{
		`{}`, `[]`, `null`, `{"id":"document00"}`, `{"id":5,"limit":"x"}`, `{"query":"buoy","filters":[{"field":"title","operator":"eq","value":"x"}]}`,
		`{"filters":[{"operator":"OR","filters":[{"field":"updatedAt","operator":"gte","value":"-P1D"}]}]}`, `{"limit":1e9,"offset":-1}`,
		`{"statusFilter":[1],"direction":{}}`, "{\"query\":\"\xff\"}", `{"a":`, `"x"`,
	} {
		f.Add("application/json", body)
		f.Add("text/plain", body)
	}
	f.Add("application/x-www-form-urlencoded", "limit=1&id=%zz")
	f.Fuzz(func(t *testing.T, contentType, body string) {
		for _, endpoint := range endpoints {
			req := newCall(t, keyOf("member"), endpoint, body)
			req.Header.Set("Content-Type", contentType)
			res, err := w.Transport().RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			var e struct {
				OK      *bool
				Status  int
				Message string
			}
			if res.StatusCode == http.StatusNoContent && endpoint == "shares.info" {
				continue
			}
			if json.Unmarshal(text, &e) != nil || e.OK == nil || e.Status != res.StatusCode || res.StatusCode >= 500 && e.Message != "Internal error" {
				t.Fatalf("%s %q is %d %.300s", endpoint, body, res.StatusCode, text)
			}
		}
	})
}
