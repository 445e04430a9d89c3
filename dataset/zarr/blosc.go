// Blosc frames of version 1: blocks, each shuffled and compressed in one stream or one per byte of elements.

package zarr

import (
	"encoding/binary"
	"errors"
	"fmt"

	"repscope/dataset/chunk"
	"repscope/internal/lz4"
)

// The parts of a frame.
const (
	bloscHeader  = 16
	bloscShuffle = 0x1
	bloscPlain   = 0x2
	bloscBits    = 0x4
	bloscWhole   = 0x10 // blocks are one stream
)

// The compressors of a frame, by the bits from 5 on of its flags.
const (
	bloscLZ = iota
	bloscLZ4
	bloscSnappy
	bloscZlib
	bloscZstd
)

// Blocks are split for elements of at most this size, into streams of at least this many bytes.
const (
	mostSplits  = 16
	leastStream = 128
)

// frame is the header of a frame.
type frame struct {
	flags            byte
	compressor, size int // size of elements
	bytes, block     int
}

// blosc expands a frame of at most limit bytes.
func (d *decoder) blosc(raw []byte, limit int) ([]byte, error) {
	if len(raw) < bloscHeader {
		return nil, truncated("a frame of %d bytes", len(raw))
	}
	f := frame{flags: raw[2], compressor: int(raw[2] >> 5), size: max(int(raw[3]), 1)}
	total, block := binary.LittleEndian.Uint32(raw[4:]), binary.LittleEndian.Uint32(raw[8:])
	stored := binary.LittleEndian.Uint32(raw[12:])
	switch {
	case raw[0] < 1 || raw[0] > 2:
		return nil, fmt.Errorf("version %d of a frame, want 1 or 2", raw[0])
	case int64(total) > int64(limit):
		return nil, fmt.Errorf("corrupt: it expands to %d bytes, want at most %d", total, limit)
	case int64(stored) > int64(len(raw)):
		return nil, truncated("a frame of %d bytes, want %d", len(raw), stored)
	case stored < bloscHeader:
		return nil, fmt.Errorf("corrupt: a frame of %d bytes", stored)
	}
	raw, f.bytes, f.block = raw[:stored], int(total), int(block)
	if f.flags&bloscPlain != 0 {
		if len(raw)-bloscHeader < f.bytes {
			return nil, truncated("%d bytes, want %d", len(raw)-bloscHeader, f.bytes)
		}
		return raw[bloscHeader:][:f.bytes], nil
	}
	if f.bytes == 0 {
		return raw[:0], nil
	}
	if f.block < 1 || f.block > f.bytes {
		return nil, fmt.Errorf("corrupt: blocks of %d bytes", f.block)
	}
	count := (f.bytes + f.block - 1) / f.block
	if (len(raw)-bloscHeader)/4 < count {
		return nil, truncated("%d blocks in %d bytes", count, len(raw))
	}
	out, scratch := d.spare(f.bytes), d.spare(f.block)
	for i := range count {
		begin := int(binary.LittleEndian.Uint32(raw[bloscHeader+4*i:]))
		if begin < bloscHeader+4*count || begin > len(raw) {
			return nil, fmt.Errorf("corrupt: block %d begins at %d", i, begin)
		}
		dst := out[i*f.block : min((i+1)*f.block, f.bytes)]
		if err := d.block(&f, dst, scratch[:len(dst)], raw[begin:]); err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
	}
	return out, nil
}

// block expands a block.
func (d *decoder) block(f *frame, dst, scratch, raw []byte) error {
	bytesShuffled := f.flags&bloscShuffle != 0 && f.size > 1
	bitsShuffled := f.flags&bloscBits != 0 && len(dst) >= f.size
	target := dst
	if bytesShuffled || bitsShuffled {
		target = scratch
	}
	streams := 1
	if f.flags&bloscWhole == 0 && len(dst) == f.block && f.size <= mostSplits && f.block/f.size >= leastStream {
		streams = f.size
	}
	n := len(dst) / streams
	for k := range streams {
		if len(raw) < 4 {
			return truncated("stream %d", k)
		}
		size := int(int32(binary.LittleEndian.Uint32(raw)))
		raw = raw[4:]
		if size < 0 || size > len(raw) {
			return truncated("stream %d has %d bytes, want %d", k, len(raw), size)
		}
		part := target[k*n:][:n]
		if k == streams-1 && streams == 1 {
			part = target
		}
		if size == len(part) {
			copy(part, raw)
		} else if err := d.stream(f.compressor, part, raw[:size]); err != nil {
			return err
		}
		raw = raw[size:]
	}
	switch {
	case bytesShuffled:
		chunk.Unshuffle(dst, scratch, f.size)
	case bitsShuffled:
		d.unshuffleBits(dst, scratch, f.size)
	}
	return nil
}

