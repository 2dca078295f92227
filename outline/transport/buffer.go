package transport

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

const (
	smallestBuffer = 32 << 10
	largestPiece   = 256 << 10 // of a body that outgrows its buffer
	largestKept    = 8 << 20   // a larger buffer is not kept for the next answer
)

// ErrTooLong reports that a body is longer than its limit.
var ErrTooLong = errors.New("longer than the limit")

// Buffers is a pool of buffers to read answers into. Decoding copies what it
// needs, so a buffer can be put back when its answer is decoded. The zero value
// is ready to use.
type Buffers struct{ pool sync.Pool }

// A Buffer holds the body of one answer.
type Buffer struct{ Bytes []byte }

// Get returns a buffer, which the caller gives back with Put.
func (p *Buffers) Get() *Buffer {
	if b, ok := p.pool.Get().(*Buffer); ok {
		return b
	}
	return new(Buffer)
}

// Put takes a buffer back. The caller must not use its bytes any more.
func (p *Buffers) Put(b *Buffer) {
	if cap(b.Bytes) <= largestKept {
		p.pool.Put(b)
	}
}

// Read replaces the content of the buffer with the body of r. It reads at most one
// byte more than limit, and then returns ErrTooLong. The limit applies to
// decompressed bytes.
//
// reserve, unless it is nil, is called with the number of bytes that the body is known to
// have at least: before anything is allocated, and after each read. An error ends Read.
//
// A body that outgrows the buffer continues in further pieces, which are joined
// once at the end. Growing a single buffer would copy it again and again, because
// a compressed answer does not announce its length.
func (b *Buffer) Read(r *http.Response, limit int64, reserve func(bytes int64) error) error {
	if r.ContentLength > limit {
		return ErrTooLong
	}
	if reserve == nil {
		reserve = func(int64) error { return nil }
	}
	if err := reserve(max(0, r.ContentLength)); err != nil {
		return err
	}
	// One byte more than announced leaves room for the read that finds the end.
	// A header alone must not allocate more than a buffer that is kept.
	if size := max(smallestBuffer, min(r.ContentLength+1, largestKept)); int64(cap(b.Bytes)) < size {
		b.Bytes = make([]byte, 0, size)
	}
	piece := b.Bytes[:0]
	var full [][]byte
	for total := int64(0); ; {
		if len(piece) == cap(piece) {
			full = append(full, piece)
			piece = make([]byte, 0, min(total, largestPiece, limit+1-total))
		}
		n, err := r.Body.Read(piece[len(piece):min(int64(cap(piece)), int64(len(piece))+limit+1-total)])
		piece = piece[:len(piece)+n]
		total += int64(n)
		switch {
		case total > limit:
			return ErrTooLong
		case err == io.EOF && full == nil:
			b.Bytes = piece
			return nil
		case err == io.EOF:
			b.Bytes = make([]byte, 0, total)
			for _, part := range append(full, piece) {
				b.Bytes = append(b.Bytes, part...)
			}
			return nil
		case err == nil:
			err = reserve(total)
		}
		if err != nil {
			return err
		}
	}
}
