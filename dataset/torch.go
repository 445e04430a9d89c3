// Arrays inside PyTorch files.

package dataset

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/text"
	"repscope/internal/torchfile"
)

// tensorSource is a tensor as a source.
type tensorSource struct{ tensor *torchfile.Tensor }

func (s tensorSource) use(lo, hi int, fn func(raw []byte) error) error {
	return s.tensor.Use(lo, hi, fn)
}

// tensorArray presents a tensor as an array.
func tensorArray(path, key string, t *torchfile.Tensor) (*Array, error) {
	name := path
	if key != "" {
		name += ":" + key
	}
	if _, err := dtype.ArraySize(t.Shape, t.DType); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var part *checksum
	if offset, size, crc, ok := t.Checksum(); ok && size > maxChecked {
		part = &checksum{offset, size, crc}
	} else if err := t.Verify(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := newArray(name, path, key, t.Shape, t.DType, t.Order(), tensorSource{t})
	a.digest = sync.OnceValues(func() (string, error) { return hashPath(path, part) })
	return a, nil
}

// listArray presents a Python list of truth values or numbers as an array: of integers where all
// are.
func listArray(path, key string, list []any) (*Array, error) {
	name := path
	if key != "" {
		name += ":" + key
	}
	flags, integers, numbers := make([]bool, 0, len(list)), make([]int64, 0, len(list)), make([]float64, 0, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case bool:
			flags = append(flags, v)
		case int64:
			integers, numbers = append(integers, v), append(numbers, float64(v))
		case float64:
			numbers = append(numbers, v)
		default:
			return nil, fmt.Errorf("%s: item %d of the list is a %s, want truth values or numbers",
				name, i, torchfile.TypeName(v))
		}
	}
	if len(flags) > 0 && len(numbers) > 0 {
		return nil, fmt.Errorf("%s: the list mixes truth values and numbers", name)
	}
	var a *Array
	var err error
	switch len(list) {
	case len(flags):
		a, err = NewArray(name, []int{len(flags)}, flags)
	case len(integers):
		a, err = NewArray(name, []int{len(integers)}, integers)
	default:
		a, err = NewArray(name, []int{len(numbers)}, numbers)
	}
	if err != nil {
		return nil, err
	}
	a.path, a.key = path, key
	a.digest = sync.OnceValues(func() (string, error) { return hashPath(path, nil) })
	return a, nil
}

// hashPath is the SHA-256 of the file at path; see hashFile.
func hashPath(path string, part *checksum) (string, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return hashFile(file, part)
}

// openTorch opens one array of a PyTorch file.
func openTorch(mapped *mmap.File, key string) (*Array, error) {
	file, err := torchfile.Read(mapped)
	if err != nil {
		return nil, err
	}
	a, err := torchArray(file, key)
	if err != nil {
		return nil, err
	}
	a.close = file.Close
	a.identify(a.digest, func() error { return unchangedFiles([]*mmap.File{mapped}) }) // the digest is of the path
	return a, nil
}

// recordTorch opens an array of a PyTorch file, or the split of a published
// dataset.
func recordTorch(mapped *mmap.File, key string, _ ImageOptions) (*Recording, error) {
	file, err := torchfile.Read(mapped)
	if err != nil {
		return nil, err
	}
	if _, isSplit := splits[key]; isExperience(file.Root()) && (key == "" || isSplit) {
		e, err := readExperience(file, key)
		if err != nil {
			return nil, err
		}
		return &Recording{Frames: e.Frames, Ends: e.Stop, Window: e.SequenceLength, file: e}, nil
	}
	a, err := torchArray(file, key)
	if err == nil {
		a.close = file.Close
	}
	return recordingOf(a, err)
}

