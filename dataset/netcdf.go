// Arrays of NetCDF files: of the classic formats, and packed and missing values also in HDF5.

package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset/hdf5"
	"repscope/dataset/netcdf"
	"repscope/internal/dtype"
	"repscope/internal/mmap"
)

// openNetCDF opens a variable by its name; none is needed for the only one that is not a coordinate.
func openNetCDF(file *mmap.File, key string) (*Array, error) {
	f, err := netcdf.Read(file)
	if err != nil {
		return nil, err
	}
	var names, data []string
	for i := range f.Variables {
		v := &f.Variables[i]
		names = append(names, v.Name)
		if !isCoordinate(v) {
			data = append(data, v.Name)
		}
	}
	if key, err = chooseData(file.Path(), "variable", strings.TrimPrefix(key, "/"), names, data); err != nil {
		return nil, err
	}
	return netCDFArray(file, &f.Variables[slices.Index(names, key)])
}

// isCoordinate reports whether a variable has the values of an axis.
func isCoordinate(v *netcdf.Variable) bool {
	return len(v.Dimensions) == 1 && v.Dimensions[0] == v.Name
}

// allNetCDF opens the variables of numbers.
func allNetCDF(file *mmap.File) ([]*Array, error) {
	f, err := netcdf.Read(file)
	if err != nil {
		return nil, err
	}
	var arrays []*Array
	for i := range f.Variables {
		if f.Variables[i].Text {
			continue
		}
		a, err := netCDFArray(file, &f.Variables[i])
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
	}
	return arrays, nil
}

func netCDFArray(file *mmap.File, v *netcdf.Variable) (*Array, error) {
	name := file.Path() + ":" + v.Name
	var s source = rowsOf{v}
	if offset, ok := v.Contiguous(); ok {
		s = &region{file, offset, v.RowBytes()}
	}
	a := newArray(name, file.Path(), v.Name, v.Shape, v.DType, dtype.BigEndian, s)
	if v.Text {
		a.time = textCode
		if len(v.Shape) == 0 {
			a.shape = []int{1}
		}
	} else {
		a.decode(v.Attributes)
	}
	a.labels = func() (*Labels, error) { return netCDFLabels(file, v) }
	fromFile(a, file, nil)
	a.close = file.Close
	return a, nil
}

// decode makes the values of a packed array those that its attributes describe.
func (a *Array) decode(attributes []netcdf.Attribute) {
	for i := range attributes {
		if name := attributes[i].Name; slices.Contains([]string{"valid_range", "valid_min", "valid_max"}, name) {
			a.notes = append(a.notes, fmt.Sprintf("%s: values outside of its attribute %s are kept, as xarray keeps them",
				a.name, name))
		}
	}
	c := netcdf.CodingOf(a.dtype, a.order, attributes)
	if c == nil {
		return
	}
	a.source = &coded{a.source, c}
	a.dtype, a.order = c.DType, dtype.HostOrder()
	var missing []string
	for _, v := range c.Missing {
		missing = append(missing, fmt.Sprint(v))
	}
	note := fmt.Sprintf("%s is decoded as its attributes say", a.name)
	if len(missing) > 0 {
		note += "; " + strings.Join(missing, " and ") + " is NaN"
	}
	a.notes = append(a.notes, note)
}

// coded is a source of packed values.
type coded struct {
	packed source
	coding *netcdf.Coding
}

func (c *coded) use(lo, hi int, fn func(raw []byte) error) error {
	return c.packed.use(lo, hi, func(raw []byte) error {
		values := make([]byte, len(raw)/c.coding.Stored.Size()*c.coding.DType.Size())
		if err := c.coding.Decode(values, raw); err != nil {
			return err
		}
		return fn(values)
	})
}

// netCDFAttributes are the attributes of a dataset of HDF5 that decide its values; nil unless NetCDF wrote the file, by
// a property of it or by the ending of its name.
func netCDFAttributes(file *mmap.File, f *hdf5.File, d *hdf5.Dataset) ([]netcdf.Attribute, error) {
	root, err := f.Attributes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	written := slices.ContainsFunc(root, func(a hdf5.Attribute) bool { return a.Name == "_NCProperties" })
	if !written && !slices.Contains(netCDFEndings, strings.ToLower(filepath.Ext(file.Path()))) {
		return nil, nil
	}
	list, err := d.Attributes()
	if err != nil {
		return nil, fmt.Errorf("%s:%s: %w", file.Path(), d.Path, err)
	}
	var out []netcdf.Attribute
	for i := range list {
		a := netcdf.Attribute{Name: list[i].Name, Numbers: list[i].Floats(), Text: strings.Join(list[i].Texts, " ")}
		out = append(out, a)
	}
	return out, nil
}

// netCDFEndings are the endings of the names of NetCDF files.
var netCDFEndings = []string{".nc", ".nc4", ".netcdf", ".cdf"}

// listNetCDF lists the variables of a file.
func listNetCDF(file *mmap.File, l *Listing) error {
	f, err := netcdf.Read(file)
	if err != nil {
		return err
	}
	l.Attributes = propertiesOf(f.Attributes)
	for i := range f.Variables {
		v := &f.Variables[i]
		item := Item{Name: v.Name, Type: v.DType.String(), Shape: v.Shape, Attributes: propertiesOf(v.Attributes)}
		if v.Text {
			item.Type, item.Shape = "text", v.Shape[:max(0, len(v.Shape)-1)]
		}
		l.Items = append(l.Items, item)
	}
	return nil
}

func propertiesOf(list []netcdf.Attribute) (out []Property) {
	for i := range list {
		a := &list[i]
		var values []any
		for _, v := range a.Numbers {
			values = append(values, v)
		}
		switch {
		case a.Numbers == nil:
			out = append(out, Property{a.Name, a.Text})
		case len(values) == 1:
			out = append(out, Property{a.Name, values[0]})
		default:
			out = append(out, Property{a.Name, values})
		}
	}
	return out
}
