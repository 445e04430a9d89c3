// Labels of arrays: the coordinates of their axes, and reading by them.

package dataset

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"repscope/dataset/hdf5"
	"repscope/dataset/netcdf"
	"repscope/dataset/zarr"
	"repscope/internal/dtype"
	"repscope/internal/mmap"
)

// Labels are what NetCDF and Zarr say about an array besides its values.
type Labels struct {
	Axes  []Axis
	Units string
	// Scalars are single values that belong to the array: coordinates without an axis.
	Scalars []Axis
	// Grids are coordinates of the last two axes together, such as the latitudes of a curvilinear grid; their values are
	// in C order.
	Grids []Axis
}

// Axis is an axis of an array with its coordinate.
type Axis struct {
	Name     string
	Values   []float64 // nil: it has no coordinate of numbers
	Units    string
	Calendar string
	Standard string // standard_name
	Time     string // NumPy's code if values are times themselves, as [Array.Time]
}

// Labels returns the labels of an array; nil for formats without, and for arrays whose axes have no names.
func (a *Array) Labels() (*Labels, error) {
	if a.labels == nil {
		return nil, nil
	}
	l, err := a.labels()
	if err != nil {
		return nil, fmt.Errorf("%s: coordinates: %w", a.name, err)
	}
	return l, nil
}

// mostCoordinate bounds the values of a coordinate.
const mostCoordinate = 1 << 26

// axisOf is the axis with the values of an array.
func axisOf(name string, a *Array, attributes []netcdf.Attribute) (Axis, error) {
	x := Axis{Name: name, Time: a.time}
	for i := range attributes {
		switch t := strings.TrimSpace(attributes[i].Text); attributes[i].Name {
		case "units":
			x.Units = t
		case "calendar":
			x.Calendar = t
		case "standard_name":
			x.Standard = t
		}
	}
	if a.time == textCode {
		return x, nil
	}
	n := a.rows * a.rowLen
	if n > mostCoordinate {
		return x, fmt.Errorf("%s has %d values, want at most %d", a.name, n, mostCoordinate)
	}
	x.Values = make([]float64, n)
	if a.time == "" {
		return x, a.ReadFloat64(x.Values, 0, a.rows)
	}
	whole := make([]int64, n) // nanoseconds do not fit float64; seconds of them do
	if err := a.ReadInt64(whole, 0, a.rows); err != nil {
		return x, err
	}
	for i, v := range whole {
		x.Values[i] = float64(v)
	}
	return x, nil
}

// unitsOf is the attribute units.
func unitsOf(attributes []netcdf.Attribute) string {
	for i := range attributes {
		if attributes[i].Name == "units" {
			return strings.TrimSpace(attributes[i].Text)
		}
	}
	return ""
}

// scalarsOf are the names of the attribute coordinates.
func scalarsOf(attributes []netcdf.Attribute) []string {
	for i := range attributes {
		if attributes[i].Name == "coordinates" {
			return strings.Fields(attributes[i].Text)
		}
	}
	return nil
}

// coordinate is an array of coordinates.
type coordinate struct {
	*Array
	attributes []netcdf.Attribute
	dimensions []string
}

// find looks a coordinate up: nil if there is none.
type find func(name string) (*coordinate, error)

// labelsOf are the labels of an array with these attributes and names of axes.
func labelsOf(attributes []netcdf.Attribute, dimensions []string, find find) (*Labels, error) {
	l := &Labels{Units: unitsOf(attributes)}
	for _, name := range dimensions {
		x := Axis{Name: name}
		if name != "" {
			c, err := find(name)
			if err != nil {
				return nil, err
			}
			if c != nil && len(c.shape) == 1 {
				if x, err = axisOf(name, c.Array, c.attributes); err != nil {
					return nil, err
				}
			}
		}
		l.Axes = append(l.Axes, x)
	}
	for _, name := range scalarsOf(attributes) {
		c, err := find(name)
		if err != nil {
			return nil, err
		}
		n := len(dimensions) - 2
		isGrid := c != nil && n >= 0 && len(c.shape) == 2 && slices.Equal(c.dimensions, dimensions[n:])
		if c == nil || len(c.shape) > 0 && !isGrid || c.time == textCode {
			continue
		}
		x, err := axisOf(name, c.Array, c.attributes)
		if err != nil {
			return nil, err
		}
		if isGrid {
			l.Grids = append(l.Grids, x)
		} else {
			l.Scalars = append(l.Scalars, x)
		}
	}
	return l, nil
}

func netCDFLabels(file *mmap.File, v *netcdf.Variable) (*Labels, error) {
	return labelsOf(v.Attributes, v.Dimensions, func(name string) (*coordinate, error) {
		c := v.Sibling(name)
		if c == nil || c.Text {
			return nil, nil
		}
		a, err := netCDFArray(file, c)
		return &coordinate{a, c.Attributes, c.Dimensions}, err
	})
}

