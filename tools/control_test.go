package tools_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/tools"
)

// controls end a line, ring the bell, color what follows, and reverse its
// direction.
const controls = "\n\r\x00\a\x1b[31m\u009b2J\u2028\u202e"

// forbidden are the control characters that no answer may contain. Line breaks are
// allowed.
const forbidden = "\r\x00\a\x1b\u009b\u2028\u202e"

// A controlling Outline ends all titles, names and messages with controls.
type controlling struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (c controlling) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	var answer any
	if json.Unmarshal(raw, &answer) == nil {
		endLabels(answer)
		if raw, err = json.Marshal(answer); err != nil {
			return nil, err
		}
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	response.Header.Del("Content-Length")
	return response, nil
}

// endLabels ends the labels in a JSON value with controls, but not those in the
// tree of a document.
func endLabels(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			endLabels(item)
		}
	case map[string]any:
		if value["type"] == "doc" {
			return
		}
		for key, member := range value {
			label, ok := member.(string)
			if ok && (key == "title" || key == "name" || key == "message" || key == "anchorText") {
				value[key] = label + controls
			}
			endLabels(member)
		}
	}
}

// TestNoTitleOrNameBringsControlCharactersIntoAnAnswer makes the recorded calls of
// all tools.
func TestNoTitleOrNameBringsControlCharactersIntoAnAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one call after the other")
	}
	labels := 0
	for _, declared := range tools.All() {
		tool := declared.Info().Name
		for _, call := range exampleCalls(t, tool) {
			t.Run(tool+"/"+call.Name, func(t *testing.T) {
				c := connectThrough(t, true, func(workspace http.RoundTripper) http.RoundTripper { return controlling{workspace} })
				answer, err := cli.Call(t.Context(), c, tool, decoded[map[string]any](t, call.Arguments))
				if err != nil {
					t.Fatal(err)
				}
				if at := strings.IndexAny(answer.Text, forbidden); at >= 0 {
					t.Errorf("the text holds %q", answer.Text[max(0, at-60):min(len(answer.Text), at+20)])
				}
				var structured any
				if err := json.Unmarshal(answer.Structured, &structured); err != nil {
					t.Fatal(err)
				}
				labels += checkLabels(t, "", structured)
			})
		}
	}
	if labels < 100 {
		t.Errorf("the answers hold %d labels, too few to say anything", labels)
	}
}

// checkLabels reports control characters in the strings of a JSON value, and
// returns how many of the strings are labels. Only texts may have line breaks.
func checkLabels(t *testing.T, key string, value any) (labels int) {
	t.Helper()
	switch value := value.(type) {
	case string:
		if strings.ContainsAny(value, forbidden) || strings.Contains(value, "\uFFFD") && strings.Contains(value, "\n") {
			t.Errorf("%s is %q", key, value)
		}
		labels += strings.Count(value, "\uFFFD[31m")
	case []any:
		for _, item := range value {
			labels += checkLabels(t, key, item)
		}
	case map[string]any:
		for key, member := range value {
			labels += checkLabels(t, key, member)
		}
	}
	return labels
}
