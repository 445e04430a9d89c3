// Cases of operators: model.onnx, test_data_set_0/{input,output}_i.pb.

package graphtest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"repscope/model/graph"
	"repscope/model/onnx"
)

// Cases unpacks the archives whose paths match a pattern.
func Cases(t testing.TB, pattern string) fs.FS {
	t.Helper()
	archives, err := filepath.Glob(pattern)
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archive %s: %v", pattern, err)
	}
	cases := fstest.MapFS{}
	for _, archive := range archives {
		unpack(t, cases, archive)
	}
	return cases
}

// unpack adds the files of an archive.
func unpack(t testing.TB, cases fstest.MapFS, archive string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(unpacked); ; {
		header, err := files.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		cases[header.Name] = &fstest.MapFile{Data: data}
	}
}

// ErrNoData reports that a case has no such tensor.
var ErrNoData = errors.New("no test data")

// ReadTensor reads input or output i of a set of test data.
func ReadTensor(files fs.FS, set, kind string, i int) (*graph.Tensor, error) {
	data, err := fs.ReadFile(files, path.Join(set, fmt.Sprintf("%s_%d.pb", kind, i)))
	if err != nil {
		return nil, ErrNoData
	}
	return onnx.ReadTensor(data)
}

// Compare compares with a tolerance relative to the element and, for sums that
// cancel, a hundredth of that relative to the largest element.
func Compare(got, want *graph.Tensor, relative float64) error {
	if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("got %v %v, want %v %v", got.DType, got.Shape, want.DType, want.Shape)
	}
	largest := 0.0
	for _, v := range want.F32 {
		if a := math.Abs(float64(v)); a <= math.MaxFloat32 {
			largest = max(largest, a)
		}
	}
	tolerance := 1e-7 + relative/100*largest
	for i := range want.F32 {
		g, w := float64(got.F32[i]), float64(want.F32[i])
		if g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= tolerance+relative*math.Abs(w)) {
			return fmt.Errorf("element %d is %g, want %g", i, g, w)
		}
	}
	for i := range want.I64 {
		if got.I64[i] != want.I64[i] {
			return fmt.Errorf("element %d is %d, want %d", i, got.I64[i], want.I64[i])
		}
	}
	for i := range want.Bool {
		if got.Bool[i] != want.Bool[i] {
			return fmt.Errorf("element %d is %t, want %t", i, got.Bool[i], want.Bool[i])
		}
	}
	return nil
}
