// Opening a file: which format it is, and its root value.

package torchfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/pickle"
)

// File is an open file. Its tensors can be read until Close.
type File struct {
	file   part
	inner  bool // the part is a member of the file
	root   any
	budget *bound.Budget // for the contents of the file beyond its own bytes
}

// part is a range of a file as a file of its own.
type part struct {
	*mmap.File
	first, size int64
}

// Size is the number of bytes of the part.
func (p part) Size() int64 { return p.size }

// ReadAt reads from an offset in the part.
func (p part) ReadAt(b []byte, offset int64) (int, error) {
	return io.NewSectionReader(p.File, p.first, p.size).ReadAt(b, offset)
}

// Use calls fn with n bytes at an offset in the part, which has them.
func (p part) Use(offset, n int64, fn func(raw []byte) error) error {
	return p.File.Use(p.first+offset, n, fn)
}

// maxMemory limits the values other than tensors, by a generous count, if the size of the file does not already allow
// less (see package bound).
const maxMemory = 2 << 30

// load reads a pickle, with a budget from the file's size.
func (f *File) load(in io.Reader, size int64, o pickle.Options) (any, error) {
	o.Memory = max(1, min(maxMemory, f.budget.Left()))
	return pickle.Load(in, size, o)
}

// ErrTruncated reports that a file ends too early: it was cut while being copied or written.
var ErrTruncated = format.ErrTruncated

// Open reads the structure of the file at path; tensors stay on disk.
func Open(path string) (*File, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := Read(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Read is Open for a file that is open already; if there is no error, closing the
// result closes it.
func Read(file *mmap.File) (*File, error) {
	f := &File{file: part{File: file, size: file.Size()}, budget: bound.NewBudget(file.Size())}
	if err := f.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	return f, nil
}

// Root is the value that was saved: *Dict, []any, string, int64, float64,
// bool, nil, *Tensor or *Object.
func (f *File) Root() any { return f.root }

// Path is the name the file was opened with.
func (f *File) Path() string { return f.file.Path() }

// Close releases the file. Tensors cannot be read afterwards.
func (f *File) Close() error { return f.file.Close() }

// Magic numbers of the two formats: a zip member, and a pickle (protocol 2) of
// the integer that torch.save writes first.
var (
	zipMagic    = []byte("PK\x03\x04")
	legacyMagic = []byte("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.")
)

func (f *File) read() error {
	head := make([]byte, min(f.file.Size(), 64))
	if _, err := f.file.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	var raw any
	var err error
	switch {
	case len(head) == 0:
		return errors.New("the file is empty")
	case bytes.HasPrefix(head, zipMagic):
		raw, err = f.readZip()
	case bytes.HasPrefix(head, legacyMagic):
		raw, err = f.readLegacy()
	case bytes.HasPrefix(legacyMagic, head) || bytes.HasPrefix(zipMagic, head):
		return fmt.Errorf("%w: the file has only %d bytes", ErrTruncated, len(head))
	case head[0] == 0x80:
		return errors.New("is a Python pickle that torch.save did not write; save it with torch.save")
	default:
		return fmt.Errorf("is not a PyTorch file, but %s", trimmed(head))
	}
	if err != nil {
		return err
	}
	c := converter{done: map[any]converted{}}
	out, err := c.convert(raw, 0)
	if err != nil {
		return nested{err}
	}
	f.root = out.value
	return nil
}

// persistent is a reference to a storage: ("storage", type, key, device,
// number of elements), in the older format with a view (key, offset, size) or None.
type persistent struct {
	dtype dtype.DType
	key   string
	count int64
	view  *view
}

type view struct {
	key           string
	offset, count int64
}

func parsePersistent(id any) (persistent, error) {
	var p persistent
	list, ok := items(id)
	if !ok || len(list) < 5 || list[0] != "storage" {
		return p, errors.New("refers to an object outside the pickle that is not a storage")
	}
	class, err := want[storageClass]("storage", list, 1)
	if err != nil {
		return p, err
	}
	p.dtype = class.dtype
	if p.key, err = want[string]("storage", list, 2); err != nil {
		return p, err
	}
	if p.count, err = want[int64]("storage", list, 4); err != nil {
		return p, err
	}
	if p.count < 0 || p.count > 1<<58 {
		return p, fmt.Errorf("storage %.40q has %d elements", p.key, p.count)
	}
	if len(list) > 5 && list[5] != nil {
		v, ok := items(list[5])
		if !ok || len(v) != 3 {
			return p, fmt.Errorf("storage %.40q: its view is a %s", p.key, pickle.TypeName(list[5]))
		}
		p.view = &view{}
		if p.view.key, err = want[string]("storage view", v, 0); err != nil {
			return p, err
		}
		if p.view.offset, err = want[int64]("storage view", v, 1); err != nil {
			return p, err
		}
		if p.view.count, err = want[int64]("storage view", v, 2); err != nil {
			return p, err
		}
		if p.view.offset < 0 || p.view.count < 0 || p.view.offset > p.count || p.view.count > p.count-p.view.offset {
			return p, fmt.Errorf("storage %.40q: view %d+%d of %d elements", p.key, p.view.offset, p.view.count, p.count)
		}
	}
	return p, nil
}
