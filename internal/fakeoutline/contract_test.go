package fakeoutline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
)

// recording is one recorded exchange.
type recording struct {
	Name    string
	As      string
	Request struct {
		Method, Path  string
		Headers       map[string]string
		Authorization *string
		Body          json.RawMessage
	}
	Response struct {
		Status  int
		Headers map[string]string
		Body    json.RawMessage
	}
}

// number returns the number of the exchange.
func (r *recording) number() string {
	number, _, _ := strings.Cut(r.Name, "-")
	return number
}

// endpoint returns the endpoint of the exchange.
func (r *recording) endpoint() string {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(r.Request.Path, "/api/"), "?")
	return endpoint
}

// report fails unless there are differences exactly if the exchange is listed as one
// that is answered in another way.
func (r *recording) report(t *testing.T, differences []string, unlike map[string]string) {
	t.Helper()
	reason, listed := unlike[r.number()]
	switch {
	case listed && len(differences) == 0:
		t.Errorf("is answered as recorded, but listed: %s", reason)
	case !listed:
		for _, difference := range differences {
			t.Error(difference)
		}
	}
}

func TestWorkspaceAnswersAsRecorded(t *testing.T) {
	list := firstSeries(t)
	var replayed []int
	for i := range list {
		switch list[i].endpoint() {
		case "comments.add_reaction", "fileOperations.delete": // which the workspace does not have
		default:
			replayed = append(replayed, i)
		}
	}
	if want := 230; len(replayed) != want {
		t.Errorf("%d exchanges can be replayed, want %d", len(replayed), want)
	}
	for _, i := range fixtures.Some(replayed, 60) {
		r := &list[i]
		t.Run(r.Name, func(t *testing.T) {
			r.report(t, replay(t, list[:i], r), unlike)
		})
	}
}

// firstSeries returns the exchanges of the first series without those about what the
// workspace does not have: an export with children, public links, and the rate limiter,
// which is off.
func firstSeries(t *testing.T) []recording {
	t.Helper()
	return slices.DeleteFunc(fixtures.Recorded[recording](t, "contract"), func(r recording) bool {
		return slices.Contains([]string{"074", "114", "902", "911", "912", "913"}, r.number())
	})
}

// unlike are the recordings that the workspace answers differently, each with the
// reason.
var unlike = map[string]string{
	"083": "the exchanges before it do not show the revision that it sets back to",
	"325": "errors are JSON for browsers, too",
	"328": "the same",
	"127": "there are no templates, so that the one to create from is unknown",
}

// recordedAt is a little after the last exchange.
var recordedAt = time.Date(2026, time.November, 20, 10, 15, 0, 0, time.UTC)

// replay sends a recorded request to a workspace in the state that the exchange and
// the ones before it imply. It returns the differences of the answer.
func replay(t *testing.T, earlier []recording, r *recording) []string {
	return slices.DeleteFunc(exchange(t, workspaceBefore(t, earlier, r), r), func(difference string) bool {
		// Outline also ranks by earlier titles of a document, and takes a moment for each
		// copy.
		return r.number() == "216" && strings.Contains(difference, "ranking") || r.number() == "075" && strings.Contains(difference, "edAt is ")
	})
}

// exchange sends a recorded request to a workspace and returns how the answer
// differs from the recorded one.
func exchange(t *testing.T, w *Workspace, r *recording) []string {
	t.Helper()
	res, got := send(t, w, r)
	return compare(t, w, r, res, got)
}

// send sends a recorded request and returns the response and its body.
func send(t *testing.T, w *Workspace, r *recording) (*http.Response, []byte) {
	t.Helper()
	// The instance was at this address; its answers repeat it.
	req, err := http.NewRequestWithContext(t.Context(), r.Request.Method, "http://127.0.0.1:3010"+r.Request.Path, requestBody(r))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range r.Request.Headers {
		req.Header.Set(name, value)
	}
	if key, known := testKeys[r.As]; known {
		req.Header.Set("Authorization", "Bearer "+key)
	} else if given := r.Request.Authorization; given != nil && strings.Contains(*given, " ") {
		req.Header.Set("Authorization", *given)
	}
	return transmit(t, w, req)
}

