package observe

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
	"time"
)

// The limits on lines that cannot be written because nobody reads what was written before.
const (
	mostQueued  = 64 << 10               // bytes
	logWait     = 100 * time.Millisecond // for a line of the log
	certainWait = time.Second            // for a line that must not be lost
)

// ErrUnread reports that nobody reads the lines.
var ErrUnread = errors.New("nobody reads it")

// Lines writes lines to a pipe that perhaps nobody reads. While it is read, Write returns
// when a line is written. If it is not, lines are queued, and dropped and counted once the
// queue is full, so that nothing waits for the reader. It is safe for concurrent use.
type Lines struct {
	// Dropped returns the line that tells how many lines are missing before it.
	Dropped func(count int) []byte

	out io.Writer

	mu      sync.Mutex
	queue   []*line
	size    int  // of the queue, in bytes
	writing bool // a goroutine writes the queue
	unread  bool // the line that is being written has been waiting for too long
	dropped int
}

type line struct {
	text []byte
	done chan struct{}
	err  error // once done is closed
}

// NewLines returns Lines that are written to a writer.
func NewLines(out io.Writer) *Lines { return &Lines{out: out} }

// Write implements io.Writer. A line that is queued or dropped is no error.
func (l *Lines) Write(p []byte) (int, error) {
	err := l.write(p, false)
	if errors.Is(err, ErrUnread) {
		err = nil
	}
	return len(p), err
}

// Certain is a writer of the same lines that queues and drops none of its own: it fails
// with ErrUnread if a line is not written within a second, or if the one before it has not
// been. The one that was being written may be written later.
type Certain struct{ *Lines }

// Write implements io.Writer.
func (c Certain) Write(p []byte) (int, error) {
	if err := c.write(p, true); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unread reports whether nobody reads the lines at present.
func (l *Lines) Unread() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unread
}

func (l *Lines) write(p []byte, certain bool) error {
	l.mu.Lock()
	waiting, wait := l.unread, logWait
	if waiting && certain || len(l.queue) > 0 && l.size+len(p) > mostQueued {
		if !certain {
			l.dropped++
		}
		l.mu.Unlock()
		return ErrUnread
	}
	if certain {
		wait = certainWait
	}
	added := l.add(p)
	l.mu.Unlock()
	if waiting {
		return nil
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-added.done:
		return added.err
	case <-late.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-added.done:
		return added.err
	default:
	}
	l.unread = true
	if at := slices.Index(l.queue, added); certain && at >= 0 {
		l.queue, l.size = slices.Delete(l.queue, at, at+1), l.size-len(p)
	}
	return ErrUnread
}

// add queues a line. l.mu is locked.
func (l *Lines) add(p []byte) *line {
	added := &line{text: bytes.Clone(p), done: make(chan struct{})}
	l.queue, l.size = append(l.queue, added), l.size+len(p)
	if !l.writing {
		l.writing = true
		go l.writeQueue()
	}
	return added
}

func (l *Lines) writeQueue() {
	for {
		next := l.next()
		if next == nil {
			return
		}
		_, next.err = l.out.Write(next.text)
		l.mu.Lock()
		l.unread = false
		close(next.done)
		l.mu.Unlock()
	}
}

// next takes a line from the queue, and nil if there is none. The line that tells of those
// that were dropped comes where they are missing.
func (l *Lines) next() *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 && l.dropped > 0 && l.Dropped != nil {
		l.add(l.Dropped(l.dropped))
		l.dropped = 0
	}
	if len(l.queue) == 0 {
		l.writing = false
		return nil
	}
	first := l.queue[0]
	l.queue, l.size = l.queue[1:], l.size-len(first.text)
	return first
}
