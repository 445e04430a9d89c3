// Opening arrays: which format a file has, and which array of it is meant.

package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"repscope/dataset/zarr"
	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/text"
	"repscope/internal/torchfile"
)

// SplitSpec separates "FILE:key". A file whose own name holds the colon takes precedence.
func SplitSpec(spec string) (path, key string) {
	if _, err := os.Stat(spec); err == nil {
		return spec, ""
	}
	for i := len(spec) - 1; i > 0; i-- {
		if spec[i] != ':' {
			continue
		}
		if _, err := os.Stat(spec[:i]); err == nil {
			return spec[:i], spec[i+1:]
		}
	}
	// Nothing exists; a drive letter is no file name of its own.
	if i := strings.LastIndexByte(spec, ':'); i > 1 {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

// Exists reports, with the error of Open, that the file of a "FILE" or "FILE:key" is not
// there.
func Exists(spec string) error {
	path, _ := SplitSpec(spec)
	files, err := shards(path)
	if len(files) == 0 {
		files = []string{path}
	}
	for _, file := range files {
		if err == nil {
			_, err = stat(file)
		}
	}
	return err
}

// stat is os.Stat with errors that do not name the system call.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	return info, regular.PathError(err)
}

// Open opens "FILE" or "FILE:key" (see the package comment for the formats).
// The key names one array of an npz or safetensors file and may be left out
// when there is only one; of an experience dataset it is "val" (the default) or
// "train", optionally followed by ".states", ".actions", ".rewards" or
// ".stop_episodes"; of another PyTorch file it is the path of a tensor, such as
// "buffer.frames". A directory is a folder of images.
func Open(spec string) (*Array, error) {
	a, err := openAny(spec)
	if err != nil {
		return nil, err
	}
	if err := a.plain(); err != nil {
		a.Close()
		return nil, withRecipe(a.path, err)
	}
	return a, nil
}

// OpenColumn opens a column with one value for every row, such as its group or time. It is an array as [Open] does,
// which may also hold times ([Array.Time]) or texts of NumPy ([Array.Classes]), or FILE:column of a table (FILE if it
// has one column alone).
func OpenColumn(spec string) (*Array, error) {
	if path, key := SplitSpec(spec); IsTable(path) {
		if _, err := stat(path); err != nil {
			return nil, err
		}
		if !isParquet(path) {
			return openTableColumn(path, key)
		}
		if a, err := openParquetColumn(path, key); a != nil || err != nil {
			return a, err
		}
	}
	a, err := openAny(spec)
	if err != nil || a.time == "" || a.time[0] == 'M' || a.time[0] == 'm' {
		return a, err
	}
	out, err := a.numbered()
	if err != nil {
		a.Close()
	}
	return out, err
}

// numbered are the texts of an array as numbers of classes.
func (a *Array) numbered() (*Array, error) {
	width, order := a.shape[len(a.shape)-1], a.order
	codes := make([]int64, a.rows*a.rowLen)
	read := func(raw []byte) error { return dtype.Int64s(codes, raw, a.dtype, order) }
	if err := a.use(len(codes), 0, a.rows, read); err != nil {
		return nil, err
	}
	shape := a.shape[:len(a.shape)-1]
	count := 1
	for _, n := range shape {
		count *= n
	}
	texts := make([]string, count)
	for i := range texts {
		var b []byte
		for _, c := range codes[i*width : (i+1)*width] {
			if a.dtype == Uint8 {
				b = append(b, byte(c))
			} else {
				b = utf8.AppendRune(b, rune(c))
			}
		}
		if texts[i] = strings.TrimRight(string(b), "\x00"); texts[i] == "" {
			return nil, fmt.Errorf("%s: element %d is an empty string", a.name, i)
		}
	}
	c := newTexts(texts)
	out, err := NewArray(a.name, shape, c.Ints)
	if err != nil {
		return nil, err
	}
	out.path, out.key, out.classes = a.path, a.key, distinctTexts(texts)
	out.digest, out.same, out.close = a.digest, a.same, a.close
	return out, nil
}

// openAny is [Open] of arrays of any elements.
func openAny(spec string) (*Array, error) {
	path, key := SplitSpec(spec)
	if a, err := openPattern(path, key, ImageOptions{}); a != nil || err != nil {
		return a, err
	}
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && zarr.Is(path) {
		return openZarrFolder(path, key)
	}
	if info.IsDir() {
		r, err := openFolder(path, key, ImageOptions{})
		if err != nil {
			return nil, err
		}
		return r.Frames, nil
	}
	if isTextTable(path) {
		return openTable(path, key)
	}
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := formatOf(file)
	if err == nil {
		var a *Array
		if a, err = f.array(file, key); err == nil {
			return a, nil
		}
		err = withRecipe(path, err)
	}
	file.Close()
	return nil, err
}

// withRecipe adds a conversion hint to an error of opening an array: an unsupported type, or a pickle of objects other
// than arrays.
func withRecipe(path string, err error) error {
	var other *elementError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &other):
		recipe, runs := format.NPYRecipe(path, other.key, other.code)
		return withHint(err, recipe, runs)
	}
	return withHint(err, format.PickleRecipe(path, errors.Is(err, torchfile.ErrClass)), true)
}

