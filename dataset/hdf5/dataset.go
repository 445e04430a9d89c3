// Datasets: shape, type and layout.

package hdf5

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"repscope/dataset/chunk"
	"repscope/internal/dtype"
	"repscope/internal/format"
)

// Dataset is an array of a file.
type Dataset struct {
	Path  string
	Shape []int // of the dataset, followed by the shape of elements that are arrays
	Type  Type

	file   *File
	object *object
	space  space
	fill   []byte // of one element; nil: zeros
	layout layout
	filter []filter
	reason error // why values cannot be read
	chunks *chunks
}

// space is a dataspace.
type space struct {
	dims, most []uint64 // most may be undefined: without a limit
	null       bool
}

const unlimited = 1<<64 - 1

// readSpace reads a dataspace message.
func (f *File) readSpace(data []byte) (s space, err error) {
	c := &cursor{data: data}
	version := c.uint(1)
	rank, flags := c.int(1), c.uint(1)
	kind := uint64(1)
	switch version {
	case 1:
		c.skip(5)
	case 2:
		kind = c.uint(1)
	default:
		return s, fmt.Errorf("version %d of a dataspace, want 1 or 2", version)
	}
	s.null = kind == 2
	for range rank {
		s.dims = append(s.dims, c.uint(f.lengths))
	}
	s.most = s.dims
	if flags&1 != 0 {
		s.most = nil
		for range rank {
			n := c.uint(f.lengths)
			if n == undefined(f.lengths) {
				n = unlimited
			}
			s.most = append(s.most, n)
		}
	}
	if rank > 32 {
		return s, fmt.Errorf("a dataspace of %d axes, want at most 32", rank)
	}
	for i, n := range s.dims {
		if n > s.most[i] {
			return s, fmt.Errorf("corrupt: axis %d has %d elements, at most %d", i, n, s.most[i])
		}
	}
	return s, c.err("dataspace")
}

// elements is the number of elements, and whether it is less than 2^62.
func (s *space) elements() (n uint64, ok bool) {
	n, ok = 1, true
	for _, k := range s.dims {
		if k == 0 {
			return 0, true
		}
		var high uint64
		if high, n = bits.Mul64(n, k); high != 0 || n > 1<<62 {
			ok = false
			n = 1 << 62
		}
	}
	return n, ok
}

// Dataset returns the dataset of a path, which may begin with a slash.
func (f *File) Dataset(path string) (*Dataset, error) {
	o, err := f.resolve(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.mapped.Path(), err)
	}
	names := split(path)
	name := ""
	for i, n := range names {
		if i > 0 {
			name += "/"
		}
		name += n
	}
	if !o.isDataset() {
		return nil, fmt.Errorf("%s: %w: %q is a group", f.mapped.Path(), ErrNotFound, "/"+name)
	}
	d, err := f.dataset(o, name)
	if err != nil {
		return nil, fmt.Errorf("%s:%s: %w", f.mapped.Path(), name, err)
	}
	return d, nil
}

// dataset reads the messages of a dataset. [Dataset.Readable] names layouts, filters and types that are not read.
func (f *File) dataset(o *object, path string) (*Dataset, error) {
	d := &Dataset{Path: path, file: f, object: o}
	m, _ := o.find(messageSpace)
	var err error
	if d.space, err = f.readSpace(m.data); err != nil {
		return nil, err
	}
	m, ok := o.find(messageType)
	if !ok {
		return nil, errors.New("corrupt: a dataset without a type")
	}
	if d.Type, err = f.readType(&cursor{data: m.data}, 0); err != nil {
		return nil, err
	}
	if err := d.shape(); err != nil {
		return nil, err
	}
	if err := d.readFill(); err != nil {
		return nil, err
	}
	if m, ok := o.find(messageFilters); ok {
		if d.filter, err = readFilters(m.data); err != nil {
			return nil, err
		}
	}
	m, _ = o.find(messageLayout)
	if d.layout, err = f.readLayout(m.data); err != nil {
		return nil, err
	}
	d.reason = d.unreadable()
	return d, nil
}

// mostExpansion bounds the bytes of an array by the bytes of its file: gzip expands at most 1032 times.
const (
	freeExpansion = 64 << 20
	mostExpansion = 1040
)

// shape sets the shape from the dataspace and the type.
func (d *Dataset) shape() error {
	n, ok := d.space.elements()
	high, size := bits.Mul64(n, uint64(d.Type.Size))
	limit := uint64(freeExpansion) + mostExpansion*uint64(d.file.mapped.Size())
	if !ok || high != 0 || size > limit {
		return fmt.Errorf("shape %v of elements of %d bytes is more than a file of %d bytes holds",
			d.space.dims, d.Type.Size, d.file.mapped.Size())
	}
	for _, k := range d.space.dims {
		if k > 1<<48 {
			return fmt.Errorf("corrupt: shape %v", d.space.dims)
		}
		d.Shape = append(d.Shape, int(k))
	}
	d.Shape = append(d.Shape, d.Type.Shape...)
	return nil
}

