// Tests of screens: every kind of pixel, and files that are no screens.

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"repscope/internal/readtest"
)

// encoded is an image as a file.
func encoded(t testing.TB, format string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 100})
	case "bmp":
		err = bmp.Encode(&b, m)
	case "tiff":
		err = tiff.Encode(&b, m, &tiff.Options{Compression: tiff.Deflate})
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// painted fills an image with a pattern of colors, and of alpha where it is kept.
func painted(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, alpha bool) image.Image {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64{uint16(9001 * x), uint16(7001 * y), uint16(501 * x * y), 0xffff}
			if alpha {
				c.A = uint16(0xffff - 4001*x)
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func TestParseScreen(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 7, 5)
	palette := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 100, 50, 128}, color.NRGBA{0, 0, 0, 0}, color.Gray{99}}
	opaque := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 100, 50, 255}, color.White}
	for _, c := range []struct {
		name, format string
		m            image.Image
		alpha        bool
		near         int // tolerance of values
	}{
		{"gray", "png", painted(image.NewGray(r), false), false, 0},
		{"gray of 16 bits", "png", painted(image.NewGray16(r), false), false, 0},
		{"color", "png", painted(image.NewRGBA(r), false), false, 0},
		{"color with alpha", "png", painted(image.NewNRGBA(r), true), true, 0},
		{"color of 16 bits", "png", painted(image.NewRGBA64(r), false), false, 0},
		{"color of 16 bits with alpha", "png", painted(image.NewNRGBA64(r), true), true, 0},
		{"palette with alpha", "png", painted(image.NewPaletted(r, palette), true), true, 0},
		{"palette", "png", painted(image.NewPaletted(r, opaque), false), false, 0},
		{"one pixel", "png", painted(image.NewNRGBA(image.Rect(0, 0, 1, 1)), false), false, 0},
		{"JPEG", "jpeg", painted(image.NewGray(r), false), false, 3},
		{"color JPEG", "jpeg", image.NewUniform(color.RGBA{200, 30, 60, 255}), false, 3},
		{"BMP", "bmp", painted(image.NewRGBA(r), false), false, 0},
		{"BMP with palette", "bmp", painted(image.NewPaletted(r, opaque), false), false, 0},
		{"TIFF", "tiff", painted(image.NewRGBA(r), false), false, 0},
		{"TIFF with alpha", "tiff", painted(image.NewNRGBA(r), true), true, 0},
		{"premultiplied TIFF", "tiff", painted(image.NewRGBA(r), true), true, 1},
		{"gray TIFF of 16 bits", "tiff", painted(image.NewGray16(r), false), false, 0},
	} {
		if u, ok := c.m.(*image.Uniform); ok {
			c.m = image.NewRGBA(r)
			for i := range 35 {
				c.m.(*image.RGBA).Set(i%7, i/7, u.C)
			}
		}
		s, err := ParseScreen("s", encoded(t, c.format, c.m))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		b := c.m.Bounds()
		if s.Width != b.Dx() || s.Height != b.Dy() || s.Alpha != c.alpha || len(s.Pixels) != 4*b.Dx()*b.Dy() {
			t.Fatalf("%s: %d×%d, alpha %v, %d bytes", c.name, s.Width, s.Height, s.Alpha, len(s.Pixels))
		}
		for i := range b.Dx() * b.Dy() {
			// The high byte of 16 bits is the nearest of 8 bits, or the one below.
			want := color.NRGBA64Model.Convert(c.m.At(i%b.Dx(), i/b.Dx())).(color.NRGBA64)
			for k, v := range [4]uint16{want.R, want.G, want.B, want.A} {
				exact := int((uint32(v) + 128) / 257)
				if d := int(s.Pixels[4*i+k]) - exact; (d < -c.near || d > c.near) && want.A != 0 {
					t.Fatalf("%s: channel %d of pixel %d is %d, want %d", c.name, k, i, s.Pixels[4*i+k], exact)
				}
			}
		}
	}
}

