// Package pdftext reads the text of PDFs, by pages. The library that parses them panics on
// damaged files and takes as much memory as a file makes it take, so the program starts
// itself to run it: Process is used in the server, and Extract in the process that it starts.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// What reading a file may cost, beside the limits of a page in page.go.
const (
	maxTime   = 5 * time.Second
	leastTime = 200 * time.Millisecond // of the processor; a file of a page takes a tenth of it
	timeOfKiB = 4 * time.Millisecond   // of the processor, for each KiB of the file
	maxMemory = 64 << 20               // bytes, of the whole process
	maxHeap   = 40 << 20               // bytes; the rest is the program itself
	maxText   = 8 << 20                // bytes
	maxPages  = 5_000
)

// Reasons for which a file, or the rest of it, is not read.
var (
	ErrDamaged     = errors.New("it is damaged, or uses features of PDF that are not supported")
	ErrEncrypted   = errors.New("it is encrypted with a password or in a way that is not supported")
	ErrNoText      = errors.New("it has no text that can be read; its pages may be pictures, such as scans")
	ErrUnavailable = errors.New("the server could not start the process that reads PDFs")
	ErrTooLarge    = fmt.Errorf("reading it takes more than %d MiB of memory, or more time than a file of its size should", maxMemory>>20)
)

// Exit codes of the process.
const (
	exitOutOfMemory = 2 // of the Go runtime, when memory or the stack cannot grow
	exitEncrypted   = 10
	exitNoText      = 11
	exitTooLarge    = 12
)

// A Process is the command that runs Extract.
type Process struct {
	Path string
	Args []string
}

// Text returns the text of a PDF as Markdown with a heading for each page. If it fails
// after some pages, it returns these pages and the error.
func (p Process) Text(ctx context.Context, data []byte) (string, error) {
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	cmd := exec.CommandContext(limited, p.Path, p.Args...)
	// No keys, and a heap that is collected before the limit is reached.
	cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none", "GOMEMLIMIT=" + strconv.Itoa(maxHeap*3/4)}
	cmd.Stdin = bytes.NewReader(data)
	var text bytes.Buffer
	cmd.Stdout = &text // Extract limits it
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
	case !errors.As(err, &exit):
		err = ErrUnavailable // the error names files of the server
	case limited.Err() != nil, exit.ExitCode() == exitTooLarge, exit.ExitCode() == exitOutOfMemory:
		err = ErrTooLarge
	case exit.ExitCode() == exitEncrypted:
		err = ErrEncrypted
	case exit.ExitCode() == exitNoText:
		err = ErrNoText
	default:
		err = ErrDamaged
	}
	return strings.ToValidUTF8(text.String(), "\uFFFD"), err
}

// Extract is the process that Process starts: it writes the text of the PDF on in to out,
// page by page, and returns an exit code. It ends the process if that takes too much memory
// or time.
func Extract(in io.Reader, out io.Writer) (code int) {
	defer func() {
		if recover() != nil {
			code = 1
		}
	}()
	data, err := io.ReadAll(in)
	if err != nil {
		return 1
	}
	limit(leastTime + timeOfKiB*time.Duration(len(data)>>10))
	r, err := open(data)
	switch {
	case err != nil && (err == pdf.ErrInvalidPassword || strings.Contains(err.Error(), "encrypt")):
		return exitEncrypted
	case err != nil:
		return 1
	}
	d := document{out: out, damaged: true}
	d.walk(r.Trailer().Key("Root").Key("Pages"), pdf.Value{}, 0)
	switch {
	case d.stopped, d.full && !d.hasText:
		return exitTooLarge
	case !d.hasText && !r.Trailer().Key("Encrypt").IsNull():
		return exitEncrypted // with a kind of key that the library takes for another
	case d.pages == 0 || d.damaged:
		return 1
	case !d.hasText:
		return exitNoText
	}
	return 0
}

// limit ends the process when it takes more than maxHeap, or more of the processor's time
// from now on, or more than maxTime even if the server has ended. Go has no such limits of
// its own, and not every system has some that hold.
func limit(most time.Duration) {
	limitData(maxHeap)
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	start, began := time.Now(), processorTime()
	go func() {
		for {
			metrics.Read(samples)
			if samples[0].Value.Uint64()-samples[1].Value.Uint64() > maxHeap || processorTime()-began > most || time.Since(start) > maxTime {
				os.Exit(exitTooLarge)
			}
			time.Sleep(time.Millisecond)
		}
	}()
}

// open opens a PDF. The library knows versions 1.0 to 1.7 and no bytes after the end.
func open(data []byte) (*pdf.Reader, error) {
	const header = "%PDF-1.7\n"
	if len(data) > len(header) {
		copy(data, header)
	}
	if i := bytes.LastIndex(data, []byte("%%EOF")); i >= 0 {
		data = data[:i+len("%%EOF")]
	}
	return pdf.NewReader(bytes.NewReader(data), int64(len(data)))
}

// document is the text of a PDF as it is written.
type document struct {
	out     io.Writer
	waiting strings.Builder // pages before the first that has text
	nodes   int             // of the tree of pages
	pages   int
	written int
	hasText bool
	damaged bool // every page so far
	full    bool // a page holds too much
	stopped bool // a limit is reached
}

// walk writes the pages below a node of the tree of pages.
func (d *document) walk(node, resources pdf.Value, depth int) {
	const maxDepth = 50
	d.nodes++
	if own := node.Key("Resources"); !own.IsNull() {
		resources = own
	}
	kids := node.Key("Kids")
	if kids.Len() == 0 && node.Key("Type").Name() != "Pages" && !node.IsNull() {
		d.page(node, resources)
	}
	for i := 0; i < kids.Len() && !d.stopped; i++ {
		if depth >= maxDepth || d.nodes >= 2*maxPages {
			d.stopped = true
			return
		}
		d.walk(kids.Index(i), resources, depth+1)
	}
}

func (d *document) page(page, resources pdf.Value) {
	p := readPage(page, resources)
	d.pages++
	text := p.text()
	if 2*strings.Count(text, "\uFFFD") > utf8.RuneCountInString(strings.Join(strings.Fields(text), "")) {
		p.lines, text = nil, "(The fonts of this page do not tell its letters.)\n"
	}
	switch {
	case p.full && text == "":
		text = "(This page holds too much to be read.)\n"
	case p.damaged && text == "":
		text = "(This page could not be read.)\n"
	case p.full || p.damaged:
		text += "\n(The rest of this page could not be read.)\n"
	case text == "":
		text = "(This page has no text.)\n"
	}
	d.hasText = d.hasText || len(p.lines) > 0
	d.damaged = d.damaged && p.damaged && len(p.lines) == 0
	d.full = d.full || p.full
	n, err := fmt.Fprintf(&d.waiting, "## Page %d\n\n%s\n", d.pages, text)
	if d.hasText {
		_, err = io.WriteString(d.out, d.waiting.String())
		d.waiting.Reset()
	}
	d.written += n
	d.stopped = err != nil || d.written > maxText || d.pages >= maxPages
}
