// PNG and SVG files: density, size, repeatability, write errors.

package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"
)

// rendered draws f and fails the test on an error.
func rendered(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Render(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// smallFigure is quick to draw.
func smallFigure() Figure {
	return Figure{WidthMM: 50, HeightMM: 40, Title: "A & B", Tiles: []Tile{{Title: "d_{z}", Panel: &Bars{
		Y: Axis{Label: "Slope σ"}, Bars: []Bar{{Name: "jepa", Value: 2, Low: 1.5, High: 2.5}, {Name: "pca", Value: -1, Low: -1.2, High: -0.8}}}}}}
}

// The density is read back from the file as a PNG reader would.
func TestPNGDensity(t *testing.T) {
	t.Parallel()
	f := smallFigure()
	file := rendered(t, &f, "png")
	count := 0
	for offset, seenData := 8, false; offset < len(file); {
		length := int(binary.BigEndian.Uint32(file[offset:]))
		kind := string(file[offset+4 : offset+8])
		body := file[offset+8 : offset+8+length]
		if sum := binary.BigEndian.Uint32(file[offset+8+length:]); sum != crc32.ChecksumIEEE(file[offset+4:offset+8+length]) {
			t.Errorf("chunk %s: wrong CRC", kind)
		}
		seenData = seenData || kind == "IDAT"
		if kind == "pHYs" {
			count++
			x, y := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
			if length != 9 || x != 11811 || y != 11811 || body[8] != 1 {
				t.Errorf("pHYs: %d bytes, %d × %d per unit %d, want 9, 11811 × 11811 per unit 1", length, x, y, body[8])
			}
			if seenData {
				t.Error("pHYs stands after IDAT")
			}
		}
		offset += 12 + length
	}
	if count != 1 {
		t.Errorf("%d pHYs chunks, want 1", count)
	}
}

func TestPixelSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height float64 }{{SingleColumnMM, 60}, {DoubleColumnMM, 40}, {50, 40}, {25.4, 25.4}} {
		f := smallFigure()
		f.WidthMM, f.HeightMM = c.width, c.height
		config, err := png.DecodeConfig(bytes.NewReader(rendered(t, &f, "png")))
		if err != nil {
			t.Fatal(err)
		}
		w, h := int(math.Round(c.width/25.4*300)), int(math.Round(c.height/25.4*300))
		if config.Width != w || config.Height != h {
			t.Errorf("%g × %g mm: %d × %d pixels, want %d × %d", c.width, c.height, config.Width, config.Height, w, h)
		}
	}
}

// Equal figures give equal bytes, drawn at once and one after the other.
func TestRepeatable(t *testing.T) {
	t.Parallel()
	figures := map[string]Figure{"small": smallFigure(), "odd": oddFigure(), "manifold": manifoldFigure(longNames[:3]), "heavy": smoothnessFigure(longNames[:2], 10001)}
	for name, f := range figures {
		for _, format := range formats() {
			if (format == "png" && name != "small") || (format == "svg" && name == "heavy") {
				continue // slow, and no different
			}
			first := rendered(t, &f, format)
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() {
					var again bytes.Buffer
					if err := f.Render(&again, format); err != nil || !bytes.Equal(first, again.Bytes()) {
						t.Errorf("%s.%s: a second rendering differs (error: %v)", name, format, err)
					}
				})
			}
			group.Wait()
		}
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	f := smallFigure()
	file := string(rendered(t, &f, ".SVG"))
	for _, want := range []string{"<title>A &amp; B</title>", "'Liberation Sans',Arial,Helvetica,sans-serif", ">jepa<", ">−1.0"} {
		if !strings.Contains(file, want) {
			t.Errorf("SVG lacks %q", want)
		}
	}
}

type brokenWriter struct{}

var errDiskFull = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errDiskFull }

func TestWriteError(t *testing.T) {
	t.Parallel()
	f := smallFigure()
	for _, format := range formats() {
		if err := f.Render(brokenWriter{}, format); !errors.Is(err, errDiskFull) {
			t.Errorf("%s: error %v, want %v", format, err, errDiskFull)
		}
	}
}
