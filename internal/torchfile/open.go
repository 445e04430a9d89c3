// Opening a file: which format it is, and its root value.

package torchfile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"sort"
	"strings"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/pickle"
	"repscope/internal/zipmember"
)

// File is an open file. Its tensors can be read until Close.
type File struct {
	file *mmap.File
	root any
}

// Option changes how a file is opened.
type Option func(*settings)

type settings struct {
	classes map[string]bool
	memory  int64
}

// AllowClasses lets instances of the given classes ("module.name") through as
// inert Objects.
func AllowClasses(names ...string) Option {
	return func(s *settings) {
		for _, name := range names {
			s.classes[name] = true
		}
	}
}

// Memory limits what the values other than tensors may take, by a generous
// count, if the size of the file does not already allow less. The default is 2 GiB.
func Memory(bytes int64) Option { return func(s *settings) { s.memory = bytes } }

// budget is the memory that a pickle of the given size may take: real ones stay
// far below it, so that a small file cannot ask for much.
func (s *settings) budget(size int64) int64 { return min(s.memory, 64<<20+256*size) }

// ErrTruncated says that a file ends too early: it was cut while being copied or
// written.
var ErrTruncated = zipmember.ErrTruncated

// Open reads the structure of the file at path; tensors stay on disk.
func Open(path string, options ...Option) (*File, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := Read(file, options...)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Read is Open for a file that is open already; if there is no error, closing the
// result closes it.
func Read(file *mmap.File, options ...Option) (*File, error) {
	s := &settings{classes: map[string]bool{}, memory: 2 << 30}
	for _, o := range options {
		o(s)
	}
	f := &File{file: file}
	if err := f.read(s); err != nil {
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

func (f *File) read(s *settings) error {
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
		raw, err = f.readZip(s)
	case bytes.HasPrefix(head, legacyMagic):
		raw, err = f.readLegacy(s)
	case bytes.HasPrefix(legacyMagic, head) || bytes.HasPrefix(zipMagic, head):
		return fmt.Errorf("%w: the file has only %d bytes", ErrTruncated, len(head))
	case head[0] == 0x80:
		return errors.New("is a Python pickle that torch.save did not write; save it with torch.save")
	default:
		return fmt.Errorf("is no PyTorch file, but %s", trimmed(head))
	}
	if err != nil {
		if errors.Is(err, pickle.ErrTruncated) {
			err = fmt.Errorf("%w: %w", ErrTruncated, err)
		}
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

// maxPickle is the largest structure that is read; tensors are not part of it.
const maxPickle = 1 << 30

// readZip reads the format of PyTorch 1.6 and later: a zip file with the pickle
// NAME/data.pkl and one member NAME/data/KEY per storage.
func (f *File) readZip(s *settings) (any, error) {
	archive, err := zip.NewReader(f.file, f.file.Size())
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, fmt.Errorf("%w: begins as a zip file but has no zip directory at its end (%d bytes)", ErrTruncated, f.file.Size())
		}
		return nil, fmt.Errorf("corrupt zip file: %w", err)
	}
	members := make(map[string]*zip.File, len(archive.File))
	var root string
	script := false
	for _, m := range archive.File {
		if _, twice := members[m.Name]; twice {
			return nil, fmt.Errorf("corrupt zip file: member %q is there twice", m.Name)
		}
		members[m.Name] = m
		prefix, name, ok := strings.Cut(m.Name, "/")
		if !ok {
			continue
		}
		if name == "data.pkl" {
			if root != "" {
				return nil, errors.New("has more than one data.pkl")
			}
			root = prefix + "/"
		}
		if name == "constants.pkl" || strings.HasPrefix(name, "code/") {
			script = true
		}
	}
	if script {
		return nil, errors.New("is a TorchScript program, which is not supported; save model.state_dict(), or export the model to ONNX")
	}
	if root == "" {
		return nil, errors.New("is a zip file without data.pkl: torch.save did not write it")
	}
	order := dtype.LittleEndian
	if m := members[root+"byteorder"]; m != nil {
		text, err := f.readMember(m, 16)
		if err != nil {
			return nil, err
		}
		switch strings.TrimSpace(string(text)) {
		case "little":
		case "big":
			order = dtype.BigEndian
		default:
			return nil, fmt.Errorf("member byteorder says %.16q, want little or big", text)
		}
	}
	text, err := f.readMember(members[root+"data.pkl"], maxPickle)
	if err != nil {
		return nil, err
	}
	storages := map[string]*storage{}
	value, err := pickle.Load(bytes.NewReader(text), int64(len(text)), pickle.Options{
		Find: s.find, Memory: s.budget(int64(len(text))),
		Persistent: func(id any) (any, error) {
			p, err := parsePersistent(id)
			if err != nil {
				return nil, err
			}
			if p.view != nil {
				return nil, errors.New("a storage that is a view, in a zip file")
			}
			if known := storages[p.key]; known != nil {
				return known.as(p)
			}
			m := members[root+"data/"+p.key]
			if m == nil {
				return nil, fmt.Errorf("member %q is missing", root+"data/"+p.key)
			}
			made, err := f.member(m, p, order)
			if err == nil {
				storages[p.key] = made
			}
			return made, err
		}})
	if err != nil {
		return nil, fmt.Errorf("data.pkl %w", err)
	}
	return value, nil
}

// readMember returns the content of a small member.
func (f *File) readMember(m *zip.File, limit uint64) ([]byte, error) {
	if err := zipmember.Check(m, f.file.Size()); err != nil {
		return nil, err
	}
	if m.UncompressedSize64 > limit {
		return nil, fmt.Errorf("member %q has %d bytes, want at most %d", m.Name, m.UncompressedSize64, limit)
	}
	if m.Method == zip.Deflate {
		return inflate(m)
	}
	s, err := f.stored(m)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	out := make([]byte, s.size)
	err = s.use(0, s.size, func(raw []byte) error { copy(out, raw); return nil })
	return out, err
}

// stored finds a stored member in the file.
func (f *File) stored(m *zip.File) (*storage, error) {
	offset, err := zipmember.Offset(m, f.file.Size())
	if err != nil {
		return nil, err
	}
	return &storage{name: m.Name, size: int64(m.UncompressedSize64), file: f.file, offset: offset, crc: m.CRC32, hasCRC: true}, nil
}

// member makes the storage behind a zip member.
func (f *File) member(m *zip.File, p persistent, order dtype.Order) (*storage, error) {
	if err := zipmember.Check(m, f.file.Size()); err != nil {
		return nil, err
	}
	want := p.count * int64(p.dtype.Size())
	if m.UncompressedSize64 != uint64(want) {
		return nil, fmt.Errorf("member %q has %d bytes, want %d (%d elements of type %v)", m.Name, m.UncompressedSize64, want, p.count, p.dtype)
	}
	s := &storage{name: m.Name, size: want, file: f.file, member: m}
	if m.Method == zip.Store {
		var err error
		if s, err = f.stored(m); err != nil {
			return nil, err
		}
	}
	s.dtype, s.order = p.dtype, order
	return s, nil
}

// as returns the storage seen as p names it: the same storage may appear with
// another type.
func (s *storage) as(p persistent) (*storage, error) {
	if p.count*int64(p.dtype.Size()) != s.size {
		return nil, fmt.Errorf("storage %s has %d bytes and, elsewhere, %d elements of type %v", s.name, s.size, p.count, p.dtype)
	}
	if p.dtype == s.dtype {
		return s, nil
	}
	if s.member != nil {
		return nil, fmt.Errorf("storage %s is compressed and has two types, %v and %v", s.name, s.dtype, p.dtype)
	}
	return &storage{name: s.name, dtype: p.dtype, order: s.order, size: s.size, file: s.file, offset: s.offset, crc: s.crc, hasCRC: s.hasCRC}, nil
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
		return p, errors.New("refers to an object outside the pickle that is no storage")
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

// readLegacy reads the format before PyTorch 1.6: five pickles (magic number,
// protocol, system, value, storage keys), then each storage as its number of
// elements and its bytes, in the order of the keys.
func (f *File) readLegacy(s *settings) (any, error) {
	size := f.file.Size()
	in := &counter{Reader: bufio.NewReaderSize(io.NewSectionReader(f.file, 0, size), 1<<16)}
	storages := map[string]*storage{}
	order := dtype.LittleEndian
	load := func(what string, options pickle.Options) (any, error) {
		options.Memory = s.budget(size)
		v, err := pickle.Load(in, size-in.position, options)
		if err != nil {
			return nil, fmt.Errorf("%s %w", what, err)
		}
		return v, nil
	}
	magic, err := load("magic number", pickle.Options{})
	if err != nil {
		return nil, err
	}
	if _, ok := magic.(*big.Int); !ok {
		return nil, errors.New("the magic number is missing")
	}
	protocol, err := load("protocol", pickle.Options{})
	if err != nil {
		return nil, err
	}
	if protocol != int64(legacyProtocol) {
		return nil, fmt.Errorf("protocol %s, want %d", printable(protocol), legacyProtocol)
	}
	system, err := load("system information", pickle.Options{})
	if err != nil {
		return nil, err
	}
	if d, ok := system.(*pickle.Dict); ok {
		if little, ok := d.Get("little_endian"); ok && little == false {
			order = dtype.BigEndian
		}
	}
	views := map[string]*storage{}
	value, err := load("value", pickle.Options{Find: s.find, Persistent: func(id any) (any, error) {
		p, err := parsePersistent(id)
		if err != nil {
			return nil, err
		}
		elementSize := int64(p.dtype.Size())
		st := storages[p.key]
		if st == nil {
			if p.count > size/elementSize {
				return nil, fmt.Errorf("%w: storage %.40q has %d elements of type %v, the file %d bytes", ErrTruncated, p.key, p.count, p.dtype, size)
			}
			st = &storage{name: p.key, dtype: p.dtype, order: order, size: p.count * elementSize, file: f.file, offset: -1}
			storages[p.key] = st
		} else if st.dtype != p.dtype || st.size != p.count*elementSize {
			return nil, fmt.Errorf("storage %.40q has %d bytes of type %v and, elsewhere, %d elements of type %v", p.key, st.size, st.dtype, p.count, p.dtype)
		}
		if p.view == nil {
			return st, nil
		}
		name := fmt.Sprintf("%s+%d:%d", p.key, p.view.offset, p.view.count)
		if v := views[name]; v != nil {
			return v, nil
		}
		v := &storage{name: name, dtype: p.dtype, order: order, size: p.view.count * elementSize, file: f.file, parent: st, offset: p.view.offset * elementSize}
		views[name] = v
		return v, nil
	}})
	if err != nil {
		return nil, err
	}
	keys, err := load("storage keys", pickle.Options{})
	if err != nil {
		return nil, err
	}
	list, ok := keys.(*pickle.List)
	if !ok {
		return nil, fmt.Errorf("the storage keys are a %s, want a list", pickle.TypeName(keys))
	}
	at := in.position
	placed := map[string]bool{}
	for _, k := range list.Items {
		key, ok := k.(string)
		st := storages[key]
		if !ok || st == nil || placed[key] {
			return nil, fmt.Errorf("corrupt storage keys: %.40q is not a storage of the value, or is there twice", fmt.Sprint(k))
		}
		placed[key] = true
		var count [8]byte
		if n, _ := f.file.ReadAt(count[:], at); n < 8 {
			return nil, fmt.Errorf("%w: storage %.40q is missing at byte %d of %d", ErrTruncated, key, at, size)
		}
		var elements int64
		for i := range 8 { // written in the order of the system, see sys_info
			b := count[7-i]
			if order == dtype.BigEndian {
				b = count[i]
			}
			elements = elements<<8 | int64(b)
		}
		if want := st.size / int64(st.dtype.Size()); elements != want {
			return nil, fmt.Errorf("storage %.40q at byte %d has %d elements, want %d", key, at, elements, want)
		}
		at += 8
		if st.size > size-at {
			return nil, fmt.Errorf("%w: storage %.40q has %d bytes at byte %d, the file %d", ErrTruncated, key, st.size, at, size)
		}
		st.offset = at
		at += st.size
	}
	missing := make([]string, 0)
	for key := range storages {
		if !placed[key] {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		sort.Strings(missing)
		return nil, fmt.Errorf("storage %.40q is not in the file", missing[0])
	}
	for _, v := range views {
		v.offset += v.parent.offset
	}
	return value, nil
}
