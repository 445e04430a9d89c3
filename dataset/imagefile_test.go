// PNG files of every kind of sample, against Pillow.

package dataset

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pngCase is a file that testdata/pngs.py wrote.
type pngCase struct {
	Name   string
	PNG    []byte
	Shape  []int
	Deep   bool
	Pixels []float32
	// Error is in the message if the file is refused, Note in the notes.
	Error, Note string
}

func pngCases(t *testing.T) (cases []pngCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/pngs.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	return cases
}

// The pixels equal Pillow's, or transparency is an error; ignored data are reported.
func TestPNG(t *testing.T) {
	t.Parallel()
	for _, c := range pngCases(t) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.png"), c.PNG, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(dir)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		kind := Uint8
		if c.Deep {
			kind = Uint16
		}
		pixels, err := readAll(a)
		switch {
		case c.Error != "" && (err == nil || !strings.Contains(err.Error(), c.Error)):
			t.Errorf("%s: error %v, want %q", c.Name, err, c.Error)
		case c.Error != "":
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		case !slices.Equal(a.Shape(), append([]int{1}, c.Shape...)) || a.DType() != kind || !slices.Equal(pixels, c.Pixels):
			t.Errorf("%s: %v %v %v, want %v %v", c.Name, a.DType(), a.Shape(), pixels, c.Shape, c.Pixels)
		}
		if notes := strings.Join(a.Notes(), "\n"); c.Note == "" && c.Error == "" && notes != "" ||
			!strings.Contains(notes, c.Note) {
			t.Errorf("%s: notes %q, want %q", c.Name, notes, c.Note)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A bit that is not the file's never becomes a pixel: chunks carry sums, and so do the pixels themselves.
func TestPNGDamage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	cases := pngCases(t)
	for _, name := range []string{"gray8_9x5", "palette4_16_9x5_interlaced", "rgb16", "gray_alpha8"} {
		c := cases[slices.IndexFunc(cases, func(c pngCase) bool { return c.Name == name })]
		dir := t.TempDir()
		path := filepath.Join(dir, "a.png")
		for i := range c.PNG {
			for _, bit := range []byte{1, 0x80} {
				damaged := slices.Clone(c.PNG)
				damaged[i] ^= bit
				if err := os.WriteFile(path, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				a, err := Open(dir)
				if err != nil {
					continue
				}
				pixels, err := readAll(a)
				if err == nil && !slices.Equal(pixels, c.Pixels) {
					t.Errorf("%s: byte %d ^ %#x is read as %v", name, i, bit, pixels)
				}
				a.Close()
			}
		}
	}
}

// A pixel with a color that the palette lacks is damage.
func TestPNGPalette(t *testing.T) {
	t.Parallel()
	cases := pngCases(t)
	data := cases[slices.IndexFunc(cases, func(c pngCase) bool { return c.Name == "palette4_16_9x5" })].PNG
	offset := strings.Index(string(data), "PLTE")
	short := append(slices.Clone(data[:offset+4]), data[offset+4:offset+4+9]...) // three colors
	short[offset-1] = 9
	short = crcAppend(short, short[offset:])
	short = append(short, data[offset+4+48+4:]...)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.png"), short, 0o666); err != nil {
		t.Fatal(err)
	}
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := readAll(a); err == nil || !strings.Contains(err.Error(), "of a palette of 3") {
		t.Errorf("got %v", err)
	}
}

// readAll reads all values of an array.
func readAll(a *Array) ([]float32, error) {
	n := 1
	for _, d := range a.Shape() {
		n *= d
	}
	values := make([]float32, n)
	return values, a.ReadFloat32(values, 0, a.Len())
}

func crcAppend(b, of []byte) []byte {
	sum := crc32.ChecksumIEEE(of)
	return append(b, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// Frames with palettes, some of them gray only, are all in colors.
func TestPNGPalettes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var want []float32
	for i, name := range []string{"palette8_256_grays_9x5", "palette8_256_9x5", "palette1_2_grays_9x5"} {
		cases := pngCases(t)
		c := cases[slices.IndexFunc(cases, func(c pngCase) bool { return c.Name == name })]
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".png"), c.PNG, 0o666); err != nil {
			t.Fatal(err)
		}
		want = append(want, c.Pixels...)
		if len(c.Shape) == 2 {
			want = append(append(want, c.Pixels...), c.Pixels...)
		}
	}
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if pixels, err := readAll(a); err != nil || !slices.Equal(a.Shape(), []int{3, 3, 5, 9}) ||
		!slices.Equal(pixels, want) {
		t.Errorf("%v %v, %v", a.Shape(), pixels, err)
	}
}
