// Headers of .npy files that other writers make.

package dataset

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The values are 0, 1, 2, … in the order of C; NumPy 2.4.6 reads the same from each of these files, or refuses it.
func TestNPYHeaders(t *testing.T) {
	t.Parallel()
	i2 := func(order binary.AppendByteOrder, columns bool) (b []byte) {
		for k := range 40 {
			v := k
			if columns {
				v = k%10*4 + k/10
			}
			b = order.AppendUint16(b, uint16(v))
		}
		return b
	}
	var f8 []byte
	for k := range 40 {
		f8 = binary.BigEndian.AppendUint64(f8, math.Float64bits(float64(k)))
	}
	for _, c := range []struct {
		what, header string
		version      byte
		pad          int // the whole header is a multiple of it
		end          string
		data         []byte
		want         string // in the error, if there must be one
	}{
		{"version 2, aligned to nothing, by columns, big-endian",
			"{'descr': '>i2', 'fortran_order': True, 'shape': (10, 4), }", 2, 1, "\n", i2(binary.BigEndian, true), ""},
		{"aligned to 16, a comma behind the axes", "{'descr': '>f8', 'fortran_order': False, 'shape': (10,4,)}", 1, 16,
			"\n", f8, ""},
		{"no line feed", "{'descr': '<i2', 'fortran_order': False, 'shape': (10,4,),}", 1, 1, "",
			i2(binary.LittleEndian, false), ""},
		{"version 3, another order of the keys", "{'shape': (10, 4), 'fortran_order': True, 'descr': '<i2'}", 3, 64, "\n",
			i2(binary.LittleEndian, true), ""},
		{"a negative axis", "{'descr': '<i2', 'fortran_order': False, 'shape': (-1, 4)}", 1, 64, "\n",
			i2(binary.LittleEndian, false), "shape"},
		{"longer floats", "{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}", 1, 64, "\n", make([]byte, 32), "<f16"},
	} {
		data := append([]byte("\x93NUMPY"), c.version, 0)
		wide := 2
		if c.version > 1 {
			wide = 4
		}
		header := c.header
		for (len(data)+wide+len(header)+len(c.end))%c.pad != 0 {
			header += " "
		}
		header += c.end
		if wide == 2 {
			data = binary.LittleEndian.AppendUint16(data, uint16(len(header)))
		} else {
			data = binary.LittleEndian.AppendUint32(data, uint32(len(header)))
		}
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := os.WriteFile(path, append(append(data, header...), c.data...), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(path)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", c.what, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		values, err := readAll(a)
		want := make([]float32, 40)
		for k := range want {
			want[k] = float32(k)
		}
		if err != nil || !slices.Equal(a.Shape(), []int{10, 4}) || !slices.Equal(values, want) {
			t.Errorf("%s: %v %v, %v", c.what, a.Shape(), values, err)
		}
		a.Close()
	}
}
