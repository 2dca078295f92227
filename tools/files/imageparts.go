package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
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

// The markers of a JPEG file that matter here (ITU-T T.81, table B.1).
const (
	baseline, extended, progressive = 0xC0, 0xC1, 0xC2
	restart, lastRestart            = 0xD0, 0xD7
	endOfImage, startOfScan         = 0xD9, 0xDA
)

// segments calls each with the marker and the content of each segment of a JPEG file,
// until it returns false (ITU-T T.81, annex B). It skips what image/jpeg skips: bytes that
// belong to no segment, which are those of a scan, or garbage.
func segments(data []byte, each func(marker byte, content []byte) bool) {
	data = data[min(2, len(data)):]
	for {
		at := bytes.IndexByte(data, 0xFF)
		if at < 0 || at+4 > len(data) {
			return
		}
		data = data[at:]
		switch marker := data[1]; {
		case marker == 0xFF: // a fill byte
			data = data[1:]
		case marker == 0, marker >= restart && marker <= lastRestart:
			data = data[2:]
		default:
			length := int(binary.BigEndian.Uint16(data[2:]))
			if marker == endOfImage || length < 2 || 2+length > len(data) || !each(marker, data[4:2+length]) {
				return
			}
			data = data[2+length:]
		}
	}
}

// jpegParts counts the segments and the scans of a JPEG file. In a file that is not
// progressive, each component has one scan; decoding a further one takes as long as
// decoding the whole picture.
func jpegParts(data []byte) (c parts) {
	components, scanned := 4, 0
	segments(data, func(marker byte, content []byte) bool {
		c.pieces++
		switch {
		case len(content) == 0:
		case (marker == baseline || marker == extended) && len(content) > 5:
			components = int(content[5])
		case marker == progressive:
			components = maxScans * 4
		case marker == startOfScan:
			c.scans++
			scanned += int(content[0])
		}
		return true
	})
	if scanned > components {
		c.scans = maxScans + 1
	}
	return c
}

// jpegMemory returns how many bytes image/jpeg takes to decode a pixel. It keeps the
// coefficients of a progressive picture, of four bytes each, until the end.
func jpegMemory(data []byte) float64 {
	memory := 16.0 // whatever it is
	segments(data, func(marker byte, content []byte) bool {
		if marker != baseline && marker != extended && marker != progressive {
			return true
		}
		if len(content) < 6 || len(content) < 6+3*int(content[5]) {
			return false
		}
		samples, most := 0, 1
		for i := range int(content[5]) {
			n := int(content[7+3*i]>>4) * int(content[7+3*i]&15)
			samples, most = samples+n, max(most, n)
		}
		memory = float64(samples) / float64(most)
		if content[5] == 4 {
			memory += 4 // converted to CMYK
		}
		if marker == progressive {
			memory += 4 * float64(samples) / float64(most)
		}
		return false
	})
	return memory
}

// orientationOf returns how a JPEG picture is to be turned, from 1 (not at all) to 8
// (Exif 3.0, tag 274).
func orientationOf(data []byte) int {
	orientation := 1
	segments(data, func(marker byte, content []byte) bool {
		const app1 = 0xE1
		tiff, exif := bytes.CutPrefix(content, []byte("Exif\x00\x00"))
		if marker != app1 || !exif || len(tiff) < 8 {
			return marker != startOfScan
		}
		var order binary.ByteOrder = binary.BigEndian
		if tiff[0] == 'I' {
			order = binary.LittleEndian
		}
		at := int64(order.Uint32(tiff[4:]))
		if at+2 > int64(len(tiff)) {
			return false
		}
		entries := tiff[at+2:]
		for range order.Uint16(tiff[at:]) {
			if len(entries) < 12 {
				return false
			}
			if value := int(order.Uint16(entries[8:])); order.Uint16(entries) == 274 && value >= 1 && value <= 8 {
				orientation = value
			}
			entries = entries[12:]
		}
		return false
	})
	return orientation
}

// uprightImage turns a picture as its orientation says, scaled down first. Encoding it
// loses the orientation.
func uprightImage(picture image.Image, orientation, maxSide int) image.Image {
	if orientation == 1 {
		return picture
	}
	picture = scaledImage(picture, maxSide)
	from := picture.Bounds()
	width, height := from.Dx(), from.Dy()
	aside := orientation >= 5
	if aside {
		width, height = height, width
	}
	turned := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			u, v := x, y
			if aside {
				u, v = y, x
			}
			switch orientation {
			case 2, 3, 7, 8:
				u = from.Dx() - 1 - u
			}
			switch orientation {
			case 3, 4, 6, 7:
				v = from.Dy() - 1 - v
			}
			turned.Set(x, y, picture.At(from.Min.X+u, from.Min.Y+v))
		}
	}
	return turned
}
