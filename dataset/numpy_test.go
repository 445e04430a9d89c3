// Our files, read by NumPy itself.

package dataset

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// NumPy itself must read our files. Skipped without a Python with NumPy; PYTHON names another interpreter.
func TestNumPyReadsOurFiles(t *testing.T) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "/usr/bin/python3"
	}
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skipf("%s with NumPy is not there: %v", python, err)
	}
	folder := t.TempDir()
	npy := filepath.Join(folder, "a.npy")
	npz := filepath.Join(folder, "a.npz")
	if err := WriteNPY(npy, []int{2, 3}, []float32{0, 1, 2, 3, 4, 5}); err != nil {
		t.Fatal(err)
	}
	err := WriteNPZ(npz, Field{"u8", []int{4}, []uint8{1, 2, 3, 4}}, Field{"scalar", []int{}, []float64{2.5}}, Field{"flags", []int{2}, []bool{true, false}},
		Field{"i32", []int{1, 2}, []int32{-1, 7}}, Field{"i64", []int{0, 3}, []int64{}})
	if err != nil {
		t.Fatal(err)
	}
	script := `
import sys, numpy as np
a = np.load(sys.argv[1])
assert a.dtype == np.float32 and a.tolist() == [[0, 1, 2], [3, 4, 5]], a
z = np.load(sys.argv[2])
assert sorted(z.keys()) == ["flags", "i32", "i64", "scalar", "u8"]
assert z["u8"].dtype == np.uint8 and z["u8"].tolist() == [1, 2, 3, 4]
assert z["scalar"].shape == () and z["scalar"] == 2.5 and z["scalar"].dtype == np.float64
assert z["flags"].dtype == bool and z["flags"].tolist() == [True, False]
assert z["i32"].dtype == np.int32 and z["i32"].tolist() == [[-1, 7]]
assert z["i64"].dtype == np.int64 and z["i64"].shape == (0, 3)
`
	if out, err := exec.Command(python, "-c", script, npy, npz).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Files in which more stands than they say are refused: what a reader passes over in silence could be the numbers
// that were meant.
func TestMoreThanAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	stored, deflated, npy := read("stored.npz"), read("deflated.npz"), read("f4.npy")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"behind.npz": {append(slices.Clone(stored), "more"...), "4 bytes follow the end of the zip file"},
		"two.npz":    {append(slices.Clone(stored), deflated...), "the zip file begins at byte"},
		"behind.npy": {append(slices.Clone(npy), 0), "the file has"},
		"two.npy":    {append(slices.Clone(npy), npy...), "the file has"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
