// Texts and attributes.

package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/dtype"
)

// Texts returns the elements of a dataset of texts in C order.
func (d *Dataset) Texts() ([]string, error) {
	if !d.Type.Text {
		return nil, fmt.Errorf("elements are %v, want texts", &d.Type)
	}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	size := int64(d.Rows()) * int64(d.RowBytes())
	if err := bound.Check("dataset "+d.Path, size, d.file.mapped.Size()); err != nil {
		return nil, err
	}
	raw := make([]byte, size)
	if err := d.Read(raw, 0, d.Rows()); err != nil {
		return nil, err
	}
	return d.file.texts(&d.Type, raw)
}

// texts are the elements of raw bytes.
func (f *File) texts(t *Type, raw []byte) ([]string, error) {
	if t.Size == 0 {
		return nil, errors.New("texts of 0 bytes")
	}
	list := make([]string, 0, len(raw)/t.Size)
	total := bound.NewBudget(f.mapped.Size())
	for i := 0; i+t.Size <= len(raw); i += t.Size {
		value := raw[i : i+t.Size]
		if t.Variable {
			c := &cursor{data: value}
			n, address, index := c.int(4), c.uint(f.offsets), c.uint(4)
			if c.short {
				return nil, c.err("reference to a text")
			}
			value = nil
			if n > 0 && address != 0 && f.defined(address) {
				object, err := f.global(address, index)
				if err != nil {
					return nil, err
				}
				value = object[:min(n, len(object))]
			}
			if err := total.Take("texts", int64(len(value))+16); err != nil {
				return nil, err
			}
		}
		if n := bytes.IndexByte(value, 0); n >= 0 {
			value = value[:n]
		}
		list = append(list, strings.TrimRight(string(value), " "))
	}
	return list, nil
}

// Attribute is a value with a name that belongs to a dataset or a group.
type Attribute struct {
	Name  string
	Shape []int
	Type  Type
	Raw   []byte   // of numbers
	Texts []string // of texts

	references []uint64 // the first object of each list of objects
}

// Floats are the numbers of an attribute; nil if it has none.
func (a *Attribute) Floats() []float64 {
	if a.Type.DType == dtype.Invalid {
		return nil
	}
	values := make([]float64, len(a.Raw)/a.Type.DType.Size())
	if dtype.Float64s(values, a.Raw, a.Type.DType, a.Type.Order) != nil {
		return nil
	}
	return values
}

// Attributes returns the attributes of a dataset whose values are numbers or texts, in the order of the file.
func (d *Dataset) Attributes() ([]Attribute, error) { return d.file.attributes(d.object) }

// IsScale reports whether the dataset has the coordinates of an axis of others: a dimension scale.
func (d *Dataset) IsScale() bool {
	list, err := d.Attributes()
	return err == nil && slices.ContainsFunc(list, func(a Attribute) bool {
		return a.Name == "CLASS" && slices.Equal(a.Texts, []string{"DIMENSION_SCALE"})
	})
}

// Attributes returns the attributes of the root group.
func (f *File) Attributes() ([]Attribute, error) {
	o, err := f.object(f.root)
	if err != nil {
		return nil, err
	}
	return f.attributes(o)
}

func (f *File) attributes(o *object) (list []Attribute, err error) {
	add := func(data []byte) error {
		a, err := f.attribute(data)
		if err == nil && a != nil {
			list = append(list, *a)
		}
		return err
	}
	for _, m := range o.messages {
		switch m.kind {
		case messageAttribute:
			err = add(m.data)
		case messageAttributeInfo:
			err = f.denseAttributes(m.data, add)
		}
		if err != nil {
			return nil, fmt.Errorf("attributes: %w", err)
		}
	}
	return list, nil
}

