// Package audit keeps a trail of what callers have read and changed: one line of JSON
// for each request, and one before each request to Outline that changes something.
//
// A line has no title, text, argument or key. The IDs in it are those of the requests
// to Outline and their answers, so no tool can forget to name a document.
package audit

import (
	"time"

	"outline-mcp/outline"
)

// The events that lines are about.
const (
	// EventWrite: a request that changes something is about to be sent to Outline. The
	// line is written before it is sent, so that each change has a line even if the
	// program ends before the call does.
	EventWrite = "write"
	// EventCall: a call has ended. The line is written before its answer is sent.
	EventCall = "call"
)

// A Record is one line of the trail. Fields are left out if they do not apply or are
// not known.
type Record struct {
	Time    time.Time `json:"time" jsonschema:"when the line was written, in UTC, by the clock of the server"`
	Process string    `json:"process" jsonschema:"identifies one run of one server"`
	Seq     uint64    `json:"seq" jsonschema:"number of the line in its process, from 1: whatever the clock does, it goes up by one, so a gap shows that lines are missing"`
	Lost    int       `json:"lost,omitempty" jsonschema:"how many lines before this one could not be written"`
	Event   string    `json:"event" enum:"write,call" jsonschema:"write: a request that changes something is about to be sent to Outline; call: a call has ended"`
	Call    uint64    `json:"call" jsonschema:"number of the call in its process; the lines of one call have the same"`

	RequestID string `json:"request_id,omitempty" jsonschema:"ID that the client gave its request; clients choose it themselves, so it is not unique"`
	TraceID   string `json:"trace_id,omitempty" jsonschema:"trace ID (W3C Trace Context) that the client or a proxy sent"`

	User       *User       `json:"user,omitempty" jsonschema:"owner of the credential, as Outline tells it, up to an hour old; left out if Outline has not accepted the credential yet, or does not tell it"`
	Credential *Credential `json:"credential,omitempty" jsonschema:"what the caller presented; left out if it was nothing"`
	Client     *Client     `json:"client,omitempty" jsonschema:"the client, as it calls itself; over HTTP, only clients of protocol version 2026-07-28 say so with each request"`

	Kind   string `json:"kind" jsonschema:"kind of the request: tool, resource, prompt, completion or subscription"`
	Name   string `json:"name" jsonschema:"name of the tool, the prompt or the kind of resource; other if the server has none of the name that was asked for"`
	Effect string `json:"effect,omitempty" jsonschema:"what it does: reads, adds, moves, changes or deletes"`

	Endpoint string           `json:"endpoint,omitempty" jsonschema:"only for write: the endpoint of Outline"`
	IDs      []outline.Object `json:"ids,omitempty" jsonschema:"what the requests to Outline and their answers were about, first what was written to; for write: up to now"`
	LeftOut  int              `json:"ids_left_out,omitempty" jsonschema:"how many mentions of further objects are left out of ids"`

	Outcome    string  `json:"outcome,omitempty" jsonschema:"ok, the code of the failure, input_required if the person is asked first, or unknown_tool, unknown_resource or unknown_prompt"`
	Items      *Items  `json:"items,omitempty" jsonschema:"outcomes of the items of a batch"`
	Bytes      int     `json:"bytes,omitempty" jsonschema:"length of the result in JSON; left out if the call failed before it had one"`
	DurationMS float64 `json:"duration_ms,omitempty" jsonschema:"duration of the call in milliseconds"`
	Requests   int64   `json:"outline_requests,omitempty" jsonschema:"number of requests that the call sent to Outline, repeated ones included"`
}

// A User is somebody in Outline.
type User struct {
	ID   string `json:"id" jsonschema:"UUID"`
	Name string `json:"name,omitempty" jsonschema:"up to 100 characters; left out if Outline has not told it yet"`
}

// A Credential is what a caller presents to Outline.
type Credential struct {
	Kind string `json:"kind" jsonschema:"API key, login, or operator, which is the server's own key"`
	ID   string `json:"id" jsonschema:"tells credentials apart, as key does in the log; says nothing about the key"`
}

// A Client is the program of a caller.
type Client struct {
	Name    string `json:"name" jsonschema:"up to 100 characters"`
	Version string `json:"version,omitempty" jsonschema:"up to 100 characters"`
}

// Items are the outcomes of the items of a batch.
type Items struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}
