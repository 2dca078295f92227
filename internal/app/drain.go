package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// maxLine is the longest message that is read from a stdio client, in bytes.
// Outline takes requests of up to 5 MiB.
const maxLine = 16 << 20

// drain stands between a stdio client and the MCP library. The library cancels
// calls at the end of input and ignores a last line without a newline; drain
// holds the end back until each request has its answer, or grace has passed.
type drain struct {
	in    *bufio.Reader
	out   io.Writer
	grace time.Duration

	rest []byte // of the line that is being handed over

	mu      sync.Mutex
	pending int
	changed chan struct{} // tells wait that pending fell to 0
}

func newDrain(in io.Reader, out io.Writer, grace time.Duration) *drain {
	return &drain{in: bufio.NewReaderSize(in, 64<<10), out: out, grace: grace, changed: make(chan struct{}, 1)}
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
			if expectsAnswer(line) {
				d.mu.Lock()
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
	if d.pending > 0 && isAnswer(p) {
		if d.pending--; d.pending == 0 {
			select {
			case d.changed <- struct{}{}:
			default:
			}
		}
	}
	return n, err
}

// wait returns when no answer is owed any more, or grace has passed.
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
		case <-d.changed:
		case <-timer.C:
			return
		}
	}
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

// expectsAnswer tells whether a line from the client is a request that is
// answered at once: not a notification, an answer, or an open subscription.
func expectsAnswer(line []byte) bool {
	var message struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
	}
	err := json.Unmarshal(line, &message)
	return err == nil && message.JSONRPC == "2.0" && len(message.ID) > 0 && string(message.ID) != "null" &&
		message.Method != "" && message.Method != "subscriptions/listen"
}

// isAnswer tells whether a message of the server answers a request. It reads
// no further than the id, which stands before the result.
func isAnswer(message []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(message))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil || key == "method" {
			return false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return false
		}
		if key == "id" {
			return string(value) != "null"
		}
	}
	return false
}
