package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// The most parts of an image that is decoded, or handed on for others to decode. Programs
// write a tenth of that; a file of few bytes can have many more, each of which costs a
// decoder as much as the whole picture.
const (
	maxScans  = 100 // of a progressive JPEG
	maxFrames = 1000
	maxPieces = 20_000 // segments, chunks or blocks
)

// ErrTooComplex reports an image with more parts than are decoded.
var ErrTooComplex = errors.New("it has too many scans, frames or chunks")

// parts counts what an image file consists of.
type parts struct{ scans, frames, pieces int }

func (c parts) check() error {
	if c.scans > maxScans || c.frames > maxFrames || c.pieces > maxPieces {
		return ErrTooComplex
	}
	return nil
}

// pngParts counts the chunks of a PNG file. Those of an animation are its frames (PNG,
// third edition, section 11.3.6).
func pngParts(data []byte) (c parts) {
	for data = data[min(8, len(data)):]; len(data) >= 12; c.pieces++ {
		if string(data[4:8]) == "fcTL" {
			c.frames++
		}
		data = data[min(uint64(len(data)), 12+uint64(binary.BigEndian.Uint32(data))):]
	}
	return c
}

// webpParts counts the chunks and the frames of a WebP file.
func webpParts(data []byte) (c parts) {
	for data = data[min(12, len(data)):]; len(data) >= 8; c.pieces++ {
		if string(data[:4]) == "ANMF" {
			c.frames++
		}
		length := uint64(binary.LittleEndian.Uint32(data[4:]))
		data = data[min(uint64(len(data)), 8+length+length&1):]
	}
	return c
}

// gifParts counts the frames and the extensions of a GIF file (GIF89a, appendix B).
func gifParts(data []byte) (c parts) {
	// skip leaves out n bytes, and what a list of sub-blocks behind them has.
	skip := func(n int, blocks bool) {
		data = data[min(n, len(data)):]
		for blocks && len(data) > 0 {
			length := int(data[0])
			data = data[min(1+length, len(data)):]
			blocks = length > 0
		}
	}
	colors := func(flags byte) int { // the length of a table of colors
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (1 + flags&7)
	}
	if len(data) < 13 {
		return c
	}
	skip(13+colors(data[10]), false)
	for ; len(data) > 0; c.pieces++ {
		const extension, frame = 0x21, 0x2C
		switch {
		case data[0] == extension:
			skip(2, true)
		case data[0] == frame && len(data) >= 10:
			c.frames++
			skip(10+colors(data[9])+1, true)
		default:
			return c
		}
	}
	return c
}

// A source is a file that a decoder reads. It fails when its context is done, and gives a
// few bytes at a time, so that the decoder soon ends.
type source struct {
	context.Context
	file *bytes.Reader
}

// Read implements io.Reader.
func (s source) Read(p []byte) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	const few = 512
	return s.file.Read(p[:min(len(p), few)])
}

// readerOf makes a function that reads take bytes, until a context is done.
func readerOf[T any](read func(io.Reader) (T, error)) func(context.Context, []byte) (T, error) {
	return func(ctx context.Context, data []byte) (T, error) { return read(source{ctx, bytes.NewReader(data)}) }
}
