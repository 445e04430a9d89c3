// Tests of arrays against NumPy, of bad files, keys and digests.

package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type description struct {
	DType string
	Shape []int
	Data  []float64
}

func descriptions(t *testing.T) map[string]description {
	t.Helper()
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]description
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// checkArray compares an array with what the generating script says, read at once
// and in pieces.
func checkArray(t *testing.T, a *Array, want description) {
	t.Helper()
	if a.DType().String() != want.DType || !slices.Equal(a.Shape(), want.Shape) {
		t.Fatalf("%s is %v %v, want %v %v", a.Name(), a.DType(), a.Shape(), want.DType, want.Shape)
	}
	if n := a.Len() * a.RowLen(); n != len(want.Data) {
		t.Fatalf("%s has %d values, want %d", a.Name(), n, len(want.Data))
	}
	f64 := make([]float64, len(want.Data))
	if err := a.ReadFloat64(f64, 0, a.Len()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f64, want.Data) {
		t.Errorf("%s: ReadFloat64 gives %v, want %v", a.Name(), f64, want.Data)
	}
	f32 := make([]float32, a.RowLen())
	for row := range a.Len() {
		if err := a.ReadFloat32(f32, row, row+1); err != nil {
			t.Fatal(err)
		}
		for k, v := range f32 {
			if w := want.Data[row*a.RowLen()+k]; v != float32(w) {
				t.Errorf("%s: row %d, value %d = %v, want %v", a.Name(), row, k, v, w)
			}
		}
	}
	if !a.DType().IsFloat() {
		i64 := make([]int64, len(want.Data))
		if err := a.ReadInt64(i64, 0, a.Len()); err != nil {
			t.Fatal(err)
		}
		for k, v := range i64 {
			if v != int64(want.Data[k]) {
				t.Errorf("%s: integer %d = %d, want %v", a.Name(), k, v, want.Data[k])
			}
		}
	}
	if d := a.DType(); d == Uint8 || d == Bool {
		u8 := make([]uint8, len(want.Data))
		if err := a.ReadUint8(u8, 0, a.Len()); err != nil {
			t.Fatal(err)
		}
		for k, v := range u8 {
			if v != uint8(want.Data[k]) {
				t.Errorf("%s: byte %d = %d, want %v", a.Name(), k, v, want.Data[k])
			}
		}
	}
}

