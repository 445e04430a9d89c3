// Types of elements.

package hdf5

import (
	"fmt"
	"strings"

	"repscope/internal/dtype"
)

// The classes of types.
const (
	classInteger = iota
	classFloat
	classTime
	classText
	classBits
	classOpaque
	classCompound
	classReference
	classEnum
	classVariable
	classArray
	classComplex
)

// Type is the type of the elements of a dataset or an attribute.
type Type struct {
	DType dtype.DType // Invalid where elements are no numbers
	Order dtype.Order
	Size  int   // bytes of an element
	Shape []int // of an element that is an array itself
	// Text says that elements are texts, of Size bytes or, if Variable, in the global heap.
	Text, Variable bool

	name string // of a type that is not read
}

// String returns NumPy's name of a type of numbers, else a description.
func (t *Type) String() string {
	switch {
	case t.Text && t.Variable:
		return "text"
	case t.Text:
		return fmt.Sprintf("text of %d bytes", t.Size)
	case t.DType == dtype.Invalid:
		return t.name
	}
	return t.DType.String()
}

// deepest is how deep types may be nested.
const deepest = 8

// readType reads a type message.
func (f *File) readType(c *cursor, depth int) (Type, error) {
	head, size := c.uint(4), c.int(4)
	t := Type{Size: size}
	class, version, flags := int(head&15), int(head>>4&15), head>>8
	if c.short || depth > deepest {
		return t, fmt.Errorf("corrupt: the type is too short or nested more than %d deep", deepest)
	}
	var err error
	switch class {
	case classInteger, classBits:
		t.integer(c, flags, class == classInteger && flags&8 != 0)
	case classFloat:
		t.float(c, flags)
	case classText:
		t.Text = true
	case classEnum:
		err = t.enum(f, c, int(flags&0xffff), version, depth)
	case classVariable:
		t.Variable, t.Text = true, flags&15 == 1
		if base, e := f.readType(c, depth+1); e == nil {
			t.name = "lists of " + base.String() + " of different lengths"
		}
	case classArray:
		err = t.array(f, c, version, depth)
	case classCompound:
		t.name = fmt.Sprintf("a compound of %d fields%s", flags&0xffff, firstFields(c))
	case classReference:
		t.name = "references"
	case classOpaque:
		t.name = "opaque bytes"
	case classTime:
		t.name = "HDF5 times"
	case classComplex:
		t.name = "complex numbers"
	default:
		return t, fmt.Errorf("corrupt: type class %d", class)
	}
	if err == nil {
		err = c.err("type")
	}
	if err == nil && size == 0 && !t.Text {
		err = fmt.Errorf("corrupt: elements of 0 bytes")
	}
	return t, err
}

// firstFields names the first field of a compound.
func firstFields(c *cursor) string {
	copied := *c
	if name := copied.text(); name != "" && len(name) < 80 {
		return fmt.Sprintf(" (%q and so on)", name)
	}
	return ""
}

// integers are the types of integers by their bytes, without and with a sign.
var integers = map[int][2]dtype.DType{
	1: {dtype.Uint8, dtype.Int8},
	2: {dtype.Uint16, dtype.Int16},
	4: {dtype.Uint32, dtype.Int32},
	8: {dtype.Uint64, dtype.Int64},
}

func (t *Type) integer(c *cursor, flags uint64, signed bool) {
	t.Order = dtype.Order(flags&1 != 0)
	offset, precision := c.uint(2), c.int(2)
	pair, ok := integers[t.Size]
	if !ok || offset != 0 || precision != 8*t.Size {
		t.name = fmt.Sprintf("integers of %d bits in %d bytes", precision, t.Size)
		return
	}
	if t.DType = pair[0]; signed {
		t.DType = pair[1]
	}
}

// layouts are the floating-point types: exponent position and bits, mantissa position and bits, bias.
var layouts = map[[6]int]dtype.DType{
	{2, 10, 5, 0, 10, 15}:    dtype.Float16,
	{2, 7, 8, 0, 7, 127}:     dtype.BFloat16,
	{4, 23, 8, 0, 23, 127}:   dtype.Float32,
	{8, 52, 11, 0, 52, 1023}: dtype.Float64,
}

func (t *Type) float(c *cursor, flags uint64) {
	t.Order = dtype.Order(flags&1 != 0)
	offset, precision := c.uint(2), c.int(2)
	shape := [6]int{t.Size}
	for i := 1; i < 5; i++ {
		shape[i] = c.int(1)
	}
	shape[5] = c.int(4)
	kind, ok := layouts[shape]
	vax := flags&0x41 == 0x41
	if !ok || offset != 0 || precision != 8*t.Size || vax {
		t.name = fmt.Sprintf("floating-point numbers of %d bits in %d bytes", precision, t.Size)
		return
	}
	t.DType = kind
}

// enum reads an enumeration: its numbers, or truth values as h5py stores them.
func (t *Type) enum(f *File, c *cursor, members, version, depth int) error {
	base, err := f.readType(c, depth+1)
	if err != nil {
		return err
	}
	if base.Size != t.Size {
		return fmt.Errorf("corrupt: an enumeration of %d bytes of integers of %d", t.Size, base.Size)
	}
	t.DType, t.Order, t.name = base.DType, base.Order, base.name
	var names []string
	for range members {
		begin := c.next
		names = append(names, c.text())
		if version < 3 {
			c.skip(-(c.next - begin) & 7)
		}
		if c.short {
			return c.err("enumeration")
		}
	}
	if values := c.bytes(members * t.Size); strings.Join(names, " ") == "FALSE TRUE" && string(values) == "\x00\x01" {
		t.DType = dtype.Bool
	}
	return nil
}

// array reads an array type.
func (t *Type) array(f *File, c *cursor, version, depth int) error {
	rank := c.int(1)
	if version < 3 {
		c.skip(3)
	}
	count := 1
	for range rank {
		n := c.int(4)
		t.Shape = append(t.Shape, n)
		if n == 0 || n > 1<<32/count || c.short {
			return fmt.Errorf("corrupt: an array type of shape %v", t.Shape)
		}
		count *= n
	}
	if version < 3 {
		c.skip(4 * rank) // permutation
	}
	base, err := f.readType(c, depth+1)
	if err != nil {
		return err
	}
	if base.Size*count != t.Size {
		return fmt.Errorf("corrupt: an array type of %d bytes of %d elements of %d bytes", t.Size, count, base.Size)
	}
	t.DType, t.Order, t.Shape = base.DType, base.Order, append(t.Shape, base.Shape...)
	if t.name = base.name; t.DType == dtype.Invalid && t.name == "" {
		t.name = "arrays of " + base.String()
	}
	return nil
}
