// Package audit keeps a trail of what callers have read and changed: one line of JSON
// for each request, and one before each request to Outline that changes something.
//
// A line has no title, text, argument or key. The IDs in it are those of the requests
// to Outline and their answers, so no tool can forget to name a document.
//
// The pipeline adds an [outline.Objects] to the context of each call, in which the
// Outline client notes these IDs. Before each request that changes something, it calls
// BeforeWrite: unless the line for that is on the disk, the request is not sent. The
// line for the call is added before its answer leaves. Lines that arrive while others
// are being synced are synced together.
package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// Stderr is the path that stands for standard error.
const Stderr = "stderr"

// userFor is how long the owner of a credential is remembered.
const userFor = time.Hour

// Options configure a trail.
type Options struct {
	Path    string    // of the file, or Stderr
	Stderr  io.Writer // for the path Stderr
	MaxSize int64     // in bytes, from which a file is renamed; 0 means never
	Keep    int       // renamed files that are kept; 0 means all
	// Required withholds requests that change something if their line cannot be
	// written.
	Required bool
	Log      *slog.Logger     // nil discards
	Now      func() time.Time // the clock of lines and names of files; nil means time.Now
	// Ask asks Outline who owns the credential of a context. Asked reports that Outline
	// has answered, also if it does not tell.
	Ask func(context.Context) (user *User, asked bool)
	// Wrote is called for each line, with whether it is stored; nil does nothing.
	Wrote func(stored bool)
}

// A Trail is where lines are added to. It is safe for concurrent use.
type Trail struct {
	options Options
	process string
	users   auth.PerCaller[*User]
	file    file

	calls atomic.Uint64

	mu   sync.Mutex // held to number a line and add it, so that lines are in order
	seq  uint64
	lost int // lines that could not be written, and that no line tells yet

	failing bool // the last line could not be written
}

// New returns a trail, which opens its file with its first line.
func New(o Options) *Trail {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Trail{options: o, process: randomID(), users: auth.PerCaller[*User]{For: userFor}}
	t.file = file{path: o.Path, maxSize: o.MaxSize, keep: o.Keep, now: o.Now}
	if o.Path == Stderr {
		t.file.path, t.file.out = "", o.Stderr
	}
	return t
}

// Open opens the file. The error says why lines cannot be written.
func (t *Trail) Open() error {
	t.file.writing.Lock()
	defer t.file.writing.Unlock()
	if t.file.path == "" {
		return nil
	}
	return t.file.open()
}

// Unread reports whether the trail goes to standard error, and nobody reads that at
// present.
func (t *Trail) Unread() bool {
	out, ok := t.file.out.(interface{ Unread() bool })
	return ok && out.Unread()
}

// Close closes the file. Another line opens it again.
func (t *Trail) Close() { t.file.close() }

// write stores a line. When it returns nil, the line is on the disk.
func (t *Trail) write(r Record) error {
	t.mu.Lock()
	t.seq++
	r.Process, r.Seq, r.Lost = t.process, t.seq, t.lost
	t.lost = 0
	r.Time = t.options.Now().UTC().Truncate(time.Millisecond)
	line, err := json.Marshal(r)
	if err != nil {
		t.mu.Unlock()
		return err // no field can cause it
	}
	b := t.file.add(append(line, '\n'))
	t.mu.Unlock()
	err = t.file.commit(b)
	t.note(r, err)
	return err
}

// note keeps count of lines that could not be written, and logs when that begins and
// when it ends.
func (t *Trail) note(r Record, err error) {
	if t.options.Wrote != nil {
		t.options.Wrote(err == nil)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	began, ended := err != nil && !t.failing, err == nil && t.failing
	t.failing = err != nil
	if err != nil {
		t.lost += r.Lost + 1
	}
	switch {
	case began && t.options.Required:
		t.options.Log.Error("cannot write the audit trail: changes are refused until it can be written; reading continues", "error", err)
	case began:
		t.options.Log.Error("cannot write the audit trail: calls continue without it", "error", err)
	case ended:
		t.options.Log.Warn("the audit trail can be written again", "lost_lines", r.Lost)
	}
}

// A Call is one request of a client that is being recorded.
type Call struct {
	trail   *Trail
	record  Record // what all lines of the call have
	objects outline.Objects
	items   atomic.Pointer[Items]
}

type callKey struct{}

// Begin starts to record a call, and returns the context for its work. The record has
// what is known of the call: its client, name and so on.
func (t *Trail) Begin(ctx context.Context, r Record) (context.Context, *Call) {
	r.Call = t.calls.Add(1)
	r.RequestID = clean(r.RequestID)
	if r.Client != nil {
		r.Client = &Client{clean(r.Client.Name), clean(r.Client.Version)}
	}
	c := &Call{trail: t, record: r}
	c.objects.BeforeWrite = c.beforeWrite
	return context.WithValue(outline.ContextWithObjects(ctx, &c.objects), callKey{}, c), c
}

// beforeWrite writes the line for a request that changes something.
func (c *Call) beforeWrite(ctx context.Context, endpoint, access string) error {
	r := c.record
	r.Event, r.Endpoint, r.Access = EventWrite, endpoint, access
	r.IDs, r.LeftOut = c.objects.List()
	if user, _ := c.trail.users.Known(asSubject(ctx)); user != nil {
		r.User = user
	}
	if err := c.trail.write(r); err == nil || !c.trail.options.Required {
		return nil
	}
	return output.Failure{Code: output.Forbidden, Sentence: "this change was not made: this server cannot write its audit trail, without which it changes nothing. " +
		"Reading still works. Ask the operator of this server to check its log and MCP_AUDIT_LOG."}
}

// asSubject returns a context for questions whose answers do not depend on the
// collections that a request limits itself to.
func asSubject(ctx context.Context) context.Context {
	principal, _ := auth.FromContext(ctx)
	principal.Collections = nil
	return auth.NewContext(ctx, principal)
}

// ask asks Outline who owns the credential of ctx.
func (t *Trail) ask(ctx context.Context) (*User, bool) {
	user, asked := t.options.Ask(ctx)
	if user != nil {
		user = &User{user.ID, clean(user.Name)}
	}
	return user, asked
}

// An End is how a call has ended.
type End struct {
	Outcome  string // ok, or the code of the failure
	Bytes    int    // length of the result in JSON
	Took     time.Duration
	Accepted bool         // Outline has accepted the credential
	Requests func() int64 // to Outline, the one for the user included
}

// End writes the line of the call, before its answer is sent. If the line cannot be
// written, the answer is sent nevertheless: what is done is done.
func (c *Call) End(ctx context.Context, e End) {
	r := c.record
	r.Event, r.Outcome, r.Bytes = EventCall, e.Outcome, e.Bytes
	r.DurationMS = float64(e.Took.Microseconds()) / 1000
	who := asSubject(ctx)
	user, known := c.trail.users.Known(who)
	if !known && e.Accepted && c.trail.options.Ask != nil {
		user = c.trail.users.Begin(context.WithoutCancel(who), c.trail.ask)()
	}
	if user != nil {
		r.User = user
	}
	r.IDs, r.LeftOut = c.objects.List()
	r.Requests = e.Requests()
	r.Items = c.items.Load()
	_ = c.trail.write(r)
}

// CountItems records the outcomes of the items of a batch for the call of ctx. Without
// a trail it does nothing.
func CountItems(ctx context.Context, succeeded, failed int) {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		c.items.Store(&Items{succeeded, failed})
	}
}

