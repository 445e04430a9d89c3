// Indexes of chunks: where each stored chunk of a dataset is.

package hdf5

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"repscope/internal/format"
)

// stored is a stored chunk.
type stored struct {
	number  int    // in C order of the grid of chunks
	address uint64 // as in the file
	size    int64  // stored bytes
	mask    uint64 // bits of filters that were left out
}

// indexer collects the chunks of a dataset.
type indexer struct {
	d        *Dataset
	grid     []int // chunks along each axis
	bytes    int64 // of a chunk that is not filtered
	filtered bool
	list     []stored
}

// gridOf is the number of chunks along each axis.
func (d *Dataset) gridOf() (grid []int, count int) {
	count = 1
	for i, n := range d.space.dims {
		k := (int(n) + d.layout.chunk[i] - 1) / d.layout.chunk[i]
		grid = append(grid, k)
		count *= k
	}
	return grid, count
}

// chunkBytes is the number of bytes of a chunk.
func (d *Dataset) chunkBytes() int64 {
	n := int64(d.Type.Size)
	for _, k := range d.layout.chunk {
		n *= int64(k)
	}
	return n
}

// index returns the stored chunks by ascending number.
func (d *Dataset) index() ([]stored, error) {
	grid, count := d.gridOf()
	x := &indexer{d: d, grid: grid, bytes: d.chunkBytes(), filtered: len(d.filter) > 0}
	if count == 0 || !d.file.defined(d.layout.address) {
		return nil, nil
	}
	var err error
	switch d.layout.index {
	case indexTree1:
		err = x.tree1()
	case indexSingle:
		size := x.bytes
		if x.filtered {
			size = int64(d.layout.singleBytes)
		}
		err = x.add(make([]int, len(grid)), d.layout.address, size, d.layout.singleMask)
	case indexImplicit:
		err = x.implicit(count)
	case indexFixed:
		err = x.fixed()
	case indexExtensible:
		err = x.extensible()
	case indexTree2:
		err = x.tree2()
	}
	if err != nil {
		return nil, fmt.Errorf("index of chunks: %w", err)
	}
	return x.list, x.disjoint()
}

// add adds a chunk at coordinates of the grid. Chunks outside the shape are left out.
func (x *indexer) add(coordinates []int, address uint64, size int64, mask uint64) error {
	if !x.d.file.defined(address) {
		return nil
	}
	c := stored{address: address, size: size, mask: mask}
	for i, k := range coordinates {
		if k >= x.grid[i] {
			return nil
		}
		c.number = c.number*x.grid[i] + k
	}
	if size <= 0 {
		return fmt.Errorf("corrupt: chunk %v has %d bytes", coordinates, size)
	}
	if _, err := x.d.file.position(address, size); err != nil {
		return fmt.Errorf("chunk %v: %w", coordinates, err)
	}
	x.list = append(x.list, c)
	return nil
}

// disjoint sorts the chunks by number and checks that none overlap.
func (x *indexer) disjoint() error {
	slices.SortFunc(x.list, func(a, b stored) int { return cmp.Compare(a.address, b.address) })
	for i := 1; i < len(x.list); i++ {
		if p := &x.list[i-1]; p.address+uint64(p.size) > x.list[i].address {
			return fmt.Errorf("corrupt: two chunks overlap at address %d", x.list[i].address)
		}
	}
	slices.SortFunc(x.list, func(a, b stored) int { return cmp.Compare(a.number, b.number) })
	for i := 1; i < len(x.list); i++ {
		if x.list[i].number == x.list[i-1].number {
			return fmt.Errorf("corrupt: chunk %d is stored twice", x.list[i].number)
		}
	}
	return nil
}

// tree1 reads a B-tree of version 1, whose keys are size, mask and the first element of a chunk.
func (x *indexer) tree1() error {
	coordinates := make([]int, len(x.grid))
	t := &tree1{file: x.d.file, kind: 1, key: 8 + 8*(len(x.grid)+1), visit: func(key []byte, child uint64) error {
		c := &cursor{data: key}
		size, mask := int64(c.uint(4)), c.uint(4)
		if err := x.scale(coordinates, c, true); err != nil {
			return err
		}
		return x.add(coordinates, child, size, mask)
	}}
	return t.walk(x.d.layout.address, 256)
}

