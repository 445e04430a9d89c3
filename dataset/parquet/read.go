// Rows of a column.

package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/memory"
	"repscope/internal/parallel"
)

// Prepare finds the sizes of lists from the first row. It is called once before rows are read.
func (c *Leaf) Prepare() error {
	if c.Problem != nil {
		return c.Problem
	}
	if c.prepared {
		return nil
	}
	c.count, c.pattern = 1, nil
	if c.Lists > 0 {
		if err := c.measure(); err != nil {
			return err
		}
	}
	for _, k := range c.chunks {
		if want := int64(k.rows) * int64(c.count); k.head.values != want {
			if err := k.irregular(); err != nil {
				return err
			}
			return fmt.Errorf("rows %d to %d have %d values, want %d", k.firstRow, k.firstRow+k.rows-1, k.head.values, want)
		}
	}
	if err := c.checkSize(); err != nil {
		return err
	}
	c.cache.limit = max(64<<20, available()/16)
	c.prepared = true
	return nil
}

// checkSize compares the size of the values with the size of the files: a run of few bytes can stand for any number of
// rows.
func (c *Leaf) checkSize() error {
	stored := int64(0)
	var last Source
	for _, k := range c.chunks {
		if k.file != last {
			stored, last = stored+k.file.Size(), k.file
		}
	}
	size := int64(1) // of a value; bytes have at least that
	if c.DType != dtype.Invalid {
		size = int64(c.DType.Size())
	}
	const limit = math.MaxInt64 >> 8
	if c.count > 0 && int64(c.Rows) > limit/int64(c.count) ||
		bound.StoredFor(int64(c.Rows)*int64(c.count)*size) > stored {
		return fmt.Errorf("its %d rows of %d values are more than a file of %d bytes holds: the file is damaged or malicious",
			c.Rows, c.count, stored)
	}
	return nil
}

// available is the memory of the process.
var available = sync.OnceValue(memory.Available)

// measure finds the shape of the first row from its levels.
func (c *Leaf) measure() error {
	var rep []byte
	c.Shape = nil
	for _, k := range c.chunks {
		if err := k.index(); err != nil {
			return err
		}
		for i := range k.pages {
			b, err := k.pages[i].open(false, new(scratch))
			if err == nil && len(b.rep) > 0 && len(rep) == 0 {
				err = c.emptyList(b.def[0], k.firstRow)
			}
			if err != nil {
				return err
			}
			if len(rep) == 0 && len(b.rep) > 0 {
				if b.rep[0] != 0 {
					return errors.New("its first value continues a row")
				}
				rep, b.rep = append(rep, 0), b.rep[1:]
			}
			end := bytes.IndexByte(b.rep, 0)
			if end < 0 {
				end = len(b.rep)
			}
			if rep = append(rep, b.rep[:end]...); end < len(b.rep) {
				return c.setShape(rep)
			}
			if err := bound.Check("a row", int64(len(rep)), 0); err != nil {
				return err
			}
		}
	}
	if len(rep) == 0 { // no rows
		c.count, c.Shape = 0, make([]int, c.Lists)
		return nil
	}
	return c.setShape(rep)
}

// emptyList is the error of a row that has no list, or an empty one; nil where a value or null is in all of its lists.
func (c *Leaf) emptyList(def byte, row int) error {
	for i, level := range c.leaf.lists {
		switch {
		case int(def) == level-1:
			return fmt.Errorf("row %d has an empty list, want as many numbers in each row", row)
		case int(def) < level && i == 0:
			return fmt.Errorf("row %d is null, want a list of as many numbers as the other rows have", row)
		case int(def) < level:
			return fmt.Errorf("row %d has a list that is null", row)
		}
	}
	return nil
}

