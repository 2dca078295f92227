package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

func runDocument(ctx context.Context, l *lab) (result, error) {
	s, answer, source, err := documentSession(ctx, 1<<20)
	if err != nil {
		return result{}, err
	}
	defer s.close()
	turns := pick(l, 101, 31)

	decode := func() error { return decodeOnce(answer) }
	arguments := map[string]any{"document_id": documentID}
	read, allocated, err := inTurns(turns, s.call("read_document", arguments), decode)
	if err != nil {
		return result{}, err
	}
	alone, allocatedAlone, err := inTurns(turns, s.handle(s.app.AsOperator(ctx), "read_document", arguments), decode)
	if err != nil {
		return result{}, err
	}
	for i := range turns {
		allocated.floor[i], allocatedAlone.floor[i] = float64(len(source)), float64(len(source))
	}
	parse := func() error { return parseOnce([]byte(source)) }
	outline, _, err := inTurns(turns, s.call("get_document_outline", map[string]any{"document_id": documentID}), parse)
	if err != nil {
		return result{}, err
	}
	section, _, err := inTurns(turns, s.call("read_document_section", map[string]any{"document_id": documentID, "heading": "Steps for service-300"}), parse)
	if err != nil {
		return result{}, err
	}
	where, err := profileHere("read_document of 1 MB", median(read.ours), s.call("read_document", arguments))
	if err != nil {
		return result{}, err
	}
	diffs, err := diffRows(ctx, l)
	if err != nil {
		return result{}, err
	}
	over, err := allocatedOverHTTP(ctx, l, answer, source)
	if err != nil {
		return result{}, err
	}
	return result{notes: []string{where}, rows: append([]row{
		compared("read_document of 1 MB, without the fetch", read, inSeconds, ratioAtMost(2.5)).because("The time of the tool itself is two rows below; the rest is for reading the request and writing the answer."),
		compared("bytes allocated for it, to its size", allocated, inBytes, ratioAtMost(6)).because("The allocations of the tool itself are two rows below: the decoded text and the answer. The rest is the line of the answer."),
		compared("bytes allocated for it over HTTP, to its size", over, inBytes, ratioAtMost(6)),
		compared("the tool alone, without reading and writing messages", alone, inSeconds, goal{}),
		compared("bytes allocated by it, to the size", allocatedAlone, inBytes, goal{}),
		compared("get_document_outline of 1 MB, without the fetch", outline, inSeconds, ratioAtMost(1.3)),
		compared("read_document_section of 1 MB, without the fetch", section, inSeconds, ratioAtMost(1.3)),
	}, diffs...)}, nil
}

// allocatedOverHTTP returns the bytes that a server over HTTP allocates for each
// read_document, and the size of the document.
func allocatedOverHTTP(ctx context.Context, l *lab, answer []byte, source string) (allocated pair, err error) {
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/documents.info") {
			_, _ = w.Write(answer)
			return
		}
		_, _ = w.Write([]byte(`{"ok":true,"data":[]}`)) // the collections, which have names to show
	}))
	defer outline.Close()
	server, err := l.serveHTTP(ctx, product, outline.URL, []string{"OUTLINE_MAX_RESPONSE_CHARS=0"})
	if err != nil {
		return allocated, err
	}
	defer func() { _ = server.end() }()
	client := newClient(1)
	defer client.CloseIdleConnections()
	read := target{server.url + "/mcp", []byte(toolsCall(2, "read_document", arguments{"document_id": documentID}))}
	const calls = 10 // between two requests for metrics, which allocate as well
	for turn := range pick(l, 11, 4) {
		before, err := server.metric(ctx, "go_memstats_alloc_bytes_total")
		if err != nil {
			return allocated, err
		}
		for range calls {
			got, err := read.ask(ctx, client, userKey(0))
			if err == nil && len(got) < len(source) {
				err = fmt.Errorf("read_document answers %.300s", got)
			}
			if err != nil {
				return allocated, err
			}
		}
		after, err := server.metric(ctx, "go_memstats_alloc_bytes_total")
		if err != nil {
			return allocated, err
		}
		if turn > 0 {
			allocated.add((after-before)/calls, float64(len(source)))
		}
	}
	return allocated, nil
}

// documentSession returns a session with a document of about size bytes,
// Outline's answer with the document, and its Markdown.
func documentSession(ctx context.Context, size int) (s *session, answer []byte, source string, err error) {
	source = manual(size)
	w, err := withDocument(source)
	if err != nil {
		return nil, nil, "", err
	}
	answers, err := record(ctx, w, map[string]string{"documents.info": fmt.Sprintf(`{"id":%q}`, documentID)})
	if err != nil {
		return nil, nil, "", err
	}
	s, err = newSession(ctx, answers, "OUTLINE_MAX_RESPONSE_CHARS=0")
	return s, answers["documents.info"], source, err
}

// decodeOnce decodes an answer of documents.info.
func decodeOnce(answer []byte) error {
	var decoded struct {
		OK   bool `json:"ok"`
		Data struct {
			ID       string `json:"id"`
			Title    string `json:"title"`
			Text     string `json:"text"`
			URL      string `json:"url"`
			Revision int    `json:"revision"`
		} `json:"data"`
	}
	return json.Unmarshal(answer, &decoded)
}

func parseOnce(source []byte) error {
	if goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source)).ChildCount() == 0 {
		return fmt.Errorf("the parser finds nothing")
	}
	return nil
}
