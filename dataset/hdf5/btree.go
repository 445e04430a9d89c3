// B-trees: version 1 of old groups and chunks, version 2 of new groups, attributes and chunks.

package hdf5

import (
	"fmt"
	"math/bits"
)

// tree1 visits the entries of the leaves of a B-tree of version 1: of each the key before it, and its address.
type tree1 struct {
	file  *File
	kind  uint64
	key   int // bytes
	visit func(key []byte, child uint64) error
}

// walk visits the node at an address and all nodes below it. level is the level of its parent, 256 for the root.
func (t *tree1) walk(address uint64, level uint64) error {
	head := 8 + 2*t.file.offsets
	c, err := t.file.block(address, int64(head), "TREE", t.kind)
	if err != nil {
		return err
	}
	height := c.uint(1)
	if height >= level || level != 256 && height != level-1 {
		return fmt.Errorf("corrupt: a node of level %d below one of level %d, at address %d", height, level, address)
	}
	n := c.int(2)
	data, err := t.file.read(address+uint64(head), int64(n*(t.key+t.file.offsets)))
	if err != nil {
		return err
	}
	c = &cursor{data: data}
	for range n {
		key := c.bytes(t.key)
		child := c.uint(t.file.offsets)
		if height > 0 {
			err = t.walk(child, height)
		} else {
			err = t.visit(key, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tree2 is a B-tree of version 2.
type tree2 struct {
	file     *File
	kind     uint64
	nodeSize int
	record   int   // bytes
	most     []int // records of a node, by its height above the leaves
	width    []int // bytes of the number of records below a node, by its height
	visit    func(record []byte) error
}

// The kinds of records that are read.
const (
	recordLinkName      = 5
	recordAttributeName = 8
	recordChunk         = 10
	recordFilteredChunk = 11
)

// walk2 visits the records of a tree of a kind; size 0 accepts any size of records.
func (f *File) walk2(address uint64, kind uint64, visit func(record []byte) error) error {
	c, err := f.checked(address, int64(16+f.offsets+2+f.lengths+4), "BTHD")
	if err != nil {
		return err
	}
	t := &tree2{file: f, kind: c.uint(1), nodeSize: c.int(4), record: c.int(2), visit: visit}
	depth := c.int(2)
	c.skip(2)
	root, n := c.uint(f.offsets), c.int(2)
	switch {
	case t.kind != kind:
		return fmt.Errorf("corrupt: a B-tree of type %d, want %d", t.kind, kind)
	case t.record == 0 || t.nodeSize < 10+t.record || depth > 16:
		return fmt.Errorf("corrupt: a B-tree with nodes of %d bytes, records of %d, depth %d", t.nodeSize, t.record, depth)
	case n == 0 || !f.defined(root):
		return nil
	}
	t.sizes(depth)
	return t.walk(root, n, depth)
}

// sizes computes how many records nodes hold, which the widths of the numbers in them follow from.
func (t *tree2) sizes(depth int) {
	const prefix = 10
	t.most = []int{(t.nodeSize - prefix) / t.record}
	t.width = []int{0}
	total := uint64(t.most[0])
	for range depth {
		pointer := t.file.offsets + bytesOf(uint64(t.most[0])) + t.width[len(t.width)-1]
		records := max(0, (t.nodeSize-prefix-pointer)/(t.record+pointer))
		high, low := bits.Mul64(total, uint64(records)+1)
		if total = low + uint64(records); high != 0 || total < low {
			total = 1<<64 - 1
		}
		t.most = append(t.most, records)
		t.width = append(t.width, bytesOf(total))
	}
}

// bytesOf is the number of bytes that hold numbers up to n.
func bytesOf(n uint64) int { return (max(1, bits.Len64(n)) + 7) / 8 }

// walk visits a node of n records at a height.
func (t *tree2) walk(address uint64, n, height int) error {
	sign := "BTLF"
	if height > 0 {
		sign = "BTIN"
	}
	if n > t.most[height] {
		return fmt.Errorf("corrupt: %d records in a node that holds %d", n, t.most[height])
	}
	pointer := 0
	size := 6 + n*t.record
	if height > 0 {
		pointer = t.file.offsets + bytesOf(uint64(t.most[0])) + t.width[height-1]
		size += (n + 1) * pointer
	}
	c, err := t.file.checked(address, int64(size+4), sign)
	if err != nil {
		return err
	}
	if kind := c.uint(1); kind != t.kind {
		return fmt.Errorf("corrupt: a node of type %d in a B-tree of type %d", kind, t.kind)
	}
	records := &cursor{data: c.bytes(n * t.record)}
	for i := range n + 1 {
		if height > 0 {
			child := c.uint(t.file.offsets)
			count := c.int(bytesOf(uint64(t.most[0])))
			c.skip(t.width[height-1])
			if err := t.walk(child, count, height-1); err != nil {
				return err
			}
		}
		if i < n {
			if err := t.visit(records.bytes(t.record)); err != nil {
				return err
			}
		}
	}
	return nil
}
