// Reading .npz files: zip files of .npy members.

package dataset

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"sync"

	"repscope/internal/mmap"
	"repscope/internal/zipmember"
)

// maxChecked is the largest stored member whose checksum is verified when it is opened; SHA256, which reads the file
// anyway, verifies the checksum of larger ones.
const maxChecked = 1 << 26

// openZip reads the directory of a zip file.
func openZip(file *mmap.File) (*zip.Reader, error) {
	archive, err := readZip(file)
	if err != nil {
		return nil, err
	}
	for _, m := range archive.File { // an array whose name is damaged would be one that is not there
		if err := zipmember.Named(file, m); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path(), err)
		}
	}
	return archive, nil
}

// readZip reads the directory of a zip file.
func readZip(file *mmap.File) (*zip.Reader, error) {
	archive, err := zip.NewReader(file, file.Size())
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%s: %w: begins as a zip file but has no zip directory at its end (%d bytes)",
			file.Path(), ErrTruncated, file.Size())
	} else if err != nil {
		return nil, fmt.Errorf("%s: corrupt zip file: %w", file.Path(), err)
	}
	if err := zipmember.Whole(file, file.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	return archive, nil
}

// npzMembers returns the arrays of a zip file in order, by name.
func npzMembers(file *mmap.File, archive *zip.Reader) (names []string, members map[string]*zip.File, err error) {
	members = map[string]*zip.File{}
	for _, m := range archive.File {
		name, ok := strings.CutSuffix(m.Name, ".npy")
		if !ok {
			continue
		}
		if members[name] != nil {
			return nil, nil, fmt.Errorf("%s: corrupt: array %q appears twice", file.Path(), name)
		}
		members[name] = m
		names = append(names, name)
	}
	return names, members, nil
}

func openNPZ(file *mmap.File, key string) (*Array, error) {
	archive, err := openZip(file)
	if err != nil {
		return nil, err
	}
	names, members, err := npzMembers(file, archive)
	if err != nil {
		return nil, err
	}
	if key, err = chooseKey(file.Path(), strings.TrimSuffix(key, ".npy"), names); err != nil {
		return nil, err
	}
	a, err := openMember(file, members[key], key)
	var other *elementError
	if errors.As(err, &other) {
		other.key = key
	}
	return a, err
}

func allNPZ(file *mmap.File) ([]*Array, error) {
	archive, err := openZip(file)
	if err != nil {
		return nil, err
	}
	names, members, err := npzMembers(file, archive)
	if err != nil {
		return nil, err
	}
	arrays := make([]*Array, len(names))
	for i, name := range names {
		if arrays[i], err = openMember(file, members[name], name); err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

// openMember opens one array of an .npz file.
func openMember(file *mmap.File, m *zip.File, key string) (*Array, error) {
	name := file.Path() + ":" + key
	fail := func(err error) (*Array, error) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := zipmember.Check(m, file.Size()); err != nil {
		return fail(err)
	}
	size := int64(m.UncompressedSize64)
	if m.Method == zip.Store {
		offset, err := zipmember.Offset(m, file.Size())
		if err != nil {
			return fail(err)
		}
		h, err := readNPYHeader(io.NewSectionReader(file, offset, size), size)
		if err != nil {
			return fail(err)
		}
		part := &checksum{offset, size, m.CRC32}
		if size <= maxChecked {
			err := file.Use(offset, size, func(raw []byte) error {
				if got := crc32.ChecksumIEEE(raw); got != m.CRC32 {
					return fmt.Errorf("corrupt: checksum %08x, want %08x", got, m.CRC32)
				}
				return nil
			})
			if err != nil {
				return fail(err)
			}
			part = nil
		}
		a := h.array(name, file.Path(), key, h.in(file, offset))
		fromFile(a, file, part)
		a.close = file.Close
		return a, nil
	}
	raw, err := m.OpenRaw()
	if err != nil {
		return fail(err)
	}
	h, err := readNPYHeader(bufio.NewReader(flate.NewReader(raw)), size)
	if err != nil {
		return fail(err)
	}
	d := &deflated{member: m, header: h, archive: file.Close}
	a := h.array(name, file.Path(), key, d)
	fromFile(a, file, nil)
	a.close = d.close
	return a, nil
}

// maxInMemory is the largest compressed array that is decoded to memory; larger
// ones are decoded to a temporary file. It is a variable for the tests.
var maxInMemory uint64 = 1 << 28

// deflated is a compressed member. It is decoded once, when first read.
type deflated struct {
	member  *zip.File
	header  npyHeader
	archive func() error // closes the archive

	once   sync.Once
	source source
	err    error
	file   *mmap.File // the decoded array, when it is not in memory
	path   string     // of that file, when it could not be removed yet
}

func (d *deflated) use(lo, hi int, fn func(raw []byte) error) error {
	d.once.Do(func() { d.err = d.decode() })
	if d.err != nil {
		return d.err
	}
	return d.source.use(lo, hi, fn)
}

func (d *deflated) decode() error {
	if d.member.UncompressedSize64 <= maxInMemory {
		var out bytes.Buffer
		out.Grow(int(min(d.member.UncompressedSize64, 1<<20)))
		if err := zipmember.Inflate(&out, d.member); err != nil {
			return err
		}
		d.source = d.header.in(memory(out.Bytes()), 0)
		return nil
	}
	// The system keeps as much of a mapped file in memory as fits.
	temporary, err := os.CreateTemp("", "repscope-*.npy")
	if err != nil {
		return fmt.Errorf("decoding to a temporary file: %w", err)
	}
	path := temporary.Name()
	err = zipmember.Inflate(temporary, d.member)
	if err = errors.Join(err, temporary.Close()); err == nil {
		d.file, err = mmap.Open(path)
	}
	// Where the system allows it, the file loses its name now, so that nothing is
	// left behind however the program ends.
	if removeErr := os.Remove(path); removeErr != nil {
		d.path = path
	}
	if err != nil {
		return fmt.Errorf("decoding to a temporary file: %w", err)
	}
	d.source = d.header.in(d.file, 0)
	return nil
}

// close releases the temporary file and the archive.
func (d *deflated) close() error {
	d.once.Do(func() { d.err = mmap.ErrClosed })
	var err error
	if d.file != nil {
		err = d.file.Close()
	}
	if d.path != "" {
		err = errors.Join(err, os.Remove(d.path))
		d.path = ""
	}
	return errors.Join(err, d.archive())
}
