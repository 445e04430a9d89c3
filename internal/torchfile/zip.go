// PyTorch files of version 1.6 and later: zip files.

package torchfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/dtype"
	"repscope/internal/pickle"
	"repscope/internal/zipmember"
)

// maxPickle is the largest structure that is read; tensors are not part of it.
const maxPickle = 1 << 30

// zipFile is a PyTorch file of version 1.6 and later.
type zipFile struct {
	*File
	members  map[string]*zip.File
	root     string // the folder that all members are in, with a slash
	order    dtype.Order
	storages map[string]*storage
}

// readZip reads the format of PyTorch 1.6 and later: a zip file with the pickle
// NAME/data.pkl and one member NAME/data/KEY per storage.
func (f *File) readZip() (any, error) {
	z := &zipFile{File: f, storages: map[string]*storage{}}
	if err := z.list(); err != nil {
		return nil, err
	}
	if policy := z.members[policyMember]; z.root == "" && policy != nil {
		return f.readPolicy(policy)
	}
	if err := z.readOrder(); err != nil {
		return nil, err
	}
	text, err := f.readMember(z.members[z.root+"data.pkl"], maxPickle)
	if err != nil {
		return nil, err
	}
	value, err := f.load(bytes.NewReader(text), int64(len(text)), pickle.Options{Find: find, Persistent: z.persistent})
	if err != nil {
		return nil, fmt.Errorf("data.pkl %w", err)
	}
	return value, nil
}

// policyMember is the PyTorch file of a model that Stable-Baselines3 saved.
const policyMember = "policy.pth"

// readPolicy reads the PyTorch file in the zip file of an agent.
func (f *File) readPolicy(m *zip.File) (any, error) {
	if err := zipmember.Check(m, f.file.Size()); err != nil {
		return nil, err
	}
	if m.Method != zip.Store {
		return nil, fmt.Errorf("member %q is compressed; unpack it and give that file", m.Name)
	}
	first, err := zipmember.Offset(m, f.file.Size())
	if err != nil {
		return nil, err
	}
	f.file.first, f.file.size, f.inner = f.file.first+first, int64(m.UncompressedSize64), true
	return f.readZip()
}

// list reads the directory and finds the root.
func (z *zipFile) list() error {
	archive, err := zip.NewReader(z.file, z.file.Size())
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return fmt.Errorf("%w: begins as a zip file but has no zip directory at its end (%d bytes)",
				ErrTruncated, z.file.Size())
		}
		return fmt.Errorf("corrupt zip file: %w", err)
	}
	if err := zipmember.Whole(z.file, z.file.Size()); err != nil {
		return err
	}
	z.members = make(map[string]*zip.File, len(archive.File))
	script := false
	for _, m := range archive.File {
		if _, twice := z.members[m.Name]; twice {
			return fmt.Errorf("corrupt zip file: member %q appears twice", m.Name)
		}
		z.members[m.Name] = m
		prefix, name, ok := strings.Cut(m.Name, "/")
		if !ok {
			continue
		}
		if name == "data.pkl" {
			if z.root != "" {
				return errors.New("has more than one data.pkl")
			}
			z.root = prefix + "/"
		}
		if name == "constants.pkl" || strings.HasPrefix(name, "code/") {
			script = true
		}
	}
	if script {
		return errors.New("is a TorchScript program, which is not supported; save model.state_dict(), or export the model to ONNX")
	}
	if z.root == "" && z.members[policyMember] != nil && !z.inner {
		return nil
	}
	if z.root == "" {
		return errors.New("is a zip file without data.pkl: torch.save did not write it")
	}
	for name, m := range z.members {
		name, _ = strings.CutPrefix(name, z.root)
		if !strings.HasPrefix(name, "data/") && !slices.Contains(knownMembers, name) {
			if err := zipmember.Named(z.file, m); err != nil {
				return err // "byteorder" may have become another name
			}
		}
	}
	return nil
}

// knownMembers are the members that torch.save writes in addition to storages.
var knownMembers = []string{"data.pkl", "byteorder", "version", ".format_version", ".storage_alignment",
	".data/serialization_id"}

// readOrder reads the byte order of the values, which newer files name.
func (z *zipFile) readOrder() error {
	m := z.members[z.root+"byteorder"]
	if m == nil {
		return nil
	}
	text, err := z.readMember(m, 16)
	if err != nil {
		return err
	}
	switch strings.TrimSpace(string(text)) {
	case "little":
	case "big":
		z.order = dtype.BigEndian
	default:
		return fmt.Errorf("member byteorder says %.16q, want little or big", text)
	}
	return nil
}

// persistent finds the storage that a pickle refers to.
func (z *zipFile) persistent(id any) (any, error) {
	p, err := parsePersistent(id)
	if err != nil {
		return nil, err
	}
	if p.view != nil {
		return nil, errors.New("a storage that is a view, in a zip file")
	}
	if known := z.storages[p.key]; known != nil {
		return known.as(p)
	}
	m := z.members[z.root+"data/"+p.key]
	if m == nil {
		return nil, fmt.Errorf("member %q is missing", z.root+"data/"+p.key)
	}
	order, err := z.member(m, p, z.order)
	if err == nil {
		z.storages[p.key] = order
	}
	return order, err
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
		if err := f.budget.Take(fmt.Sprintf("member %q", m.Name), int64(m.UncompressedSize64)); err != nil {
			return nil, err
		}
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
	return &storage{name: m.Name, size: int64(m.UncompressedSize64), file: f.file, offset: offset, crc: m.CRC32,
		hasCRC: true, budget: f.budget}, nil
}

// member makes the storage behind a zip member.
func (f *File) member(m *zip.File, p persistent, order dtype.Order) (*storage, error) {
	if err := zipmember.Check(m, f.file.Size()); err != nil {
		return nil, err
	}
	want := p.count * int64(p.dtype.Size())
	if m.UncompressedSize64 != uint64(want) {
		return nil, fmt.Errorf("member %q has %d bytes, want %d (%d elements of type %v)",
			m.Name, m.UncompressedSize64, want, p.count, p.dtype)
	}
	s := &storage{name: m.Name, size: want, file: f.file, member: m, budget: f.budget}
	if m.Method == zip.Store {
		var err error
		if s, err = f.stored(m); err != nil {
			return nil, err
		}
	} else if err := f.budget.Take(fmt.Sprintf("member %q", m.Name), want); err != nil {
		return nil, err
	}
	s.dtype, s.order = p.dtype, order
	return s, nil
}

// as returns the storage seen as p names it: the same storage may appear with
// another type.
func (s *storage) as(p persistent) (*storage, error) {
	if p.count*int64(p.dtype.Size()) != s.size {
		return nil, fmt.Errorf("storage %s has %d bytes and, elsewhere, %d elements of type %v",
			s.name, s.size, p.count, p.dtype)
	}
	if p.dtype == s.dtype {
		return s, nil
	}
	if s.member != nil {
		return nil, fmt.Errorf("storage %s is compressed and has two types, %v and %v", s.name, s.dtype, p.dtype)
	}
	return &storage{name: s.name, dtype: p.dtype, order: s.order, size: s.size, file: s.file, offset: s.offset,
		crc: s.crc, hasCRC: s.hasCRC, budget: s.budget}, nil
}
