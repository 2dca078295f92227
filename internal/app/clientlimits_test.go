package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// continuing matches how an answer says where to go on.
var continuing = regexp.MustCompile(`(?:; c|\nC)ontinue with start_line (\d+)(?: and start_char (\d+))?\.`)

// pageOf returns a workspace with a page, and its ID.
func pageOf(t *testing.T, text string) (http.RoundTripper, string) {
	t.Helper()
	const id = "5c111d00-2222-4111-8111-000000000099"
	w := newWorkspace(t)
	body, err := json.Marshal(map[string]any{"id": id, "title": "Long", "text": text, "collectionId": "8441e5d2-7545-4078-bd93-c21942e16c7f", "publish": true})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/documents.create", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := w.Transport().RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	return w.Transport(), id
}

// TestEachClientReadsALongPageToItsEnd gives the names that clients give themselves, and
// reads on by the head of an answer or, where a client cuts the head, by its end.
func TestEachClientReadsALongPageToItsEnd(t *testing.T) {
	pages := map[string]string{
		"62,000 characters":         strings.TrimSpace(strings.Repeat("A buoy sends a frame every twelve minutes.\n\n", 1410)),
		"30,000 Chinese characters": strings.TrimSpace(strings.Repeat("浮标每十二分钟发送一次数据。\n\n", 2000)),
		"one line of 30,000":        strings.Repeat("浮标每十二分钟发送一次数据。", 2143),
	}
	for name, text := range pages {
		outline, id := pageOf(t, text)
		for client, limit := range map[string]int{
			"claude-code": 38_000, "codex-mcp-client": 38_000, "gemini-cli-mcp-client": 38_000, "github-copilot-developer": 18_000,
			"copilot-cli": 18_000, "qwen-cli-mcp-client-outline": 24_000, "@cline/core": 7_000, "Cline": 7_000,
		} {
			for _, end := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " ", client, " ", end), func(t *testing.T) {
					c := onLines(t, outline)
					c.request(t, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": client, "version": "1"}})
					c.read(t)
					c.write(t, map[string]any{"method": "notifications/initialized"})
					var whole strings.Builder
					arguments := map[string]any{"document_id": id}
					for range 40 {
						c.request(t, "tools/call", map[string]any{"name": "read_document", "arguments": arguments})
						var result struct{ Content []struct{ Text string } }
						if err := json.Unmarshal(c.read(t).Result, &result); err != nil {
							t.Fatal(err)
						}
						answer := result.Content[0].Text
						if len(answer) > limit {
							t.Fatalf("an answer has %d bytes", len(answer))
						}
						head, shown, _ := strings.Cut(answer, "\n\n")
						from := head
						at := strings.LastIndex(shown, "\nContinue with ")
						if at >= 0 {
							shown, from = shown[:at], map[bool]string{false: head, true: shown[at:]}[end]
						}
						whole.WriteString(strings.TrimRight(shown, "\n"))
						next := continuing.FindStringSubmatch(from)
						if next == nil {
							break
						}
						arguments["start_line"], _ = strconv.Atoi(next[1])
						if delete(arguments, "start_char"); next[2] != "" {
							arguments["start_char"], _ = strconv.Atoi(next[2])
						}
					}
					if got, want := strings.ReplaceAll(whole.String(), "\n", ""), strings.ReplaceAll(text, "\n", ""); got != want {
						t.Errorf("%d bytes are read, of %d", len(got), len(want))
					}
				})
			}
		}
	}
}

func TestALimitOfTheOperatorHoldsForEveryClient(t *testing.T) {
	outline, id := pageOf(t, strings.Repeat("A buoy sends a frame every twelve minutes.\n\n", 1000))
	c := onLines(t, outline, "OUTLINE_MAX_RESPONSE_CHARS=38000")
	c.request(t, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "copilot-cli", "version": "1"}})
	c.read(t)
	c.write(t, map[string]any{"method": "notifications/initialized"})
	c.request(t, "tools/call", map[string]any{"name": "read_document", "arguments": map[string]any{"document_id": id}})
	if result := c.read(t).Result; len(result) < 37_000 {
		t.Errorf("the answer has %d bytes", len(result))
	}
}

func TestAClientThatShowsImagesAsTextGetsSmallOnes(t *testing.T) {
	c := onLines(t, newWorkspace(t).Transport())
	c.request(t, "initialize", map[string]any{"protocolVersion": "2024-11-05", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "@cline/core", "version": "1"}})
	c.read(t)
	c.write(t, map[string]any{"method": "notifications/initialized"})
	c.request(t, "tools/call", map[string]any{"name": "read_attachment", "arguments": map[string]any{"attachment_id": "a89ee03f-1896-4b49-9835-b9a7aa9a8ac9"}})
	if result := c.read(t).Result; len(result) > 7_000 || !strings.Contains(string(result), "scaled to") {
		t.Errorf("the answer has %d bytes: %.300s", len(result), result)
	}
}
