package script

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/text"
)

// A Bar shows on one line of a terminal how far something is. A nil Bar shows
// nothing.
type Bar struct {
	w       io.Writer
	label   string
	columns func() int

	mu    sync.Mutex
	drawn int       // characters on the line
	next  time.Time // when it may be drawn again
}

// NewBar returns a bar on w, which is a terminal with so many columns, or of
// unknown width if columns returns 0. The label says what is done.
func NewBar(w io.Writer, label string, columns func() int) *Bar {
	return &Bar{w: w, label: label, columns: columns}
}

const (
	barWidth = 24
	// barPause is the shortest time between two drawings: a terminal that is
	// far away must not hold up the work.
	barPause = 50 * time.Millisecond
)

// Items shows that so many items are done, of a known number.
func (b *Bar) Items(done, total int) {
	full := barWidth
	if total > 0 {
		full = barWidth * min(done, total) / total
	}
	b.draw(done >= total, "[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), done, total)
}

// Calls shows that so many calls are done, of nobody knows how many.
func (b *Bar) Calls(done, failed int) { b.draw(false, "%d done, %d failed", done, failed) }

// Clear takes the bar off the line, for other text to stand there.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn > 0 {
		fmt.Fprintf(b.w, "\r%s\r", strings.Repeat(" ", b.drawn))
		b.drawn = 0
	}
}

func (b *Bar) draw(now bool, format string, args ...any) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Now().Before(b.next) && !now {
		return
	}
	b.next = time.Now().Add(barPause)
	line := b.label + " " + fmt.Sprintf(format, args...)
	length := utf8.RuneCountInString(line)
	// In the last column a terminal may begin a new line, which \r does not
	// come back from.
	if columns := b.columns(); columns > 0 && length >= columns {
		line = line[:text.Offset(line, columns-1)]
		length = columns - 1
	}
	// What was longer before is wiped; a line of its own code for that not
	// every terminal knows.
	fmt.Fprintf(b.w, "\r%s%s", line, strings.Repeat(" ", max(0, b.drawn-length)))
	b.drawn = length
}
