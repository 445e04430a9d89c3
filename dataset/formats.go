// The table of array formats, from which opening, messages, help and documentation
// follow.

package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/dataset/zarr"
	"repscope/internal/format"
	"repscope/internal/mmap"
)

// arrayFormat is one kind of file that holds arrays.
type arrayFormat struct {
	name string // in messages, help and documentation
	what string // its description, for the documentation
	// is reports whether a file is of the format; kind follows from its first bytes. It is nil for folders.
	is func(kind format.Kind, file *mmap.File) (bool, error)
	// endings assign a file of unknown beginning to the format, whose reader then reports the problem.
	endings []string
	// open opens one array, "" being the only one. The array closes the file; on
	// error the caller does.
	open func(file *mmap.File, key string) (*Array, error)
	// openAll opens every array; nil if arrays have no names of their own.
	openAll func(file *mmap.File) ([]*Array, error)
	// joins says that a pattern of names stands for arrays that are joined along their rows.
	joins bool
	// list describes the arrays without their values; nil for one array without a name.
	list func(file *mmap.File, l *Listing) error
	// record opens an array with its episodes, where the file holds a published
	// dataset; nil for formats that never do.
	record func(file *mmap.File, key string, o ImageOptions) (*Recording, error)
}

// array opens one array, or those that a pattern names. It closes the file; on error the caller does.
func (f *arrayFormat) array(file *mmap.File, key string) (*Array, error) {
	if f.joins && strings.ContainsAny(key, "*?") {
		return openJoined(file, key)
	}
	return f.open(file, key)
}

// formats are all formats of arrays. A row and a reader are all that a new one
// needs; the reader passes the tests of TestReaders.
var formats = []arrayFormat{
	{
		name: ".npy", what: "one array, as written by numpy.save",
		is: begins(format.NPY), endings: []string{".npy"}, open: openOnly,
	},
	{
		name: ".npz", what: "arrays by name, as written by numpy.savez and numpy.savez_compressed",
		is:   func(kind format.Kind, file *mmap.File) (bool, error) { return zipWith(kind, file, false) },
		open: openNPZ, openAll: allNPZ, joins: true, list: listNPZ,
	},
	{
		name: ".safetensors", what: "arrays by name",
		is: begins(format.Safetensors), endings: []string{".safetensors"},
		open: openSafetensors, openAll: allSafetensors, joins: true, list: listSafetensors,
	},
	{
		name: ".pt, .pth", what: "a PyTorch file: a tensor by its path in dicts and lists, or a published experience dataset",
		is: func(kind format.Kind, file *mmap.File) (bool, error) {
			if kind == format.Pickle {
				return true, nil
			}
			return zipWith(kind, file, true)
		},
		endings: []string{".pt", ".pth"}, open: openTorch, record: recordTorch, list: listTorch,
	},
	{
		name: ".tif", what: "the pages of a TIFF file, each a frame",
		is: begins(format.TIFF), endings: []string{".tif", ".tiff"}, open: openTIFF,
	},
	{
		name: ".h5, .hdf5", what: "datasets of an HDF5 file by their path in groups",
		is: isHDF5, endings: []string{".h5", ".hdf5", ".he5"},
		open: openHDF5, openAll: allHDF5, joins: true, list: listHDF5,
	},
	{
		name: ".nc",
		what: "variables of a NetCDF file, decoded as scale_factor, add_offset, _FillValue and missing_value say",
		is:   begins(format.NetCDF), endings: netCDFEndings,
		open: openNetCDF, openAll: allNetCDF, joins: true, list: listNetCDF,
	},
	{
		name: zarrFormat,
		what: "arrays of a Zarr store by their path in groups, of a folder or a zip file, decoded like NetCDF",
		is:   isZarr, open: openZarrZip, list: listZarrZip,
	},
	{
		name: parquetFormat,
		what: "columns of a Parquet file, lists of one length as matrices, images in bytes as frames; " +
			"or a folder of such files, also of LeRobot",
		is: begins(format.Parquet), endings: []string{parquetFormat},
		open: opens(parquetIn), openAll: allParquet, list: listParquet, record: records(parquetIn),
	},
	{
		name: tarFormat,
		what: "samples of a WebDataset archive by the ending of their members, or of shards NAME-{000..123}.tar",
		is:   isTar, endings: []string{tarFormat}, open: opens(tarIn), list: listTar, record: records(tarIn),
	},
	{
		name: tableFormat,
		what: "columns of numbers of a table of text, FILE:name; several as a matrix, FILE:A,B or FILE:z*",
	},
	{name: "a folder of images", what: "PNG, JPEG, WebP or TIFF files of one size, in natural order of names; " +
		"or folders of such files, one per episode"},
}