func zarrLabels(s *zarr.Store, z *zarr.Array) (*Labels, error) {
	if z.Dimensions == nil {
		return nil, nil
	}
	group := strings.TrimPrefix(path.Dir(z.Path), ".")
	return labelsOf(zarrAttributes(z), z.Dimensions, func(name string) (*coordinate, error) {
		c, err := s.Array(path.Join(group, name))
		if errors.Is(err, zarr.ErrNotFound) || err == nil && c.Readable() != nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		a, err := zarrArray(s, c)
		return &coordinate{a, zarrAttributes(c), c.Dimensions}, err
	})
}

func hdf5Labels(file *mmap.File, f *hdf5.File, d *hdf5.Dataset) (*Labels, error) {
	attributes, err := netCDFAttributes(file, f, d)
	if err != nil || attributes == nil {
		return nil, err
	}
	scales, err := d.Scales()
	if err != nil || scales == nil {
		return nil, err
	}
	group := strings.TrimPrefix(path.Dir(d.Path), ".")
	open := func(name string) (*coordinate, error) {
		c, err := f.Dataset(name)
		if errors.Is(err, hdf5.ErrNotFound) || err == nil && (c.Readable() != nil || c.Type.Text || !c.HasValues()) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		a, err := hdf5Array(file, f, c)
		if err != nil {
			return nil, err
		}
		list, err := netCDFAttributes(file, f, c)
		if err != nil {
			return nil, err
		}
		var dimensions []string
		if len(a.shape) > 1 {
			scales, err := c.Scales()
			if err != nil {
				return nil, err
			}
			for _, scale := range scales {
				dimensions = append(dimensions, path.Base(scale))
			}
		}
		return &coordinate{a, list, dimensions}, nil
	}
	names := make([]string, len(scales))
	full := map[string]string{}
	for i, scale := range scales {
		names[i] = path.Base(scale)
		full[names[i]] = scale
	}
	return labelsOf(attributes, names, func(name string) (*coordinate, error) {
		if scale, ok := full[name]; ok {
			return open(scale)
		}
		return open(path.Join(group, name))
	})
}

// ReadBox reads the elements from to to-1 along each axis, converted to float64, in C order.
func (a *Array) ReadBox(dst []float64, from, to []int) error {
	n := 1
	for i, k := range a.shape {
		if len(from) != len(a.shape) || len(to) != len(a.shape) || from[i] < 0 || to[i] < from[i] || to[i] > k {
			return fmt.Errorf("%s: elements %v to %v of shape %v", a.name, from, to, a.shape)
		}
		n *= to[i] - from[i]
	}
	if n != len(dst) {
		return fmt.Errorf("%s: reading %d values into %d", a.name, n, len(dst))
	}
	if n == 0 {
		return nil
	}
	raw, err := a.box(a.source, a.dtype.Size(), from, to)
	if err == nil {
		err = dtype.Float64s(dst, raw, a.dtype, a.order)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}

// box are the bytes of a part of an array.
func (a *Array) box(s source, size int, from, to []int) ([]byte, error) {
	n := size
	for i := range from {
		n *= to[i] - from[i]
	}
	if c, ok := s.(*coded); ok {
		raw, err := a.box(c.packed, c.coding.Stored.Size(), from, to)
		if err != nil {
			return nil, err
		}
		out := make([]byte, n)
		return out, c.coding.Decode(out, raw)
	}
	out := make([]byte, n)
	if r, ok := s.(rowsOf); ok {
		if b, ok := r.reader.(boxReader); ok {
			if ok, err := b.ReadBox(out, from, to); ok || err != nil {
				return out, err
			}
		}
	}
	if len(from) == 0 {
		return out, s.use(0, 1, func(raw []byte) error { copy(out, raw); return nil })
	}
	step := n / (to[0] - from[0])
	for i := from[0]; i < to[0]; i++ {
		err := s.use(i, i+1, func(raw []byte) error {
			cut(out[(i-from[0])*step:][:step], raw, size, box{a.shape[1:], from[1:], to[1:]})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// box is a part of an array of a shape.
type box struct{ shape, from, to []int }

// cut copies a part of the elements of src.
func cut(dst, src []byte, size int, b box) {
	inner := size
	for _, n := range b.shape[min(1, len(b.shape)):] {
		inner *= n
	}
	switch {
	case len(b.shape) == 0:
		copy(dst, src[:size])
	case slices.Equal(b.to[1:], b.shape[1:]) && !slices.ContainsFunc(b.from[1:], func(n int) bool { return n > 0 }):
		copy(dst, src[b.from[0]*inner:b.to[0]*inner])
	default:
		step := len(dst) / (b.to[0] - b.from[0])
		for i := b.from[0]; i < b.to[0]; i++ {
			cut(dst[(i-b.from[0])*step:][:step], src[i*inner:(i+1)*inner], size, box{b.shape[1:], b.from[1:], b.to[1:]})
		}
	}
}