// compare returns how an answer differs from the recorded one.
func compare(t *testing.T, w *Workspace, r *recording, res *http.Response, got []byte) []string {
	t.Helper()
	if res.StatusCode != r.Response.Status {
		return []string{fmt.Sprintf("status %d, recorded %d; body %.300s", res.StatusCode, r.Response.Status, got)}
	}
	var found []string
	for _, header := range []string{"Content-Type", "Content-Disposition", "Location"} {
		if got, want := unsigned(res.Header.Get(header)), r.Response.Headers[strings.ToLower(header)]; got != want {
			found = append(found, fmt.Sprintf("%s is %q, recorded %q", header, got, want))
		}
	}
	var want any
	decode(t, r.Response.Body, &want)
	if text, ok := want.(string); ok {
		if !strings.HasPrefix(unsigned(string(got)), text) {
			found = append(found, fmt.Sprintf("body %q, recorded %q", got, text))
		}
		return found
	}
	var have any
	decode(t, got, &have)
	if want, ok := want.(map[string]any); ok {
		delete(want, "policies") // no client reads them
	}
	if r.Response.Status >= 400 {
		dropMessages(have, want)
	}
	if changes(r) {
		have, want = matchNew(t, w, have, want)
	}
	return append(found, differences("", have, want)...)
}

// dropMessages removes the messages of errors, which are not Outline's.
func dropMessages(answers ...any) {
	for _, answer := range answers {
		if object, ok := answer.(map[string]any); ok {
			delete(object, "message")
			delete(object, "error_description")
		}
	}
}

// unsigned replaces a signature as the recordings do.
func unsigned(text string) string {
	return regexp.MustCompile(`sig=[0-9a-f-]+`).ReplaceAllString(text, "sig=SIGNED.TOKEN.REDACTED")
}

// testKeys are the keys of the callers that the recordings name.
var testKeys = map[string]string{
	"admin":         "ol_api_test_admin_JkUY",
	"member":        "ol_api_test_member",
	"viewer":        "ol_api_test_viewer",
	"guest":         "ol_api_test_guest",
	"suspended":     "ol_api_test_suspended",
	"expired":       "ol_api_test_expired",
	"scoped":        "ol_api_test_scoped",
	"route_scoped":  "ol_api_test_route_scoped",
	"global_read":   "ol_api_test_global_read",
	"invalid key":   "ol_api_test_nobody",
	"malformed key": "no.such.key",
}

func requestBody(r *recording) io.Reader {
	body := string(r.Request.Body)
	var text string
	switch {
	case body == "null":
		return nil
	case json.Unmarshal(r.Request.Body, &text) == nil && strings.Contains(text, "5 MiB"):
		return strings.NewReader(`{"text":"` + strings.Repeat("x", 5<<20) + `"}`)
	case strings.HasPrefix(body, "{") && r.Request.Headers["Content-Type"] == "application/x-www-form-urlencoded":
		return strings.NewReader(formOf(r).Encode())
	case strings.HasPrefix(text, "--"):
		return bytes.NewReader(formBytes(text))
	case text != "":
		return strings.NewReader(text)
	}
	return strings.NewReader(strings.ReplaceAll(body, "ol_api_REDACTED", testKeys["admin"]))
}

// formBytes returns a recorded multipart form, whose bytes are recorded as
// characters (ISO 8859-1).
func formBytes(recorded string) []byte {
	form := make([]byte, 0, len(recorded))
	for _, r := range recorded {
		form = append(form, byte(r))
	}
	return form
}

// formOf returns the fields of a recorded form.
func formOf(r *recording) url.Values {
	var fields map[string]string
	_ = json.Unmarshal(r.Request.Body, &fields) // always an object
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	return form
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("no JSON: %v: %.300s", err, text)
	}
}

