// Damaged and malicious files.

package netcdf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset/netcdf/netcdftest"
	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/readtest"
)

// readAll reads the header and the first and last rows of all variables, with little memory.
func readAll(t *testing.T, data []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.nc")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	mapped, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	readtest.Memory(t, len(data), readtest.Limit{Base: 64 << 20, PerByte: 1024}, func() { err = readMapped(t, mapped, path) })
	return err
}

func readMapped(t *testing.T, mapped *mmap.File, path string) error {
	t.Helper()
	f, err := Read(mapped)
	if err != nil {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("%v does not name the file", err)
		}
		return err
	}
	for i := range f.Variables {
		v := &f.Variables[i]
		rows := min(v.Rows(), 3)
		raw := make([]byte, rows*v.RowBytes())
		if err := v.Read(raw, 0, rows); err != nil {
			return err
		}
		if err := v.Read(raw, v.Rows()-rows, v.Rows()); err != nil {
			return err
		}
		if c := CodingOf(v.DType, dtype.BigEndian, v.Attributes); c != nil && !v.Text {
			if err := c.Decode(make([]byte, len(raw)/v.DType.Size()*c.DType.Size()), raw); err != nil && v.DType.Size() < 8 {
				t.Error(err)
			}
		}
	}
	return nil
}

func FuzzNetCDF(f *testing.F) {
	for _, name := range []string{"cdf1.nc", "cdf2.nc", "cdf5.nc", "single.nc", "empty.nc"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(netcdftest.File(netcdftest.Variable{Name: "x", Type: netcdftest.Ubyte, Shape: []int{2}, Raw: []byte{1, 2}}))
	f.Fuzz(func(t *testing.T, data []byte) { _ = readAll(t, data) })
}

func TestHostile(t *testing.T) {
	t.Parallel()
	x := netcdftest.Variable{Name: "x", Type: netcdftest.Ubyte, Shape: []int{2, 3}, Raw: make([]byte, 6)}
	if err := readAll(t, netcdftest.File(x)); err != nil {
		t.Fatalf("a file that is right: %v", err)
	}
	for want, change := range map[string]func(v *netcdftest.Variable){
		"shape [1099511627776 1099511627776]": func(v *netcdftest.Variable) { v.Shape = []int{1 << 40, 1 << 40} },
		"has length 4611686018427387904":      func(v *netcdftest.Variable) { v.Shape = []int{1 << 62} },
		"ends at byte":                        func(v *netcdftest.Variable) { v.Shape = []int{2, 300} },
		"grows along axis 1":                  func(v *netcdftest.Variable) { v.Shape = []int{2, 0} },
		"of type 12":                          func(v *netcdftest.Variable) { v.Type = 12 },
		"truncated":                           func(v *netcdftest.Variable) { v.Begin = 1 << 50 },
		"begins at":                           func(v *netcdftest.Variable) { v.Begin = 1<<62 + 1 },
		"40 axes":                             func(v *netcdftest.Variable) { v.Shape = make([]int, 40) },
	} {
		changed := x
		change(&changed)
		if err := readAll(t, netcdftest.File(changed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, data := range []string{"CDF\x03", "CDF\x01\x00\x00\x00\x01\x00\x00\x00\x0b", "CDF\x05\xff\xff\xff\xff\xff\xff\xff\xfe"} {
		if readAll(t, []byte(data)) == nil {
			t.Errorf("%q is read", data)
		}
	}
}
