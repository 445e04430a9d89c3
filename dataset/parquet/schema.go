// The columns of a schema.

package parquet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/dtype"
)

// Limits of a schema: how deep groups lie in each other, and the levels of a column.
const (
	deepestGroup = 100
	mostLevels   = 100
)

// file makes the columns of a header.
func (h *header) file(source Source) (*File, error) {
	f := &File{Properties: h.keys}
	if len(h.elements) == 0 || !h.elements[0].group {
		return nil, errors.New("its header has no schema")
	}
	w := &walk{elements: h.elements[1:]}
	for range h.elements[0].children {
		if err := w.visit(place{}); err != nil {
			return nil, err
		}
	}
	if len(w.elements) > 0 {
		return nil, fmt.Errorf("%d elements of its schema belong to no group", len(w.elements))
	}
	f.Columns = w.columns
	for g, group := range h.groups {
		if len(group.columns) != len(f.Columns) {
			return nil, fmt.Errorf("row group %d has %d columns, want %d", g, len(group.columns), len(f.Columns))
		}
		if group.rows < 0 || group.rows > math.MaxInt64/8-int64(f.Rows) {
			return nil, fmt.Errorf("row group %d has %d rows", g, group.rows)
		}
		for i, c := range f.Columns {
			if err := c.add(source, &group.columns[i], f.Rows, int(group.rows)); err != nil {
				return nil, fmt.Errorf("row group %d: column %q: %w", g, c.Name, err)
			}
		}
		f.Rows += int(group.rows)
	}
	if int64(f.Rows) != h.rows {
		return nil, fmt.Errorf("its row groups have %d rows, its header says %d", f.Rows, h.rows)
	}
	for _, c := range f.Columns {
		c.Rows = f.Rows
	}
	return f, nil
}

// add adds the values of a row group.
func (c *Leaf) add(source Source, h *chunkHeader, first, rows int) error {
	start := h.data
	if h.dict > 0 && h.dict < start {
		start = h.dict
	}
	switch {
	case h.encrypted:
		c.Problem = errors.New("is encrypted, which is not supported; write it without encryption")
	case h.elsewhere:
		c.Problem = errors.New("lies in another file, which is not supported")
	case !slices.Equal(h.path, c.leaf.path) || h.kind != c.leaf.kind:
		return fmt.Errorf("its values are of column %q (%v)", h.name(), h.kind)
	case start < 0 || h.size < 0 || start > source.Size()-h.size:
		return fmt.Errorf("it has %d bytes at offset %d, the file %d", h.size, start, source.Size())
	case h.values < 0 || h.values > math.MaxInt64/16 || c.leaf.rep == 0 && h.values != int64(rows):
		return fmt.Errorf("it has %d values, want %d", h.values, rows)
	}
	if name := codecName(h.codec); !slices.Contains(c.Codecs, name) && h.codec != 0 {
		c.Codecs = append(c.Codecs, name)
	}
	if c.Problem == nil {
		c.Problem = codecProblem(h.codec)
	}
	c.chunks = append(c.chunks, &chunk{column: c, file: source, head: *h, start: start, firstRow: first, rows: rows})
	return nil
}

// walk goes through the elements of a schema, which are listed in depth.
type walk struct {
	elements []element
	columns  []*Leaf
	names    int // bytes of all of them
}

// place is where an element lies.
type place struct {
	name     []string
	path     []string
	def, rep int
	lists    []int
	// inside says that the parent is a list; unnamed, that the element has no name of its own.
	inside, unnamed bool
}