// differences compares JSON values: keys and types, and the contents except where a
// workspace cannot have the same.
func differences(path string, have, want any) []string {
	if typeName(have) != typeName(want) {
		return []string{fmt.Sprintf("%s is %s, recorded %s", path, typeName(have), typeName(want))}
	}
	switch want := want.(type) {
	case map[string]any:
		have := have.(map[string]any)
		var list []string
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if key == "lastViewedAt" {
				continue // views are not recorded
			}
			value, ok := have[key]
			if !ok {
				list = append(list, fmt.Sprintf("%s.%s is missing", path, key))
				continue
			}
			_, isUser := want["isSuspended"]
			_, isExport := want["state"]
			if (isUser || isExport) && key == "updatedAt" {
				continue // users do not change here, and the duration of exports differs
			}
			list = append(list, differences(path+"."+key, value, want[key])...)
		}
		for _, key := range slices.Sorted(maps.Keys(have)) {
			if _, ok := want[key]; !ok {
				list = append(list, fmt.Sprintf("%s.%s was not recorded", path, key))
			}
		}
		return list
	case []any:
		have := have.([]any)
		if len(have) != len(want) {
			return []string{fmt.Sprintf("%s has %d items, recorded %d", path, len(have), len(want))}
		}
		var list []string
		for i := range want {
			list = append(list, differences(fmt.Sprintf("%s.%d", path, i), have[i], want[i])...)
		}
		return list
	}
	if have == want || varies(path, have, want) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %v, recorded %v", path, have, want)}
}

// varies reports whether a value need not be equal.
func varies(path string, have, want any) bool {
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "ranking":
		// Single precision, in another order of addition.
		return math.Abs(have.(float64)-want.(float64)) < 1e-6
	case "context":
		// Outline's snippets lose their last word, whatever it is, and a
		// very short snippetMaxWords makes them no shorter.
		have, want := strings.TrimSuffix(have.(string), "</b>"), strings.TrimSuffix(want.(string), "</b>")
		return strings.HasPrefix(have, want) || strings.Contains(want, have)
	case "index", "subdomain", "lastActiveAt":
		return true
	}
	return false
}

var mentionID = regexp.MustCompile(`mention://[0-9a-f-]{36}/`)

// matchNew makes an answer comparable with a recorded one in what is new in
// both: the IDs of new objects, which must stand in the same places, and the
// time of the call, for which the recording has whatever time it was.
func matchNew(t *testing.T, w *Workspace, have, want any) (any, any) {
	t.Helper()
	now := w.store.now().Truncate(time.Millisecond)
	pairs := make(map[string]string)
	var walk func(path string, have, want any)
	walk = func(path string, have, want any) {
		switch want := want.(type) {
		case map[string]any:
			have, _ := have.(map[string]any)
			for key, value := range want {
				walk(key, have[key], value)
			}
		case []any:
			have, _ := have.([]any)
			for i := range min(len(have), len(want)) {
				walk(path, have[i], want[i])
			}
		case string:
			have, _ := have.(string)
			_, err := time.Parse(time.RFC3339, want)
			at, _ := time.Parse(time.RFC3339, have)
			// What is published at its creation is so a step later.
			ofCall := at.Equal(now) || path == "publishedAt" && at.Equal(now.Add(time.Millisecond))
			switch {
			case have == want:
			case isUUID(want) && isUUID(have) && !w.store.taken(want), path == "urlId" && len(have) == len(want) && w.store.byURLID[want] == "":
				pairs[have] = want
			case err == nil && ofCall:
				pairs[have+"@"+path] = want
			}
		}
	}
	walk("", have, want)
	var replace func(path string, value any) any
	replace = func(path string, value any) any {
		switch value := value.(type) {
		case map[string]any:
			for key := range value {
				value[key] = replace(key, value[key])
			}
		case []any:
			for i := range value {
				value[i] = replace(path, value[i])
			}
		case string:
			if other, ok := pairs[value+"@"+path]; ok {
				return other
			}
			for from, to := range pairs {
				value = strings.ReplaceAll(value, from, to)
			}
			return mentionID.ReplaceAllString(value, "mention://new/")
		}
		return value
	}
	return replace("", have), replace("", want)
}

// typeName returns the name of the type of a decoded JSON value.
func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
