// Tests that PNG files equal the output of image/png.

package plots

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// pngOf is the file that image/png writes, with the density behind its header.
func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	const header = 8 + 25
	density := "\x00\x00\x00\x09pHYs\x00\x00\x2e\x23\x00\x00\x2e\x23\x01\x78\xa5\x3f\x76"
	return append(append(file.Bytes()[:header:header], density...), file.Bytes()[header:]...)
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
	same := func(name string, m *image.RGBA) {
		t.Helper()
		got, err := encodePNG(m)
		if err != nil {
			t.Fatal(name, err)
		}
		if want := pngOf(t, m); !bytes.Equal(got, want) {
			t.Errorf("%s, %v: %d bytes differ from the %d of image/png", name, m.Rect, len(got), len(want))
		}
	}
	for _, size := range []image.Point{{1, 1}, {1, 70}, {2, 33}, {3, 64}, {90, 97}, {300, 41}} {
		pixels := map[string]func(x, y int) color.RGBA{
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
		}
		for _, name := range slices.Sorted(maps.Keys(pixels)) {
			pixel := pixels[name]
			m := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
			for y := range size.Y {
				for x := range size.X {
					m.SetRGBA(x, y, pixel(x, y))
				}
			}
			same(name, m)
			same(name+" inside", m.SubImage(image.Rect(size.X/3, size.Y/3, size.X, size.Y)).(*image.RGBA))
		}
	}
	for name, f := range goldenFigures() {
		same(name, pageOf(t, f))
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
