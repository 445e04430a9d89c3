// Compression of pages.

package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"repscope/internal/lz4"
)

// The compressions that are read.
const (
	uncompressed = 0
	codecSnappy  = 1
	codecGzip    = 2
	codecZstd    = 6
	codecLZ4     = 7
)

var codecNames = []string{"none", "snappy", "gzip", "lzo", "brotli", "lz4 of Hadoop", "zstd", "lz4"}

func codecName(codec int) string {
	if codec >= 0 && codec < len(codecNames) {
		return codecNames[codec]
	}
	return fmt.Sprintf("codec %d", codec)
}

// codecProblem is why a compression is not read; nil where it is.
func codecProblem(codec int) error {
	switch codec {
	case uncompressed, codecSnappy, codecGzip, codecZstd, codecLZ4:
		return nil
	}
	return fmt.Errorf("is compressed by %s, which is not supported; "+
		`write it again: pyarrow.parquet.write_table(pyarrow.parquet.read_table("FILE"), "NEW", compression="zstd")`,
		codecName(codec))
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(1<<31))
})

// expand expands a page of a known size, into a buffer that it may make longer.
func expand(codec int, raw []byte, size int, buffer []byte) ([]byte, error) {
	dst := sized(buffer, size)
	n, err := size, error(nil)
	switch codec {
	case uncompressed:
		n = copy(dst, raw)
		if len(raw) > size {
			n = len(raw)
		}
	case codecSnappy:
		if n, err = snappy.DecodedLen(raw); err == nil && n == size {
			_, err = snappy.Decode(dst, raw)
		}
	case codecGzip:
		n, err = expandGzip(dst, raw)
	case codecZstd:
		var d *zstd.Decoder
		if d, err = zstdDecoder(); err == nil {
			var out []byte
			out, err = d.DecodeAll(raw, dst[:0:size])
			n = len(out)
		}
	case codecLZ4:
		err = lz4.Block(dst, raw)
	}
	if err == nil && n != size {
		err = fmt.Errorf("it has %d bytes, its header says %d", n, size)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codecName(codec), err)
	}
	return dst, nil
}

// gzips are decoders that are used again.
var gzips = sync.Pool{New: func() any { return new(gzip.Reader) }}

func expandGzip(dst, raw []byte) (int, error) {
	z := gzips.Get().(*gzip.Reader)
	defer gzips.Put(z)
	if err := z.Reset(bytes.NewReader(raw)); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(z, dst)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return n, err
	}
	var more [1]byte // the checksum is compared at the end
	switch k, err := z.Read(more[:]); {
	case k > 0:
		return n + 1, nil
	case err != nil && !errors.Is(err, io.EOF):
		return n, err
	}
	return n, nil
}

// sized is a slice of n elements, of a buffer if it is long enough. Its elements are not zero.
func sized[T any](buffer []T, n int) []T {
	if cap(buffer) >= n {
		return buffer[:n]
	}
	return make([]T, n)
}
