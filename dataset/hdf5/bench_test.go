// How fast compressed chunks are read.

package hdf5

import (
	"os"
	"path/filepath"
	"testing"

	"repscope/dataset/hdf5/hdf5test"
)

// BenchmarkRead reads 64 MB of chunks of 0.5 MB, compressed by gzip; or the dataset FILE:PATH in HDF5_BENCH.
func BenchmarkRead(b *testing.B) {
	path, name := filepath.Join(b.TempDir(), "a.h5"), "x"
	if file := os.Getenv("HDF5_BENCH"); file != "" {
		path, name = filepath.Dir(file), filepath.Base(file)
	} else if err := os.WriteFile(path, benchmarkFile(), 0o600); err != nil {
		b.Fatal(err)
	}
	d, err := open(b, path).Dataset(name)
	if err == nil {
		err = d.Prepare()
	}
	if err != nil {
		b.Fatal(err)
	}
	step := max(1, (4<<20)/d.RowBytes())
	dst := make([]byte, step*d.RowBytes())
	b.SetBytes(int64(d.Rows()) * int64(d.RowBytes()))
	for b.Loop() {
		for lo := 0; lo < d.Rows(); lo += step {
			hi := min(lo+step, d.Rows())
			if err := d.Read(dst[:(hi-lo)*d.RowBytes()], lo, hi); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func benchmarkFile() []byte {
	const rows, chunkRows, row = 1024, 8, 1 << 16
	var b hdf5test.Builder
	var keys [][]byte
	var children []uint64
	value := byte(0)
	for first := 0; first < rows; first += chunkRows {
		raw := make([]byte, chunkRows*row)
		for i := range raw {
			value += byte(i*i>>3) & 3
			raw[i] = value
		}
		stored := hdf5test.Deflate(raw)
		keys, children = append(keys, hdf5test.Key(len(stored), first, 0)), append(children, b.Put(stored))
	}
	tree := b.Tree(0, append(keys, hdf5test.Key(0, rows, 0)), children)
	x := b.Object(hdf5test.Space(rows, row), hdf5test.Uint8(), hdf5test.Filter(1), hdf5test.Chunked(tree, 1, chunkRows, row))
	return b.File(b.Group(hdf5test.Name{Name: "x", Address: x}))
}
