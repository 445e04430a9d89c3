// Objects of a store: the files of a folder, or the members of a zip file.

package zarr

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/regular"
	"repscope/internal/zipmember"
)

// objects are files by their keys: names separated by slashes, which do not lead out of the store.
type objects interface {
	// open opens an object; the error wraps [fs.ErrNotExist] if there is none.
	open(key string) (*object, error)
	// list calls visit with the names directly below a prefix, and whether each is a prefix too.
	list(prefix string, visit func(name string, prefix bool) error) error
	close() error
}

// object is an open file.
type object struct {
	io.ReaderAt
	size  int64
	sum   func(raw []byte) error // checks the bytes of the whole object; may be nil
	close func() error
}

// read reads a whole object of at most limit bytes into a buffer, which may be replaced.
func (o *object) read(buffer []byte, limit int64) ([]byte, error) {
	if o.size > limit {
		return nil, fmt.Errorf("corrupt: %d bytes, want at most %d", o.size, limit)
	}
	out, err := o.part(buffer, 0, o.size)
	if err == nil && o.sum != nil {
		err = o.sum(out)
	}
	return out, err
}

// part reads n bytes at an offset.
func (o *object) part(buffer []byte, offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || offset > o.size || n > o.size-offset {
		return nil, fmt.Errorf("%w: %d bytes at offset %d of %d", format.ErrTruncated, n, offset, o.size)
	}
	buffer = slices.Grow(buffer[:0], int(n))[:n]
	if _, err := o.ReadAt(buffer, offset); err != nil && (!errors.Is(err, io.EOF) || offset+n < o.size) {
		return nil, fmt.Errorf("changed while it was read: %w", err)
	}
	return buffer, nil
}

// folder is a store in a folder, which no symbolic link leads out of.
type folder struct{ root *os.Root }

func (f folder) open(key string) (*object, error) {
	if !fs.ValidPath(key) {
		return nil, fmt.Errorf("a name such as %.40q does not belong to a store", key)
	}
	file, err := regular.OpenIn(f.root, key)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &object{ReaderAt: file, size: info.Size(), close: file.Close}, nil
}

// mostListed bounds the names of a folder that are read at once.
const mostListed = 4096

func (f folder) list(prefix string, visit func(name string, prefix bool) error) error {
	if prefix == "" {
		prefix = "."
	}
	dir, err := f.root.Open(prefix)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(mostListed)
		for _, e := range entries {
			if err := visit(e.Name(), e.IsDir()); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f folder) close() error { return f.root.Close() }

// archive is a store in a zip file.
type archive struct {
	file    *mmap.File
	members map[string]*zip.File
	below   map[string][]string // names by prefix
}

// newArchive lists the members of a zip file.
func newArchive(file *mmap.File, r *zip.Reader) *archive {
	a := &archive{file, map[string]*zip.File{}, map[string][]string{}}
	listed := map[string]bool{} // prefixes
	for _, m := range r.File {
		if !fs.ValidPath(m.Name) || strings.Count(m.Name, "/") > deepest {
			continue // a folder, or no name of a store
		}
		if _, twice := a.members[m.Name]; twice {
			continue
		}
		a.members[m.Name] = m
		for name := m.Name; name != "."; name = path.Dir(name) {
			prefix := strings.TrimPrefix(path.Dir(name), ".")
			if name != m.Name && listed[name] {
				break
			}
			listed[name] = true
			a.below[prefix] = append(a.below[prefix], path.Base(name))
		}
	}
	return a
}

func (a *archive) open(key string) (*object, error) {
	m, ok := a.members[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	if err := zipmember.Check(m, a.file.Size()); err != nil {
		return nil, err
	}
	none := func() error { return nil }
	if m.Method != zip.Store {
		var b bytes.Buffer
		if err := zipmember.Inflate(&b, m); err != nil {
			return nil, err
		}
		return &object{ReaderAt: bytes.NewReader(b.Bytes()), size: int64(b.Len()), close: none}, nil
	}
	offset, err := zipmember.Offset(m, a.file.Size())
	if err != nil {
		return nil, err
	}
	size := int64(m.UncompressedSize64)
	section := io.NewSectionReader(a.file, offset, size)
	return &object{ReaderAt: section, size: size, close: none, sum: func(raw []byte) error {
		if got := crc32.ChecksumIEEE(raw); got != m.CRC32 {
			return fmt.Errorf("corrupt: checksum %08x, want %08x", got, m.CRC32)
		}
		return nil
	}}, nil
}

func (a *archive) list(prefix string, visit func(name string, prefix bool) error) error {
	for _, name := range a.below[prefix] {
		_, file := a.members[path.Join(prefix, name)]
		if err := visit(name, !file); err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) close() error { return a.file.Close() }
