package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"testing"
	"time"
)

// Each of these files costs image/jpeg and its like much more than its size, or a program
// that shows it.
func TestAnImageOfTooManyPartsIsNotDecoded(t *testing.T) {
	still := asGIF(t, drawing(40, 20))
	frame := bytes.IndexByte(still[13+3*256:], 0x2C) + 13 + 3*256
	moving := append([]byte{}, still[:frame]...)
	for range maxFrames + 1 {
		moving = append(moving, still[frame:len(still)-1]...)
	}
	webp := append(append([]byte{}, aWebP[:12]...), "VP8X\x0A\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	drawn := asPNG(t, drawing(2000, 400))
	for name, data := range map[string][]byte{
		"a progressive JPEG of many scans":         progressiveJPEG(2048, 2048, 36_000),
		"a small one":                              progressiveJPEG(64, 64, maxScans+1),
		"one with garbage before its scans":        bytes.Replace(progressiveJPEG(2048, 2048, 36_000), []byte("\xFF\xDA"), []byte("garbage\xFF\xDA"), 3),
		"a baseline JPEG that repeats its scan":    repeated(asJPEG(t, noise(2000, 400)), 5),
		"a JPEG of many segments":                  inserted(asJPEG(t, noise(2000, 400)), 2, []byte("\xFF\xFE\x00\x02"), maxPieces),
		"a PNG of many chunks":                     inserted(drawn, 33, chunk("tEXt", nil), maxPieces),
		"a PNG of many empty chunks with its data": inserted(drawn, 33, chunk("IDAT", nil), maxPieces),
		"an animated PNG":                          inserted(drawn, 33, chunk("fcTL", make([]byte, 26)), maxFrames+1),
		"a GIF of many frames":                     append(moving, ';'),
		"a GIF of many extensions":                 inserted(asGIF(t, drawing(2000, 400)), 13+3*256, []byte("!\xFE\x00"), maxPieces+1),
		"a WebP of many chunks":                    inserted(webp, len(webp), []byte("ABCD\x00\x00\x00\x00"), maxPieces),
		"a WebP of many frames":                    inserted(webp, len(webp), []byte("ANMF\x00\x00\x00\x00"), maxFrames+1),
	} {
		if fitted, err := Fit(context.Background(), data, 1_000_000, 1568); !errors.Is(err, ErrTooComplex) {
			t.Errorf("%s (%d bytes): %s of %d×%d, %v", name, len(data), fitted.ContentType, fitted.Width, fitted.Height, err)
		}
	}
}

// What is decoded takes less than a second on an idle machine; the limit is for a busy one.
func TestTheMostThatIsDecodedEndsSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and decodes one image after the other")
	}
	for name, data := range map[string][]byte{
		"a progressive JPEG with all the scans it may have": progressiveJPEG(2304, 2304, maxScans),
		"a large gray PNG":       asPNG(t, image.NewGray(image.Rect(0, 0, 4800, 4800))),
		"a large PNG of 16 bits": asPNG(t, image.NewNRGBA64(image.Rect(0, 0, 2300, 2300))),
		"a large GIF":            asGIF(t, image.NewPaletted(image.Rect(0, 0, 4800, 4800), color.Palette{color.White, color.Black})),
		"a large JPEG":           asJPEG(t, noise(4300, 4300)),
	} {
		began := time.Now()
		_, err := Fit(context.Background(), data, 1_000_000, 1568)
		took := time.Since(began)
		t.Logf("%s: %v, %v", name, took, err)
		if errors.Is(err, ErrTooLarge) || errors.Is(err, ErrTooComplex) || took > 20*time.Second {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}

func TestDecodingEndsWithItsContext(t *testing.T) {
	for name, data := range map[string][]byte{
		"PNG": asPNG(t, image.NewGray(image.Rect(0, 0, 4800, 4800))), "JPEG": progressiveJPEG(2304, 2304, maxScans), "GIF": asGIF(t, image.NewPaletted(image.Rect(0, 0, 4800, 4800), color.Palette{color.White, color.Black})), "WebP": aWebP,
	} {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Fit(ended, data, 10, 1568); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "WebP" { // too small to take any time
			continue
		}
		late := &ending{Context: context.Background(), left: 8}
		if _, err := Fit(late, data, 1_000_000, 1568); !errors.Is(err, context.DeadlineExceeded) || late.left < -8 {
			t.Errorf("%s: %v, asked %d times after the end", name, err, -late.left)
		}
	}
}

// ending is a context that ends after Err was called some times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// progressiveJPEG returns a picture of which each scan is one code that stands for up to
// 32,767 empty blocks, and so hardly has any bytes.
func progressiveJPEG(width, height, scans int) []byte {
	var b bytes.Buffer
	b.WriteString("\xFF\xD8\xFF\xC2\x00\x0B\x08")
	_ = binary.Write(&b, binary.BigEndian, []uint16{uint16(height), uint16(width)})
	b.WriteString("\x01\x01\x11\x00")
	// A table of one code, of one bit, for DC differences of 0, and one for runs of 2^14
	// blocks and more.
	b.WriteString("\xFF\xC4\x00\x14\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	b.WriteString("\xFF\xC4\x00\x14\x10\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xE0")
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	for i := range scans {
		if i == 0 {
			b.WriteString("\xFF\xDA\x00\x08\x01\x01\x00\x00\x00\x00")
			b.Write(make([]byte, (blocks+7)/8))
			continue
		}
		b.WriteString("\xFF\xDA\x00\x08\x01\x01\x00\x01\x3F\x00")
		bits := 0
		for covered := 0; covered < blocks; covered += 1 << 14 {
			bits += 15
		}
		b.Write(make([]byte, (bits+7)/8))
	}
	b.WriteString("\xFF\xD9")
	return b.Bytes()
}

// repeated returns a JPEG file with its scan so many times.
func repeated(data []byte, times int) []byte {
	at := bytes.Index(data, []byte("\xFF\xDA"))
	scan := data[at : len(data)-2]
	return append(append(append([]byte{}, data[:at]...), bytes.Repeat(scan, times)...), "\xFF\xD9"...)
}

func inserted(data []byte, at int, what []byte, times int) []byte {
	return append(append(append([]byte{}, data[:at]...), bytes.Repeat(what, times)...), data[at:]...)
}

// chunk returns a chunk of a PNG file.
func chunk(kind string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