// clean returns what a client or Outline calls something as the trail repeats it:
// without control characters and API keys, and not too long.
func clean(name string) string {
	const longest = 100
	return text.Truncate(outline.Redact(output.Label(strings.ToValidUTF8(name, "\uFFFD"))), longest)
}

// randomID returns 8 random hexadecimal digits.
func randomID() string {
	id := make([]byte, 4)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

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
	Seq     uint64    `json:"seq" jsonschema:"number of the line in its process, from 1; a gap shows that lines are missing"`
	Lost    int       `json:"lost,omitempty" jsonschema:"how many lines before this one could not be written"`
	Event   string    `json:"event" enum:"write,call" jsonschema:"write: a request that changes something is about to be sent to Outline; call: a call has ended"`
	Call    uint64    `json:"call" jsonschema:"number of the call in its process; all lines of a call have the same number"`

	RequestID string `json:"request_id,omitempty" jsonschema:"ID that the client gave its request; clients choose it themselves, so it is not unique"`
	TraceID   string `json:"trace_id,omitempty" jsonschema:"trace ID (W3C Trace Context) that the client or a proxy sent"`

	User       *User       `json:"user,omitempty" jsonschema:"owner of the credential, as Outline reported it up to an hour ago; absent if Outline has not accepted the credential yet or does not report the owner"`
	Credential *Credential `json:"credential,omitempty" jsonschema:"credential that the caller presented; absent if there was none"`
	Client     *Client     `json:"client,omitempty" jsonschema:"name and version that the client reports; over HTTP, only clients of protocol version 2026-07-28 send them with each request"`

	Kind   string `json:"kind" jsonschema:"kind of the request: tool, resource, prompt, completion or command"`
	Name   string `json:"name" jsonschema:"name of the tool, the prompt or the kind of resource; other if the server has nothing with the requested name"`
	Effect string `json:"effect,omitempty" jsonschema:"effect of the request: reads, adds, moves, changes or deletes"`

	Endpoint string           `json:"endpoint,omitempty" jsonschema:"only for write: the endpoint of Outline"`
	Access   string           `json:"access,omitempty" enum:"read,read_write,admin,private,public,closed" jsonschema:"only for write: the role that the request gives a user, a group or all members; private for no role; public or closed for a link"`
	IDs      []outline.Object `json:"ids,omitempty" jsonschema:"objects in the requests to Outline and in its answers, written ones first; for write: those so far"`
	LeftOut  int              `json:"ids_left_out,omitempty" jsonschema:"how many further mentions of objects ids does not list"`

	Outcome    string  `json:"outcome,omitempty" jsonschema:"ok, the code of the failure, input_required if the user is asked first, or unknown_tool, unknown_resource or unknown_prompt"`
	Items      *Items  `json:"items,omitempty" jsonschema:"outcomes of the items of a batch"`
	Bytes      int     `json:"bytes,omitempty" jsonschema:"length of the result in JSON; absent if the call failed before it had one"`
	DurationMS float64 `json:"duration_ms,omitempty" jsonschema:"duration of the call in milliseconds"`
	Requests   int64   `json:"outline_requests,omitempty" jsonschema:"number of requests that the call sent to Outline, including retries"`
}

// A User identifies a user in Outline.
type User struct {
	ID   string `json:"id" jsonschema:"UUID"`
	Name string `json:"name,omitempty" jsonschema:"up to 100 characters; absent if Outline has not reported it yet"`
}

// A Credential is what a caller presents to Outline.
type Credential struct {
	Kind string `json:"kind" jsonschema:"API key, login, or operator for the server's own key"`
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