// scale reads the coordinates of a chunk: of its first element, or in chunks.
func (x *indexer) scale(coordinates []int, c *cursor, elements bool) error {
	for i := range coordinates {
		k := c.uint(8)
		if n := uint64(x.d.layout.chunk[i]); elements {
			if k%n != 0 {
				return fmt.Errorf("corrupt: a chunk begins at element %d of axis %d, chunks have %d", k, i, n)
			}
			k /= n
		}
		coordinates[i] = int(min(k, 1<<62))
	}
	return c.err("record of a chunk")
}

// implicit adds chunks that follow each other.
func (x *indexer) implicit(count int) error {
	axes, down := x.order()
	if high, total := bits.Mul64(uint64(count), uint64(x.bytes)); high != 0 || total > uint64(x.d.file.mapped.Size()) {
		return fmt.Errorf("%w: %d chunks of %d bytes are more than the file", format.ErrTruncated, count, x.bytes)
	}
	coordinates := make([]int, len(x.grid))
	for number := range count {
		rest := number
		for i := len(x.grid) - 1; i >= 0; i-- {
			coordinates[i], rest = rest%x.grid[i], rest/x.grid[i]
		}
		position := uint64(0)
		for i, axis := range axes {
			position += uint64(coordinates[axis]) * down[i]
		}
		if err := x.add(coordinates, x.d.layout.address+position*uint64(x.bytes), x.bytes, 0); err != nil {
			return err
		}
	}
	return nil
}

// order returns the axes in the order of an array of chunks, the one without a limit first, and the chunks between
// neighbors along each.
func (x *indexer) order() (axes []int, down []uint64) {
	for i := range x.grid {
		axes = append(axes, i)
	}
	if i := slices.Index(x.d.space.most, unlimited); i > 0 {
		axes = append([]int{i}, append(axes[:i:i], axes[i+1:]...)...)
	}
	down = make([]uint64, len(axes))
	step := uint64(1)
	for i := len(axes) - 1; i >= 0; i-- {
		down[i] = step
		n := uint64(x.d.layout.chunk[axes[i]])
		high, low := bits.Mul64(step, (x.d.space.most[axes[i]]-1)/n+1)
		if step = low; high != 0 || low == 0 {
			step = 1 << 63
		}
	}
	return axes, down
}

// at returns the coordinates of an entry of an array of chunks.
func (x *indexer) at(entry uint64, axes []int, down []uint64, coordinates []int) {
	for i, axis := range axes {
		coordinates[axis] = int(min(entry/down[i], 1<<62))
		entry %= down[i]
	}
}

// elements reads entries of a fixed or an extensible array.
type elements struct {
	x           *indexer
	size        int // bytes of an entry
	axes        []int
	down        []uint64
	coordinates []int
}

func (x *indexer) elements(size int) (*elements, error) {
	offsets := x.d.file.offsets
	if size < offsets || x.filtered && (size < offsets+5 || size > offsets+12) {
		return nil, fmt.Errorf("corrupt: entries of %d bytes", size)
	}
	e := &elements{x: x, size: size, coordinates: make([]int, len(x.grid))}
	e.axes, e.down = x.order()
	return e, nil
}

// read reads n entries from entry first on.
func (e *elements) read(c *cursor, first uint64, n int) error {
	offsets := e.x.d.file.offsets
	for i := range n {
		entry := &cursor{data: c.bytes(e.size)}
		if c.short {
			return c.err("array of chunks")
		}
		address, size, mask := entry.uint(offsets), e.x.bytes, uint64(0)
		if e.x.filtered {
			size = int64(entry.uint(e.size - offsets - 4))
			mask = entry.uint(4)
		}
		e.x.at(first+uint64(i), e.axes, e.down, e.coordinates)
		if err := e.x.add(e.coordinates, address, size, mask); err != nil {
			return err
		}
	}
	return nil
}