// stream expands a stream that fills dst.
func (d *decoder) stream(compressor int, dst, raw []byte) error {
	switch compressor {
	case bloscLZ:
		return blosclz(dst, raw)
	case bloscLZ4:
		return lz4.Block(dst, raw)
	case bloscSnappy:
		return errors.New("compressed by Snappy, which is not supported")
	case bloscZlib:
		next := d.next
		out, err := d.undo(codec{name: "zlib"}, raw, len(dst))
		d.next = next
		if err == nil && len(out) != len(dst) {
			err = truncated("%d bytes, want %d", len(out), len(dst))
		}
		copy(dst, out)
		return err
	case bloscZstd:
		out, err := d.zstandard(dst, raw)
		if err == nil && len(out) != len(dst) {
			err = truncated("%d bytes, want %d", len(out), len(dst))
		}
		return err
	}
	return fmt.Errorf("corrupt: compressor %d", compressor)
}

var (
	errOutside = errors.New("corrupt: a copy from before the data")
	errTooLong = errors.New("corrupt: more data than a block has")
)

// reader takes bytes of a stream; past its end it returns zeros and sets short.
type reader struct {
	raw   []byte
	next  int
	short bool
}

func (r *reader) byte() int {
	if r.next >= len(r.raw) {
		r.short = true
		return 0
	}
	r.next++
	return int(r.raw[r.next-1])
}

// length adds bytes to a length, up to one that is not 255.
func (r *reader) length(n int) int {
	for {
		b := r.byte()
		if n += b; b != 255 {
			return n
		}
	}
}

// literal copies n bytes of the stream to dst.
func (r *reader) literal(dst []byte, n int) error {
	switch {
	case n > len(dst):
		return errTooLong
	case n > len(r.raw)-r.next:
		return truncated("%d bytes, want %d", len(r.raw)-r.next, n)
	}
	copy(dst, r.raw[r.next:r.next+n])
	r.next += n
	return nil
}

// again copies n bytes from distance before position i to there; the two may overlap.
func again(dst []byte, i, distance, n int) error {
	switch {
	case distance < 1 || distance > i:
		return errOutside
	case n > len(dst)-i:
		return errTooLong
	}
	if distance >= n {
		copy(dst[i:i+n], dst[i-distance:])
		return nil
	}
	for done := 0; done < n; { // each copy doubles what repeats
		done += copy(dst[i+done:i+n], dst[i-distance:i+done])
	}
	return nil
}

// blosclz expands a stream of BloscLZ that fills dst: runs of literal bytes, and copies of earlier ones.
func blosclz(dst, raw []byte) error {
	r := reader{raw: raw}
	control := r.byte() & 31
	for i := 0; ; {
		if control < 32 {
			if err := r.literal(dst[i:], control+1); err != nil {
				return err
			}
			i += control + 1
		} else {
			n, distance := control>>5+2, control&31<<8
			if n == 9 {
				n = r.length(n)
			}
			low := r.byte()
			if low == 255 && distance == 31<<8 { // a distance of two bytes follows
				distance = r.byte() << 8
				distance += r.byte() + 8191
			} else {
				distance += low
			}
			if r.short {
				return truncated("%d of %d bytes", i, len(dst))
			}
			if err := again(dst, i, distance+1, n); err != nil {
				return err
			}
			i += n
		}
		if r.next == len(raw) {
			if i < len(dst) {
				return truncated("%d of %d bytes", i, len(dst))
			}
			return nil
		}
		control = r.byte()
	}
}
