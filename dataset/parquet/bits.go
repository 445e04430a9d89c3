// Packed bits: runs of equal numbers, and differences.

package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

var errValues = errors.New("its values end too early")

// unpack reads numbers of some bits, the lowest first. src has all of their bits.
func unpack[T uint8 | uint32 | uint64](dst []T, width int, src []byte) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := ^uint64(0) >> (64 - width)
	i := 0
	if width <= 56 {
		each := 57 / width // numbers of one load, which may begin within a byte
		for bit := 0; i+each <= len(dst) && bit>>3+8 <= len(src); bit += each * width {
			v := binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7)
			for k := range dst[i : i+each] {
				dst[i+k] = T(v & mask)
				v >>= width
			}
			i += each
		}
	}
	for bit := i * width; i < len(dst); i, bit = i+1, bit+width {
		var near [9]byte
		copy(near[:], src[bit>>3:])
		v := binary.LittleEndian.Uint64(near[:]) >> (bit & 7)
		if bit&7 > 0 {
			v |= uint64(near[8]) << (64 - bit&7)
		}
		dst[i] = T(v & mask)
	}
}

// packedBytes is the size of n numbers of some bits.
func packedBytes(n, width int) int { return (n*width + 7) / 8 }

// hybrid reads numbers in runs: of equal ones, and of packed ones in eights.
func hybrid[T uint8 | uint32](dst []T, width int, src []byte) error {
	if width < 0 || width > 32 {
		return fmt.Errorf("numbers of %d bits, want at most 32", width)
	}
	size := (width + 7) / 8
	for len(dst) > 0 {
		head, k := binary.Uvarint(src)
		if k <= 0 || head>>1 > 1<<40 {
			return errValues
		}
		src = src[k:]
		n := int(head >> 1)
		if head&1 == 0 {
			if len(src) < size {
				return errValues
			}
			var v uint32
			for i, b := range src[:size] {
				v |= uint32(b) << (8 * i)
			}
			src = src[size:]
			if uint32(T(v)) != v || width < 32 && v>>width > 0 {
				return fmt.Errorf("the number %d in a run of numbers of %d bits", v, width)
			}
			n = min(n, len(dst))
			for i := range dst[:n] {
				dst[i] = T(v)
			}
			dst = dst[n:]
			continue
		}
		n = min(8*n, len(dst)) // the last numbers of a run may be there to fill
		need := packedBytes(n, width)
		if need > len(src) {
			return errValues
		}
		unpack(dst[:n], width, src)
		dst = dst[n:]
		src = src[min(int(head>>1)*width, len(src)):]
	}
	return nil
}

// levels reads levels up to a largest one; counted says that their size is in front. It returns what follows.
func levels(n, largest int, src []byte, size int) (list, rest []byte, err error) {
	if largest == 0 {
		return nil, src, nil
	}
	if size < 0 { // its size is in front
		if len(src) < 4 {
			return nil, nil, errValues
		}
		size, src = int(binary.LittleEndian.Uint32(src)), src[4:]
	}
	if size > len(src) {
		return nil, nil, errValues
	}
	list = make([]byte, n)
	if err := hybrid(list, bits.Len(uint(largest)), src[:size]); err != nil {
		return nil, nil, fmt.Errorf("levels: %w", err)
	}
	return list, src[size:], nil
}

// deltas reads integers as packed differences, and returns what follows. There are at most n.
func deltas(n int, src []byte) (list []int64, rest []byte, err error) {
	r := &deltaReader{src: src}
	block, parts, total, first := r.varint(), r.varint(), r.varint(), r.zigzag()
	switch {
	case r.err != nil:
		return nil, nil, r.err
	case total > uint64(n):
		return nil, nil, fmt.Errorf("%d differences for %d values", total, n)
	case block == 0 || block%128 != 0 || block > 1<<24 || parts == 0 || block%parts != 0 || block/parts%32 != 0:
		return nil, nil, fmt.Errorf("differences in blocks of %d with %d parts", block, parts)
	case total == 0:
		return nil, r.src, nil
	}
	list = make([]int64, total)
	list[0] = first
	part := int(block / parts)
	packed := make([]uint64, part)
	for i := 1; i < len(list); {
		least := r.zigzag()
		if r.err != nil || len(r.src) < int(parts) {
			return nil, nil, errValues
		}
		widths := r.src[:parts]
		r.src = r.src[parts:]
		for _, width := range widths {
			if i >= len(list) {
				break
			}
			if width > 64 {
				return nil, nil, fmt.Errorf("differences of %d bits, want at most 64", width)
			}
			need := packedBytes(part, int(width))
			values := packed[:min(part, len(list)-i)]
			if need > len(r.src) {
				// Some writers leave out the bits of the last values that are there to fill.
				if packedBytes(len(values), int(width)) > len(r.src) {
					return nil, nil, errValues
				}
				need = len(r.src)
			}
			unpack(values, int(width), r.src[:need])
			r.src = r.src[need:]
			for _, v := range values {
				list[i] = list[i-1] + least + int64(v)
				i++
			}
		}
	}
	return list, r.src, nil
}

// deltaReader reads numbers of any size.
type deltaReader struct {
	src []byte
	err error
}

func (r *deltaReader) varint() uint64 {
	v, k := binary.Uvarint(r.src)
	if k <= 0 {
		r.err = errValues
		return 0
	}
	r.src = r.src[k:]
	return v
}

func (r *deltaReader) zigzag() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}
