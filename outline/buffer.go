package outline

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

const (
	smallestBuffer = 32 << 10
	largestKept    = 8 << 20 // a larger buffer is not kept for the next answer
)

// errLonger says that a body is longer than its limit.
var errLonger = errors.New("longer than the limit")

// bufferPool lends the buffers that answers are read into. Decoding copies
// what it keeps, so that a buffer is free again when its answer is decoded.
type bufferPool struct{ pool sync.Pool }

// buffer holds the body of one answer.
type buffer struct{ bytes []byte }

func (p *bufferPool) get() *buffer {
	if b, ok := p.pool.Get().(*buffer); ok {
		return b
	}
	return new(buffer)
}

func (p *bufferPool) put(b *buffer) {
	if cap(b.bytes) <= largestKept {
		p.pool.Put(b)
	}
}

// read replaces the buffer's content by the body of r. It reads at most one
// byte more than limit, and then returns errLonger. The body yields
// decompressed bytes, so that they are what is counted.
//
// A body that outgrows the buffer goes on in further pieces, which are joined
// once at the end. Growing a single one would copy and drop it again and
// again: a compressed answer does not announce its length.
func (b *buffer) read(r *http.Response, limit int64) error {
	if r.ContentLength > limit {
		return errLonger
	}
	// One byte more than announced leaves room for the read that finds the
	// end. A header alone must not cost more than a buffer that is kept.
	if size := max(smallestBuffer, min(r.ContentLength+1, largestKept)); int64(cap(b.bytes)) < size {
		b.bytes = make([]byte, 0, size)
	}
	piece := b.bytes[:0]
	var full [][]byte
	for total := int64(0); ; {
		if len(piece) == cap(piece) {
			full = append(full, piece)
			piece = make([]byte, 0, min(total, limit+1-total))
		}
		n, err := r.Body.Read(piece[len(piece):min(int64(cap(piece)), int64(len(piece))+limit+1-total)])
		piece = piece[:len(piece)+n]
		total += int64(n)
		switch {
		case total > limit:
			return errLonger
		case err == io.EOF && full == nil:
			b.bytes = piece
			return nil
		case err == io.EOF:
			b.bytes = make([]byte, 0, total)
			for _, part := range append(full, piece) {
				b.bytes = append(b.bytes, part...)
			}
			return nil
		case err != nil:
			return err
		}
	}
}