// attribute reads an attribute message; nil for a value of another type.
func (f *File) attribute(data []byte) (*Attribute, error) {
	c := &cursor{data: data}
	version, flags := c.uint(1), c.uint(1)
	nameSize, typeSize, spaceSize := c.int(2), c.int(2), c.int(2)
	if version == 3 {
		c.skip(1)
	}
	if version < 1 || version > 3 {
		return nil, fmt.Errorf("version %d of an attribute, want 1 to 3", version)
	}
	part := func(n int) []byte {
		b := c.bytes(n)
		if version == 1 {
			c.skip(-n & 7)
		}
		return b
	}
	a := &Attribute{Name: strings.TrimRight(string(part(nameSize)), "\x00")}
	kind, extent := part(typeSize), part(spaceSize)
	if err := c.err("attribute"); err != nil {
		return nil, err
	}
	var err error
	if version > 1 && flags&1 != 0 {
		if kind, err = f.shared(messageType, kind); err != nil {
			return nil, err
		}
	}
	if version > 1 && flags&2 != 0 {
		if extent, err = f.shared(messageSpace, extent); err != nil {
			return nil, err
		}
	}
	if a.Type, err = f.readType(&cursor{data: kind}, 0); err != nil {
		return nil, err
	}
	s, err := f.readSpace(extent)
	if err != nil {
		return nil, err
	}
	for _, n := range s.dims {
		a.Shape = append(a.Shape, int(min(n, 1<<48)))
	}
	a.Shape = append(a.Shape, a.Type.Shape...)
	n, _ := s.elements()
	if a.Name == dimensionList && n <= 32 && !s.null {
		return a, f.references(a, c.bytes(int(n)*a.Type.Size))
	}
	if s.null || a.Type.DType == dtype.Invalid && !a.Type.Text || n > uint64(len(data)) || n > 0 && a.Type.Size == 0 {
		return nil, nil
	}
	a.Raw = c.bytes(int(n) * a.Type.Size)
	if err := c.err("attribute " + a.Name); err != nil {
		return nil, err
	}
	if a.Type.Text && n > 0 {
		a.Texts, err = f.texts(&a.Type, a.Raw)
	}
	return a, err
}

// dimensionList is the attribute that names the scales of the axes.
const dimensionList = "DIMENSION_LIST"

// references reads lists of references to objects.
func (f *File) references(a *Attribute, raw []byte) error {
	for c := (&cursor{data: raw}); len(a.references) < len(raw)/max(1, 8+f.offsets); {
		n, address, index := c.int(4), c.uint(f.offsets), c.uint(4)
		reference := uint64(0)
		if n > 0 && f.defined(address) && !c.short {
			object, err := f.global(address, index)
			if err != nil {
				return err
			}
			r := &cursor{data: object}
			reference = r.uint(f.offsets)
		}
		a.references = append(a.references, reference)
	}
	return nil
}

// Scales are the paths of the dimension scales of the axes; "" for an axis without, nil if no axis has one. An axis of
// a scale is its own.
func (d *Dataset) Scales() ([]string, error) {
	list, err := d.Attributes()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(a Attribute) bool { return a.Name == dimensionList })
	if i < 0 || len(list[i].references) != len(d.space.dims) {
		if len(d.space.dims) == 1 && d.IsScale() {
			return []string{d.Path}, nil
		}
		return nil, nil
	}
	entries, err := d.file.Entries()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(d.space.dims))
	for k, address := range list[i].references {
		for _, e := range entries {
			if e.Dataset != nil && e.Dataset.object.address == address {
				names[k] = e.Path
				break
			}
		}
	}
	return names, nil
}

// noVariable begins the name of the scale of an axis without coordinates.
const noVariable = "This is a netCDF dimension but not a netCDF variable"

// HasValues reports whether a dataset is more than the name of an axis: NetCDF gives axes without coordinates a scale.
func (d *Dataset) HasValues() bool {
	list, err := d.Attributes()
	return err == nil && !slices.ContainsFunc(list, func(a Attribute) bool {
		return a.Name == "NAME" && len(a.Texts) == 1 && strings.HasPrefix(a.Texts[0], noVariable)
	})
}

// denseAttributes reads attributes in a fractal heap.
func (f *File) denseAttributes(data []byte, add func([]byte) error) error {
	h, tree, err := f.dense(data, "attribute info message", 2)
	if h == nil || err != nil {
		return err
	}
	return f.walk2(tree, recordAttributeName, func(record []byte) error {
		if len(record) < 13 {
			return fmt.Errorf("corrupt: a record of an attribute has %d bytes", len(record))
		}
		if record[8]&flagShared != 0 {
			return nil // in the heap of shared messages
		}
		data, err := h.object(record[:8])
		if errors.Is(err, errHuge) {
			return nil
		}
		if err != nil {
			return err
		}
		return add(data)
	})
}
