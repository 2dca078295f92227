package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong reports a line longer than the limit. The line is dropped, and
// those after it can be read.
var ErrTooLong = errors.New("line too long")

// A LineReader reads the lines of a stream, one at a time.
type LineReader struct {
	in  *bufio.Reader
	max int
}

// NewLineReader returns a [LineReader] of lines of up to limit bytes, without what ends
// them.
func NewLineReader(in io.Reader, limit int) *LineReader {
	return &LineReader{in: bufio.NewReader(in), max: limit}
}

// Next returns the next line that is not blank, without surrounding spaces,
// line ends and a byte order mark, which Windows PowerShell writes at the start
// of its output. A last line without a newline counts too. At the end it
// returns io.EOF. The caller owns the line.
func (r *LineReader) Next() ([]byte, error) {
	for {
		line, err := r.read()
		if errors.Is(err, ErrTooLong) {
			return nil, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return line, nil // io.EOF comes again with the next read
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *LineReader) read() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > r.max+1 {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.in.ReadSlice('\n')
			}
			return nil, ErrTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