func TestOpenAgainstNumPy(t *testing.T) {
	for spec, want := range descriptions(t) {
		t.Run(spec, func(t *testing.T) {
			a, err := Open(filepath.Join("testdata", spec))
			if err != nil {
				t.Fatal(err)
			}
			checkArray(t, a, want)
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A compressed array above the limit goes through a temporary file.
func TestDeflatedToFile(t *testing.T) {
	defer func(n uint64) { maxInMemory = n }(maxInMemory)
	maxInMemory = 0
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	all := descriptions(t)
	for _, key := range []string{"frames", "half"} {
		a, err := Open("testdata/deflated.npz:" + key)
		if err != nil {
			t.Fatal(err)
		}
		checkArray(t, a, all["deflated.npz:"+key])
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := a.ReadFloat32(make([]float32, a.RowLen()), 0, 1); err == nil {
			t.Error("a closed array was read")
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOpenAll(t *testing.T) {
	all := descriptions(t)
	for _, file := range []string{"stored.npz", "deflated.npz", "weights.safetensors"} {
		arrays, err := OpenAll(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if len(arrays) < 3 {
			t.Errorf("%s: %d arrays", file, len(arrays))
		}
		for _, a := range arrays {
			checkArray(t, a, all[file+":"+a.Key()])
			digest, err := a.SHA256()
			if err != nil || digest != hashBytes(want) {
				t.Errorf("%s: digest %s, %v", a.Name(), digest, err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := OpenAll("testdata/f4.npy"); err == nil {
		t.Error("OpenAll took a .npy file")
	}
}

// Every refusal names the file, and the found and expected properties.
func TestBadFiles(t *testing.T) {
	for spec, want := range map[string]string{
		"no_dict.npy":     "want a dict",
		"empty_dict.npy":  `key "descr" is missing`,
		"no_shape.npy":    `key "shape" is missing`,
		"negative.npy":    "contains -3",
		"huge.npy":        "truncated: shape [99999999999] of type float32 takes 399999999996 bytes, the file has 24",
		"overflow.npy":    "does not fit in memory",
		"object.npy":      "never loaded",
		"complex.npy":     "complex",
		"text.npy":        "text",
		"records.npy":     "structured",
		"code.npy":        `unexpected "exit()`,
		"twice.npy":       `key "descr" twice`,
		"unclosed.npy":    "no comma",
		"unknown_key.npy": `unknown key "extra"`,
		"longer.npy":      "takes 16 bytes, the file has 24",
		"shorter.npy":     "truncated: shape [3 3] of type float32 takes 36 bytes, the file has 24",
		"magic.npy":       `want "\x93NUMPY"`,
		"version.npy":     "version 9.0, want 1.0 to 3.0",
		"empty.npy":       "empty",

		"truncated.npz":      "truncated",
		"flipped.npz:frames": "checksum",
		"bomb.npz":           "takes 16 bytes, the file has 3000016",
		"lying.npz":          "which deflate cannot do",
		"none.npz":           "no arrays",

		"overlap.safetensors":   `arrays "a" and "b" overlap`,
		"truncated.safetensors": "truncated",
		"size.safetensors":      `array "a": shape [3] of type F32 takes 12 bytes`,
		"overflow.safetensors":  "does not fit in memory",
		"twice.safetensors":     `array "a" twice`,
		"json.safetensors":      "not a valid JSON",
		"header.safetensors":    "header has 1152921504606846976 bytes",

		"mixed":   "a10.png is 5×3, gray, 8 bits, but testdata/bad/mixed/a2.png is 5×4, gray, 8 bits",
		"colours": "b.png is 5×4, color, 8 bits",
		"alpha":   "a.png: the pixel at column 0, row 1 is transparent",
		"cut":     "b.png: truncated image",
		"large":   "60000×60000 pixels",
	} {
		a, err := Open(filepath.Join("testdata/bad", spec))
		if err == nil { // images are decoded when read
			err = a.ReadFloat32(make([]float32, a.Len()*a.RowLen()), 0, a.Len())
			a.Close()
		}
		file, _, _ := strings.Cut(spec, ":")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v\nwant it to contain %s and the file", spec, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "truncated") && !errors.Is(err, ErrTruncated) {
			t.Errorf("%s: %v is not ErrTruncated", spec, err)
		}
	}
}

func TestKeys(t *testing.T) {
	for spec, want := range map[string]string{
		"testdata/stored.npz":           "contains 3 arrays; name one as testdata/stored.npz:frames (there are frames, episode, half)",
		"testdata/stored.npz:frame":     `did you mean "frames"?`,
		"testdata/stored.npz:EPISODES":  `did you mean "episode"?`,
		"testdata/f4.npy:x":             `without a name, not "x"`,
		"testdata/grey:x":               `no array "x"`,
		"testdata/weights.safetensors":  "contains 5 arrays",
		"testdata/absent.npz:x":         "no such file",
		"testdata/grey/frame0.png":      "give the folder",
		"testdata/generate.py":          "want " + FormatNames(),
		"testdata":                      "no .png, .jpg, .webp or .tif files in its folders bad, fuzz, parquet, torch; each folder would be an episode",
		"testdata/expected.json:frames": "is a JSON file; want .npy",
	} {
		a, err := Open(spec)
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant it to contain %s", spec, err, want)
		}
	}
	a, err := Open("testdata/stored.npz:frames.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if a.Key() != "frames" || a.Name() != "testdata/stored.npz:frames" {
		t.Errorf("key %q, name %q", a.Key(), a.Name())
	}
}

// A file whose name holds a colon is opened by that name.
func TestColonInName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a:b.npy")
	if err := WriteNPY(path, []int{2}, []float32{1, 2}); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
}

func TestReadErrors(t *testing.T) {
	a, err := Open("testdata/f4.npy")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.ReadFloat32(make([]float32, 6), 3, 5); err == nil || !strings.Contains(err.Error(), "rows 3..5 of 4") {
		t.Error(err)
	}
	if err := a.ReadFloat32(make([]float32, 5), 0, 2); err == nil {
		t.Error("5 values were read into 2 rows of 3")
	}
	if err := a.ReadUint8(make([]uint8, 3), 0, 1); err == nil || !strings.Contains(err.Error(), "float32, want uint8") {
		t.Error(err)
	}
	if err := a.ReadInt64(make([]int64, 3), 0, 1); err == nil || !strings.Contains(err.Error(), "not a whole number") {
		t.Error(err)
	}
	a.Close()
	if err := a.ReadFloat32(make([]float32, 3), 0, 1); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

func TestDigest(t *testing.T) {
	content, err := os.ReadFile("testdata/f4.npy")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open("testdata/f4.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got, err := a.SHA256(); err != nil || got != hashBytes(content) {
		t.Errorf("digest %s, %v, want %s", got, err, hashBytes(content))
	}
	x, _ := NewArray("x", []int{2, 2}, []float32{1, 2, 3, 4})
	y, _ := NewArray("y", []int{2, 2}, []float32{1, 2, 3, 4})
	z, _ := NewArray("z", []int{4}, []float32{1, 2, 3, 4})
	dx, _ := x.SHA256()
	dy, _ := y.SHA256()
	dz, _ := z.SHA256()
	if dx != dy || dx == dz {
		t.Errorf("digests %s %s %s", dx, dy, dz)
	}
	folder, err := Open("testdata/grey")
	if err != nil {
		t.Fatal(err)
	}
	if d, err := folder.SHA256(); err != nil || len(d) != 64 {
		t.Errorf("folder digest %q, %v", d, err)
	}
}

func TestJPEG(t *testing.T) {
	folder := t.TempDir()
	for i := range 3 {
		img := image.NewGray(image.Rect(0, 0, 16, 8))
		for k := range img.Pix {
			img.Pix[k] = uint8(40 * (i + 1))
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.JPG", i)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Shape(), []int{3, 8, 16}) || a.DType() != Uint8 {
		t.Fatalf("%v %v", a.DType(), a.Shape())
	}
	dst := make([]uint8, 3*8*16)
	if err := a.ReadUint8(dst, 0, 3); err != nil || dst[0] != 40 || dst[8*16] != 80 {
		t.Errorf("%v, %v", dst[:3], err)
	}

	red := image.NewRGBA(image.Rect(0, 0, 16, 8))
	for i := range 16 * 8 {
		red.Set(i%16, i/16, color.RGBA{255, 0, 0, 255})
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, red, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	colors := t.TempDir()
	if err := os.WriteFile(filepath.Join(colors, "a.jpeg"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err = Open(colors); err != nil {
		t.Fatal(err)
	}
	rgb := make([]uint8, 3*8*16)
	if err := a.ReadUint8(rgb, 0, 1); err != nil || rgb[0] < 250 || rgb[128] > 5 || rgb[256] > 5 {
		t.Errorf("%v %v %v, %v", rgb[0], rgb[128], rgb[256], err)
	}
}

func TestNewArrayErrors(t *testing.T) {
	if _, err := NewArray("a", []int{2, 3}, make([]float32, 5)); err == nil {
		t.Error("5 values made [2 3]")
	}
	if _, err := NewArray("a", []int{-1}, make([]float32, 0)); err == nil {
		t.Error("a negative length was taken")
	}
}
