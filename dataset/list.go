// The arrays of a file without their values: names, types and shapes.

package dataset

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"

	"repscope/dataset/hdf5"
	"repscope/dataset/zarr"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/safetensors"
	"repscope/internal/torchfile"
)

// Item is an array of a file, as its header describes it.
type Item struct {
	Name       string // behind "FILE:"; empty for the only array of its file
	Type       string // NumPy's name, or a description
	Shape      []int
	Storage    []string // filters, in the order of writing
	Attributes []Property
	Problem    string // why it cannot be read
}

// Property is a value with a name: a text, a number, or a list of them.
type Property struct {
	Name  string
	Value any
}

// Listing is the content of a file.
type Listing struct {
	Path, Format string
	Items        []Item
	Attributes   []Property // of the whole file
}

// List lists the arrays of a file or folder, in the order of the file, without reading their values. Of FILE:name it
// lists the array of that name, or those below it.
func List(spec string) (*Listing, error) {
	path, key := SplitSpec(spec)
	l, err := listFile(path)
	if err != nil || key == "" {
		return l, err
	}
	all := make([]string, len(l.Items))
	key = strings.Trim(key, "/")
	var chosen []Item
	for i, item := range l.Items {
		all[i] = item.Name
		if rest, ok := strings.CutPrefix(item.Name, key); ok && (rest == "" || rest[0] == '/' || rest[0] == '.') {
			chosen = append(chosen, item)
		}
	}
	if l.Items = chosen; len(chosen) == 0 {
		_, err = chooseKey(path, key, all)
	}
	return l, err
}

func listFile(path string) (*Listing, error) {
	if files, err := shards(path); files != nil || err != nil {
		if err != nil {
			return nil, err
		}
		s, err := openShards(path, files)
		if err != nil {
			return nil, err
		}
		defer s.close()
		l := &Listing{Path: path, Format: tarFormat}
		s.list(l)
		return l, nil
	}
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && zarr.Is(path) {
		s, err := zarr.Open(path)
		if err != nil {
			return nil, regular.PathError(err)
		}
		defer s.Close()
		l := &Listing{Path: path, Format: zarrFormat}
		return l, listZarr(s, l)
	}
	if info.IsDir() {
		if t, err := parquetFolder(path, ""); t != nil || err != nil {
			if err != nil {
				return nil, err
			}
			l := &Listing{Path: path, Format: parquetFormat}
			return l, t.list(l)
		}
		r, err := openFolder(path, "", ImageOptions{})
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return &Listing{Path: path, Format: formats[len(formats)-1].name, Items: []Item{itemOf(r.Frames)}}, nil
	}
	if isTextTable(path) {
		l := &Listing{Path: path, Format: tableFormat}
		return l, listTable(path, l)
	}
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := formatOf(file)
	if err != nil {
		return nil, err
	}
	l := &Listing{Path: path, Format: f.name}
	if f.list != nil {
		return l, f.list(file, l)
	}
	a, err := f.open(file, "")
	if err != nil {
		return nil, err
	}
	l.Items = []Item{itemOf(a)}
	return l, nil
}

// itemOf describes an open array.
func itemOf(a *Array) Item {
	i := Item{Name: a.key, Type: a.dtype.String(), Shape: a.shape}
	if a.time != "" {
		i.Type, i.Shape = timeType(a.time, a.shape)
	}
	return i
}

// timeType is the type and the shape of an array of times or texts, by NumPy's code.
func timeType(code string, shape []int) (name string, rest []int) {
	switch code[0] {
	case 'M':
		return "datetime64" + code[2:], shape
	case 'm':
		return "timedelta64" + code[2:], shape
	}
	return "text", shape[:len(shape)-1]
}

// listNPZ lists the members of a zip file by their headers.
func listNPZ(file *mmap.File, l *Listing) error {
	archive, err := openZip(file)
	if err != nil {
		return err
	}
	names, members, err := npzMembers(file, archive)
	for _, name := range names {
		i := Item{Name: name}
		if h, err := memberHeader(members[name]); err != nil {
			i.Problem = err.Error()
		} else if i.Type, i.Shape = h.dtype.String(), h.shape; h.code != "" {
			i.Type, i.Shape = timeType(h.code, h.shape)
		}
		if members[name].Method != zip.Store {
			i.Storage = []string{"deflate"}
		}
		l.Items = append(l.Items, i)
	}
	return err
}

