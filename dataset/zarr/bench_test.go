// How fast stores are read.

package zarr

import (
	"cmp"
	"os"
	"testing"

	"repscope/dataset/zarr/zarrtest"
)

// BenchmarkRead reads 64 MB of chunks of 0.5 MB with a checksum; or the store of one array in the folder ZARR_BENCH.
func BenchmarkRead(b *testing.B) {
	dir, name := cmp.Or(os.Getenv("ZARR_BENCH"), b.TempDir()), ""
	if os.Getenv("ZARR_BENCH") == "" {
		x := zarrtest.Array{Path: "x", Type: "uint8", Shape: []int{1024, 1 << 16}, Rows: 8, Raw: make([]byte, 64<<20)}
		if err := zarrtest.Folder(dir, zarrtest.Files(x)); err != nil {
			b.Fatal(err)
		}
		name = "x"
	}
	s, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	a, err := s.Array(name)
	if err == nil {
		err = a.Prepare()
	}
	if err != nil {
		b.Fatal(err)
	}
	step := max(1, (16<<20)/a.RowBytes())
	dst := make([]byte, step*a.RowBytes())
	b.SetBytes(int64(a.Rows()) * int64(a.RowBytes()))
	for b.Loop() {
		for lo := 0; lo < a.Rows(); lo += step {
			hi := min(lo+step, a.Rows())
			if err := a.Read(dst[:(hi-lo)*a.RowBytes()], lo, hi); err != nil {
				b.Fatal(err)
			}
		}
	}
}
