package fakeoutline

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func pagedWorkspace(t testing.TB) *Workspace {
	var documents []Document
	for i := range 30 {
		documents = append(documents, Document{Title: fmt.Sprintf("Page %02d", i), Text: "needle"})
	}
	return newTestWorkspace(t, documents...)
}

func TestPaging(t *testing.T) {
	w := pagedWorkspace(t)
	tests := []struct {
		name, body           string
		items, limit, offset int
	}{
		{"25 are a page", `{}`, 25, 25, 0},
		{"a limit of 0 is 25", `{"limit":0}`, 25, 25, 0},
		{"a limit of null is 25", `{"limit":null,"offset":null}`, 25, 25, 0},
		{"the rest follows", `{"offset":25}`, 5, 25, 25},
		{"nothing is behind the end", `{"limit":10,"offset":1000}`, 0, 10, 1000},
		{"100 is the most", `{"limit":100}`, 30, 100, 0},
		{"a text may hold a number", `{"limit":"7","offset":"3"}`, 7, 7, 3},
		{"a fraction is cut off", `{"limit":7.9}`, 7, 7, 0},
		{"an offset without end is bounded", `{"offset":1e300}`, 0, 25, 2147483647},
	}
	for _, endpoint := range []string{"documents.list", "documents.search", "documents.search_titles"} {
		for _, test := range tests {
			t.Run(endpoint+" "+test.name, func(t *testing.T) {
				body := strings.Replace(test.body, "{", `{"query":"page",`, 1)
				answer := call(t, w, keyOf("member"), endpoint, strings.Replace(body, ",}", "}", 1))
				if got := len(titles(t, answer)); got != test.items {
					t.Errorf("%d items, want %d", got, test.items)
				}
				p := answer.Pagination
				if p.Limit != test.limit || p.Offset != test.offset {
					t.Errorf("the page is %d from %d, want %d from %d", p.Limit, p.Offset, test.limit, test.offset)
				}
				if want := fmt.Sprintf("/api/%s?limit=%d&offset=%d", endpoint, test.limit, test.offset+test.limit); p.NextPath != want {
					t.Errorf("nextPath is %s, want %s", p.NextPath, want)
				}
				if endpoint != "documents.search_titles" && *p.Total != 30 {
					t.Errorf("total is %d", *p.Total)
				}
			})
		}
	}
}

func TestPagesJoinToTheWholeList(t *testing.T) {
	w := pagedWorkspace(t)
	all := titles(t, call(t, w, keyOf("member"), "documents.search", `{"query":"needle","limit":100}`))
	var joined []string
	for offset := 0; offset < 30; offset += 7 {
		joined = append(joined, titles(t, call(t, w, keyOf("member"), "documents.search", fmt.Sprintf(`{"query":"needle","limit":7,"offset":%d}`, offset)))...)
	}
	if len(all) != 30 || strings.Join(joined, "|") != strings.Join(all, "|") {
		t.Errorf("pages give %q, the whole is %q", joined, all)
	}
}

func TestBadPagingIsRefused(t *testing.T) {
	w := pagedWorkspace(t)
	for body, message := range map[string]string{
		`{"limit":101}`:            "Pagination limit is too large (max 100)",
		`{"limit":-1}`:             "Pagination limit must be greater than 0",
		`{"limit":"abc"}`:          "Pagination limit must be a valid number",
		`{"limit":true}`:           "Pagination limit must be a valid number",
		`{"limit":{}}`:             "Pagination limit must be a valid number",
		`{"offset":"x"}`:           "Pagination offset must be a valid number",
		`{"offset":-1}`:            "Pagination offset must be greater than or equal to 0",
		`{"limit":"-"}`:            "Pagination limit must be a valid number",
		`{"limit":"999999999999"}`: "Pagination limit must be a valid number",
	} {
		expectError(t, call(t, w, keyOf("member"), "documents.list", body), 400, message)
	}
}

