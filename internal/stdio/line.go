package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest message that is read, in bytes. Outline takes
// requests of up to 5 MiB.
const maxLine = 16 << 20

var errLineTooLong = errors.New("message longer than 16 MiB")

// lines reads messages, which are lines.
type lines struct{ in *bufio.Reader }

func newLines(in io.Reader) lines { return lines{bufio.NewReader(in)} }

// next returns the next line that is not blank, without what ends it: a last
// one without a newline counts too. A line that is too long is read to its end
// and dropped; the one after it can be read.
func (l lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if errors.Is(err, errLineTooLong) {
			return nil, err
		}
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // which Windows PowerShell begins its output with
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil // an error comes again with the next read
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l lines) read() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = l.in.ReadSlice('\n')
			}
			return nil, errLineTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
