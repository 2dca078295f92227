// Package pdftext reads the text of PDFs, by pages. The library that parses them panics on
// damaged files and takes as much memory as a file makes it take, so the program starts
// itself to run it: Process is used in the server, and Extract in the process that it starts.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
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
