// Pictures of one channel: every kind of file, and errors.

package dataset

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/tiff"
)

// pngOf is an image as a PNG file.
func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// npyOf is an array as a .npy file.
func npyOf[T Element](t testing.TB, shape []int, data []T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := EncodeNPY(&out, shape, data); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// drawn is an image with pixels of a function.
func drawn[I interface {
	image.Image
	Set(x, y int, c color.Color)
}](img I, pixel func(x, y int) color.Color) I {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			img.Set(x, y, pixel(x, y))
		}
	}
	return img
}

func TestParsePlane(t *testing.T) {
	t.Parallel()
	size := image.Rect(0, 0, 3, 2)
	shades := []uint8{0, 7, 255, 100, 1, 90}
	gray := func(x, y int) color.Color { return color.Gray{shades[3*y+x]} }
	want := []float64{0, 7, 255, 100, 1, 90}
	deep := drawn(image.NewGray16(size), func(x, y int) color.Color { return color.Gray16{Y: uint16(1000*y + x)} })
	palette := image.NewPaletted(size, color.Palette{color.Gray{0}, color.Gray{7}, color.Gray{255}, color.Gray{100}, color.Gray{1},
		color.Gray{90}})
	var pages, lossy bytes.Buffer
	if err := tiff.Encode(&pages, drawn(image.NewGray(size), gray), nil); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&lossy, drawn(image.NewGray(size), func(int, int) color.Color { return color.Gray{128} }), nil); err != nil {
		t.Fatal(err)
	}
	doubles := []float64{0.5, -1, 2, 3, math.MaxFloat64, 5}
	for name, c := range map[string]struct {
		data []byte
		want []float64
	}{
		"gray":           {pngOf(t, drawn(image.NewGray(size), gray)), want},
		"gray of 16":     {pngOf(t, deep), []float64{0, 1, 2, 1000, 1001, 1002}},
		"colors":         {pngOf(t, drawn(image.NewNRGBA(size), gray)), want},
		"colors of 16":   {pngOf(t, drawn(image.NewNRGBA64(size), gray)), []float64{0, 7 * 257, 65535, 25700, 257, 90 * 257}},
		"palette":        {pngOf(t, drawn(palette, gray)), want},
		"tiff":           {pages.Bytes(), want},
		"jpeg":           {lossy.Bytes(), []float64{128, 128, 128, 128, 128, 128}},
		"bytes":          {npyOf(t, []int{2, 3}, shades), want},
		"float64":        {npyOf(t, []int{2, 3}, doubles), doubles},
		"float32 batch":  {npyOf(t, []int{1, 1, 2, 3}, []float32{1, 2, 3, 4, 5, 6}), []float64{1, 2, 3, 4, 5, 6}},
		"channel last":   {npyOf(t, []int{1, 2, 3, 1}, []int64{1, 2, 3, 4, 5, 6}), []float64{1, 2, 3, 4, 5, 6}},
		"of booleans":    {npyOf(t, []int{2, 3}, []bool{true, false, false, true, true, true}), []float64{1, 0, 0, 1, 1, 1}},
		"not yet finite": {npyOf(t, []int{2, 3}, []float64{1, 2, math.Inf(1), 4, 5, 6}), []float64{1, 2, math.Inf(1), 4, 5, 6}},
	} {
		p, err := ParsePlane("map", c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Width != 3 || p.Height != 2 || !slices.Equal(p.Values, c.want) {
			t.Errorf("%s: %d×%d %v, want %v", name, p.Width, p.Height, p.Values, c.want)
		}
	}
	row, err := ParsePlane("map", npyOf(t, []int{1, 1, 5}, []float32{1, 2, 3, 4, 5}))
	if err != nil || row.Width != 5 || row.Height != 1 {
		t.Errorf("one row: %+v, %v", row, err)
	}
}

func TestParsePlaneErrors(t *testing.T) {
	t.Parallel()
	size := image.Rect(0, 0, 4, 4)
	red := pngOf(t, drawn(image.NewNRGBA(size), func(x, y int) color.Color { return color.NRGBA{200, 10, 10, 255} }))
	clear := pngOf(t, drawn(image.NewNRGBA(size), func(x, y int) color.Color { return color.NRGBA{9, 9, 9, uint8(200 + 10*y)} }))
	good := pngOf(t, image.NewGray(size))
	huge := bytes.Clone(good) // 20,000 × 20,000 pixels by its header
	copy(huge[16:], []byte{0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"color":       {red, "the pixel at column 0, row 0 is the color (200, 10, 10); want a gray image"},
		"transparent": {clear, "the pixel at column 0, row 0 is transparent"},
		"cut":         {good[:len(good)-20], "truncated"},
		"empty":       {nil, "not a PNG, JPEG, WebP or TIFF file"},
		"text":        {[]byte("x,y\n1,2\n"), "not a PNG, JPEG, WebP or TIFF file"},
		"huge":        {huge, ""},
		"three axes":  {npyOf(t, []int{2, 3, 4}, make([]float32, 24)), "an array of shape [2 3 4], want one image [H, W]"},
		"one axis":    {npyOf(t, []int{5}, make([]float32, 5)), "an array of shape [5], want one image [H, W]"},
		"no pixels":   {npyOf(t, []int{0, 5}, []float32{}), "5×0 pixels (width×height), want at least 1×1"},
		"cut array":   {npyOf(t, []int{2, 3}, make([]float32, 6))[:90], "truncated"},
		"large array": {npyOf(t, []int{1, MaxPlane + 1}, make([]uint8, MaxPlane+1)), "33554433×1 pixels (width×height), want at least 1×1"},
		"no such type": {[]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }           \n12345678"),
			"complex"},
	} {
		p, err := ParsePlane("dir/map.png", c.data)
		if err == nil || !strings.HasPrefix(err.Error(), "dir/map.png: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, p, err, c.want)
		}
	}
}

func FuzzParsePlane(f *testing.F) {
	f.Add(pngOf(f, image.NewGray(image.Rect(0, 0, 3, 2))))
	f.Add(npyOf(f, []int{1, 2, 3}, []float32{1, 2, 3, 4, 5, 6}))
	f.Add([]byte("x,y\n1,2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePlane("the file", data)
		if err != nil {
			if !strings.Contains(err.Error(), "the file") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if len(p.Values) != p.Width*p.Height || p.Width < 1 || p.Height < 1 {
			t.Errorf("%d values for %d×%d pixels", len(p.Values), p.Width, p.Height)
		}
	})
}
