// Screens: one image with its alpha channel.

package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"repscope/internal/format"
)

// Screen is an image of a screen: Pixels [Height, Width, 4] are red, green, blue and alpha of
// 8 bits, not premultiplied.
type Screen struct {
	Width, Height int
	Pixels        []byte
	// Alpha says that some pixel is not opaque.
	Alpha bool
	// Orientation is the orientation in the file's Exif metadata, 2 to 8, by which the pixels were rotated and
	// mirrored; 0 if the pixels are unchanged.
	Orientation int
}

// ParseScreen reads the image in data, a PNG, JPEG, WebP, TIFF or BMP file; name is the name of the file, for errors.
// 16-bit channels are rounded to 8 bits, gray and palette images become colors, and rotated images are turned
// upright. The header is checked before anything is decoded. Errors: another format, an animation or several pages,
// CMYK, no pixels or more than 2²⁶, and a truncated or corrupt file.
func ParseScreen(name string, data []byte) (*Screen, error) {
	f := imageFile{path: name}
	d, err := screenDecoder(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	config, err := d.config(bytes.NewReader(data))
	if err != nil {
		return nil, imageError(name, err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return nil, fmt.Errorf("%s: %d×%d pixels, want at least one", name, config.Width, config.Height)
	}
	if err := f.describe(config, data[:min(len(data), format.HeadSize)], bytes.NewReader(data),
		int64(len(data))); err != nil {
		return nil, err
	}
	img, err := d.decode(bytes.NewReader(data))
	if err != nil {
		return nil, imageError(name, err)
	}
	if err := f.check(img); err != nil {
		return nil, err
	}
	f.forget(img)
	s := &Screen{Width: config.Width, Height: config.Height, Pixels: screenPixels(img)}
	for i := 3; i < len(s.Pixels); i += 4 {
		if s.Pixels[i] != 0xff {
			s.Alpha = true
			break
		}
	}
	s.turn(f.turn)
	return s, nil
}

// decoder decodes images of one format.
type decoder struct {
	config func(r *bytes.Reader) (image.Config, error)
	decode func(r *bytes.Reader) (image.Image, error)
}

// screenDecoder chooses by the first bytes.
func screenDecoder(data []byte) (d decoder, err error) {
	const want = "want one still image as a PNG, JPEG, WebP, TIFF or BMP file"
	head := data[:min(len(data), format.HeadSize)]
	has := func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }
	switch {
	case has(pngMagic):
		if frames := pngFrames(data); frames > 0 {
			return d, fmt.Errorf("is an animated PNG of %d frames, %s", frames, want)
		}
		return decoder{
			func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
		}, nil
	case has("\xff\xd8\xff"):
		return decoder{
			func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return decodeImage(r, r.Size()) },
		}, nil
	case format.Of(head) == format.TIFF:
		pages, err := tiffPages(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return d, err
		}
		if len(pages) != 1 {
			return d, fmt.Errorf("is a TIFF file of %d pages, %s", len(pages), want)
		}
		return decoder{
			func(r *bytes.Reader) (image.Config, error) { return tiff.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) {
				if err := pages[0].verify(); err != nil {
					return nil, err
				}
				return tiff.Decode(r)
			},
		}, nil
	case has("BM"):
		return decoder{
			func(r *bytes.Reader) (image.Config, error) { return bmp.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return bmp.Decode(r) },
		}, nil
	case has("GIF87a"), has("GIF89a"):
		return d, errors.New("is a GIF, which may be animated, " + want)
	case isWebP(string(head)):
		return decoder{
			func(r *bytes.Reader) (image.Config, error) { return webp.DecodeConfig(r) },
			func(r *bytes.Reader) (image.Image, error) { return decodeWebP(r) },
		}, nil
	case len(data) == 0:
		return d, fmt.Errorf("%w: it is empty, %s", ErrTruncated, want)
	case len(data) < 8 && bytes.HasPrefix([]byte(pngMagic), data):
		return d, fmt.Errorf("%w: it has %d bytes, %s", ErrTruncated, len(data), want)
	}
	return d, fmt.Errorf("begins with %q, %s", data[:min(len(data), 12)], want)
}

// pngFrames is the number of frames of an animated PNG, 0 for others, from its chunk acTL, which comes before the
// pixels.
func pngFrames(data []byte) uint32 {
	for c := range pngChunks(bytes.NewReader(data), true) {
		if c.kind == "acTL" && c.size >= 4 {
			return max(1, c.word)
		}
	}
	return 0
}

// screenPixels are the pixels of an image, not premultiplied.
func screenPixels(img image.Image) []byte {
	b := img.Bounds()
	width, height := b.Dx(), b.Dy()
	switch m := img.(type) {
	case *image.NRGBA:
		if m.Stride == 4*width && len(m.Pix) == 4*width*height {
			return m.Pix
		}
	case *image.RGBA:
		if m.Stride == 4*width && len(m.Pix) == 4*width*height && m.Opaque() {
			return m.Pix
		}
	}
	pixels := make([]byte, 4*width*height)
	pixel := screenPixel(img)
	for y := range height {
		row := pixels[4*width*y : 4*width*(y+1)]
		for x := range width {
			c := pixel(b.Min.X+x, b.Min.Y+y)
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = c.R, c.G, c.B, c.A
		}
	}
	return pixels
}

// screenPixel returns a function that returns a pixel of an image.
func screenPixel(img image.Image) func(x, y int) color.NRGBA {
	switch m := img.(type) {
	case *image.Gray:
		return func(x, y int) color.NRGBA {
			v := m.GrayAt(x, y).Y
			return color.NRGBA{v, v, v, 0xff}
		}
	case *image.Gray16:
		return func(x, y int) color.NRGBA {
			v := to8(m.Gray16At(x, y).Y)
			return color.NRGBA{v, v, v, 0xff}
		}
	case *image.NRGBA64:
		return func(x, y int) color.NRGBA {
			c := m.NRGBA64At(x, y)
			return color.NRGBA{to8(c.R), to8(c.G), to8(c.B), to8(c.A)}
		}
	case *image.YCbCr:
		return func(x, y int) color.NRGBA {
			c := m.YCbCrAt(x, y)
			r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
			return color.NRGBA{r, g, b, 0xff}
		}
	case *image.Paletted:
		var table [256]color.NRGBA // indices beyond the palette are refused by decoders
		for i, c := range m.Palette {
			table[i] = notPremultiplied(c)
		}
		return func(x, y int) color.NRGBA { return table[m.ColorIndexAt(x, y)] }
	}
	return func(x, y int) color.NRGBA { return notPremultiplied(img.At(x, y)) }
}

// notPremultiplied is a color in 8 bits.
func notPremultiplied(c color.Color) color.NRGBA {
	if c, ok := c.(color.NRGBA); ok {
		return c
	}
	r, g, b, a := c.RGBA()
	if a == 0 {
		return color.NRGBA{}
	}
	channel := func(v uint32) uint8 { return to8(uint16(min(0xffff, (v*0xffff+a/2)/a))) }
	return color.NRGBA{channel(r), channel(g), channel(b), to8(uint16(a))}
}

// to8 rounds 16 bits to 8.
func to8(v uint16) uint8 { return uint8((uint32(v) + 128) / 257) }
