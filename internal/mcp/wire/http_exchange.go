package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// An exchange is the answer to one request: one JSON message. If notifications went before
// it, the answer is a stream of events (SSE), and that message is the last of them. It waits
// for all notifications.
type exchange struct {
	w      http.ResponseWriter
	id     json.RawMessage // of the request
	accept []string        // the Accept headers of the request
	modern bool            // the request is of 2026-07-28 or later

	queue  notifyQueue
	mu     sync.Mutex // held to start the stream and to write to it
	events bool       // the stream has started
	ended  bool       // nothing may be written any more
	broken bool       // the writer aborted the answer: so must the handler
	abort  func()     // ends the call
}

// acceptsEvents reports whether an Accept header covers text/event-stream.
func acceptsEvents(accept []string) bool {
	for _, list := range accept {
		for one := range strings.SplitSeq(list, ",") {
			media, parameters, err := mime.ParseMediaType(one)
			if err == nil && (media == "text/event-stream" || media == "text/*" || media == "*/*") && parameters["q"] != "0" {
				return true
			}
		}
	}
	return len(accept) == 0
}

// event writes one notification, if the client accepts a stream.
func (x *exchange) event(n mcp.JSONRPCNotification) {
	if !acceptsEvents(x.accept) {
		return
	}
	data, err := json.Marshal(n)
	if err != nil {
		return // tools send nothing that does not encode
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return
	}
	// A notification is not written by the goroutine of the handler, in which net/http
	// recovers the panic that aborts an answer.
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			x.ended, x.broken = true, true
			x.abort()
		} else if p != nil {
			panic(p)
		}
	}()
	if !x.events {
		x.events = true
		h := x.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // nginx would hold the events back
		x.w.WriteHeader(http.StatusOK)
	}
	x.write(data)
}

// write sends data as an event, without delay. The caller holds mu.
func (x *exchange) write(data []byte) {
	// A client that has gone is noticed by the request's context.
	_, _ = io.WriteString(x.w, "event: message\ndata: ")
	_, _ = x.w.Write(data) // in one, so that it is counted once, and not copied
	_, _ = io.WriteString(x.w, "\n\n")
	_ = http.NewResponseController(x.w).Flush()
}

// isBroken reports whether the writer aborted the answer.
func (x *exchange) isBroken() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.broken
}

// reply sends the message that answers the request. It fails if that cannot be encoded, and
// says so to the client.
func (x *exchange) reply(answer mcp.JSONRPCMessage) error {
	encoded, err := Encode(answer)
	status := http.StatusOK
	if failed, ok := answer.(mcp.JSONRPCError); ok && x.modern {
		status = statusOf(failed.Error.Code)
	}
	if err != nil {
		failed := refuse(x.id, http.StatusInternalServerError, mcp.INTERNAL_ERROR, "the answer cannot be encoded")
		encoded, status = failed.json(), failed.status
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.events {
		x.write(bytes.TrimRight(encoded, "\n"))
		return err
	}
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(status)
	_, _ = x.w.Write(encoded) // a client that has gone needs no answer
	return err
}

// statusOf returns the HTTP status of an error (MCP 2026-07-28, basic/transports).
func statusOf(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION, mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
