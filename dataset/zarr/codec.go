// Codecs of bytes: gzip, zlib, zstd, Blosc, LZ4, shuffle, checksums.

package zarr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"repscope/dataset/chunk"
	"repscope/internal/format"
	"repscope/internal/lz4"
)

// codec is one step that the bytes of a chunk went through when they were written.
type codec struct {
	name string
	size int // of elements, for shuffle
}

// supported are the codecs that are read.
var supported = []string{"gzip", "zlib", "zstd", "blosc", "lz4", "shuffle", "crc32c"}

// add adds a codec to the ones of an array.
func (a *Array) add(name string, size int) {
	if !slices.Contains(supported, name) {
		a.refuse(name)
	}
	a.codecs = append(a.codecs, codec{name, max(size, 1)})
}

// truncated is the error of data that end too early.
func truncated(message string, args ...any) error {
	return fmt.Errorf("%w: "+message, append([]any{format.ErrTruncated}, args...)...)
}

// decoder undoes codecs. It belongs to one goroutine.
type decoder struct {
	gzip    *gzip.Reader
	zlib    chunk.Zlib
	zstd    *zstd.Decoder
	source  bytes.Reader
	stored  []byte
	scratch [5][]byte
	next    int
}

// spare is a buffer of n bytes, other than the results of the last four calls.
func (d *decoder) spare(n int) []byte {
	d.next = (d.next + 1) % len(d.scratch)
	if cap(d.scratch[d.next]) < n {
		d.scratch[d.next] = make([]byte, n)
	}
	return d.scratch[d.next][:n]
}

// decode undoes codecs; the chunk had size bytes before them. The result is valid until the next call.
func (d *decoder) decode(codecs []codec, raw []byte, size int) ([]byte, error) {
	sums := 0 // bytes of checksums that are still in the chunk
	for _, c := range codecs {
		if c.name == "crc32c" {
			sums += 4
		}
	}
	compressed := slices.ContainsFunc(codecs, func(c codec) bool { return c.name != "crc32c" && c.name != "shuffle" })
	if !compressed && len(raw) < size+sums {
		return nil, truncated("a chunk of %d bytes, want %d", len(raw), size+sums)
	}
	for i := len(codecs) - 1; i >= 0; i-- {
		var err error
		c := codecs[i]
		// Bytes before a codec: the chunk, or less than that and a little if another one compressed it before.
		limit := size + sums
		for _, before := range codecs[:i] {
			if before.name != "crc32c" && before.name != "shuffle" {
				limit = mostStored(size)
			}
		}
		if raw, err = d.undo(c, raw, limit); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if c.name == "crc32c" {
			sums -= 4
		}
	}
	switch {
	case len(raw) < size:
		return nil, truncated("a chunk of %d bytes, want %d", len(raw), size)
	case len(raw) > size:
		return nil, fmt.Errorf("corrupt: a chunk of %d bytes, want %d", len(raw), size)
	}
	return raw, nil
}

// mostStored bounds the bytes of a stored chunk: no codec makes it much larger.
func mostStored(size int) int { return size + size/8 + 1<<16 }

// undo undoes one codec; the result has at most limit bytes.
func (d *decoder) undo(c codec, raw []byte, limit int) ([]byte, error) {
	switch c.name {
	case "gzip":
		d.source.Reset(raw)
		var err error
		if d.gzip == nil {
			d.gzip, err = gzip.NewReader(&d.source)
		} else {
			err = d.gzip.Reset(&d.source)
		}
		if err != nil {
			return nil, damaged(err)
		}
		return d.inflate(d.gzip, limit)
	case "zlib":
		r, err := d.zlib.Reader(raw)
		if err != nil {
			return nil, damaged(err)
		}
		return d.inflate(r, limit)
	case "zstd":
		return d.zstandard(d.spare(limit), raw)
	case "lz4":
		if len(raw) < 4 {
			return nil, truncated("%d bytes", len(raw))
		}
		n := int(binary.LittleEndian.Uint32(raw))
		if n > limit {
			return nil, fmt.Errorf("corrupt: %d bytes, want at most %d", n, limit)
		}
		out := d.spare(n)
		return out, lz4.Block(out, raw[4:])
	case "shuffle":
		out := d.spare(len(raw))
		chunk.Unshuffle(out, raw, c.size)
		return out, nil
	case "crc32c":
		return checked(raw)
	case "blosc":
		return d.blosc(raw, limit)
	}
	return nil, errors.New("not supported")
}

