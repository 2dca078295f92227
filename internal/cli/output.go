package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/itchyny/gojq"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/text"
	"outline-mcp/output"
)

// Filter is a jq expression.
type Filter struct {
	code *gojq.Code
	// Raw prints strings without quotes, as jq --raw-output does.
	Raw bool
	// Indent prints values on several lines.
	Indent bool
	// Timeout limits the time that the expression may take for all its values,
	// not counting the time for writing them, because the reader may be slow. 0
	// means no limit. ParseFilter sets 10 seconds; expressions that end at all
	// do so within milliseconds.
	Timeout time.Duration
	// Grace is how long the expression may continue after ctx is done, so that
	// the outcomes of the last calls are still printed.
	Grace time.Duration
}

// ParseFilter parses a jq expression. The expression has access to the value it
// is given, not to files or the environment.
func ParseFilter(expression string) (*Filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		var syntax *gojq.ParseError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("--jq: %s, at %s", err, position([]byte(expression), syntax.Offset-len(syntax.Token)))
		}
		return nil, fmt.Errorf("--jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	return &Filter{code: code, Timeout: 10 * time.Second}, nil
}

// errSlow is the cause of ending an expression that takes too long.
var errSlow = errors.New("it takes too long")

// Write evaluates the expression on a JSON value and writes the results, each
// on one line or, with Indent, on several.
func (f *Filter) Write(ctx context.Context, w io.Writer, raw json.RawMessage) error {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("--jq: read the answer: %w", err)
	}
	ctx, cancel := f.withGrace(ctx)
	defer cancel(nil)
	values := f.code.RunWithContext(ctx, value)
	left := f.Timeout
	for {
		result, ok := f.next(values, &left, cancel)
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return explain(ctx, err)
		}
		if err := f.print(w, result); err != nil {
			return err
		}
	}
}

// withGrace returns a context that is done when ctx is and Grace has passed.
func (f *Filter) withGrace(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	if f.Grace <= 0 {
		return context.WithCancelCause(ctx)
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		grace := time.NewTimer(f.Grace)
		defer grace.Stop()
		select {
		case <-grace.C:
			cancel(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func(cause error) { stop(); cancel(cause) }
}

// next returns the next value and subtracts the time it took from left.
func (f *Filter) next(values gojq.Iter, left *time.Duration, cancel context.CancelCauseFunc) (any, bool) {
	if f.Timeout <= 0 {
		return values.Next()
	}
	start := time.Now()
	timer := time.AfterFunc(*left, func() { cancel(errSlow) })
	defer func() { timer.Stop(); *left -= time.Since(start) }()
	return values.Next()
}

// explain returns the error for a failure of the expression, nil for halt.
func explain(ctx context.Context, err error) error {
	var halt *gojq.HaltError
	if errors.As(err, &halt) && halt.Value() == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("--jq: the expression did not end: %w", cause)
	}
	return fmt.Errorf("--jq: %w", err)
}

func (f *Filter) print(w io.Writer, value any) error {
	if text, ok := value.(string); ok && f.Raw {
		_, err := io.WriteString(w, text+"\n")
		return err
	}
	encoded, err := gojq.Marshal(value)
	if err != nil {
		return fmt.Errorf("--jq: %w", err)
	}
	line := bytes.NewBuffer(encoded)
	if f.Indent {
		line = new(bytes.Buffer)
		if err := json.Indent(line, encoded, "", "  "); err != nil {
			return fmt.Errorf("--jq: %w", err)
		}
	}
	line.WriteByte('\n')
	_, err = w.Write(line.Bytes())
	return err
}

const (
	// outcomeGrace is how long an expression may continue after a signal, so
	// that the outcomes of the calls that the signal ended are printed.
	outcomeGrace = 250 * time.Millisecond
	// maxFiltered limits the output of an expression for one outcome, in bytes.
	maxFiltered = 64 << 20
)

// Printer prints the outcomes of a stream, one line each.
type Printer struct {
	W io.Writer
	// Filter is an expression whose values are printed instead of the
	// outcomes, if it is not nil.
	Filter *Filter
	// Bar shows how many calls are done. A nil Bar shows nothing.
	Bar *Bar
	// Warn is called with what goes wrong in Filter.
	Warn func(line int, err error)
	// Unfiltered is the number of outcomes on which Filter failed.
	Unfiltered int

	done, failed int
}

// Print prints an outcome. It uses one write, so that a reader gets all of the
// outcome at once.
func (p *Printer) Print(ctx context.Context, outcome Outcome) error {
	p.done++
	if !outcome.OK {
		p.failed++
	}
	defer func() { p.Bar.Calls(p.done, p.failed) }()
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(outcome); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if p.Filter != nil {
		raw := bytes.Clone(line.Bytes())
		line.Reset()
		p.Filter.Grace = outcomeGrace
		// A failing expression must not end calls that work.
		if err := p.Filter.Write(ctx, limited{&line}, raw); err != nil {
			p.Unfiltered++
			p.Bar.Clear()
			p.Warn(outcome.Line, err)
		}
	}
	if line.Len() == 0 {
		return nil
	}
	_, err := p.W.Write(line.Bytes())
	return err
}

// limited is a writer that fails after maxFiltered bytes, to end an expression
// that never stops producing values.
type limited struct{ made *bytes.Buffer }

func (l limited) Write(part []byte) (int, error) {
	if l.made.Len()+len(part) > maxFiltered {
		return 0, fmt.Errorf("the expression makes more than %d MiB of one outcome", maxFiltered>>20)
	}
	return l.made.Write(part)
}

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

// Calls shows how many calls are done, out of an unknown number.
func (b *Bar) Calls(done, failed int) { b.draw(false, "%d done, %d failed", done, failed) }

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

// Summary describes how a stream went.
type Summary struct {
	Done, Failed int        // outcomes that were written, and failures among them
	Lost         int        // outcomes from the first that could not be written
	Last         int        // the last line whose call was made
	First        Outcome    // the first failure
	Stopped      StopReason // why lines may be left; "" if the stream was processed to its end
}

// StopReason says why a stream was not processed to its end.
type StopReason string

// The reasons.
const (
	Interrupted StopReason = "interrupted"   // ctx was done
	FailedFast  StopReason = "a call failed" // and FailFast is set
)

func (sum *Summary) add(outcome Outcome) {
	sum.Done++
	if outcome.OK {
		return
	}
	if sum.Failed == 0 {
		sum.First = outcome
	}
	sum.Failed++
}

// Failures counts the calls that failed, and names the line of the first one.
func (sum Summary) Failures() string {
	return fmt.Sprintf("%d of %d calls failed, the first on line %d (%s)", sum.Failed, sum.Done, sum.First.Line, sum.First.Code)
}

// Progress describes how far a stream was processed that did not reach its end.
func (sum Summary) Progress() string {
	text := output.Count(sum.Done, "call was answered", "calls were answered")
	if sum.Failed > 0 {
		text += fmt.Sprintf(", %d with a failure", sum.Failed)
	}
	text += "; "
	if sum.Lost > 0 {
		text += fmt.Sprintf("%d more were made, but the answers are lost: check before you repeat them; ", sum.Lost)
	}
	return text + fmt.Sprintf("no call after line %d of the stream was made", sum.Last)
}