// visit makes the columns of the next element.
func (w *walk) visit(p place) error {
	if len(w.elements) == 0 {
		return errors.New("its schema ends too early")
	}
	e := w.elements[0]
	w.elements = w.elements[1:]
	p.path = append(slices.Clip(p.path), e.name)
	if len(p.path) > deepestGroup {
		return fmt.Errorf("groups of its schema are nested more than %d deep", deepestGroup)
	}
	elided := p.unnamed || p.inside && e.repetition == repeated
	if !elided {
		p.name = append(slices.Clip(p.name), e.name)
	}
	if e.repetition != required {
		p.def++
	}
	if e.repetition == repeated {
		p.rep++
		p.lists = append(slices.Clip(p.lists), p.def)
	}
	if p.def > mostLevels {
		return fmt.Errorf("column %q has more than %d levels", strings.Join(p.path, "."), mostLevels)
	}
	if !e.group {
		return w.leaf(&e, p)
	}
	p.unnamed = elided && !p.unnamed && e.children == 1
	p.inside = e.meaning == list
	for range e.children {
		if err := w.visit(p); err != nil {
			return err
		}
	}
	return nil
}

// leaf makes a column.
func (w *walk) leaf(e *element, p place) error {
	c := &Leaf{Name: strings.Join(p.name, "."), Lists: p.rep,
		leaf: leaf{path: p.path, kind: e.kind, def: p.def, rep: p.rep, lists: p.lists}}
	for _, name := range p.path {
		w.names += len(name) + 16
	}
	if err := bound.Check("names of columns", int64(w.names), 0); err != nil {
		return err
	}
	c.leaf.length = map[physical]int{boolean: 1, int32s: 4, int64s: 8, int96s: 12, floats: 4, doubles: 8}[e.kind]
	c.Problem = c.setType(e)
	w.columns = append(w.columns, c)
	return nil
}

// setType sets the type of the values, or returns why they cannot be read.
func (c *Leaf) setType(e *element) error {
	c.DType = map[physical]dtype.DType{boolean: dtype.Bool, int32s: dtype.Int32, int64s: dtype.Int64,
		floats: dtype.Float32, doubles: dtype.Float64}[e.kind]
	switch {
	case e.meaning == decimal || e.meaning == uuid:
		c.DType = dtype.Invalid
		return fmt.Errorf("is a %s (%v), want numbers; write it as float64 (pyarrow: table.set_column with cast)",
			logicalNames[e.meaning], e.kind)
	case e.kind == int96s:
		c.DType, c.Time = dtype.Int64, "M8[ns]"
	case e.kind == byteArrays:
		c.Text, c.Binary = true, e.meaning != text
	case e.kind == fixedArrays:
		if e.length <= 0 || e.length > 1<<20 {
			return fmt.Errorf("has values of %d bytes", e.length)
		}
		if c.leaf.length = e.length; e.meaning == float16 && e.length == 2 {
			c.DType = dtype.Float16
			return nil
		}
		return fmt.Errorf("has values of %d bytes without a meaning as numbers", e.length)
	case e.kind < 0 || e.kind > fixedArrays:
		return fmt.Errorf("has values of %v, which is unknown", e.kind)
	case e.meaning == date && e.kind == int32s:
		c.DType, c.Time = dtype.Int64, "M8[D]"
	case e.meaning == timestamp && e.kind == int64s && e.unit != "":
		c.Time = "M8[" + e.unit + "]"
	case e.meaning == timeOfDay && e.unit != "":
		c.DType, c.Time = dtype.Int64, "m8["+e.unit+"]"
	case e.meaning == integer && (e.kind == int32s || e.kind == int64s):
		types := map[int][2]dtype.DType{8: {dtype.Int8, dtype.Uint8}, 16: {dtype.Int16, dtype.Uint16},
			32: {dtype.Int32, dtype.Uint32}, 64: {dtype.Int64, dtype.Uint64}}
		pair, ok := types[e.bits]
		if !ok || (e.bits == 64) != (e.kind == int64s) {
			return fmt.Errorf("has integers of %d bits in %v", e.bits, e.kind)
		}
		if c.DType = pair[0]; e.unsigned {
			c.DType = pair[1]
		}
	}
	return nil
}
