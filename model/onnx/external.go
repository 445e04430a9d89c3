// Locations of the bytes of weights: in memory, in the file, or in other files.

package onnx

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"repscope/internal/mmap"
	"repscope/internal/regular"
)

// externalReuse is how often the bytes of external files may be used, on average.
const externalReuse = 8

// source is where the bytes of weights are.
type source interface {
	// use calls fn with n bytes at offset, which are valid during the call.
	use(offset, n int64, fn func(raw []byte) error) error
}

type memory []byte

func (m memory) use(offset, n int64, fn func(raw []byte) error) error {
	return fn(m[offset : offset+n])
}

type stored struct{ *mmap.File }

func (s stored) use(offset, n int64, fn func(raw []byte) error) error {
	if err := s.Unchanged(); err != nil {
		return err
	}
	return s.Use(offset, n, fn)
}

// external finds a tensor's bytes in a file next to the model. The file must lie in the model's folder or below, also
// after symbolic links are resolved.
func (d *decoder) external(location map[string]string, want int) (region, error) {
	var none region
	name := location["location"]
	if name == "" {
		return none, errors.New("external data without a location")
	}
	if d.dir == "" {
		return none, fmt.Errorf("external data %q: the model was not read from a folder", name)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return none, fmt.Errorf("external data %q: want a path inside the model's folder", name)
	}
	integer := func(key string, otherwise int64) (int64, error) {
		text, ok := location[key]
		if !ok {
			return otherwise, nil
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < 0 {
			return 0, fmt.Errorf("external data %q: %s %q is not a size", name, key, text)
		}
		return v, nil
	}
	offset, err := integer("offset", 0)
	if err != nil {
		return none, err
	}
	length, err := integer("length", int64(want))
	if err != nil {
		return none, err
	}
	if length != int64(want) {
		return none, fmt.Errorf("external data %q: length %d, the shape needs %d bytes", name, length, want)
	}
	f, err := d.open(name)
	if err != nil {
		return none, err
	}
	if err := d.verify(f, name, location["checksum"]); err != nil {
		return none, err
	}
	if offset > f.Size() || length > f.Size()-offset {
		return none, fmt.Errorf("external data %q: has %d bytes, want %d from byte %d", name, f.Size(), length, offset)
	}
	// Tied weights may share their bytes, but a small file must not become an arbitrary amount of memory.
	if d.taken += length; d.taken > externalReuse*d.stored {
		return none, fmt.Errorf("external data %q: its %d bytes are used more than %d times", name, f.Size(), externalReuse)
	}
	return region{in: stored{f}, offset: offset, size: length}, nil
}

// verify compares an external file with the SHA-1 that the model may give of it, once.
func (d *decoder) verify(f *mmap.File, name, want string) error {
	want = strings.ToLower(want)
	if want == "" || d.sums[name] == want {
		return nil
	}
	h := sha1.New()
	for offset := int64(0); offset < f.Size(); offset += hashPart {
		err := f.Use(offset, min(hashPart, f.Size()-offset), func(raw []byte) error {
			h.Write(raw)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("external data %q: the SHA-1 of the file is %s, the model records %.60q: the file is damaged, or belongs to another model", name, got, want)
	}
	if d.sums == nil {
		d.sums = map[string]string{}
	}
	d.sums[name] = want
	return nil
}

// hashPart is how much of a file is hashed at a time.
const hashPart = 1 << 20

// open opens an external file, once.
func (d *decoder) open(name string) (*mmap.File, error) {
	if f := d.files[name]; f != nil {
		return f, nil
	}
	file, err := d.openFile(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("external data: %w", err)
	}
	f, err := mmap.FromFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("external data: %w", err)
	}
	d.files[name] = f
	d.names = append(d.names, name)
	d.stored += f.Size()
	return f, nil
}

// openFile opens a file next to the model, or in the folder of a model that is read from memory.
func (d *decoder) openFile(name string) (file *os.File, err error) {
	if model, ok := d.in.(stored); ok {
		return regular.OpenBeside(model.Path(), name)
	}
	if d.root == nil {
		if d.root, err = os.OpenRoot(d.dir); err != nil {
			return nil, err
		}
	}
	return regular.OpenIn(d.root, name)
}
