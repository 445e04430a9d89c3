package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
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
	f := smallFigure()
	file := rendered(t, &f, "png")
	found := 0
	for at, seenData := 8, false; at < len(file); {
		length := int(binary.BigEndian.Uint32(file[at:]))
		kind := string(file[at+4 : at+8])
		body := file[at+8 : at+8+length]
		if sum := binary.BigEndian.Uint32(file[at+8+length:]); sum != crc32.ChecksumIEEE(file[at+4:at+8+length]) {
			t.Errorf("chunk %s: wrong CRC", kind)
		}
		seenData = seenData || kind == "IDAT"
		if kind == "pHYs" {
			found++
			x, y := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
			if length != 9 || x != 11811 || y != 11811 || body[8] != 1 {
				t.Errorf("pHYs: %d bytes, %d × %d per unit %d, want 9, 11811 × 11811 per unit 1", length, x, y, body[8])
			}
			if seenData {
				t.Error("pHYs stands after IDAT")
			}
		}
		at += 12 + length
	}
	if found != 1 {
		t.Errorf("%d pHYs chunks, want 1", found)
	}
}

func TestPixelSize(t *testing.T) {
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
	figures := map[string]Figure{"small": smallFigure(), "odd": oddFigure(), "manifold": manifoldFigure(longNames[:3]), "heavy": smoothnessFigure(longNames[:2], 10001)}
	for name, f := range figures {
		for _, format := range Formats() {
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

func TestPDFDates(t *testing.T) {
	f := smallFigure()
	file := rendered(t, &f, "pdf")
	if !bytes.Contains(file, []byte("/CreationDate (D:19700101000000)")) || !bytes.Contains(file, []byte("/ModDate (D:19700101000000)")) {
		t.Error("PDF dates are not the epoch")
	}
	if n := bytes.Count(file, []byte("/Identity-H")); n != 2 {
		t.Errorf("%d Unicode fonts, want 2", n)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if !bytes.Contains(rendered(t, &f, "pdf"), []byte("/CreationDate (D:20231114221320)")) {
		t.Error("SOURCE_DATE_EPOCH is not honoured")
	}
	for _, bad := range []string{"yesterday", "-5", "99999999999999"} {
		t.Setenv("SOURCE_DATE_EPOCH", bad)
		if err := f.Render(&bytes.Buffer{}, "pdf"); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("SOURCE_DATE_EPOCH=%s: error %v", bad, err)
		}
	}
}

func TestSVG(t *testing.T) {
	f := smallFigure()
	file := string(rendered(t, &f, ".SVG"))
	for _, want := range []string{"<title>A &amp; B</title>", "'Liberation Sans',Arial,Helvetica,sans-serif", ">jepa<", ">−1.0"} {
		if !strings.Contains(file, want) {
			t.Errorf("SVG lacks %q", want)
		}
	}
}

// Above 20,000 points the vector formats hold one image, below they hold none.
func TestRasterLayer(t *testing.T) {
	for _, c := range []struct{ points, images int }{{1000, 0}, {20000, 0}, {20001, 1}} {
		r := rand.New(rand.NewPCG(7, 7))
		s := ScatterSeries{Name: "m"}
		for range c.points {
			s.X, s.Y = append(s.X, r.Float64()), append(s.Y, r.NormFloat64())
		}
		f := Figure{WidthMM: 60, HeightMM: 50, Tiles: []Tile{{Panel: &Scatter{Series: []ScatterSeries{s}}}}}
		svg := rendered(t, &f, "svg")
		if n := bytes.Count(svg, []byte("data:image/png;base64,")); n != c.images {
			t.Errorf("%d points: %d images in the SVG, want %d", c.points, n, c.images)
		}
		pdf := rendered(t, &f, "pdf")
		if n := min(1, bytes.Count(pdf, []byte("/Subtype /Image"))); n != c.images {
			t.Errorf("%d points: %d images in the PDF, want %d", c.points, n, c.images)
		}
		if c.images > 0 && (len(svg) > 1<<20 || len(pdf) > 1<<20) {
			t.Errorf("%d points: %d bytes of SVG, %d of PDF", c.points, len(svg), len(pdf))
		}
	}
}

type brokenWriter struct{}

var errDiskFull = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errDiskFull }

func TestWriteError(t *testing.T) {
	f := smallFigure()
	for _, format := range Formats() {
		if err := f.Render(brokenWriter{}, format); !errors.Is(err, errDiskFull) {
			t.Errorf("%s: error %v, want %v", format, err, errDiskFull)
		}
	}
}

func TestStyles(t *testing.T) {
	type look struct {
		fill   color.NRGBA
		marker int
		hollow bool
	}
	seen := map[look]int{}
	lines := map[string]int{}
	for i := range 24 {
		s := SeriesStyle(i)
		l := look{s.Fill, s.Marker, s.Hollow}
		if j, twice := seen[l]; twice {
			t.Errorf("series %d looks like %d", i, j)
		}
		seen[l] = i
		key := fmt.Sprint(s.Line, s.Dash)
		if j, twice := lines[key]; twice {
			t.Errorf("the line of series %d looks like that of %d", i, j)
		}
		lines[key] = i
		// White paper has luminance 1: lines must stand out in grey too.
		if l := luminance(s.Line); l > 0.62 {
			t.Errorf("series %d: line luminance %.2f", i, l)
		}
	}
	// Neighbouring colours that are close in grey differ in dash and marker.
	for i := range 8 {
		for j := range i {
			a, b := SeriesStyle(i), SeriesStyle(j)
			if math.Abs(luminance(a.Line)-luminance(b.Line)) < 0.06 && (a.Marker == b.Marker || fmt.Sprint(a.Dash) == fmt.Sprint(b.Dash)) {
				t.Errorf("series %d and %d are alike in grey", i, j)
			}
		}
	}
}