// setShape sets the shape by the levels of the first row.
func (c *Leaf) setShape(rep []byte) error {
	shape := make([]int, c.Lists)
	n := len(rep)
	for level := c.Lists; level > 0; level-- {
		// A list of this level ends where a lower one begins.
		size := 1
		for size < len(rep) && int(rep[size]) == level {
			size++
		}
		shape[level-1] = size
		short := make([]byte, 0, len(rep)/size)
		for i := 0; i < len(rep); i += size {
			for j := i + 1; j < min(i+size, len(rep)); j++ {
				if int(rep[j]) != level {
					return errors.New("row 0 has lists of several lengths, want equal ones")
				}
			}
			if i+size > len(rep) || i+size < len(rep) && int(rep[i+size]) >= level {
				return errors.New("row 0 has lists of several lengths, want equal ones")
			}
			short = append(short, rep[i])
		}
		rep = short
	}
	c.Shape, c.count = shape, n
	c.pattern = make([]byte, n)
	step := 1
	for level := c.Lists; level > 0; level-- {
		for i := 0; i < n; i += step {
			if i%(step*shape[level-1]) != 0 {
				c.pattern[i] = byte(level)
			}
		}
		step *= shape[level-1]
	}
	return nil
}

// regular checks the levels of a page: each row is like the first one.
func (c *Leaf) regular(p *page, b *body) error {
	if c.Lists == 0 {
		return nil
	}
	if c.count == 0 {
		return errors.New("has values, but no rows")
	}
	row := p.chunk.firstRow + int(p.first/int64(c.count))
	offset := int(p.first % int64(c.count))
	def := b.def
	deepest := c.leaf.lists[len(c.leaf.lists)-1]
	for rep := b.rep; len(rep) > 0; row++ {
		n := min(len(rep), c.count-offset)
		if !bytes.Equal(rep[:n], c.pattern[offset:offset+n]) {
			if err := c.emptyList(def[0], row); err != nil {
				return err
			}
			return fmt.Errorf("row %d differs in the length of its lists from row 0, whose shape is %v", row, c.Shape)
		}
		if bytes.Count(def[:n], []byte{byte(c.leaf.def)}) < n {
			for _, v := range def[:n] {
				if int(v) < deepest {
					return c.emptyList(v, row)
				}
			}
		}
		rep, def, offset = rep[n:], def[n:], 0
	}
	return nil
}

