package workspace

import "io"

// Pieces are a text in pieces. The JSON of a document is long and made once; in
// pieces it gets from there to the reader without being copied.
type pieces [][]byte

// size is the length of the text in bytes.
func (p pieces) size() int {
	size := 0
	for _, piece := range p {
		size += len(piece)
	}
	return size
}

// reader returns a reader of the text.
func (p pieces) reader() *piecesReader { return &piecesReader{rest: p} }

// A piecesReader reads a text once.
type piecesReader struct {
	rest pieces
	read int // how much of the first piece of rest
}

// Read implements [io.Reader].
func (r *piecesReader) Read(b []byte) (int, error) {
	n := 0
	for len(r.rest) > 0 && n < len(b) {
		copied := copy(b[n:], r.rest[0][r.read:])
		n += copied
		if r.read += copied; r.read == len(r.rest[0]) {
			r.rest, r.read = r.rest[1:], 0
		}
	}
	if n == 0 && len(r.rest) == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// WriteTo implements [io.WriterTo].
func (r *piecesReader) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for ; len(r.rest) > 0; r.rest, r.read = r.rest[1:], 0 {
		n, err := w.Write(r.rest[0][r.read:])
		written += int64(n)
		if err != nil {
			r.read += n
			return written, err
		}
	}
	return written, nil
}