// withHint adds a command that converts the file, if there is one; runs says that the command executes code from the
// file.
func withHint(err error, recipe string, runs bool) error {
	switch {
	case recipe == "":
		return err
	case runs:
		return text.WithHint(err, "convert it, if you trust it: "+recipe)
	}
	return text.WithHint(err, "convert it: "+recipe)
}

func openFolder(path, key string, o ImageOptions) (*Recording, error) {
	if t, err := parquetFolder(path, key); t != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return t.record(o)
	}
	if key != "" {
		return nil, fmt.Errorf("%s: a folder of images has no array %q", path, key)
	}
	return openImages(path, o)
}

// OpenAll opens every array of a file whose format has arrays by name, such as .npz and .safetensors, in the order of
// the file. Each is closed on its own; the file is released with the last.
func OpenAll(path string) ([]*Array, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	arrays, err := openAll(file)
	if err != nil || len(arrays) == 0 {
		file.Close()
	}
	return arrays, err
}

func openAll(file *mmap.File) ([]*Array, error) {
	f, err := formatOf(file)
	if err != nil {
		return nil, err
	}
	if f.openAll == nil {
		return nil, fmt.Errorf("%s: want a file of arrays by name: %s",
			file.Path(), names(func(f *arrayFormat) bool { return f.openAll != nil }))
	}
	arrays, err := f.openAll(file)
	if err != nil {
		return nil, err
	}
	for _, a := range arrays {
		if err := a.plain(); err != nil {
			return nil, err
		}
	}
	users := &shared{close: file.Close}
	digest := sync.OnceValues(func() (string, error) { return hashFile(file, nil) })
	for _, a := range arrays {
		if d, ok := a.source.(*deflated); ok {
			d.archive = users.join()
		} else {
			a.close = users.join()
		}
		if !a.verified {
			continue // its own digest verifies a checksum too
		}
		a.digest = digest
	}
	return arrays, nil
}

// fromFile gives an array the digest of its file. part is a checksum that is
// still to be verified.
func fromFile(a *Array, file *mmap.File, part *checksum) {
	a.verified, a.same = part == nil, file.Unchanged
	a.digest = sync.OnceValues(func() (string, error) { return hashFile(file, part) })
}

// chooseKey returns the name that is meant, or an error that lists the names.
func chooseKey(path, key string, names []string) (string, error) {
	return chooseName(path, "array", key, names)
}

// chooseData is [chooseName] among all names where key is one, else among the names of data: coordinates of axes are
// no candidates.
func chooseData(path, what, key string, names, data []string) (string, error) {
	if key == "" && len(data) > 0 {
		names = data
	}
	return chooseName(path, what, key, names)
}

// chooseName is chooseKey with another term for keys.
func chooseName(path, what, key string, names []string) (string, error) {
	switch {
	case len(names) == 0:
		return "", fmt.Errorf("%s: contains no %ss", path, what)
	case key == "" && len(names) == 1:
		return names[0], nil
	case key == "":
		or := ""
		if pattern := joinable(names); pattern != "" {
			or = fmt.Sprintf(", or join several as %s:%s", path, pattern)
		}
		return "", fmt.Errorf("%s: contains %d %ss; name one as %s:%s%s (there are %s)", path, len(names), what, path,
			names[0], or, list(names))
	case slices.Contains(names, key):
		return key, nil
	}
	hint := ""
	if near := text.Nearest(key, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return "", fmt.Errorf("%s: no %s %q (there are %s)%s", path, what, key, list(names), hint)
}

// list joins names for a message, the first dozen of them.
func list(names []string) string { return text.Few(names, 12) }

// JSONError is an error of a JSON text with its position; a text that ends too early is [ErrTruncated].
func JSONError(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the JSON text does not end", ErrTruncated)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
	}
	return text.JSONError(err)
}

// fromPath gives an array in memory the digest of its file, which was described so before it was read.
func fromPath(a *Array, path string, before fs.FileInfo) {
	a.identify(func() (string, error) { return FileSHA256(path) }, func() error { return sameFile(path, before) })
}

// FileSHA256 is the digest of the bytes of a "FILE" or "FILE:key", in hexadecimal digits.
func FileSHA256(spec string) (string, error) {
	path, _ := SplitSpec(spec)
	file, err := mmap.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return hashFile(file, nil)
}