// damaged is the error of damaged data of gzip, zlib or zstd.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return truncated("it ends inside its data")
	}
	return fmt.Errorf("corrupt: %w", err)
}

// inflate reads at most limit bytes to the end, where a checksum is compared.
func (d *decoder) inflate(r io.Reader, limit int) ([]byte, error) {
	out := d.spare(limit)
	n, err := io.ReadFull(r, out)
	if err == nil {
		var more [1]byte
		if n, err := io.ReadFull(r, more[:]); n > 0 {
			return nil, fmt.Errorf("corrupt: it expands to more than %d bytes", limit)
		} else if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, damaged(err)
		}
		return out, nil
	}
	// The data ends before the limit: io.ReadFull says so with the error that it has for data cut short.
	if n == 0 && errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && d.ended(r) {
		return out[:n], nil
	}
	return nil, damaged(err)
}

// ended reports whether a reader is at the end of whole data.
func (d *decoder) ended(r io.Reader) bool {
	var more [1]byte
	_, err := r.Read(more[:])
	return err == io.EOF
}

// zstandard expands frames of zstd into out and returns what they fill.
func (d *decoder) zstandard(out, raw []byte) ([]byte, error) {
	if d.zstd == nil {
		var err error
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true),
			zstd.WithDecoderMaxMemory(2*largestChunk))
		if err != nil {
			return nil, err
		}
	}
	if len(raw) == 0 {
		return nil, truncated("no data")
	}
	result, err := d.zstd.DecodeAll(raw, out[:0:len(out)])
	if err != nil {
		return nil, damaged(err)
	}
	return result, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checked checks and cuts off a checksum.
func checked(raw []byte) ([]byte, error) {
	n := len(raw) - 4
	if n < 0 {
		return nil, truncated("no checksum")
	}
	if got, want := crc32.Checksum(raw[:n], castagnoli), binary.LittleEndian.Uint32(raw[n:]); got != want {
		return nil, fmt.Errorf("corrupt: checksum %08x, want %08x", got, want)
	}
	return raw[:n], nil
}

// unshuffleBits puts the bits of elements together again: each plane has one bit of every element. Other numbers of
// elements than multiples of 8 were left as they are.
func (d *decoder) unshuffleBits(out, raw []byte, size int) {
	n := len(raw) / size
	if n%8 > 0 {
		copy(out, raw)
		return
	}
	next := d.next
	separate := d.spare(len(raw)) // the bytes of elements by their position
	d.next = next
	plane := n / 8
	for k := range size {
		joinBits(separate[k*n:(k+1)*n], raw[k*n:(k+1)*n], plane)
	}
	copy(separate[n*size:], raw[n*size:])
	chunk.Unshuffle(out, separate, size)
}

// joinBits makes bytes of their bits, which are in 8 planes; plane is the number of bytes of each.
func joinBits(out, raw []byte, plane int) {
	g := 0
	for ; g+8 <= plane; g += 8 { // 64 bytes at once: lanes of words are the groups of 8
		var w [8]uint64
		for bit := range 8 {
			w[bit] = binary.LittleEndian.Uint64(raw[bit*plane+g:])
		}
		exchange(&w, 4, 4, 0x0f0f0f0f0f0f0f0f)
		exchange(&w, 2, 2, 0x3333333333333333)
		exchange(&w, 1, 1, 0x5555555555555555)
		exchange(&w, 4, 32, 0x00000000ffffffff)
		exchange(&w, 2, 16, 0x0000ffff0000ffff)
		exchange(&w, 1, 8, 0x00ff00ff00ff00ff)
		for i := range 8 {
			binary.LittleEndian.PutUint64(out[8*(g+i):], w[i])
		}
	}
	for ; g < plane; g++ {
		var w [8]uint64
		for bit := range 8 {
			w[bit] = uint64(raw[bit*plane+g])
		}
		exchange(&w, 4, 4, 0x0f)
		exchange(&w, 2, 2, 0x33)
		exchange(&w, 1, 1, 0x55)
		for i := range 8 {
			out[8*g+i] = byte(w[i])
		}
	}
}

// exchange exchanges parts of words that are a step apart, each width bits wide: after steps of 4, 2 and 1 words, rows
// and columns have changed places, of bits in every byte or of bytes.
func exchange(w *[8]uint64, step, width int, mask uint64) {
	for i := range 8 {
		if i&step == 0 {
			t := (w[i]>>width ^ w[i+step]) & mask
			w[i+step] ^= t
			w[i] ^= t << width
		}
	}
}