func torchArray(file *torchfile.File, key string) (*Array, error) {
	path := file.Path()
	value := file.Root()
	if isExperience(value) {
		split, attribute, _ := strings.Cut(key, ".")
		if attribute == "" && slices.Contains(experienceAttributes, split) {
			split, attribute = "", split
		}
		o, split, err := experienceSplit(path, value, split)
		if err != nil {
			return nil, err
		}
		if attribute == "" {
			attribute = "states"
		}
		return experienceArray(path, split, attribute, o)
	}
	// The path of a tensor: dict keys (which may hold dots themselves), attributes
	// and list positions.
	for rest := key; rest != ""; {
		var err error
		if value, rest, err = descend(value, rest); err != nil {
			return nil, fmt.Errorf("%s: array %q: %w", path, key, err)
		}
	}
	switch v := value.(type) {
	case *torchfile.Tensor:
		return tensorArray(path, key, v)
	case []any:
		if len(tensorPaths(v)) == 0 {
			return listArray(path, key, v)
		}
	case *torchfile.Dict, *torchfile.Object:
	default:
		return nil, fmt.Errorf("%s: %s is a %s, want a tensor", path, quotedOr(key, "the file"), torchfile.TypeName(value))
	}
	names := tensorPaths(value)
	if key != "" {
		for i := range names {
			names[i] = key + "." + names[i]
		}
	}
	switch len(names) {
	case 0:
		var names []string
		for name := range parts(value) {
			names = append(names, name)
		}
		return nil, fmt.Errorf("%s: %s is a %s of %s, want a tensor",
			path, quotedOr(key, "the file"), torchfile.TypeName(value), cmp.Or(list(names), "nothing"))
	case 1:
		return torchArray(file, names[0])
	}
	_, err := chooseKey(path, "", names)
	return nil, err
}

func quotedOr(key, otherwise string) string {
	if key == "" {
		return otherwise
	}
	return strconv.Quote(key)
}

// tensorPaths are the paths of the tensors that a value holds directly or, if it holds none, of the tensors one level
// down. At most about a thousand are returned.
func tensorPaths(value any) []string {
	const limit = 1000
	type part struct {
		path  string
		value any
	}
	for level := []part{{"", value}}; len(level) > 0; {
		var paths []string
		var next []part
		for _, p := range level {
			for name, v := range parts(p.value) {
				if p.path != "" {
					name = p.path + "." + name
				}
				if _, ok := v.(*torchfile.Tensor); ok {
					paths = append(paths, name)
				} else {
					next = append(next, part{name, v})
				}
				if max(len(paths), len(next)) >= limit {
					break
				}
			}
		}
		if len(paths) > 0 {
			return paths
		}
		level = next[:min(len(next), limit)]
	}
	return nil
}

// parts yields the members of a dict, list or object, by the steps of a path.
func parts(value any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		switch v := value.(type) {
		case *torchfile.Dict:
			for k, v := range v.Items() {
				switch k := k.(type) {
				case string, int64:
					if !yield(fmt.Sprint(k), v) {
						return
					}
				}
			}
		case []any:
			for i, v := range v {
				if !yield(strconv.Itoa(i), v) {
					return
				}
			}
		case *torchfile.Object:
			if d, ok := v.State.(*torchfile.Dict); ok {
				for k, v := range d.All() {
					if !yield(k, v) {
						return
					}
				}
			}
		}
	}
}

// descend takes the first step of a path and returns the rest of the path.
func descend(value any, path string) (any, string, error) {
	step, rest, _ := strings.Cut(path, ".")
	switch v := value.(type) {
	case *torchfile.Object:
		if x, ok := v.Attribute(step); ok {
			return x, rest, nil
		}
		return nil, "", fmt.Errorf("%s has no attribute %q", v.Class, step)
	case []any:
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(v) {
			return nil, "", fmt.Errorf("a list of %d has no item %q", len(v), step)
		}
		return v[i], rest, nil
	case *torchfile.Dict:
		// The longest key wins: state dicts have keys such as "fc.weight".
		for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
			if x, ok := v.Get(path[:end]); ok {
				return x, strings.TrimPrefix(path[end:], "."), nil
			}
		}
		var keys []string
		for k, x := range parts(v) {
			if k == step { // an integer
				return x, rest, nil
			}
			keys = append(keys, k)
		}
		hint := ""
		if near := text.Nearest(path, keys); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, "", fmt.Errorf("no key %q (there are %s)%s", step, list(keys), hint)
	}
	return nil, "", fmt.Errorf("a %s has no parts", torchfile.TypeName(value))
}
