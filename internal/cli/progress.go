package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/text"
)

// Bar shows progress on one line of a terminal. A nil Bar shows nothing.
type Bar struct {
	w       io.Writer
	label   string
	columns func() int

	mu    sync.Mutex
	drawn int       // characters on the line
	next  time.Time // when it may be drawn again
}

// NewBar returns a bar on a terminal that is columns wide; 0 means that the
// width is unknown. The label says what is in progress.
func NewBar(w io.Writer, label string, columns func() int) *Bar {
	return &Bar{w: w, label: label, columns: columns}
}

// TerminalBar returns a bar on w if that is a terminal, else nil.
func TerminalBar(w io.Writer, label string) *Bar {
	if !IsTerminal(w) {
		return nil
	}
	return NewBar(w, label, func() int { return columns(w) })
}

const (
	barWidth = 24
	// barPause is the minimum time between two drawings: a slow connection to
	// the terminal must not delay the work.
	barPause = 50 * time.Millisecond
)

// Items shows that done of total items are done.
func (b *Bar) Items(done, total int) {
	full := barWidth
	if total > 0 {
		full = barWidth * min(done, total) / total
	}
	b.draw(done >= total, "[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), done, total)
}

// Clear removes the bar, so that other text can be written on its line.
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
	// After its last column a terminal may begin a new line, from which \r does
	// not return.
	if columns := b.columns(); columns > 0 && length >= columns {
		line = line[:text.Offset(line, columns-1)]
		length = columns - 1
	}
	// Spaces overwrite a longer text. Not every terminal knows the escape
	// sequence that clears a line.
	fmt.Fprintf(b.w, "\r%s%s", line, strings.Repeat(" ", max(0, b.drawn-length)))
	b.drawn = length
}

// CallWithProgress calls a tool; see [Call]. A tool that works on many items
// reports through progress how many of them are done. Some items may go
// unreported. CallWithProgress does not return while progress runs, and progress
// is not called afterwards. The connection keeps a little memory of each call.
func CallWithProgress(ctx context.Context, c *client.Client, tool string, arguments any, progress func(done, total int)) (Answer, error) {
	token := uuid.NewString()
	var mu sync.Mutex // held while progress runs
	returned := false
	c.OnNotification(func(notification mcp.JSONRPCNotification) {
		if notification.Method != string(mcp.MethodNotificationProgress) {
			return
		}
		var report struct {
			Token string `json:"progressToken"`
			Done  int    `json:"progress"`
			Total int    `json:"total"`
		}
		raw, err := json.Marshal(notification.Params.AdditionalFields)
		if err != nil || json.Unmarshal(raw, &report) != nil || report.Token != token {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !returned {
			progress(report.Done, report.Total)
		}
	})
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		returned = true
	}()
	return call(ctx, c, tool, arguments, &mcp.Meta{ProgressToken: token})
}