// memberHeader reads the header of an array.
func memberHeader(m *zip.File) (h npyHeader, err error) {
	r, err := m.Open()
	if err != nil {
		return h, err
	}
	defer r.Close()
	return readNPYHeader(io.Reader(r), int64(min(m.UncompressedSize64, 1<<62)))
}

func listSafetensors(file *mmap.File, l *Listing) error {
	list, err := safetensors.Read(file)
	for i := range list {
		item := Item{Name: list[i].Name, Type: list[i].DType.String(), Shape: list[i].Shape}
		if err := list[i].Readable(); err != nil {
			item.Type, item.Problem = list[i].Type, err.Error()
		}
		l.Items = append(l.Items, item)
	}
	return err
}

// Limits of the tensors that are listed of a PyTorch file, whose parts may contain each other.
const (
	mostListed    = 100_000
	deepestListed = 16
)

// listTorch lists the tensors of a PyTorch file by their paths.
func listTorch(mapped *mmap.File, l *Listing) error {
	file, err := torchfile.Read(mapped)
	if err != nil {
		return err
	}
	if isExperience(file.Root()) {
		for _, split := range []string{"train", "val"} {
			for _, name := range experienceAttributes[:4] {
				if a, err := torchArray(file, split+"."+name); err == nil {
					i := itemOf(a)
					i.Name = split + "." + name
					l.Items = append(l.Items, i)
				}
			}
		}
		return nil
	}
	budget := mostListed
	var visit func(path string, value any, depth int)
	visit = func(path string, value any, depth int) {
		if budget--; budget < 0 || depth > deepestListed {
			return
		}
		if t, ok := value.(*torchfile.Tensor); ok {
			l.Items = append(l.Items, Item{Name: path, Type: t.DType.String(), Shape: t.Shape})
			return
		}
		if list, ok := value.([]any); ok && len(list) > 0 {
			if a, err := listArray(mapped.Path(), path, list); err == nil { // of numbers
				l.Items = append(l.Items, Item{Name: path, Type: a.dtype.String(), Shape: a.shape})
				return
			}
		}
		for name, v := range parts(value) {
			if path != "" {
				name = path + "." + name
			}
			visit(name, v, depth+1)
		}
	}
	visit("", file.Root(), 0)
	return nil
}

// listHDF5 lists the datasets of an HDF5 file.
func listHDF5(file *mmap.File, l *Listing) error {
	f, err := hdf5.Read(file)
	if err != nil {
		return err
	}
	entries, err := f.Entries()
	if err != nil {
		return err
	}
	root, err := f.Attributes()
	if err != nil {
		return fmt.Errorf("%s: %w", file.Path(), err)
	}
	l.Attributes = attributesOf(root)
	for _, e := range entries {
		i := Item{Name: e.Path}
		if e.Err == nil {
			i.Type, i.Shape, i.Storage = e.Dataset.Type.String(), e.Dataset.Shape, e.Dataset.Compression()
			e.Err = e.Dataset.Readable()
			if list, err := e.Dataset.Attributes(); err == nil {
				i.Attributes = attributesOf(list)
			} else if e.Err == nil {
				e.Err = err
			}
		}
		if e.Err != nil {
			i.Problem = e.Err.Error()
		}
		l.Items = append(l.Items, i)
	}
	return nil
}

// attributesOf are the attributes that say something to a person, not to the library that wrote them.
func attributesOf(list []hdf5.Attribute) (out []Property) {
	for i := range list {
		a := &list[i]
		var values []any
		for _, t := range a.Texts {
			values = append(values, t)
		}
		for _, v := range a.Floats() {
			values = append(values, v)
		}
		switch {
		case len(values) == 0 || strings.HasPrefix(a.Name, "_Netcdf4") || a.Name == "CLASS" || a.Name == "NAME":
		case len(values) == 1:
			out = append(out, Property{a.Name, values[0]})
		default:
			out = append(out, Property{a.Name, values})
		}
	}
	return out
}