// arrays is a file with named arrays, and images that it decodes.
type arrays interface {
	open(key string, o ImageOptions) (*Array, error)
}

// opens reads an array of such a file.
func opens[S arrays](in func(*mmap.File) (S, error)) func(*mmap.File, string) (*Array, error) {
	return func(file *mmap.File, key string) (*Array, error) {
		s, err := in(file)
		if err != nil {
			return nil, err
		}
		return s.open(key, ImageOptions{})
	}
}

// records reads an array of such a file as a recording.
func records[S arrays](in func(*mmap.File) (S, error)) func(*mmap.File, string, ImageOptions) (*Recording, error) {
	return func(file *mmap.File, key string, o ImageOptions) (*Recording, error) {
		s, err := in(file)
		if err != nil {
			return nil, err
		}
		return recordingOf(s.open(key, o))
	}
}

// FormatNames lists the names of all formats for a sentence: ".npy, .npz … or a
// folder of images".
func FormatNames() string { return names(func(*arrayFormat) bool { return true }) }

// names lists the names of some formats for a sentence.
func names(selected func(f *arrayFormat) bool) string {
	var list []string
	for i := range formats {
		if selected(&formats[i]) {
			list = append(list, formats[i].name)
		}
	}
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// begins is the test of a format by its first bytes.
func begins(want format.Kind) func(format.Kind, *mmap.File) (bool, error) {
	return func(kind format.Kind, _ *mmap.File) (bool, error) { return kind == want, nil }
}

// zipWith reports whether a file is a zip file, and one of PyTorch or not. The first member decides, a .npy or the
// pickle; a zip file of neither is an .npz without arrays.
func zipWith(kind format.Kind, file *mmap.File, torch bool) (bool, error) {
	if kind != format.Zip {
		return false, nil
	}
	archive, err := readZip(file)
	if err != nil {
		return false, err
	}
	for _, m := range archive.File {
		switch {
		case strings.HasSuffix(m.Name, ".npy"):
			return !torch, nil
		case strings.HasSuffix(m.Name, "/data.pkl"):
			return torch, nil
		case zarr.Names(m.Name):
			return false, nil
		}
	}
	return !torch, nil
}

// formatOf finds the format by content; the name counts only if the content is inconclusive.
func formatOf(file *mmap.File) (*arrayFormat, error) {
	head := make([]byte, min(format.HeadSize, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	kind := format.Of(head)
	if kind == format.Empty {
		return nil, fmt.Errorf("%s: %w: the file is empty", file.Path(), ErrTruncated)
	}
	if what, recipe := format.Foreign(file.Path(), head); what != "" {
		return nil, &ForeignError{file.Path(), "is " + what, recipe}
	}
	for i := range formats {
		f := &formats[i]
		if f.is == nil {
			continue
		}
		if is, err := f.is(kind, file); is || err != nil {
			return f, err
		}
	}
	if kind == format.Unknown {
		path := strings.ToLower(file.Path())
		for i := range formats {
			if slices.ContainsFunc(formats[i].endings, func(ending string) bool { return strings.HasSuffix(path, ending) }) {
				return &formats[i], nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %s; want %s", file.Path(), format.Describe(head), FormatNames())
}

// ForeignError reports that the format of a file is not supported.
type ForeignError struct {
	Path string
	What string // "is a CSV file"
	// Recipe is a command that converts it, empty where none is known.
	Recipe string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s: %s; want %s", e.Path, e.What, FormatNames())
}

// Hints describes how to convert the file.
func (e *ForeignError) Hints() []string {
	if e.Recipe == "" {
		return nil
	}
	return []string{"convert it: " + e.Recipe}
}

// openOnly opens the array of a .npy file.
func openOnly(file *mmap.File, key string) (*Array, error) {
	if key != "" {
		return nil, fmt.Errorf("%s: a .npy file has one array without a name, not %q", file.Path(), key)
	}
	return openNPY(file)
}