// unreadable returns the reason why values cannot be read; nil if they can.
func (d *Dataset) unreadable() error {
	_, files := d.object.find(messageExternal)
	switch {
	case d.space.null:
		return errors.New("an empty dataset without values")
	case d.layout.class == layoutVirtual:
		return errors.New("a virtual dataset, with values in other files, is not supported; save a copy: " + d.recipe())
	case files:
		return errors.New("its values are in external files, which is not supported; save a copy: " + d.recipe())
	case d.Type.DType == dtype.Invalid && !d.Type.Text:
		return fmt.Errorf("elements are %s, want numbers, truth values or texts", d.Type.name)
	}
	for i := range d.filter {
		if name := d.filter[i].unsupported(); name != "" {
			return fmt.Errorf("compressed by %s, which is not supported; repack it: %s", name, d.recipe())
		}
	}
	return nil
}

// unsafe are letters that a shell or Python would read in another way.
const unsafe = "\"'\\`$\n\r"

// recipe is the command that copies a dataset with gzip.
func (d *Dataset) recipe() string {
	path, name := d.file.mapped.Path(), d.Path
	if strings.ContainsAny(path, unsafe) {
		path = "FILE"
	}
	if strings.ContainsAny(name, unsafe) {
		name = "NAME"
	}
	plugin := ""
	if slices.ContainsFunc(d.filter, func(f filter) bool { return f.id >= 256 }) {
		plugin = ", hdf5plugin"
	}
	return fmt.Sprintf(`python -c 'import h5py%s; `+
		`h5py.File("repacked.h5", "w").create_dataset("%s", data=h5py.File("%s")["%s"][()], compression="gzip")'`,
		plugin, name, path, name)
}

// Readable returns the reason why values cannot be read, such as a filter that is not supported; nil if they can.
func (d *Dataset) Readable() error { return d.reason }

// RowBytes is the number of bytes of a row: of one index of the first axis.
func (d *Dataset) RowBytes() int { return chunk.RowBytes(d.space.dims, d.Type.Size) }

// Rows is the length of the first axis; 1 for a single value.
func (d *Dataset) Rows() int { return chunk.Rows(d.space.dims) }

// Contiguous returns the offset in the file where all values lie as they are; ok is false for other layouts.
func (d *Dataset) Contiguous() (offset int64, ok bool) {
	if d.layout.class != layoutContiguous || d.reason != nil || !d.file.defined(d.layout.address) {
		return 0, false
	}
	offset, err := d.file.position(d.layout.address, int64(d.Rows())*int64(d.RowBytes()))
	return offset, err == nil
}

// readFill reads the value of elements that are not stored.
func (d *Dataset) readFill() error {
	if m, ok := d.object.find(messageFill); ok {
		c := &cursor{data: m.data}
		version := c.uint(1)
		has := true
		if version == 3 {
			has = c.uint(1)&0x20 != 0
		} else {
			c.skip(2)
			has = c.uint(1) != 0 || version == 1
		}
		if !has {
			return nil
		}
		d.fill = c.bytes(c.int(4))
		if err := c.err("fill value message"); err != nil {
			return err
		}
	} else if m, ok := d.object.find(messageOldFill); ok {
		c := &cursor{data: m.data}
		d.fill = c.bytes(c.int(4))
		if err := c.err("fill value message"); err != nil {
			return err
		}
	}
	if len(d.fill) == 0 || d.Type.Variable {
		d.fill = nil
	}
	if d.fill != nil && len(d.fill) != d.Type.Size {
		return fmt.Errorf("corrupt: a fill value of %d bytes for elements of %d", len(d.fill), d.Type.Size)
	}
	if !slices.ContainsFunc(d.fill, func(b byte) bool { return b != 0 }) {
		d.fill = nil
	}
	return nil
}

// The classes of layouts.
const (
	layoutCompact = iota
	layoutContiguous
	layoutChunked
	layoutVirtual
)

// layout says where the values of a dataset are.
type layout struct {
	class   int
	data    []byte // of a compact one
	address uint64 // of values, or of the index of chunks
	size    uint64

	chunk       []int // shape
	element     int   // bytes
	index       int
	wholeEdges  bool   // chunks at the edge are not filtered
	singleBytes uint64 // of the only chunk, filtered
	singleMask  uint64
}

// The indexes of chunks. Files before HDF5 1.10 have a B-tree of version 1.
const (
	indexTree1 = iota
	indexSingle
	indexImplicit
	indexFixed
	indexExtensible
	indexTree2
)