// irregular is the error of the first row that is not like row 0.
func (k *chunk) irregular() error {
	if err := k.index(); err != nil {
		return err
	}
	for i := range k.pages {
		b, err := k.pages[i].open(false, new(scratch))
		if err == nil {
			err = k.column.regular(&k.pages[i], &b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece is a part of a page that is read.
type piece struct {
	page   *page
	lo, hi int // values of the page
	dst    int // number of its first value among all that are read
}

// pieces are the parts of pages that hold rows lo to hi-1.
func (c *Leaf) pieces(lo, hi int) (list []piece, err error) {
	if !c.prepared {
		return nil, errors.New("is not prepared")
	}
	if lo < 0 || hi < lo || hi > c.Rows {
		return nil, fmt.Errorf("rows %d to %d of %d", lo, hi, c.Rows)
	}
	dst := 0
	for _, k := range c.chunks {
		from, to := max(lo, k.firstRow), min(hi, k.firstRow+k.rows)
		if from >= to {
			continue
		}
		if err := k.index(); err != nil {
			return nil, err
		}
		first, end := int64(from-k.firstRow)*int64(c.count), int64(to-k.firstRow)*int64(c.count)
		for i := range k.pages {
			p := &k.pages[i]
			a, b := max(first, p.first), min(end, p.first+p.values)
			if a < b {
				list = append(list, piece{p, int(a - p.first), int(b - p.first), dst})
				dst += int(b - a)
			}
		}
	}
	return list, nil
}

// each calls fn for the values of each part, in parallel. dst has place for the values of all rows, for pages that are
// read as a whole; nil for texts.
func (c *Leaf) each(lo, hi int, dst []byte, fn func(p *piece, v *values) error) error {
	list, err := c.pieces(lo, hi)
	if err != nil {
		return err
	}
	return parallel.Try(context.Background(), 0, len(list), func(_, i int) error {
		p := &list[i]
		var v *values
		if p.hi-p.lo == int(p.page.values) && !c.Text {
			buffers := scratches.Get().(*scratch)
			defer scratches.Put(buffers)
			from, to := p.dst*c.DType.Size(), (p.dst+p.hi-p.lo)*c.DType.Size()
			buffers.raw = dst[from:to:to]
			fresh, err := p.page.decode(buffers)
			if v = &fresh; err != nil {
				v.err = err
			}
		} else {
			v = c.cache.get(p.page, func() (values, error) { return p.page.decode(new(scratch)) })
		}
		if v.err != nil {
			return fmt.Errorf("page at offset %d: %w", p.page.offset, v.err)
		}
		return fn(p, v)
	})
}

// Read reads rows lo to hi-1 of numbers, little-endian. dst has (hi-lo)·RowBytes bytes. Null is NaN or NaT, and an
// error in types without such a value.
func (c *Leaf) Read(dst []byte, lo, hi int) error {
	return c.read(dst, lo, hi, func(row int) error {
		return fmt.Errorf("row %d is null, and integers have no value for it; write the column as float64", row)
	})
}

// ReadNull is Read for types without a value for null, which is 0; null has a mark for each such value.
func (c *Leaf) ReadNull(dst []byte, null []bool, lo, hi int) error {
	var lock sync.Mutex
	return c.read(dst, lo, hi, func(row int) error {
		lock.Lock()
		defer lock.Unlock()
		null[row-lo] = true
		return nil
	})
}

func (c *Leaf) read(dst []byte, lo, hi int, null func(row int) error) error {
	size := c.DType.Size()
	if c.DType == dtype.Invalid || len(dst) != (hi-lo)*c.RowBytes() {
		return fmt.Errorf("rows %d to %d of %s into %d bytes", lo, hi, c.Type(), len(dst))
	}
	return c.each(lo, hi, dst, func(p *piece, v *values) error {
		if from := v.raw[p.lo*size : p.hi*size]; &from[0] != &dst[p.dst*size] {
			copy(dst[p.dst*size:], from)
		}
		for _, i := range v.null {
			if i < p.lo || i >= p.hi {
				continue
			}
			if err := null(lo + (p.dst+i-p.lo)/c.count); err != nil {
				return err
			}
		}
		return nil
	})
}

// Bytes reads rows lo to hi-1 of texts or bytes, nil for null. They must not be changed.
func (c *Leaf) Bytes(lo, hi int) ([][]byte, error) {
	if !c.Text || c.Lists > 0 {
		return nil, fmt.Errorf("is %s, want texts", c.Type())
	}
	list := make([][]byte, hi-lo)
	err := c.each(lo, hi, nil, func(p *piece, v *values) error {
		copy(list[p.dst:], v.list[p.lo:p.hi])
		return nil
	})
	return list, err
}

// cache keeps the pages that were used last.
type cache struct {
	lock   sync.Mutex
	recent []*kept // from the least recently used on
	held   int64
	limit  int64
}

// kept is a page in memory.
type kept struct {
	page   *page
	once   sync.Once
	values values
	size   int64
}

// get returns the values of a page, which are decoded once while they are kept.
func (c *cache) get(p *page, decode func() (values, error)) *values {
	e := c.entry(p)
	e.once.Do(func() {
		v, err := decode()
		e.values, e.values.err = v, err
		c.hold(e)
	})
	return &e.values
}

func (c *cache) entry(p *page) *kept {
	c.lock.Lock()
	defer c.lock.Unlock()
	for i := len(c.recent) - 1; i >= 0; i-- {
		if e := c.recent[i]; e.page == p {
			c.recent = append(append(c.recent[:i], c.recent[i+1:]...), e)
			return e
		}
	}
	e := &kept{page: p}
	c.recent = append(c.recent, e)
	return e
}

// hold counts the memory of a page, and lets others go.
func (c *cache) hold(e *kept) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !slices.Contains(c.recent, e) {
		return
	}
	e.size = e.values.size()
	c.held += e.size
	for len(c.recent) > 1 && (c.held > c.limit || len(c.recent) > mostKept) {
		first := c.recent[0]
		if first == e {
			break
		}
		c.held -= first.size
		c.recent = c.recent[1:]
	}
}

// mostKept is the number of pages in memory.
const mostKept = 64
