// Arrays of Zarr stores, in folders and zip files.

package dataset

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"repscope/dataset/netcdf"
	"repscope/dataset/zarr"
	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/samefile"
)

// zarrFormat is the name of the format.
const zarrFormat = ".zarr"

// IsStore reports whether a folder is an array or a group of arrays, not one of images.
func IsStore(folder string) bool { return zarr.Is(folder) }

// isZarr recognizes stores in zip files.
func isZarr(kind format.Kind, file *mmap.File) (bool, error) {
	if kind != format.Zip {
		return false, nil
	}
	archive, err := readZip(file)
	if err != nil {
		return false, err
	}
	for _, m := range archive.File {
		if zarr.Names(m.Name) {
			return true, nil
		}
	}
	return false, nil
}

// zarrZip opens the store of a zip file.
func zarrZip(file *mmap.File) (*zarr.Store, error) {
	archive, err := openZip(file)
	if err != nil {
		return nil, err
	}
	return zarr.OpenZip(file, archive)
}

// openZarrZip opens an array of a store in a zip file.
func openZarrZip(file *mmap.File, key string) (*Array, error) {
	s, err := zarrZip(file)
	if err != nil {
		return nil, err
	}
	a, err := openZarr(s, key)
	if err == nil {
		fromFile(a, file, nil)
	}
	return a, err
}

// listZarrZip lists the arrays of a store in a zip file.
func listZarrZip(file *mmap.File, l *Listing) error {
	s, err := zarrZip(file)
	if err != nil {
		return err
	}
	return listZarr(s, l)
}

// openZarrFolder opens an array of a store in a folder.
func openZarrFolder(path, key string) (*Array, error) {
	s, err := zarr.Open(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	a, err := openZarr(s, key)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	folder := filepath.Join(path, filepath.FromSlash(a.key))
	list := func() ([]string, error) { return samefile.Below(folder), nil }
	states, err := statesOf(folder, samefile.Below(folder), list)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	a.identify(a.digest, states.unchanged)
	return a, nil
}

// openZarr opens an array by its path in the store; none is needed for the only one that is no coordinate.
func openZarr(s *zarr.Store, key string) (*Array, error) {
	a, err := s.Array(key)
	if err == nil {
		return zarrArray(s, a)
	}
	if !errors.Is(err, zarr.ErrNotFound) {
		return nil, err
	}
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	var names, data []string
	for _, e := range entries {
		names = append(names, e.Path)
		if e.Err == nil && !isZarrCoordinate(e.Array) {
			data = append(data, e.Path)
		}
	}
	if key, err = chooseData(s.Path(), "array", strings.Trim(key, "/"), names, data); err != nil {
		return nil, err
	}
	if a, err = s.Array(key); err != nil {
		return nil, err
	}
	return zarrArray(s, a)
}

// isZarrCoordinate reports whether an array has the values of an axis.
func isZarrCoordinate(a *zarr.Array) bool {
	return len(a.Dimensions) == 1 && a.Dimensions[0] == a.Path[strings.LastIndexByte(a.Path, '/')+1:]
}

// zarrArray presents an array of a store, which the array closes.
func zarrArray(s *zarr.Store, z *zarr.Array) (*Array, error) {
	if err := z.Prepare(); err != nil {
		return nil, err
	}
	name, shape := s.Path(), z.Shape
	if z.Path != "" {
		name += ":" + z.Path
	}
	if z.Type.Text {
		width := z.Type.Size / z.Type.DType.Size()
		shape = append(append([]int{}, shape...), width)
		size, err := dtype.ArraySize(shape, z.Type.DType)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := bound.Check(name, size, 0); err != nil { // texts are read whole
			return nil, err
		}
		if len(z.Shape) == 0 {
			shape = []int{1, width}
		}
	}
	a := newArray(name, s.Path(), z.Path, shape, z.Type.DType, z.Type.Order, rowsOf{z})
	switch {
	case z.Type.Text:
		a.time = textCode
	case z.Type.Time != "":
		a.time = z.Type.Time
	default:
		a.decode(zarrAttributes(z))
	}
	a.labels = func() (*Labels, error) { return zarrLabels(s, z) }
	a.verified = true
	a.digest = sync.OnceValues(func() (string, error) {
		h := sha256.New()
		if err := z.Hash(func(raw []byte) { h.Write(raw) }); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return hexDigest(h), nil
	})
	a.close = s.Close
	return a, nil
}

// zarrAttributes are the attributes that decide values. xarray takes the fill value of arrays that it wrote in version
// 2 for missing ones; it names their axes.
func zarrAttributes(z *zarr.Array) []netcdf.Attribute {
	var out []netcdf.Attribute
	for _, t := range z.Attributes {
		a := netcdf.Attribute{Name: t.Name}
		values, ok := t.Value.([]any)
		if !ok {
			values = []any{t.Value}
		}
		for _, v := range values {
			switch v := v.(type) {
			case json.Number:
				if x, err := v.Float64(); err == nil {
					a.Numbers = append(a.Numbers, x)
				}
			case string:
				if x, ok := z.Type.Value(v); ok && (t.Name == "_FillValue" || t.Name == "missing_value") {
					a.Numbers = append(a.Numbers, x)
				} else {
					a.Text = v
				}
			case bool:
				a.Text = fmt.Sprint(v)
			}
		}
		out = append(out, a)
	}
	if v, ok := z.Fill.(json.Number); ok && z.Version == 2 && z.Dimensions != nil && !slices.ContainsFunc(out, isFill) {
		if x, err := v.Float64(); err == nil {
			out = append(out, netcdf.Attribute{Name: "_FillValue", Numbers: []float64{x}})
		}
	}
	return out
}

func isFill(a netcdf.Attribute) bool { return a.Name == "_FillValue" }

// listZarr lists the arrays of a store.
func listZarr(s *zarr.Store, l *Listing) error {
	entries, err := s.Entries()
	if err != nil {
		return err
	}
	root, err := s.Attributes()
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path(), err)
	}
	l.Attributes = zarrProperties(root)
	for _, e := range entries {
		i := Item{Name: e.Path}
		if z := e.Array; e.Err == nil {
			i.Type, i.Shape, i.Storage, i.Attributes = z.Type.String(), z.Shape, z.Codecs(), zarrProperties(z.Attributes)
			e.Err = z.Readable()
		}
		if e.Err != nil {
			i.Problem = e.Err.Error()
		}
		l.Items = append(l.Items, i)
	}
	return nil
}

func zarrProperties(list []zarr.Property) (out []Property) {
	for _, a := range list {
		switch v := a.Value.(type) {
		case nil:
		case json.Number:
			if x, err := v.Float64(); err == nil {
				out = append(out, Property{a.Name, x})
			}
		case string, bool:
			out = append(out, Property{a.Name, v})
		default:
			if text, err := json.Marshal(v); err == nil {
				out = append(out, Property{a.Name, string(text)})
			}
		}
	}
	return out
}
