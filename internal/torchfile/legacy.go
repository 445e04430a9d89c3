// PyTorch files from before version 1.6: pickles, one after the other.

package torchfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"

	"repscope/internal/dtype"
	"repscope/internal/pickle"
)

// counter counts the bytes that a buffered reader has handed out.
type counter struct {
	*bufio.Reader
	position int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.position += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.position++
	}
	return b, err
}

// legacyProtocol is the version that torch.save writes after its magic number.
const legacyProtocol = 1001

// legacyFile is a PyTorch file from before version 1.6.
type legacyFile struct {
	*File
	in       *counter
	size     int64
	order    dtype.Order
	storages map[string]*storage
	views    map[string]*storage // parts of storages, at offsets of their own
}

// readLegacy reads the format before PyTorch 1.6: five pickles (magic number,
// protocol, system, value, storage keys), then each storage as its number of
// elements and its bytes, in the order of the keys.
func (f *File) readLegacy() (any, error) {
	size := f.file.Size()
	l := &legacyFile{File: f, size: size, storages: map[string]*storage{}, views: map[string]*storage{}}
	l.in = &counter{Reader: bufio.NewReaderSize(io.NewSectionReader(f.file, 0, size), 1<<16)}
	if err := l.readHead(); err != nil {
		return nil, err
	}
	value, err := l.load("value", pickle.Options{Find: find, Persistent: l.persistent})
	if err != nil {
		return nil, err
	}
	keys, err := l.load("storage keys", pickle.Options{})
	if err != nil {
		return nil, err
	}
	list, ok := keys.(*pickle.List)
	if !ok {
		return nil, fmt.Errorf("the storage keys are a %s, want a list", pickle.TypeName(keys))
	}
	return value, l.place(list.Items)
}

// load reads the next pickle.
func (l *legacyFile) load(what string, options pickle.Options) (any, error) {
	v, err := l.File.load(l.in, l.size-l.in.position, options)
	if err != nil {
		return nil, fmt.Errorf("%s %w", what, err)
	}
	return v, nil
}

// readHead reads the magic number, the protocol and the system's byte order.
func (l *legacyFile) readHead() error {
	magic, err := l.load("magic number", pickle.Options{})
	if err != nil {
		return err
	}
	if _, ok := magic.(pickle.Long); !ok {
		return errors.New("the magic number is missing")
	}
	protocol, err := l.load("protocol", pickle.Options{})
	if err != nil {
		return err
	}
	if protocol != int64(legacyProtocol) {
		return fmt.Errorf("protocol %s, want %d", printable(protocol), legacyProtocol)
	}
	system, err := l.load("system information", pickle.Options{})
	if err != nil {
		return err
	}
	if d, ok := system.(*pickle.Dict); ok {
		if little, ok := d.Get("little_endian"); ok && little == false {
			l.order = dtype.BigEndian
		}
	}
	return nil
}

// persistent makes the storage, or the view of one, that the value refers to.
// Where it lies in the file is known later.
func (l *legacyFile) persistent(id any) (any, error) {
	p, err := parsePersistent(id)
	if err != nil {
		return nil, err
	}
	elementSize := int64(p.dtype.Size())
	st := l.storages[p.key]
	if st == nil {
		if p.count > l.size/elementSize {
			return nil, fmt.Errorf("%w: storage %.40q has %d elements of type %v, the file %d bytes",
				ErrTruncated, p.key, p.count, p.dtype, l.size)
		}
		st = &storage{name: p.key, dtype: p.dtype, order: l.order, size: p.count * elementSize, file: l.file, offset: -1,
			budget: l.budget}
		l.storages[p.key] = st
	} else if st.dtype != p.dtype || st.size != p.count*elementSize {
		return nil, fmt.Errorf("storage %.40q has %d bytes of type %v and, elsewhere, %d elements of type %v",
			p.key, st.size, st.dtype, p.count, p.dtype)
	}
	if p.view == nil {
		return st, nil
	}
	name := fmt.Sprintf("%s+%d:%d", p.key, p.view.offset, p.view.count)
	if v := l.views[name]; v != nil {
		return v, nil
	}
	v := &storage{name: name, dtype: p.dtype, order: l.order, file: l.file, parent: st, budget: l.budget,
		size: p.view.count * elementSize, offset: p.view.offset * elementSize}
	l.views[name] = v
	return v, nil
}

// place finds the storages in the file, in the order of their keys.
func (l *legacyFile) place(keys []any) error {
	pos := l.in.position
	placed := map[string]bool{}
	for _, k := range keys {
		key, ok := k.(string)
		st := l.storages[key]
		if !ok || st == nil || placed[key] {
			return fmt.Errorf("corrupt storage keys: %.40q is not a storage of the value, or appears twice", fmt.Sprint(k))
		}
		placed[key] = true
		if err := l.placeOne(st, key, pos); err != nil {
			return err
		}
		pos = st.offset + st.size
	}
	missing := make([]string, 0)
	for key := range l.storages {
		if !placed[key] {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		sort.Strings(missing)
		return fmt.Errorf("storage %.40q is not in the file", missing[0])
	}
	if pos < l.size {
		return fmt.Errorf("%d bytes follow the last storage and belong to no saved value: save one value per file",
			l.size-pos)
	}
	for _, v := range l.views {
		v.offset += v.parent.offset
	}
	return nil
}

// placeOne locates a storage at this byte, which holds its number of elements.
func (l *legacyFile) placeOne(st *storage, key string, pos int64) error {
	var count [8]byte
	if n, _ := l.file.ReadAt(count[:], pos); n < 8 {
		return fmt.Errorf("%w: storage %.40q is missing at byte %d of %d", ErrTruncated, key, pos, l.size)
	}
	elements := int64(binary.LittleEndian.Uint64(count[:])) // written in the order of the system, see sys_info
	if l.order == dtype.BigEndian {
		elements = int64(binary.BigEndian.Uint64(count[:]))
	}
	if want := st.size / int64(st.dtype.Size()); elements != want {
		return fmt.Errorf("storage %.40q at byte %d has %d elements, want %d", key, pos, elements, want)
	}
	pos += 8
	if st.size > l.size-pos {
		return fmt.Errorf("%w: storage %.40q has %d bytes at byte %d, the file %d", ErrTruncated, key, st.size, pos, l.size)
	}
	st.offset = pos
	return nil
}
