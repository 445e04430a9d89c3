// Folders of images: episodes, sizes, alpha channels, damage.

package dataset

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gray writes a PNG file of one value.
func gray(t *testing.T, path string, height, width int, value uint8) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = value
	}
	writePNG(t, path, img)
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	writeBytes(t, path, b.Bytes())
}

func writeBytes(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Folders of a folder are episodes, in natural order, as are the files in them.
func TestEpisodeFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, name := range []string{"ep2/9.png", "ep2/10.png", "ep10/0.png", "ep1/frame_000.png", "ep1/frame_001.png", "ep1/frame_002.png"} {
		gray(t, filepath.Join(dir, name), 2, 2, uint8(i))
	}
	writeBytes(t, filepath.Join(dir, ".thumbnails/x.txt"), nil)
	writeBytes(t, filepath.Join(dir, "ep1/._frame_000.png"), []byte("of another system"))
	writeBytes(t, filepath.Join(dir, "notes.txt"), nil)
	r, err := OpenRecording(dir, ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make([]float32, 24)
	if err := r.Frames.ReadFloat32(got, 0, 6); err != nil {
		t.Fatal(err)
	}
	var values []float32
	for i := range 6 {
		values = append(values, got[4*i])
	}
	if !slices.Equal(values, []float32{3, 4, 5, 0, 1, 2}) || !slices.Equal(r.Episodes, []int64{0, 0, 0, 1, 1, 2}) || !slices.Equal(r.Folders, []string{"ep1", "ep2", "ep10"}) {
		t.Errorf("values %v, episodes %v of %q", values, r.Episodes, r.Folders)
	}
	// The folder of an image is part of what it is.
	before, err := r.Frames.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "ep2"), filepath.Join(dir, "ep3")); err != nil {
		t.Fatal(err)
	}
	again, err := OpenRecording(dir, ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if after, err := again.Frames.SHA256(); err != nil || after == before {
		t.Errorf("the digest stays %s under another name of an episode, %v", after, err)
	}
	// Images take precedence over folders next to them, and the folders are mentioned.
	gray(t, filepath.Join(dir, "a.png"), 2, 2, 1)
	r, err = OpenRecording(dir, ImageOptions{})
	if err != nil || r.Frames.Len() != 1 || r.Episodes != nil || !slices.Equal(r.Frames.Notes(), []string{"its folders are not read, because it contains images itself: ep1, ep3, ep10"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFolderErrors(t *testing.T) {
	t.Parallel()
	make := func(files ...string) string {
		dir := t.TempDir()
		for _, name := range files {
			if strings.HasSuffix(name, ".png") {
				gray(t, filepath.Join(dir, name), 2, 2, 1)
			} else {
				writeBytes(t, filepath.Join(dir, name), []byte("x"))
			}
		}
		return dir
	}
	for _, c := range []struct{ dir, want, hint string }{
		{make("ep0/a.png", "ep1/notes.txt", "ep2/deep/a.png"), "no .png, .jpg, .webp or .tif files in its folders ep1, ep2; each folder would be an episode", ""},
		{make("ep0/notes.txt", "ep1/deep/a.png"), "no .png, .jpg, .webp or .tif files in this folder, nor in its 2 folders", ""},
		{make("a.bmp", "b.bmp", "c.txt"), "contains no .png, .jpg, .webp or .tif files, but files that end in .bmp", "*.bmp"},
		{make("a.h5", "b.h5"), "in this folder; its files end in .h5: give one of them", ""},
		{make("a.tar", "b.tar"), "but files that end in .tar", "tar --sort=name -cf"},
		{make("a.csv", "b.csv"), "but files that end in .csv", "pd.concat"},
		{make("a.log"), "no .png, .jpg, .webp or .tif files in this folder; its files end in .log", ""},
		{make(), "no .png, .jpg, .webp or .tif files in this folder", ""},
		{make(".zgroup", "x/.zarray"), ".zgroup: corrupt", ""},
		{make(".zarray"), ".zarray: corrupt", ""},
		{make("data.mdb", "lock.mdb"), "is an LMDB database", "subdir=True"},
	} {
		_, err := Open(c.dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.dir) {
			t.Errorf("%v, want %q", err, c.want)
			continue
		}
		hints := ""
		if h, ok := err.(interface{ Hints() []string }); ok {
			hints = strings.Join(h.Hints(), "\n")
		}
		if c.hint == "" && hints != "" || !strings.Contains(hints, c.hint) {
			t.Errorf("%v: hints %q, want %q", err, hints, c.hint)
		}
	}
}

// Images of several sizes are brought to one where it is told; a constant image stays constant, and
// one of that size stays as it is.
func TestImageSizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gray(t, filepath.Join(dir, "0.png"), 6, 8, 200)
	ramp := image.NewGray(image.Rect(0, 0, 2, 3))
	copy(ramp.Pix, []uint8{0, 50, 100, 150, 200, 250})
	writePNG(t, filepath.Join(dir, "1.png"), ramp)
	wide := image.NewGray(image.Rect(0, 0, 4, 3))
	copy(wide.Pix, []uint8{0, 20, 40, 61, 0, 0, 0, 0, 255, 255, 255, 255})
	writePNG(t, filepath.Join(dir, "2.png"), wide)
	_, err := Open(dir)
	want := fmt.Sprintf("%s is 2×3, gray, 8 bits, but %s is 8×6, gray, 8 bits: all images of a folder must agree (width×height), or --resize HxW (height first) must set one size",
		filepath.Join(dir, "1.png"), filepath.Join(dir, "0.png"))
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	digests := map[string]bool{}
	for _, nearest := range []bool{false, true} {
		r, err := OpenRecording(dir, ImageOptions{Height: 3, Width: 2, Nearest: nearest})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		got := make([]uint8, 18)
		if err := r.Frames.ReadUint8(got, 0, 3); err != nil {
			t.Fatal(err)
		}
		want := []uint8{200, 200, 200, 200, 200, 200, 0, 50, 100, 150, 200, 250, 10, 50, 0, 0, 255, 255} // 50.5 to even
		if nearest {
			copy(want[12:], []uint8{0, 40, 0, 0, 255, 255})
		}
		if !slices.Equal(got, want) || !slices.Equal(r.Frames.Shape(), []int{3, 3, 2}) {
			t.Errorf("nearest %v: %v, want %v", nearest, got, want)
		}
		if !slices.Equal(r.Frames.Notes(), []string{"its images have several sizes and were resized to 3x2 (height x width)"}) {
			t.Errorf("notes %q", r.Frames.Notes())
		}
		sum, err := r.Frames.SHA256()
		if err != nil || digests[sum] {
			t.Errorf("digest %s twice, %v", sum, err)
		}
		digests[sum] = true
	}
	// Where all are of one size nothing is resized, whatever is asked for.
	same := t.TempDir()
	gray(t, filepath.Join(same, "0.png"), 6, 8, 200)
	r, err := OpenRecording(same, ImageOptions{Height: 3, Width: 2})
	if err != nil || !slices.Equal(r.Frames.Shape(), []int{1, 6, 8}) || len(r.Frames.Notes()) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Deep images are resized in 16 bits.
func TestImageSizesDeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, width := range []int{2, 4} {
		img := image.NewRGBA64(image.Rect(0, 0, width, 1))
		for x := range width {
			img.SetRGBA64(x, 0, color.RGBA64{uint16(1000 * x), 300, uint16(60000 + x), 0xffff})
		}
		writePNG(t, filepath.Join(dir, fmt.Sprint(i, ".png")), img)
	}
	r, err := OpenRecording(dir, ImageOptions{Height: 1, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 12)
	if err := r.Frames.ReadFloat32(got, 0, 2); err != nil || !slices.Equal(got, []float32{0, 1000, 300, 300, 60000, 60001, 500, 2500, 300, 300, 60000, 60002}) {
		t.Errorf("%v, %v", got, err)
	}
}

// grayAlpha is a PNG file of gray values with alpha, which package image/png reads but does not write.
func grayAlpha(values ...[2]uint8) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		start := len(b)
		b = append(append(b, kind...), data...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
	}
	chunk("IHDR", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(values))), 1), 8, pngGrayAlpha, 0, 0, 0))
	row := []byte{0}
	for _, v := range values {
		row = append(row, v[:]...)
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(row)
	w.Close()
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b
}