func TestListsAreSorted(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "b"},
		Document{Title: "C"},
		Document{Title: "a", ParentID: documentID(0)},
	)
	for body, want := range map[string][]string{
		`{}`:                                 {"a", "C", "b"},
		`{"direction":"ASC"}`:                {"b", "C", "a"},
		`{"sort":"title","direction":"ASC"}`: {"a", "b", "C"},
		`{"sort":"title","direction":"up"}`:  {"C", "b", "a"},
		`{"sort":"createdAt"}`:               {"b", "C", "a"},
		`{"sort":"publishedAt"}`:             {"b", "C", "a"},
		`{"sort":"index","collectionId":"` + openID + `","direction":"ASC"}`: {"b", "C"},
		`{"sort":"index","collectionId":"` + openID + `"}`:                   {"C", "b"},
		`{"sort":"index","direction":"ASC"}`:                                 {"b", "C", "a"},
		`{"parentDocumentId":null,"direction":"ASC"}`:                        {"b", "C"},
		`{"parentDocumentId":"` + documentID(0) + `"}`:                       {"a"},
	} {
		t.Run(body, func(t *testing.T) {
			// Documents of the same age come in the order of their IDs.
			expectTitles(t, call(t, w, keyOf("member"), "documents.list", body), want...)
		})
	}
}

func TestRequestsThatOutlineDoesNotTake(t *testing.T) {
	w := newTestWorkspace(t)
	valid := "Bearer " + keyOf("member")
	tests := []struct {
		name, method, path, authorization, contentType, body string
		status                                               int
		message                                              string
	}{
		{"a GET", "GET", "/api/documents.list", valid, "application/json", "", 404, "Resource not found"},
		{"a PUT", "PUT", "/api/documents.list", valid, "application/json", "{}", 404, "Resource not found"},
		{"an unknown method", "POST", "/api/documents.nope", valid, "application/json", "{}", 404, "Resource not found"},
		{"a path outside the API", "POST", "/documents.list", valid, "application/json", "{}", 404, "Resource not found"},
		{"the API alone", "POST", "/api/", valid, "application/json", "{}", 404, "Resource not found"},
		{"no key", "POST", "/api/auth.info", "", "application/json", "{}", 401, "Authentication required"},
		{"another scheme", "POST", "/api/auth.info", "Basic abc", "application/json", "{}", 401, "Authentication required"},
		{"an empty key", "POST", "/api/auth.info", "Bearer ", "application/json", "{}", 401, "Authentication required"},
		{"an unknown key", "POST", "/api/auth.info", "Bearer ol_api_nobody", "application/json", "{}", 401, "Invalid API key"},
		{"an unknown key of an old Outline", "POST", "/api/auth.info", "Bearer " + strings.Repeat("k", 38), "application/json", "{}", 401, "Invalid API key"},
		{"no key at all", "POST", "/api/auth.info", "Bearer hello", "application/json", "{}", 401, "Unable to decode token"},
		{"the bare prefix", "POST", "/api/auth.info", "Bearer ol_api_", "application/json", "{}", 401, "Unable to decode token"},
		{"a demo user where there are none", "POST", "/api/auth.info", "Bearer ol_api_demo_user_1", "application/json", "{}", 401, "Invalid API key"},
		{"broken JSON before anything else", "POST", "/api/documents.nope", "", "application/json", "{not json", 400, "Expected property name or '}' in JSON at position 1"},
		{"JSON that ends early", "POST", "/api/documents.list", valid, "application/json", `{"limit":`, 400, "Unexpected end of JSON input"},
		{"JSON with more behind it", "POST", "/api/documents.list", valid, "application/json", `{} x`, 400, "Unexpected token 'x' in JSON at position 3"},
		{"JSON that is a number", "POST", "/api/documents.list", valid, "application/json", "5", 400, "invalid JSON, only supports object and array"},
		{"an array", "POST", "/api/documents.list", valid, "application/json; charset=utf-8", "[]", 400, "body: Invalid input: expected object, received array"},
		{"plain text", "POST", "/api/documents.list", valid, "text/plain", "{}", 400, "body: Invalid input: expected object, received string"},
		{"no content type", "POST", "/api/documents.list", valid, "", "{}", 400, "body: Invalid input: expected object, received string"},
		{"a key before the body", "POST", "/api/documents.list", "", "application/json", "[]", 401, "Authentication required"},
		{"paging before the body", "POST", "/api/documents.list?limit=101", valid, "application/json", "[]", 400, "Pagination limit is too large (max 100)"},
		{"more than 5 MiB", "POST", "/api/documents.list", valid, "application/json", `{"x":"` + strings.Repeat("x", 5<<20) + `"}`, 413, "request entity too large"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
			for name, value := range map[string]string{"Authorization": test.authorization, "Content-Type": test.contentType} {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, req)
			if rec.Code != test.status || !strings.Contains(rec.Body.String(), fmt.Sprintf(`"message":%s`, encodeJSON(test.message)[0])) {
				t.Errorf("answer is %d %s, want %d %q", rec.Code, rec.Body, test.status, test.message)
			}
		})
	}
}

