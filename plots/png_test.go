// Tests that PNG files are those of image/png but for their compression.

package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// pngChunks are the chunks of a file, the image data in one and decompressed, and the length of these before.
func pngChunks(t *testing.T, file []byte) (chunks []string, packed int) {
	t.Helper()
	var data []byte
	for rest := file[8:]; len(rest) > 0; {
		size := int(binary.BigEndian.Uint32(rest))
		chunk := rest[4 : 8+size]
		if sum := binary.BigEndian.Uint32(rest[8+size:]); sum != crc32.ChecksumIEEE(chunk) {
			t.Fatalf("chunk %s has the checksum %x", chunk[:4], sum)
		}
		if string(chunk[:4]) == "IDAT" {
			data = append(data, chunk[4:]...)
		} else {
			chunks = append(chunks, string(chunk))
		}
		rest = rest[12+size:]
	}
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return append(chunks, string(rows)), len(data)
}

// checkPNG compares a file with that of image/png, to which it may add so many bytes.
func checkPNG(t *testing.T, name string, m *image.RGBA, more int) {
	t.Helper()
	got, err := encodePNG(m)
	if err != nil {
		t.Fatal(name, err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	chunks, packed := pngChunks(t, got)
	want, most := pngChunks(t, file.Bytes())
	if density := "pHYs\x00\x00\x2e\x23\x00\x00\x2e\x23\x01"; chunks[1] != density {
		t.Errorf("%s: second chunk %q, want %q", name, chunks[1], density)
	}
	chunks = append(chunks[:1], chunks[2:]...)
	for i := range max(len(want), len(chunks)) {
		if i >= len(want) || i >= len(chunks) || chunks[i] != want[i] {
			t.Fatalf("%s, %v: chunk %d is not that of image/png", name, m.Rect, i)
		}
	}
	if packed > most+more {
		t.Errorf("%s, %v: %d bytes of image data, %d of image/png", name, m.Rect, packed, most)
	}
}

// pageOf is a figure in pixels.
func pageOf(t testing.TB, f Figure) *image.RGBA {
	t.Helper()
	page, err := newPage("png", vg.Length(f.WidthMM)*mm, vg.Length(f.HeightMM)*mm, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.compose(page, false); err != nil {
		t.Fatal(err)
	}
	return page.(pngPage).Image().(*image.RGBA)
}

func TestPNG(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {1, 70}, {2, 33}, {3, 64}, {90, 97}, {300, 41}} {
		for name, pixel := range map[string]func(x, y int) color.RGBA{
			"white": func(int, int) color.RGBA { return color.RGBA{255, 255, 255, 255} },
			"noise": func(int, int) color.RGBA {
				return color.RGBA{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), 255}
			},
			"ramp": func(x, y int) color.RGBA { return color.RGBA{byte(3 * x), byte(5*y + x), byte(x * y), 255} },
			"wave": func(x, y int) color.RGBA { return color.RGBA{byte(x * x / 9), byte(y * y / 7), byte(x*y/5 + y), 255} },
			"sparse": func(x, y int) color.RGBA {
				if r.IntN(40) == 0 {
					return color.RGBA{byte(r.Uint32()), 0, byte(10 * x), 255}
				}
				return color.RGBA{255, 255, 255, 255}
			},
			"stripes": func(x, y int) color.RGBA { return color.RGBA{byte(y / 3 * 40), byte(x / 5 * 30), 7, 255} },
		} {
			m := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
			for y := range size.Y {
				for x := range size.X {
					m.SetRGBA(x, y, pixel(x, y))
				}
			}
			checkPNG(t, name, m, 80+m.Rect.Dx()*m.Rect.Dy()/50)
			checkPNG(t, name+" inside", m.SubImage(image.Rect(size.X/3, size.Y/3, size.X, size.Y)).(*image.RGBA), 80+m.Rect.Dx()*m.Rect.Dy()/50)
		}
	}
	for name, f := range goldenFigures() {
		m := pageOf(t, f)
		checkPNG(t, name, m, m.Rect.Dx()*m.Rect.Dy()/400)
	}

	if _, err := encodePNG(image.NewRGBA(image.Rect(0, 0, 40, 40))); err == nil || !strings.Contains(err.Error(), "transparency") {
		t.Errorf("a transparent page: %v", err)
	}
}

func BenchmarkPNG(b *testing.B) {
	f := neighborhoodFigure(longNames[:4], DoubleColumnMM)
	m := pageOf(b, f)
	b.Run("compose", func(b *testing.B) {
		for b.Loop() {
			pageOf(b, f)
		}
	})
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			if _, err := encodePNG(m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("image/png", func(b *testing.B) {
		for b.Loop() {
			if err := png.Encode(&bytes.Buffer{}, m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
