package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// maxLine is the longest message that is read from a stdio client, in bytes.
// Outline takes requests of up to 5 MiB.
const maxLine = 16 << 20

// drain stands between a stdio client and the MCP library. The library cancels
// calls at the end of input and ignores a last line without a newline; drain
// holds the end back until each request has its answer, or no answer has come
// for as long as grace.
type drain struct {
	in    *bufio.Reader
	out   io.Writer
	grace time.Duration

	rest []byte // of the line that is being handed over

	mu       sync.Mutex
	owed     map[string]int // requests without an answer, by their id
	pending  int            // how many those are
	answered chan struct{}  // tells wait that pending fell
	lost     error          // what wait gave up on
	overdue  chan struct{}  // closed when wait gives up
}

func newDrain(in io.Reader, out io.Writer, grace time.Duration) *drain {
	return &drain{in: bufio.NewReaderSize(in, 64<<10), out: out, grace: grace,
		owed: map[string]int{}, answered: make(chan struct{}, 1), overdue: make(chan struct{})}
}

// Read hands over the input, a whole line after the other.
func (d *drain) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		line, err := d.readLine()
		if errors.Is(err, errLineTooLong) {
			d.refuse()
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if id, ok := requestID(line); ok {
				d.mu.Lock()
				d.owed[id]++
				d.pending++
				d.mu.Unlock()
			}
			d.rest = line
			break
		}
		if err != nil {
			d.wait()
			return 0, err
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Write passes one message of the server on.
func (d *drain) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.out.Write(p)
	if d.pending == 0 {
		return n, err
	}
	if id, ok := answerID(p); ok && d.owed[id] > 0 {
		if d.owed[id]--; d.owed[id] == 0 {
			delete(d.owed, id)
		}
		d.pending--
		select {
		case d.answered <- struct{}{}:
		default:
		}
	}
	return n, err
}

// wait returns when no answer is owed any more. When none comes for as long as
// grace it gives up. Grace counts from the last answer, not from the end of
// input: requests wait for one another, and each may take its time.
func (d *drain) wait() {
	timer := time.NewTimer(d.grace)
	defer timer.Stop()
	for {
		d.mu.Lock()
		pending := d.pending
		d.mu.Unlock()
		if pending == 0 {
			return
		}
		select {
		case <-d.answered:
			timer.Reset(d.grace)
		case <-timer.C:
			d.mu.Lock()
			d.lost = fmt.Errorf("%d requests have no answer %s after the last one", d.pending, d.grace)
			d.mu.Unlock()
			close(d.overdue)
			return
		}
	}
}

// unanswered returns an error if the end came before all answers.
func (d *drain) unanswered() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

var errLineTooLong = errors.New("line too long")

// readLine returns the next line, always ending in a newline. A line that is
// too long is read to its end and dropped.
func (d *drain) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := d.in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = d.in.ReadSlice('\n')
			}
			return nil, errLineTooLong
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(line) > 0 {
			line = append(line, '\n')
		}
		return line, err
	}
}

// refuse answers a message that is too long to be read, and whose id therefore
// is not known (JSON-RPC 2.0, section 5).
func (d *drain) refuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	// A client that no longer reads is noticed with the next answer.
	_, _ = io.WriteString(d.out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"message longer than 16 MiB"}}`+"\n")
}

// requestID returns the id of a line from the client that is a request and is
// answered at once: not a notification, an answer, or an open subscription.
func requestID(line []byte) (string, bool) {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result any             `json:"result"`
		Error  any             `json:"error"`
	}
	if err := json.Unmarshal(line, &message); err != nil {
		return "", false
	}
	if message.Method == "" || message.Method == "subscriptions/listen" || message.Result != nil || message.Error != nil {
		return "", false
	}
	return comparableID(message.ID)
}

// answerID returns the id of a message of the server that answers a request.
// It reads no further than the id, which stands before the result.
func answerID(message []byte) (string, bool) {
	decoder := json.NewDecoder(bytes.NewReader(message))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return "", false
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil || key == "method" {
			return "", false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return "", false
		}
		if key == "id" {
			return comparableID(value)
		}
	}
	return "", false
}

// comparableID returns an id in the one form in which a request's equals its
// answer's, whose number or text may be written in another way. Ids are texts
// and numbers (JSON-RPC 2.0, section 4).
func comparableID(raw json.RawMessage) (string, bool) {
	var id any
	if err := json.Unmarshal(raw, &id); err != nil {
		return "", false
	}
	switch id := id.(type) {
	case string:
		return "text " + id, true
	case float64:
		return "number " + strconv.FormatFloat(id, 'g', -1, 64), true
	}
	return "", false
}