// pngChunk is a chunk of a PNG file.
func pngChunk(kind string, content ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	out = append(append(out, kind...), content...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// pngHeader is the beginning of a PNG file of 8-bit colors.
func pngHeader(width, height uint32) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(size, 8, 2, 0, 0, 0)...)...)
}

// cmykHeader is the beginning of a JPEG file of four inks.
func cmykHeader() []byte {
	return []byte{0xff, 0xd8, 0xff, 0xc0, 0, 20, 8, 0, 4, 0, 4, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0,
		0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0, 0xff, 0xd9}
}

func TestBadScreens(t *testing.T) {
	t.Parallel()
	good := encoded(t, "png", painted(image.NewNRGBA(image.Rect(0, 0, 40, 30)), true))
	photo := encoded(t, "jpeg", painted(image.NewRGBA(image.Rect(0, 0, 40, 30)), false))
	header := len("\x89PNG\r\n\x1a\n") + 25
	animated := append(append(bytes.Clone(good[:header]), pngChunk("acTL", 0, 0, 0, 3, 0, 0, 0, 0)...), good[header:]...)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0x40
	webp := func(flags byte) []byte {
		return []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00" + string(flags) + "\x00\x00\x00\x03\x00\x00\x03\x00\x00")
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "truncated: it is empty, want one still image"},
		{"the beginning of a signature", good[:4], "truncated: it has 4 bytes"},
		{"the signature alone", good[:8], "truncated image"},
		{"half a header", good[:20], "truncated image"},
		{"half the pixels", good[:len(good)/2], "truncated image"},
		{"no end", good[:len(good)-12], "truncated image"},
		{"half a photo", photo[:len(photo)/2], "truncated image"},
		{"a bit that flipped", flipped, "corrupt image"},
		{"text", []byte("<svg xmlns=\"x\"/>"), `begins with "<svg xmlns=\"", want one still image as a PNG, JPEG, WebP, TIFF or BMP file`},
		{"JSON", []byte("{}"), `begins with "{}"`},
		{"an animated PNG", animated, "is an animated PNG of 3 frames"},
		{"a GIF", encoded(t, "gif", painted(image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White}), false)), "is a GIF, which may be animated"},
		{"a WebP without pixels", webp(0), "corrupt image: webp: invalid format"},
		{"an animated WebP", webp(2), "is an animated WebP, want one image"},
		{"four inks", cmykHeader(), "its color model (CMYK or other) is not supported; convert it to RGB"},
		{"no width", pngHeader(0, 5), "non-positive dimension"},
		{"20,000 × 20,000", append(pngHeader(20_000, 20_000), bytes.Repeat([]byte("x"), 100_000)...), "20000×20000 pixels in a file of 100033 bytes, want at most 67108864 pixels"},
		{"more pixels than any file of its size holds", pngHeader(8000, 8000), "8000×8000 pixels in a file of 33 bytes"},
		{"the largest size", pngHeader(1<<31-1, 1<<31-1), "dimension overflow"},
		{"a TIFF without pages", []byte("II*\x00\x00\x00\x00\x00"), "the TIFF file has no pages"},
		{"a TIFF of a page beyond", []byte("II*\x00\x40\x00\x00\x00"), "truncated: page 0 begins at byte 64 of 8"},
		{"a BMP header", []byte("BM\x00\x00\x00\x00"), "truncated image"},
	} {
		s, err := ParseScreen("some/s.png", c.data)
		if err == nil || s != nil || !strings.HasPrefix(err.Error(), "some/s.png: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		} else if strings.Contains(c.want, "truncated") != errors.Is(err, ErrTruncated) {
			t.Errorf("%s: %v is not told from a truncated file", c.name, err)
		}
	}
}

// Real screens read as image/png reads them.
func TestRealScreens(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(readtest.Samples(t, "canvas"), "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no screens: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseScreen(file, data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < s.Width*s.Height; i += 61 {
			c := color.NRGBAModel.Convert(m.At(i%s.Width, i/s.Width)).(color.NRGBA)
			if got := [4]byte(s.Pixels[4*i:]); got != [4]byte{c.R, c.G, c.B, c.A} {
				t.Fatalf("%s: pixel %d is %v, want %v", file, i, got, c)
			}
		}
	}
}

