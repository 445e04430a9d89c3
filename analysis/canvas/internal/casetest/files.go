// Files of cases in memory and on disk.

package casetest

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"repscope/dataset"
)

// Touch makes files in a folder.
func Touch(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// GrayPNG is a picture of the given numbers, row by row.
func GrayPNG(t testing.TB, width int, values ...uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, len(values)/width))
	copy(img.Pix, values)
	return PNG(t, img)
}

// PNG is the file of an image.
func PNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// NPY is the file of an array.
func NPY[T dataset.Element](t testing.TB, shape []int, data ...T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := dataset.EncodeNPY(&out, shape, data); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Files are files by path.
type Files map[string][]byte

// Read is a reader of these files.
func (m Files) Read(path string) ([]byte, error) {
	data, ok := m[path]
	if !ok {
		return nil, fmt.Errorf("%s: no such file", path)
	}
	return data, nil
}

// Path is the path itself if there is something under it.
func (m Files) Path(path string) string {
	if len(m[path]) == 0 {
		return ""
	}
	return path
}