// Gray with alpha has one channel, and ignored data are reported.
func TestAlpha(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeBytes(t, filepath.Join(dir, "0.png"), grayAlpha([2]uint8{7, 255}, [2]uint8{90, 255}))
	gray(t, filepath.Join(dir, "1.png"), 1, 2, 5)
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint8, 4)
	if err := a.ReadUint8(got, 0, 2); err != nil || !slices.Equal(a.Shape(), []int{2, 1, 2}) || !slices.Equal(got, []uint8{7, 90, 5, 5}) {
		t.Errorf("%v %v, %v", a.Shape(), got, err)
	}
	if !slices.Equal(a.Notes(), []string{"the alpha channel of 1 of 2 images is ignored; a pixel that is not opaque is an error"}) {
		t.Errorf("notes %q", a.Notes())
	}
	writeBytes(t, filepath.Join(dir, "0.png"), grayAlpha([2]uint8{7, 255}, [2]uint8{90, 254}))
	if a, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	if err := a.ReadUint8(got, 0, 2); err == nil || !strings.Contains(err.Error(), "0.png: the pixel at column 1, row 0 is transparent") {
		t.Error(err)
	}
	// Colors with alpha.
	rgba := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 254})
	writePNG(t, filepath.Join(rgba, "0.png"), img)
	if a, err = Open(rgba); err != nil || len(a.Notes()) != 1 {
		t.Errorf("%v, %v", a.Notes(), err)
	}
}

// A damaged file spoils its own row, and is named once.
func TestDamagedImage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 12 {
		gray(t, filepath.Join(dir, fmt.Sprint(i, ".png")), 9, 9, uint8(i))
	}
	path := filepath.Join(dir, "9.png")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeBytes(t, path, data[:len(data)-20])
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		err := a.ReadUint8(make([]uint8, 81), i, i+1)
		if (err != nil) != (i == 9) {
			t.Errorf("row %d: %v", i, err)
		}
		if err != nil && (strings.Count(err.Error(), dir) != 1 || !strings.HasPrefix(err.Error(), path+": truncated")) {
			t.Errorf("row %d: %v", i, err)
		}
	}
}
