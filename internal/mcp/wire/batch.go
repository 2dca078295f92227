package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

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

// serveBatch answers the messages of a batch one after the other, each as soon as its answer
// is there, so that one is in memory at a time. None begins after the time of one call.
func (h *HTTP) serveBatch(w http.ResponseWriter, r *http.Request, messages []json.RawMessage) {
	if version := r.Header.Get(mcp.HeaderProtocolVersion); version != "" && version != batchVersion {
		refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "batches are part of "+batchVersion+" only; send one message at a time").write(w)
		return
	}
	begun := time.Now()
	one := r.Clone(r.Context())
	one.Header.Set("Accept", "application/json") // progress is for streams
	out := batchWriter{w: w}
	for _, message := range messages {
		switch out.answered = false; {
		case r.Context().Err() != nil: // the client has gone
		case h.Timeout > 0 && time.Since(begun) > h.Timeout:
			m := newMessage(message, false)
			if _ = m.decode(); m.isRequest() && isID(m.ID) {
				refuse(m.ID, http.StatusOK, mcp.INTERNAL_ERROR, "not attempted: the batch has used the time of one call; send this message again").write(&out)
			}
		default:
			h.serveOne(&out, one, message)
		}
	}
	if !out.begun {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	_, _ = io.WriteString(w, "]\n")
}

// A batchWriter writes the answers to the messages of a batch as a list.
type batchWriter struct {
	w        http.ResponseWriter
	begun    bool // the list
	answered bool // the message
}

// Header implements http.ResponseWriter. A batch has no header for each message.
func (b *batchWriter) Header() http.Header { return http.Header{} }

// WriteHeader implements http.ResponseWriter.
func (b *batchWriter) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (b *batchWriter) Write(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case !b.begun:
		b.begun = true
		b.w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(b.w, "[")
	case !b.answered:
		_, _ = io.WriteString(b.w, ",")
	}
	b.answered = true
	return b.w.Write(p)
}