func BenchmarkParseScreen(b *testing.B) {
	m := painted(image.NewNRGBA(image.Rect(0, 0, 375, 812)), true)
	for _, format := range []string{"png", "jpeg"} {
		b.Run(format, func(b *testing.B) {
			data := encoded(b, format, m)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseScreen("b", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParseScreen reads any bytes.
func FuzzParseScreen(f *testing.F) {
	r := image.Rect(0, 0, 3, 2)
	for _, format := range []string{"png", "jpeg", "bmp", "tiff", "gif"} {
		f.Add(encoded(f, format, painted(image.NewNRGBA(r), true)))
		f.Add(encoded(f, format, painted(image.NewPaletted(r, color.Palette{color.Black, color.White}), false)))
	}
	f.Add(cmykHeader())
	f.Add(pngHeader(20_000, 20_000))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseScreen("s.png", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.png: ") {
				t.Errorf("%v", err)
			}
			return
		}
		if s.Width < 1 || s.Height < 1 || len(s.Pixels) != 4*s.Width*s.Height {
			t.Errorf("%d×%d pixels in %d bytes", s.Width, s.Height, len(s.Pixels))
		}
	})
}

// exifOf is Exif metadata that say an orientation, behind another entry.
func exifOf(order binary.AppendByteOrder, orientation uint16) []byte {
	mark := []byte("II")
	if order.String() == binary.BigEndian.String() {
		mark = []byte("MM")
	}
	out := order.AppendUint32(order.AppendUint16(mark, 42), 8)
	out = order.AppendUint16(out, 2)
	out = append(order.AppendUint32(order.AppendUint16(order.AppendUint16(out, 270), 2), 1), 0, 0, 0, 0)
	out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, 274), 3), 1)
	return append(order.AppendUint16(out, orientation), 0, 0, 0, 0, 0, 0)
}

// TestOrientation: the first row of an image of 3 × 2 gray pixels 0 to 5 as Pillow 13's ImageOps.exif_transpose has it.
func TestOrientation(t *testing.T) {
	t.Parallel()
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(m.Pix, []byte{0, 1, 2, 3, 4, 5})
	plain := encoded(t, "png", m)
	want := map[uint16][]byte{0: {0, 1, 2}, 1: {0, 1, 2}, 2: {2, 1, 0}, 3: {5, 4, 3}, 4: {3, 4, 5}, 5: {0, 3}, 6: {3, 0}, 7: {5, 2}, 8: {2, 5}, 9: {0, 1, 2}}
	for orientation, row := range want {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			exif := exifOf(order, orientation)
			chunk := append([]byte("eXIf"), exif...)
			data := slices.Concat(plain[:33], binary.BigEndian.AppendUint32(nil, uint32(len(exif))), chunk,
				binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)), plain[33:])
			s, err := ParseScreen("a.png", data)
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for x := range s.Width {
				first = append(first, s.Pixels[4*x])
			}
			if !bytes.Equal(first, row) || s.Width*s.Height != 6 || (s.Orientation > 0) != (orientation >= 2 && orientation <= 8) {
				t.Errorf("orientation %d, %v: %v of %d × %d, want %v", orientation, order, first, s.Width, s.Height, row)
			}
		}
	}
	photo := encoded(t, "jpeg", image.NewGray(image.Rect(0, 0, 30, 20)))
	segment := append([]byte("Exif\x00\x00"), exifOf(binary.BigEndian, 6)...)
	photo = slices.Concat(photo[:2], []byte{0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(segment)+2)), segment, photo[2:])
	if s, err := ParseScreen("a.jpg", photo); err != nil || s.Width != 20 || s.Height != 30 || s.Orientation != 6 {
		t.Errorf("%+v, %v", s, err)
	}
	for cut := range photo { // no end of metadata is one of the program
		orientationOf(bytes.NewReader(photo[:cut]), int64(cut))
	}
}
