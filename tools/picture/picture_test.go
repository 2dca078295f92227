package picture

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
		fitted, err := Fit(context.Background(), data, 1_000_000, 300)
		if err != nil || !bytes.Equal(fitted.Data, data) || fitted.ContentType != contentType || TypeOf(data) != contentType || fitted.Width != 300 || fitted.Height != 200 {
			t.Errorf("%s: %s of %d×%d, %v", contentType, fitted.ContentType, fitted.Width, fitted.Height, err)
		}
	}
	if fitted, err := Fit(context.Background(), aWebP, 1000, 10); err != nil || fitted.ContentType != "image/webp" || fitted.Width != 1 {
		t.Errorf("image/webp: %+v, %v", fitted, err)
	}
}

func TestAnImageWithTooManyPixelsIsScaled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and scales one image after the other")
	}
	for name, test := range map[string]struct {
		data        []byte
		contentType string
	}{
		"a PNG stays one":   {asPNG(t, drawing(2000, 400)), "image/png"},
		"a GIF becomes PNG": {asGIF(t, drawing(2000, 400)), "image/png"},
		"a JPEG stays one":  {asJPEG(t, drawing(2000, 400)), "image/jpeg"},
	} {
		fitted, err := Fit(context.Background(), test.data, 1_000_000, 1568)
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
	fitted, err := Fit(context.Background(), data, 30_000, 1568)
	if err != nil || len(fitted.Data) > 30_000 || fitted.ContentType != "image/jpeg" {
		t.Errorf("%d bytes of %s, %v", len(fitted.Data), fitted.ContentType, err)
	}
	if _, err := Fit(context.Background(), data, 10, 1568); err == nil {
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
		fitted, err := Fit(context.Background(), data, 1_000_000, 32)
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
		_, err := Fit(context.Background(), data, 1_000_000, 1568)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooLarge) || after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("%s: %v, after %d bytes", name, err, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing": nil, "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "HTML": []byte("<html><script>alert(1)</script>"),
		"the beginning of a PNG": asPNG(t, drawing(9, 9))[:20], "a cut JPEG": asJPEG(t, noise(1600, 100))[:3000],
	} {
		if fitted, err := Fit(context.Background(), data, 1_000_000, 1568); err == nil {
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
		fitted, err := Fit(context.Background(), data, 2000, 16)
		if err == nil && (len(fitted.Data) > 2000 || max(fitted.Width, fitted.Height) > 16 || TypeOf(fitted.Data) != fitted.ContentType) {
			t.Errorf("%d bytes of %s, %d×%d", len(fitted.Data), fitted.ContentType, fitted.Width, fitted.Height)
		}
	})
}

func BenchmarkAPhotoOfTwelveMegapixels(b *testing.B) {
	data := asJPEG(b, noise(4000, 3000))
	b.ReportAllocs()
	b.ReportMetric(float64(len(data)), "bytes")
	for b.Loop() {
		if _, err := Fit(context.Background(), data, 1_000_000, 1568); err != nil {
			b.Fatal(err)
		}
	}
}