// readLayout reads a layout message.
func (f *File) readLayout(data []byte) (l layout, err error) {
	c := &cursor{data: data}
	switch version := c.uint(1); version {
	case 1, 2:
		err = l.old(f, c)
	case 3:
		l.class = c.int(1)
		err = l.three(f, c)
	case 4, 5:
		l.class = c.int(1)
		if l.class != layoutChunked {
			err = l.three(f, c)
		} else {
			err = l.four(f, c)
		}
	default:
		return l, fmt.Errorf("version %d of a layout, want 1 to 5", version)
	}
	if err != nil {
		return l, err
	}
	if l.class == layoutChunked {
		size := uint64(max(l.element, 1))
		for _, n := range l.chunk {
			if high, low := bits.Mul64(size, uint64(n)); n <= 0 || high != 0 || low > 1<<40 {
				return l, fmt.Errorf("corrupt: chunks of shape %v", l.chunk)
			}
			size *= uint64(n)
		}
	}
	return l, c.err("layout message")
}

// old reads versions 1 and 2.
func (l *layout) old(f *File, c *cursor) error {
	rank := c.int(1)
	l.class = c.int(1)
	c.skip(5)
	if l.class != layoutCompact {
		l.address = c.uint(f.offsets)
	}
	var dims []int
	for range rank {
		dims = append(dims, c.int(4))
	}
	switch l.class {
	case layoutChunked:
		return l.dims(dims)
	case layoutCompact:
		l.data = c.bytes(c.int(4))
	default:
		l.size = undefined(8) // follows from the shape
	}
	return nil
}

// dims sets the shape of chunks, whose last axis is the bytes of an element.
func (l *layout) dims(dims []int) error {
	if len(dims) < 2 {
		return fmt.Errorf("corrupt: chunks of %d axes", len(dims))
	}
	l.chunk, l.element = dims[:len(dims)-1], dims[len(dims)-1]
	return nil
}

// three reads version 3 and the classes of version 4 that are the same.
func (l *layout) three(f *File, c *cursor) error {
	switch l.class {
	case layoutCompact:
		l.data = c.bytes(c.int(2))
	case layoutContiguous:
		l.address, l.size = c.uint(f.offsets), c.uint(f.lengths)
	case layoutChunked:
		rank := c.int(1)
		l.address = c.uint(f.offsets)
		var dims []int
		for range rank {
			dims = append(dims, c.int(4))
		}
		return l.dims(dims)
	case layoutVirtual:
	default:
		return fmt.Errorf("corrupt: layout class %d", l.class)
	}
	return nil
}

// four reads the chunked layout of versions 4 and 5.
func (l *layout) four(f *File, c *cursor) error {
	flags := c.uint(1)
	l.wholeEdges = flags&1 != 0
	rank, width := c.int(1), c.int(1)
	var dims []int
	for range rank {
		dims = append(dims, c.int(min(width, 8)))
	}
	if err := l.dims(dims); err != nil {
		return err
	}
	l.index = c.int(1)
	switch l.index {
	case indexSingle:
		if flags&2 != 0 {
			l.singleBytes, l.singleMask = c.uint(f.lengths), c.uint(4)
		}
	case indexImplicit:
	case indexFixed:
		c.skip(1)
	case indexExtensible:
		c.skip(5)
	case indexTree2:
		c.skip(6)
	default:
		return fmt.Errorf("index %d of chunks, want 1 to 5", l.index)
	}
	l.address = c.uint(f.offsets)
	return nil
}

// check compares the layout with shape and type, before values are read.
func (d *Dataset) check() error {
	size := int64(d.Rows()) * int64(d.RowBytes())
	switch l := &d.layout; l.class {
	case layoutCompact:
		if int64(len(l.data)) < size {
			return fmt.Errorf("corrupt: %d bytes of values, want %d", len(l.data), size)
		}
	case layoutContiguous:
		if !d.file.defined(l.address) || size == 0 {
			return nil
		}
		if l.size != undefined(8) && l.size < uint64(size) {
			return fmt.Errorf("corrupt: %d bytes of values, want %d", l.size, size)
		}
		if _, err := d.file.position(l.address, size); err != nil {
			return fmt.Errorf("%w; shape %v takes %d bytes", format.ErrTruncated, d.space.dims, size)
		}
	case layoutChunked:
		if len(l.chunk) != len(d.space.dims) {
			return fmt.Errorf("corrupt: chunks of shape %v in an array of shape %v", l.chunk, d.space.dims)
		}
		if l.element != d.Type.Size {
			return fmt.Errorf("corrupt: chunks with elements of %d bytes, want %d", l.element, d.Type.Size)
		}
	}
	return nil
}
