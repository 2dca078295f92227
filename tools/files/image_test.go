package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
)

// drawing returns an image with an edge in the middle.
func drawing(width, height int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			if x < width/2 {
				picture.SetNRGBA(x, y, color.NRGBA{200, 30, 30, 255})
			}
		}
	}
	return picture
}

// noise returns an image that hardly compresses, as photos do not.
func noise(width, height int) *image.YCbCr {
	picture := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	random := rand.NewPCG(1, 2)
	for i := range picture.Y {
		picture.Y[i] = byte(i>>4) + byte(random.Uint64()&15)
	}
	for i := range picture.Cb {
		picture.Cb[i], picture.Cr[i] = byte(i>>6), 128
	}
	return picture
}

func asPNG(t testing.TB, picture image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, picture image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, picture image.Image) []byte {
	var b bytes.Buffer
	if err := gif.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aWebP is one red pixel.
var aWebP, _ = base64.StdEncoding.DecodeString("UklGRhwAAABXRUJQVlA4TBAAAAAvAAAAEAcQ/Y/+BwAAAA==")

func TestAnImageWithinTheLimitsStaysAsItIs(t *testing.T) {
	for contentType, data := range map[string][]byte{
		"image/png": asPNG(t, drawing(300, 200)), "image/jpeg": asJPEG(t, drawing(300, 200)), "image/gif": asGIF(t, drawing(300, 200)),
	} {
		fitted, err := FitImage(context.Background(), data, 1_000_000, 300)
		if err != nil || !bytes.Equal(fitted.Data, data) || fitted.ContentType != contentType || ImageType(data) != contentType || fitted.Width != 300 || fitted.Height != 200 {
			t.Errorf("%s: %s of %d×%d, %v", contentType, fitted.ContentType, fitted.Width, fitted.Height, err)
		}
	}
	if fitted, err := FitImage(context.Background(), aWebP, 1000, 10); err != nil || fitted.ContentType != "image/webp" || fitted.Width != 1 {
		t.Errorf("image/webp: %+v, %v", fitted, err)
	}
}

func TestAnImageWithTooManyPixelsIsScaled(t *testing.T) {
	for name, test := range map[string]struct {
		data        []byte
		contentType string
	}{
		"a PNG stays one":   {asPNG(t, drawing(2000, 400)), "image/png"},
		"a GIF becomes PNG": {asGIF(t, drawing(2000, 400)), "image/png"},
		"a JPEG stays one":  {asJPEG(t, drawing(2000, 400)), "image/jpeg"},
	} {
		fitted, err := FitImage(context.Background(), test.data, 1_000_000, 1568)
		if err != nil || fitted.ContentType != test.contentType || fitted.Width != 1568 || fitted.Height != 313 {
			t.Errorf("%s: %s of %d×%d, %v", name, fitted.ContentType, fitted.Width, fitted.Height, err)
			continue
		}
		picture, _, err := image.Decode(bytes.NewReader(fitted.Data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		left, _, _, _ := picture.At(100, 150).RGBA()
		right, _, _, _ := picture.At(1400, 150).RGBA()
		if left>>8 < 150 || right>>8 > 120 && test.contentType == "image/png" {
			t.Errorf("%s: red is %d at the left, %d at the right", name, left>>8, right>>8)
		}
	}
}

func TestAnImageWithTooManyBytesIsMadeSmaller(t *testing.T) {
	data := asPNG(t, noise(500, 500))
	fitted, err := FitImage(context.Background(), data, 30_000, 1568)
	if err != nil || len(fitted.Data) > 30_000 || fitted.ContentType != "image/jpeg" {
		t.Errorf("%d bytes of %s, %v", len(fitted.Data), fitted.ContentType, err)
	}
	if _, err := FitImage(context.Background(), data, 10, 1568); err == nil {
		t.Error("10 bytes were enough")
	}
}

func TestAPhotoIsTurnedAsItsOrientationSays(t *testing.T) {
	// The left half is red, and the top half of that brighter.
	picture := drawing(64, 32)
	for y := range 16 {
		for x := range 32 {
			picture.SetNRGBA(x, y, color.NRGBA{255, 255, 255, 255})
		}
	}
	plain := asJPEG(t, picture)
	for orientation, bright := range map[uint16]image.Point{
		1: {4, 4}, 2: {27, 4}, 3: {27, 11}, 4: {4, 11}, 5: {4, 4}, 6: {11, 4}, 7: {11, 27}, 8: {4, 27},
	} {
		exif := []byte("\xFF\xE1\x00\x22Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
		binary.BigEndian.PutUint16(exif[28:], orientation)
		data := append(append(append([]byte{}, plain[:2]...), exif...), plain[2:]...)
		fitted, err := FitImage(context.Background(), data, 1_000_000, 32)
		if err != nil {
			t.Fatal(err)
		}
		turned, err := jpeg.Decode(bytes.NewReader(fitted.Data))
		if err != nil {
			t.Fatal(err)
		}
		if g := color.GrayModel.Convert(turned.At(bright.X, bright.Y)).(color.Gray); g.Y < 200 {
			t.Errorf("orientation %d: %v of %v has the brightness %d", orientation, bright, turned.Bounds(), g.Y)
		}
	}
}

func TestABombIsRefusedBeforeItIsDecoded(t *testing.T) {
	bomb := asPNG(t, image.NewGray(image.Rect(0, 0, 4, 4)))
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	gifBomb := asGIF(t, drawing(4, 4))
	binary.LittleEndian.PutUint16(gifBomb[6:], 65_535)
	binary.LittleEndian.PutUint16(gifBomb[8:], 65_535)
	for name, data := range map[string][]byte{"PNG": bomb, "GIF": gifBomb} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := FitImage(context.Background(), data, 1_000_000, 1568)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooManyPixels) || after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("%s: %v, after %d bytes", name, err, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing": nil, "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "HTML": []byte("<html><script>alert(1)</script>"),
		"the beginning of a PNG": asPNG(t, drawing(9, 9))[:20], "a cut JPEG": asJPEG(t, noise(1600, 100))[:3000],
	} {
		if fitted, err := FitImage(context.Background(), data, 1_000_000, 1568); err == nil {
			t.Errorf("%s is %s", name, fitted.ContentType)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add(asPNG(f, drawing(40, 20)))
	f.Add(asGIF(f, drawing(40, 20)))
	f.Add(asJPEG(f, noise(40, 20)))
	f.Add(aWebP)
	f.Fuzz(func(t *testing.T, data []byte) {
		fitted, err := FitImage(context.Background(), data, 2000, 16)
		if err == nil && (len(fitted.Data) > 2000 || max(fitted.Width, fitted.Height) > 16 || ImageType(fitted.Data) != fitted.ContentType) {
			t.Errorf("%d bytes of %s, %d×%d", len(fitted.Data), fitted.ContentType, fitted.Width, fitted.Height)
		}
	})
}

func BenchmarkAPhotoOfTwelveMegapixels(b *testing.B) {
	data := asJPEG(b, noise(4000, 3000))
	b.ReportAllocs()
	b.ReportMetric(float64(len(data)), "bytes")
	for b.Loop() {
		if _, err := FitImage(context.Background(), data, 1_000_000, 1568); err != nil {
			b.Fatal(err)
		}
	}
}

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
		if fitted, err := FitImage(context.Background(), data, 1_000_000, 1568); !errors.Is(err, ErrTooComplex) {
			t.Errorf("%s (%d bytes): %s of %d×%d, %v", name, len(data), fitted.ContentType, fitted.Width, fitted.Height, err)
		}
	}
}

// What is decoded takes less than a second on an idle machine; the limit is for a busy one.
func TestTheMostThatIsDecodedEndsSoon(t *testing.T) {
	fixtures.Measures(t)
	for name, data := range map[string][]byte{
		"a progressive JPEG with all the scans it may have": progressiveJPEG(2304, 2304, maxScans),
		"a large gray PNG":       asPNG(t, image.NewGray(image.Rect(0, 0, 4800, 4800))),
		"a large PNG of 16 bits": asPNG(t, image.NewNRGBA64(image.Rect(0, 0, 2300, 2300))),
		"a large GIF":            asGIF(t, image.NewPaletted(image.Rect(0, 0, 4800, 4800), color.Palette{color.White, color.Black})),
		"a large JPEG":           asJPEG(t, noise(4300, 4300)),
	} {
		began := time.Now()
		_, err := FitImage(context.Background(), data, 1_000_000, 1568)
		took := time.Since(began)
		t.Logf("%s: %v, %v", name, took, err)
		if errors.Is(err, ErrTooManyPixels) || errors.Is(err, ErrTooComplex) || took > 20*time.Second {
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
		if _, err := FitImage(ended, data, 10, 1568); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "WebP" { // too small to take any time
			continue
		}
		late := &fixtures.Ending{Context: context.Background(), Left: 8}
		if _, err := FitImage(late, data, 1_000_000, 1568); !errors.Is(err, context.DeadlineExceeded) || late.Left < -8 {
			t.Errorf("%s: %v, asked %d times after the end", name, err, -late.Left)
		}
	}
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