// page reads n entries that are followed by their checksum.
func (e *elements) page(address uint64, first uint64, n int) error {
	data, err := e.x.d.file.read(address, int64(n)*int64(e.size)+4)
	if err != nil {
		return err
	}
	c := &cursor{data: data}
	if err := c.verify("page"); err != nil {
		return err
	}
	return e.read(c, first, n)
}

// fixed reads a fixed array.
func (x *indexer) fixed() error {
	f := x.d.file
	c, err := f.checked(x.d.layout.address, int64(8+f.lengths+f.offsets+4), "FAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	size, pageBits, n, block := c.int(1), c.int(1), c.int(f.lengths), c.uint(f.offsets)
	if !f.defined(block) {
		return nil
	}
	e, err := x.elements(size)
	if err != nil {
		return err
	}
	if _, err := f.position(block, int64(min(n, 1<<48))); err != nil || pageBits > 30 {
		return fmt.Errorf("corrupt: a fixed array of %d entries in pages of 2^%d", n, pageBits)
	}
	prefix, perPage := 6+f.offsets, 1<<pageBits
	if n <= perPage {
		c, err := f.checked(block, int64(prefix+n*size+4), "FADB")
		if err != nil {
			return err
		}
		c.skip(1 + f.offsets)
		return e.read(c, 0, n)
	}
	pages := (n + perPage - 1) / perPage
	bitmap := (pages + 7) / 8
	if c, err = f.checked(block, int64(prefix+bitmap+4), "FADB"); err != nil {
		return err
	}
	c.skip(1 + f.offsets)
	used := c.bytes(bitmap)
	address := block + uint64(prefix+bitmap+4)
	for p := range pages {
		if used[p/8]&(0x80>>(p%8)) != 0 {
			if err := e.page(address, uint64(p*perPage), min(perPage, n-p*perPage)); err != nil {
				return err
			}
		}
		address += uint64(perPage*size + 4)
	}
	return nil
}

// extensible is the header of an extensible array.
type extensible struct {
	*elements
	file       *File
	bits       int // of an entry's number
	inIndex    int // entries in the index block
	leastBlock int // entries of the smallest block
	leastSuper int // blocks of the smallest super block
	page       int // entries of a page
	most       uint64
}

// extensible reads an extensible array.
func (x *indexer) extensible() error {
	f := x.d.file
	c, err := f.checked(x.d.layout.address, int64(12+6*f.lengths+f.offsets+4), "EAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	e, err := x.elements(c.int(1))
	if err != nil {
		return err
	}
	a := &extensible{elements: e, file: f, bits: c.int(1), inIndex: c.int(1), leastBlock: c.int(1), leastSuper: c.int(1)}
	pageBits := c.int(1)
	c.skip(4 * f.lengths)
	a.most = c.uint(f.lengths)
	c.skip(f.lengths)
	block := c.uint(f.offsets)
	power := func(n int) bool { return n > 0 && n&(n-1) == 0 }
	if !power(a.leastBlock) || !power(a.leastSuper) || pageBits > 30 || a.bits > 64 ||
		a.bits < bits.Len(uint(a.leastBlock)) {
		return fmt.Errorf("corrupt: header of an extensible array")
	}
	a.page = 1 << pageBits
	if !f.defined(block) {
		return nil
	}
	return a.indexBlock(block)
}

// super is the shape of super block s: its blocks, and their entries.
func (a *extensible) super(s int) (blocks int, entries uint64) {
	return 1 << (s / 2), uint64(a.leastBlock) << ((s + 1) / 2)
}

// indexBlock reads the block that refers to all others.
func (a *extensible) indexBlock(address uint64) error {
	f := a.file
	supers := 1 + a.bits - (bits.Len(uint(a.leastBlock)) - 1)
	first := 2 * (bits.Len(uint(a.leastSuper)) - 1) // the first super block with a block of its own
	direct := 2 * (a.leastSuper - 1)
	prefix := 6 + f.offsets
	c, err := f.checked(address, int64(prefix+a.inIndex*a.size+(direct+max(0, supers-first))*f.offsets+4), "EAIB")
	if err != nil {
		return err
	}
	c.skip(1 + f.offsets)
	if err := a.read(c, 0, a.inIndex); err != nil {
		return err
	}
	next := uint64(a.inIndex)
	for s := 0; s < supers && next < a.most; s++ {
		blocks, entries := a.super(s)
		if s >= first {
			super := c.uint(f.offsets)
			if err := a.superBlock(super, s, next); err != nil {
				return err
			}
			next += uint64(blocks) * entries
			continue
		}
		for range blocks {
			if err := a.dataBlock(c.uint(f.offsets), next, entries, nil); err != nil {
				return err
			}
			next += entries
		}
	}
	return c.err("index block")
}

// superBlock reads the blocks of a super block, whose entries begin with next.
func (a *extensible) superBlock(address uint64, s int, next uint64) error {
	f := a.file
	if !f.defined(address) {
		return nil
	}
	blocks, entries := a.super(s)
	bitmap := 0 // bytes of each block, whose pages may be missing
	if entries > uint64(a.page) {
		bitmap = int((entries/uint64(a.page) + 7) / 8)
	}
	size := int64(6+f.offsets+(a.bits+7)/8) + int64(blocks)*int64(bitmap+f.offsets) + 4
	c, err := f.checked(address, size, "EASB")
	if err != nil {
		return err
	}
	c.skip(1 + f.offsets + (a.bits+7)/8)
	used := c.bytes(blocks * bitmap)
	for b := range blocks {
		var pages []byte
		if bitmap > 0 {
			pages = used[b*bitmap : (b+1)*bitmap]
		}
		if err := a.dataBlock(c.uint(f.offsets), next, entries, pages); err != nil {
			return err
		}
		next += entries
	}
	return nil
}

// dataBlock reads a block of entries. Of pages those are stored whose bit is set.
func (a *extensible) dataBlock(address uint64, next, entries uint64, pages []byte) error {
	f := a.file
	if !f.defined(address) {
		return nil
	}
	prefix := 6 + f.offsets + (a.bits+7)/8
	if entries > 1<<40 {
		return fmt.Errorf("corrupt: a block of %d entries", entries)
	}
	if entries <= uint64(a.page) {
		c, err := f.checked(address, int64(prefix)+int64(entries)*int64(a.size)+4, "EADB")
		if err != nil {
			return err
		}
		c.skip(prefix - 5)
		return a.read(c, next, int(entries))
	}
	if _, err := f.checked(address, int64(prefix+4), "EADB"); err != nil {
		return err
	}
	if pages == nil {
		return fmt.Errorf("pages in the first blocks of an extensible array are not supported")
	}
	address += uint64(prefix + 4)
	for p := range int(entries / uint64(a.page)) {
		if p/8 < len(pages) && pages[p/8]&(0x80>>(p%8)) != 0 {
			if err := a.elements.page(address, next, a.page); err != nil {
				return err
			}
		}
		address += uint64(a.page*a.size + 4)
		next += uint64(a.page)
	}
	return nil
}

// tree2 reads a B-tree of version 2.
func (x *indexer) tree2() error {
	offsets := x.d.file.offsets
	kind := uint64(recordChunk)
	if x.filtered {
		kind = recordFilteredChunk
	}
	coordinates := make([]int, len(x.grid))
	return x.d.file.walk2(x.d.layout.address, kind, func(record []byte) error {
		c := &cursor{data: record}
		address, size, mask := c.uint(offsets), x.bytes, uint64(0)
		if x.filtered {
			width := len(record) - offsets - 4 - 8*len(x.grid)
			if width < 1 || width > 8 {
				return fmt.Errorf("corrupt: a record of %d bytes", len(record))
			}
			size, mask = int64(c.uint(width)), c.uint(4)
		}
		if err := x.scale(coordinates, c, false); err != nil {
			return err
		}
		return x.add(coordinates, address, size, mask)
	})
}
