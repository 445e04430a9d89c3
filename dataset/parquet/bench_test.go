// How fast columns are read.

package parquet

import (
	"os"
	"path/filepath"
	"testing"

	"repscope/dataset/parquet/parquettest"
)

// BenchmarkRead reads 32 MB of lists of 256 numbers; or the column FILE/NAME in PARQUET_BENCH.
func BenchmarkRead(b *testing.B) {
	path, name := filepath.Join(b.TempDir(), "a.parquet"), "x"
	if file := os.Getenv("PARQUET_BENCH"); file != "" {
		path, name = filepath.Dir(file), filepath.Base(file)
	} else {
		c := parquettest.Leaf{Name: "x", Kind: parquettest.Float, Shape: []int{1 << 15, 256}, Raw: make([]byte, 1<<25)}
		if err := os.WriteFile(path, parquettest.File(1<<10, c), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	c := open(b, path).Column(name)
	if c == nil {
		b.Fatal("no column ", name)
	}
	if err := c.Prepare(); err != nil {
		b.Fatal(err)
	}
	step := max(1, (64<<20)/c.RowBytes())
	dst := make([]byte, min(step, c.Rows)*c.RowBytes())
	b.SetBytes(int64(c.Rows) * int64(c.RowBytes()))
	for b.Loop() {
		for lo := 0; lo < c.Rows; lo += step {
			hi := min(lo+step, c.Rows)
			if err := c.Read(dst[:(hi-lo)*c.RowBytes()], lo, hi); err != nil {
				b.Fatal(err)
			}
		}
	}
}
