package main

import (
	"context"
	"encoding/json"
	"net/http"

	"outline-mcp/internal/fakeoutline"
)

// measureSizes measures lists of tools, and the text of answers beside their structured
// content.
func measureSizes(ctx context.Context) (result, error) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		return result{}, err
	}
	tree, err := withTree(100)
	if err != nil {
		return result{}, err
	}
	var rows []row
	for _, list := range []struct {
		what, setting string
		limit         float64
	}{
		{"default tools, structured output off", "OUTLINE_TOOLS=default", 27_000},
		{"default tools, structured output on", "OUTLINE_STRUCTURED_OUTPUT=true", 62_000},
		{"all tools, structured output off", "OUTLINE_TOOLS=all", 36_000},
	} {
		size, err := toolList(ctx, sample.Transport(), list.setting)
		if err != nil {
			return result{}, err
		}
		rows = append(rows, row{
			what: "tools/list, " + list.what,
			ours: single(size, inBytes), goal: atMost(list.limit, inBytes), judged: size,
		})
	}
	for _, answer := range []struct {
		what, tool string
		arguments  map[string]any
		of         http.RoundTripper
		ratio      float64
	}{
		{"text of a search of 25", "search_documents", map[string]any{"query": "buoy", "limit": 25}, sample.Transport(), 0.9},
		{"text of a tree of 100", "get_collection_structure", map[string]any{"collection_id": collectionID}, tree.Transport(), 0.8},
		{"text of an outline", "get_document_outline", map[string]any{"document_id": "oiZwZ2tlsC"}, sample.Transport(), 0.7},
		{"text of comments", "list_document_comments", map[string]any{"document_id": "c22c45ef-ea9d-4196-aaa5-576f1543d36e"}, sample.Transport(), 0.7},
	} {
		text, structured, err := bothForms(ctx, answer.of, answer.tool, answer.arguments)
		if err != nil {
			return result{}, err
		}
		var size pair
		size.add(text, structured)
		rows = append(rows, compared(answer.what, size, inBytes, ratioAtMost(answer.ratio)))
		if answer.tool == "search_documents" {
			rows = append(rows, row{what: "the same, at detail_level summary", ours: single(text, inBytes), goal: atMost(5600, inBytes), judged: text})
		}
	}
	return result{rows: rows}, nil
}

// toolList returns the bytes of the tools in tools/list.
func toolList(ctx context.Context, transport http.RoundTripper, setting string) (size float64, err error) {
	s, err := newSession(ctx, transport, setting)
	if err != nil {
		return 0, err
	}
	defer s.close()
	line, err := s.ask([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"))
	if err != nil {
		return 0, err
	}
	var answer struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return 0, err
	}
	return float64(len(answer.Result.Tools)), nil
}

// bothForms returns the bytes of an answer's text and of its structured
// content.
func bothForms(ctx context.Context, transport http.RoundTripper, tool string, arguments map[string]any) (text, structured float64, err error) {
	s, err := newSession(ctx, transport, "OUTLINE_STRUCTURED_OUTPUT=true")
	if err != nil {
		return 0, 0, err
	}
	defer s.close()
	if err := s.call(tool, arguments)(); err != nil {
		return 0, 0, err
	}
	var answer struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			StructuredContent json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(s.out.line, &answer); err != nil {
		return 0, 0, err
	}
	return float64(len(answer.Result.Content[0].Text)), float64(len(answer.Result.StructuredContent)), nil
}
