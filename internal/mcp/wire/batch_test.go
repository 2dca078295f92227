package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"outline-mcp/internal/mcp/wire"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// batch has two calls, a notification, a batch, and what is no message.
const batch = `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/initialized"},[{"jsonrpc":"2.0","id":3,"method":"ping"}],7,{"jsonrpc":"2.0","id":"b","method":"ping"}]`

func TestABatchOverHTTPIsAnsweredAsOne(t *testing.T) {
	s := newStage(t, false)
	post := func(body string) (int, string) {
		response, err := http.Post(s.URL, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(answer)
	}
	status, answer := post(batch)
	var answers []struct {
		ID     any
		Result any
		Error  any
	}
	if err := json.Unmarshal([]byte(answer), &answers); err != nil || status != 200 {
		t.Fatal(status, err, answer)
	}
	got := ""
	for _, a := range answers {
		got += fmt.Sprint(a.ID, a.Error == nil, " ")
	}
	if want := "1 true <nil> false <nil> false btrue "; got != want {
		t.Errorf("answers %q, want %q", got, want)
	}
	if status, answer := post(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`); status != 202 || answer != "" {
		t.Errorf("a batch of notifications: %d %q", status, answer)
	}
}

func TestNoMessageOfABatchBeginsAfterTheTimeOfOneCall(t *testing.T) {
	h := wire.NewHTTP(server.NewMCPServer("stage", "1"), slog.New(slog.DiscardHandler))
	h.Timeout = 1 // over at once
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.Serve(w, r, []byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"ping"}]`))
	var answers []struct {
		ID    any
		Error struct{ Message string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answers); err != nil || len(answers) != 2 || answers[1].ID != "b" || !strings.Contains(answers[0].Error.Message, "not attempted") {
		t.Errorf("%v: %s", err, w.Body)
	}
}

func TestTheMessagesOfABatchOnStdioAreAnsweredOneByOne(t *testing.T) {
	var output bytes.Buffer
	s := newStdio(done)
	calls := strings.ReplaceAll(strings.TrimSpace(callLine(1)+callLine(2)), "\n", ",")
	input := initialize + initialized + "[" + calls + "]\n[]\n"
	if err := s.Serve(t.Context(), strings.NewReader(input), &output); err != nil {
		t.Fatal(err)
	}
	all := stdioMessages(t, output.Bytes())
	for id := range 2 {
		if a := answered(all, float64(id+1)); a == nil || a.Result == nil {
			t.Errorf("call %d has no answer in %s", id+1, output.Bytes())
		}
	}
	if a := answered(all, nil); a == nil || !strings.Contains(a.Error.Message, "1 to 50") {
		t.Errorf("the empty batch has no answer in %s", output.Bytes())
	}
}
