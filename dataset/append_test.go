// Tests of files that grow: appended, resumed and finished.

package dataset

// Appended arrays read back, continue after interruptions with the same bytes,
// and are what NumPy reads.

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func appendAll(t *testing.T, a *Appender, values []float32, width int, from int) {
	t.Helper()
	for lo := from; lo*width < len(values); lo += 3 {
		if err := a.Append(values[lo*width : min((lo+3)*width, len(values))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
}

func TestAppender(t *testing.T) {
	shape := []int{11, 2, 3}
	values := make([]float32, 66)
	for i := range values {
		values[i] = float32(i-30) / 8 // exact in float16
	}
	dir := t.TempDir()
	for _, format := range AppendFormats() {
		for _, kind := range []DType{Float32, Float16} {
			t.Run(format+kind.String(), func(t *testing.T) {
				whole := filepath.Join(dir, "whole_"+kind.String()+"."+format)
				a, err := NewAppender(whole, format, "latents", kind, shape)
				if err != nil {
					t.Fatal(err)
				}
				appendAll(t, a, values, 6, 0)
				want, err := os.ReadFile(whole)
				if err != nil {
					t.Fatal(err)
				}
				array, err := Open(whole)
				if err != nil {
					t.Fatal(err)
				}
				got := make([]float32, 66)
				if err := array.ReadFloat32(got, 0, 11); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, values) || !slices.Equal(array.Shape(), shape) || array.DType() != kind {
					t.Errorf("read back %v %v: %v", array.DType(), array.Shape(), got)
				}
				if err := array.Close(); err != nil {
					t.Error(err)
				}

				// Interrupted after every number of rows, with more written than noted.
				for rows := range 12 {
					path := filepath.Join(dir, fmt.Sprintf("part.%s", format))
					a, err := NewAppender(path, format, "latents", kind, shape)
					if err != nil {
						t.Fatal(err)
					}
					if err := a.Append(values[:rows*6]); err != nil {
						t.Fatal(err)
					}
					position := a.Position()
					if _, err := NewAppender(path, format, "latents", kind, shape); !errors.Is(err, ErrLocked) {
						t.Fatalf("a second appender: %v", err)
					}
					if rows == 11 {
						err = a.Finish() // and the note of it was lost
					} else {
						err = errors.Join(a.Append(values[rows*6:rows*6+6]), a.Close())
					}
					if err != nil {
						t.Fatal(err)
					}
					if a, err = ResumeAppender(path, format, "latents", kind, shape, position); err != nil {
						t.Fatal(err)
					}
					appendAll(t, a, values, 6, rows)
					if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
						t.Errorf("continued after %d rows: other bytes", rows)
					}
				}
			})
		}
	}
}

func TestAppenderErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := NewAppender(path, "csv", "x", Float32, []int{2})
	check(err, "npy, npz, safetensors")
	_, err = NewAppender(path, "npy", "x", Float64, []int{2})
	check(err, "float32 or float16")
	_, err = NewAppender(path, "npy", "x", Float32, []int{0, 3})
	check(err, "no rows")
	_, err = ResumeAppender(path, "npy", "x", Float32, []int{4}, AppendPosition{})
	check(err, "no such file")

	a, err := NewAppender(path, "npy", "x", Float16, []int{4, 2})
	if err != nil {
		t.Fatal(err)
	}
	check(a.Append([]float32{1}), "whole rows of 2")
	check(a.Append(make([]float32, 10)), "whole rows of 2")
	check(a.Append([]float32{1, 2, 3, 1e6}), "row 1: element 1 is 1e+06")
	if err := a.Append([]float32{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	position := a.Position()
	check(DiscardAppended(path), "another run is writing")
	check(a.Finish(), "2 rows of 4")
	_, err = ResumeAppender(path, "npy", "x", Float16, []int{5, 2}, position)
	check(err, "header belongs to another array")
	_, err = ResumeAppender(path, "npy", "x", Float16, []int{4, 2}, AppendPosition{Rows: 3, CRC: position.CRC})
	check(err, "truncated")
	data, _ := os.ReadFile(path)
	data[len(data)-1] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = ResumeAppender(path, "npy", "x", Float16, []int{4, 2}, position)
	check(err, "have changed")
	if err := errors.Join(DiscardAppended(path), DiscardAppended(path)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
}

// wideArchive is an archive with a member of zeros of more than 4 GiB.
type wideArchive struct {
	head, tail []byte
	size       int64
}

func (w wideArchive) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		offset := off + int64(n)
		switch {
		case offset < int64(len(w.head)):
			n += copy(p[n:], w.head[offset:])
		case offset < int64(len(w.head))+w.size:
			part := p[n : n+int(min(int64(len(p)-n), int64(len(w.head))+w.size-offset))]
			clear(part)
			n += len(part)
		case offset < int64(len(w.head))+w.size+int64(len(w.tail)):
			n += copy(p[n:], w.tail[offset-int64(len(w.head))-w.size:])
		default:
			return n, io.EOF
		}
	}
	return n, nil
}

func TestWideArchive(t *testing.T) {
	for _, size := range []int64{100, math.MaxUint32 - 1, math.MaxUint32, 5 << 30} {
		w := wideArchive{head: localHeader("z.npy", size, 7), size: size}
		w.tail = directory("z.npy", size, 7, int64(len(w.head))+size)
		z, err := zip.NewReader(w, int64(len(w.head))+size+int64(len(w.tail)))
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		f := z.File[0]
		if f.Name != "z.npy" || f.UncompressedSize64 != uint64(size) || f.CompressedSize64 != uint64(size) || f.CRC32 != 7 || f.Method != zip.Store {
			t.Errorf("%d bytes: %+v", size, f.FileHeader)
		}
		if at, err := f.DataOffset(); err != nil || at != int64(len(w.head)) {
			t.Errorf("%d bytes: data at %d, want %d: %v", size, at, len(w.head), err)
		}
	}
}

func TestAppendedByNumPy(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("needs Python with NumPy")
	}
	path := filepath.Join(t.TempDir(), "z.npz")
	a, err := NewAppender(path, "npz", "latents", Float32, []int{5, 2})
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, a, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, 0)
	out, err := exec.Command(python, "-c", `
import numpy, sys, zipfile
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
z = numpy.load(sys.argv[1])["latents"]
print(z.dtype, z.shape, z.sum())`, path).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "float32 (5, 2) 45.0" {
		t.Errorf("%v: %s", err, out)
	}
}
