package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxBatch is how many messages a batch may have.
const maxBatch = 50

// batchVersion is the only version with batches (MCP 2025-03-26, basic, Batching). Its
// clients do not name it in a header.
const batchVersion = "2025-03-26"

// messagesOf returns the messages of a batch, or nil if a body is no batch. The error says
// what is wrong with a batch.
func messagesOf(body []byte) (messages []json.RawMessage, err error) {
	if body = bytes.TrimLeft(body, " \t\r\n"); len(body) == 0 || body[0] != '[' || !json.Valid(body) {
		return nil, nil
	}
	in := json.NewDecoder(bytes.NewReader(body))
	_, _ = in.Token()
	for in.More() && len(messages) <= maxBatch {
		var message json.RawMessage
		_ = in.Decode(&message) // it is valid
		messages = append(messages, message)
	}
	if len(messages) == 0 || len(messages) > maxBatch {
		return nil, fmt.Errorf("a batch has 1 to %d messages", maxBatch)
	}
	return messages, nil
}

// serveBatch answers the messages of a batch one after the other, and writes the answers
// as one.
func (h *HTTP) serveBatch(w http.ResponseWriter, r *http.Request, messages []json.RawMessage) {
	if version := r.Header.Get(mcp.HeaderProtocolVersion); version != "" && version != batchVersion {
		refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "batches are part of "+batchVersion+" only; send one message at a time").write(w)
		return
	}
	one := r.Clone(r.Context())
	one.Header.Set("Accept", "application/json") // progress is for streams
	var answers [][]byte
	for _, message := range messages {
		answer := answerBuffer{header: http.Header{}}
		if h.serveOne(&answer, one, message); answer.Len() > 0 {
			answers = append(answers, bytes.TrimSpace(answer.Bytes()))
		}
	}
	if answers == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, "[%s]\n", bytes.Join(answers, []byte(","))) // a client that has gone needs no answer
}

// An answerBuffer keeps the body of the answer to one message of a batch.
type answerBuffer struct {
	bytes.Buffer
	header http.Header
}

// Header implements http.ResponseWriter.
func (b *answerBuffer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter. A batch has no status for each message.
func (b *answerBuffer) WriteHeader(int) {}
