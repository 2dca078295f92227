package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"runtime"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// maxImageMemory limits what scaling an image may take, in bytes.
const maxImageMemory = 48 << 20

// ErrTooManyPixels reports an image that would take more than maxImageMemory to scale.
var ErrTooManyPixels = errors.New("too many pixels to scale")

// An Image is an encoded image.
type Image struct {
	Data          []byte
	ContentType   string // image/png, image/jpeg, image/gif or image/webp
	Width, Height int    // in pixels
}

// A format decodes the images of one content type.
type format struct {
	config func(context.Context, []byte) (image.Config, error)
	decode func(context.Context, []byte) (image.Image, error)
	parts  func(data []byte) parts
	photo  bool // it is rather a photo, to be encoded as JPEG, than a drawing
}

func formatOf(contentType string) (format, bool) {
	switch contentType {
	case "image/png":
		return format{config: readerOf(png.DecodeConfig), decode: readerOf(png.Decode), parts: pngParts}, true
	case "image/gif":
		return format{config: readerOf(gif.DecodeConfig), decode: readerOf(gif.Decode), parts: gifParts}, true
	case "image/jpeg":
		return format{config: readerOf(jpeg.DecodeConfig), decode: readerOf(jpeg.Decode), parts: jpegParts, photo: true}, true
	case "image/webp":
		return format{config: readerOf(webp.DecodeConfig), decode: readerOf(webp.Decode), parts: webpParts, photo: true}, true
	}
	return format{}, false
}

// ImageType returns the content type of an image that clients show, by its first bytes
// (https://mimesniff.spec.whatwg.org), or "" for anything else.
func ImageType(data []byte) string {
	contentType := http.DetectContentType(data)
	if _, ok := formatOf(contentType); ok {
		return contentType
	}
	return ""
}

// FitImage returns an image of at most maxBytes, and of at most maxSide pixels on each
// side. An image within these limits is returned as it is. Of an animation, only the
// first picture is left if it has to be scaled.
//
// The error is ErrTooManyPixels, ErrTooComplex or that of ctx, or says why the image cannot be
// decoded.
func FitImage(ctx context.Context, data []byte, maxBytes, maxSide int) (Image, error) {
	contentType := http.DetectContentType(data)
	format, ok := formatOf(contentType)
	if !ok {
		return Image{}, errors.New("it is not a PNG, JPEG, GIF or WebP image")
	}
	config, err := format.config(ctx, data)
	if err != nil {
		return Image{}, cmp.Or(ctx.Err(), errors.New("its header cannot be read"))
	}
	if err := format.parts(data).check(); err != nil {
		return Image{}, err
	}
	if config.Width < 1 || config.Height < 1 {
		return Image{}, errors.New("it is empty")
	}
	if len(data) <= maxBytes && max(config.Width, config.Height) <= maxSide {
		return Image{data, contentType, config.Width, config.Height}, nil
	}
	if imageMemory(config, contentType, data) > maxImageMemory {
		return Image{}, ErrTooManyPixels
	}
	runtime.GC() // or garbage would add half as much again to what the next steps take
	decoded, err := format.decode(ctx, data)
	if err != nil {
		return Image{}, cmp.Or(ctx.Err(), errors.New("it is damaged, or encoded in an unknown way"))
	}
	decoded = uprightImage(decoded, orientationOf(data), maxSide)
	photo := format.photo
	pixels := float64(config.Width) * float64(config.Height)
	for side := min(maxSide, max(decoded.Bounds().Dx(), decoded.Bounds().Dy())); side >= 16; side = side * 3 / 4 {
		decoded = scaledImage(decoded, side)
		// A PNG image that would be far too large with as many bytes for each pixel is a
		// photo, too. Encoding it as PNG takes longer than everything else.
		if kept := float64(decoded.Bounds().Dx()) * float64(decoded.Bounds().Dy()) / pixels; contentType == "image/png" {
			photo = kept*float64(len(data)) > 2*float64(maxBytes)
		}
		if encoded, contentType, ok := encode(ctx, decoded, photo, maxBytes); ok {
			return Image{encoded, contentType, decoded.Bounds().Dx(), decoded.Bounds().Dy()}, nil
		}
		if err := ctx.Err(); err != nil {
			return Image{}, err
		}
	}
	return Image{}, fmt.Errorf("it cannot be made as small as %d bytes", maxBytes)
}

// imageMemory returns about how many bytes decoding an image and scaling it takes.
func imageMemory(config image.Config, contentType string, data []byte) int64 {
	const halved = 1.0 // bytes for each pixel, of the first step of scaling
	perPixel := 4.0
	switch {
	case contentType == "image/jpeg":
		perPixel = jpegMemory(data)
	case config.ColorModel == color.GrayModel:
		perPixel = 1
	case config.ColorModel == color.YCbCrModel:
		perPixel = 1.5
	case config.ColorModel == color.NYCbCrAModel: // the alpha values are decoded as a separate image
		perPixel = 6.5
	case config.ColorModel == color.RGBA64Model, config.ColorModel == color.NRGBA64Model:
		perPixel = 8
	case config.ColorModel == color.Gray16Model:
		perPixel = 2
	}
	if _, paletted := config.ColorModel.(color.Palette); paletted {
		perPixel = 1
	}
	return int64(float64(config.Width) * float64(config.Height) * (perPixel + halved))
}

// scaledImage returns an image whose longer side has at most side pixels. It halves what is
// three times as large or more first, so that nearly every pixel counts: ApproxBiLinear
// looks at four pixels only, and the exact scalers need several times the memory.
func scaledImage(from image.Image, side int) image.Image {
	for {
		width, height := from.Bounds().Dx(), from.Bounds().Dy()
		longer := max(width, height)
		if longer <= side {
			return from
		}
		to := image.Rect(0, 0, max(1, (width+1)/2), max(1, (height+1)/2))
		if longer < 3*side {
			to = image.Rect(0, 0, max(1, width*side/longer), max(1, height*side/longer))
		}
		smaller := image.NewRGBA(to)
		draw.ApproxBiLinear.Scale(smaller, to, from, from.Bounds(), draw.Src, nil)
		from = smaller
	}
}

// encode encodes an image in at most maxBytes, if it can: a drawing as PNG, anything
// else as JPEG. It cannot once ctx is done.
func encode(ctx context.Context, picture image.Image, photo bool, maxBytes int) (encoded []byte, contentType string, ok bool) {
	b := limited{ctx: ctx, most: maxBytes}
	if !photo {
		if png.Encode(&b, picture) == nil {
			return b.Bytes(), "image/png", true
		}
	}
	if opaque, known := picture.(interface{ Opaque() bool }); !known || !opaque.Opaque() {
		white := image.NewRGBA(picture.Bounds())
		draw.Draw(white, white.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(white, white.Bounds(), picture, picture.Bounds().Min, draw.Over)
		picture = white
	}
	for _, quality := range []int{85, 65} {
		b.Reset()
		if jpeg.Encode(&b, picture, &jpeg.Options{Quality: quality}) == nil {
			return b.Bytes(), "image/jpeg", true
		}
	}
	return nil, "", false
}

// limited is a buffer that fails as soon as it would hold more than most bytes, or its
// context is done.
type limited struct {
	bytes.Buffer
	ctx  context.Context
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		return 0, errors.New("too long")
	}
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.Buffer.Write(p)
}
