// Heaps: local ones of old groups, the global one of texts of variable length, fractal ones of new groups.

package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
)

// localHeap returns the texts of an old group.
func (f *File) localHeap(address uint64) ([]byte, error) {
	c, err := f.block(address, int64(8+2*f.lengths+f.offsets), "HEAP", 0)
	if err != nil {
		return nil, err
	}
	c.skip(3)
	size := c.uint(f.lengths)
	c.skip(f.lengths)
	return f.read(c.uint(f.offsets), int64(size))
}

// textIn returns the text at an offset of a local heap.
func textIn(heap []byte, offset uint64) (string, error) {
	if offset < uint64(len(heap)) {
		if n := bytes.IndexByte(heap[offset:], 0); n >= 0 {
			return string(heap[offset : offset+uint64(n)]), nil
		}
	}
	return "", fmt.Errorf("corrupt: a name at offset %d of a heap of %d bytes", offset, len(heap))
}

// mostCollections is how many collections of the global heap stay in memory.
const mostCollections = 64

// global returns an object of the global heap.
func (f *File) global(address uint64, index uint64) ([]byte, error) {
	data, err := f.collection(address)
	if err != nil {
		return nil, err
	}
	c := &cursor{data: data, next: 8 + f.lengths}
	for len(c.data)-c.next >= 8+f.lengths {
		i := c.uint(2)
		c.skip(6)
		n := c.int(f.lengths)
		if i == 0 {
			break // free space
		}
		value := c.bytes(n)
		if c.short {
			break
		}
		if i == index {
			return value, nil
		}
		c.pad()
	}
	return nil, fmt.Errorf("corrupt: no object %d in the global heap at address %d", index, address)
}

// collection returns a collection of the global heap.
func (f *File) collection(address uint64) ([]byte, error) {
	f.lock.Lock()
	data, ok := f.collections[address]
	f.lock.Unlock()
	if ok {
		return data, nil
	}
	c, err := f.block(address, int64(8+f.lengths), "GCOL", 1)
	if err != nil {
		return nil, err
	}
	c.skip(3)
	if data, err = f.read(address, int64(c.uint(f.lengths))); err != nil {
		return nil, err
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if len(f.collections) >= mostCollections {
		clear(f.collections)
	}
	f.collections[address] = data
	return data, nil
}

// fractalHeap is a heap of objects in blocks whose sizes double.
type fractalHeap struct {
	file      *File
	flags     uint64
	width     int // blocks in a row
	first     int64
	direct    int64 // largest block that holds objects
	bits      int   // of an offset
	root      uint64
	rows      int // of the root block; 0: it holds objects itself
	sizeBytes int // of an object's length
}

func (f *File) fractalHeap(address uint64) (*fractalHeap, error) {
	n := 22 + 12*f.lengths + 3*f.offsets
	c, err := f.block(address, int64(n), "FRHP", 0)
	if err != nil {
		return nil, err
	}
	h := &fractalHeap{file: f}
	c.skip(2)
	if filters := c.uint(2); filters != 0 {
		return nil, fmt.Errorf("a group whose names are compressed is not supported")
	}
	if c, err = f.checked(address, int64(n+4), "FRHP"); err != nil {
		return nil, err
	}
	c.skip(4)
	h.flags = c.uint(1)
	largest := c.uint(4)
	c.skip(10*f.lengths + 2*f.offsets)
	h.width, h.first, h.direct = c.int(2), int64(c.int(f.lengths)), int64(c.int(f.lengths))
	h.bits = c.int(2)
	c.skip(2)
	h.root, h.rows = c.uint(f.offsets), c.int(2)
	power := func(n int64) bool { return n > 0 && n&(n-1) == 0 }
	if c.short || !power(int64(h.width)) || !power(h.first) || !power(h.direct) ||
		h.direct < h.first || h.direct > 1<<32 || h.bits > 64 {
		return nil, fmt.Errorf("corrupt: fractal heap at address %d", address)
	}
	h.sizeBytes = min((bits.Len64(uint64(h.direct))+6)/8, (bits.Len64(largest)+7)/8)
	return h, nil
}

// errHuge is the error for an object that is larger than the blocks of its heap, such as a large attribute.
var errHuge = errors.New("an object larger than the blocks of its heap is not supported")

// object returns the object of an identifier.
func (h *fractalHeap) object(id []byte) ([]byte, error) {
	c := &cursor{data: id}
	switch head := c.uint(1); head >> 4 {
	case 0:
		offset, n := c.uint((h.bits+7)/8), c.uint(h.sizeBytes)
		if c.short || offset > 1<<62 {
			return nil, fmt.Errorf("corrupt: identifier %x of an object in a heap", id)
		}
		return h.managed(int64(offset), int64(n))
	case 2:
		n := int(head&15) + 1
		if len(id) > 17 {
			n = int(head&15)<<8 + int(c.uint(1)) + 1
		}
		data := c.bytes(n)
		return data, c.err("object in a heap")
	}
	return nil, errHuge
}

// managed returns n bytes at an offset of the heap.
func (h *fractalHeap) managed(offset, n int64) ([]byte, error) {
	address, rows, begin := h.root, h.rows, int64(0)
	for rows > 0 {
		size, row, column := h.locate(offset - begin)
		if row >= rows {
			return nil, fmt.Errorf("corrupt: offset %d lies outside its heap", offset)
		}
		child, err := h.child(address, rows, row, column)
		if err != nil {
			return nil, err
		}
		if !h.file.defined(child) {
			return nil, fmt.Errorf("corrupt: offset %d of a heap is in a block that is not stored", offset)
		}
		begin += h.before(row) + int64(column)*size
		address, rows = child, 0
		if size > h.direct {
			rows = bits.Len64(uint64(size)) - bits.Len64(uint64(h.first)*uint64(h.width)) + 1
		}
	}
	if n > h.direct {
		return nil, fmt.Errorf("corrupt: an object of %d bytes in a heap with blocks of %d", n, h.direct)
	}
	return h.file.read(address+uint64(offset-begin), n)
}

// rowSize is the size of the blocks of a row.
func (h *fractalHeap) rowSize(row int) int64 {
	if row == 0 {
		return h.first
	}
	return h.first << (row - 1)
}

// before is the size of all rows before one.
func (h *fractalHeap) before(row int) int64 {
	if row == 0 {
		return 0
	}
	return int64(h.width) * h.rowSize(row)
}

// locate finds the block that an offset from the beginning of an indirect block is in.
func (h *fractalHeap) locate(offset int64) (size int64, row, column int) {
	row = max(0, bits.Len64(uint64(offset)/uint64(h.first*int64(h.width))))
	size = h.rowSize(row)
	return size, row, int((offset - h.before(row)) / size)
}

// child returns the address of a block of an indirect block.
func (h *fractalHeap) child(address uint64, rows, row, column int) (uint64, error) {
	if _, err := h.file.block(address, 5, "FHIB", 0); err != nil {
		return 0, err
	}
	prefix := 5 + h.file.offsets + (h.bits+7)/8
	entry := prefix + (row*h.width+column)*h.file.offsets
	data, err := h.file.read(address+uint64(entry), int64(h.file.offsets))
	if err != nil || column >= h.width || row >= rows {
		return 0, fmt.Errorf("corrupt: an indirect block without entry %d of row %d", column, row)
	}
	return (&cursor{data: data}).uint(h.file.offsets), nil
}