func TestABodyWithoutLengthIsBoundedToo(t *testing.T) {
	req := newCall(t, keyOf("member"), "documents.list", "")
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(`{"x":"`+strings.Repeat("x", 6<<20)+`"}`)), -1
	res, err := newTestWorkspace(t).Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestABodyOfExactlyFiveMiBIsRead(t *testing.T) {
	body := `{"x":"` + strings.Repeat("x", 5<<20-8) + `"}`
	if len(body) != 5<<20 {
		t.Fatalf("the body has %d bytes", len(body))
	}
	if answer := call(t, newTestWorkspace(t), keyOf("member"), "documents.list", body); !answer.OK {
		t.Errorf("answer is %d %s", answer.Status, answer.Message)
	}
}

func TestTheKeyMayStandInTheBodyOrTheQuery(t *testing.T) {
	w := newTestWorkspace(t)
	for path, body := range map[string]string{
		"auth.info":                          `{"token":"` + keyOf("member") + `"}`,
		"auth.info?token=" + keyOf("member"): `{}`,
	} {
		if answer := call(t, w, "", path, body); !answer.OK {
			t.Errorf("%s %s is %d %s", path, body, answer.Status, answer.Message)
		}
	}
}

func TestAFormIsReadLikeJSON(t *testing.T) {
	req := newCall(t, keyOf("member"), "documents.list", "limit=2&offset=1")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := pagedWorkspace(t).Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(body), `"limit":2,"offset":1,`) {
		t.Errorf("answer is %.100s, %v", body, err)
	}
}

func TestDocumentsInfoNestsItsAnswerFromVersion2On(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Nested"})
	for version, nested := range map[string]bool{"": false, "1": false, "2": true, "3": true, "x": false} {
		req := newCall(t, keyOf("member"), "documents.info", `{"id":"document00"}`)
		req.Header.Set("X-Api-Version", version)
		res, err := w.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || strings.HasPrefix(string(body), `{"data":{"document":{`) != nested {
			t.Errorf("version %q: %.60s, %v", version, body, err)
		}
	}
}

func FuzzRequest(f *testing.F) {
	w := searchWorkspace(f)
	endpoints := []string{}
	for name := range w.endpoints {
		endpoints = append(endpoints, name)
	}
	for _, body := range []string{
		`{}`, `[]`, `null`, `{"id":"document00"}`, `{"id":5,"limit":"x"}`, `{"limit":1e9,"offset":-1}`,
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
			res, text := transmit(t, w, req)
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

func TestSlugsMatchOutline(t *testing.T) {
	// Compared with the npm package slug 5.3.0.
	for title, want := range map[string]string{
		"Deploy guide":                "deploy-guide",
		"Deploy guide (v2)":           "deploy-guide-v2",
		"🚀 Launch":                    "launch",
		"A — B: c/d, e.f":             "a-b-cd-ef",
		"  on-call -- now ":           "on-call-now",
		"snake_case ~ tilde":          "snake_case-~-tilde",
		"Q&A | 50 % < $3":             "qa-50-3",
		"Größe und Straße":            "grosse-und-strasse",
		"Jörn's Kaffeemaschine":       "jorns-kaffeemaschine",
		"Łódź, Đà Nẵng, Åre, Çeşme":   "lodz-da-nang-are-cesme",
		"Œuvre Æther þing ıİ":         "oeuvre-aether-thing-ii",
		"Привет, ёлка и йод":          "privet-yolka-i-jod",
		"Ελλάδα":                      "ellada",
		"دليل سريع لطاقم الميناء":     "dlyl-sryaa-ltakm-almynaaa",
		"שלום":                        "lvm",
		"ქართული":                     "kartuli",
		"日本":                          "5pel5pys",
		"🚀":                           "8jaga",
		"?":                           "pw",
		"i\u0307 e\u0301":             "i-e",
		"\u00a0wide\u2003space\u00a0": "wide-space",
	} {
		if got := slugOf(title); got != want {
			t.Errorf("the slug of %q is %q, want %q", title, got, want)
		}
	}
	if got := titleSlug(""); got != "untitled" {
		t.Errorf("without a title the slug is %s", got)
	}
}

func FuzzSlug(f *testing.F) {
	for _, text := range []string{"", "# a\n\nb", "[a](/doc/b-0123456789)", "\\", "日本"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s := slugOf(text); strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_~") != "" {
			t.Errorf("the slug of %q is %q", text, s)
		}
	})
}
