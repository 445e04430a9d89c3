// Opening arrays: which format a file has, and which array of it is meant.

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"repscope/internal/mmap"
	"repscope/internal/text"
)

// splitSpec separates "FILE:key". A file whose own name holds the colon wins.
func splitSpec(spec string) (path, key string) {
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

// format is what the first bytes of a file say.
type format int

const (
	unknownFormat format = iota
	npyFormat
	npzFormat
	safetensorsFormat
	torchFormat
)

// formatOf finds the format by content, not by name.
func formatOf(file *mmap.File) (format, error) {
	head := make([]byte, min(64, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("%s: %w", file.Path(), err)
	}
	path := strings.ToLower(file.Path())
	switch {
	case len(head) == 0:
		return 0, fmt.Errorf("%s: %w: the file is empty", file.Path(), ErrTruncated)
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return npyFormat, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		archive, err := openZip(file)
		if err != nil {
			return 0, err
		}
		for _, m := range archive.File {
			if strings.HasSuffix(m.Name, ".npy") {
				return npzFormat, nil
			}
			if strings.HasSuffix(m.Name, "/data.pkl") {
				return torchFormat, nil
			}
		}
		return npzFormat, nil
	case len(head) >= 9 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= maxSafetensorsHeader:
		return safetensorsFormat, nil
	case bytes.HasPrefix(head, []byte("\x80\x02\x8a\x0a")):
		return torchFormat, nil
	case strings.HasSuffix(path, ".npy"):
		_, err := openNPY(file)
		return npyFormat, err
	case strings.HasSuffix(path, ".safetensors"):
		_, err := readSafetensors(file)
		return safetensorsFormat, err
	case strings.HasSuffix(path, ".pth"), strings.HasSuffix(path, ".pt"):
		return torchFormat, nil
	}
	what := fmt.Sprintf("begins with %q", head[:min(8, len(head))])
	switch {
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		what = "is a Git LFS pointer, not the file itself (git lfs pull)"
	case bytes.HasPrefix(head, []byte("\x89PNG")), bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		what = "is one image: give the folder of the images"
	case bytes.HasPrefix(head, []byte("\x89HDF")):
		what = "is an HDF5 file"
	}
	return 0, fmt.Errorf("%s: %s; want .npy, .npz, .safetensors, .pth or a folder of images", file.Path(), what)
}

// Open opens "FILE" or "FILE:key" (see the package comment for the formats).
// The key names one array of an npz or safetensors file and may be left out
// when there is only one; of an experience dataset it is "val" (the default) or
// "train", optionally followed by ".states", ".actions", ".rewards" or
// ".stop_episodes"; of another PyTorch file it is the path of a tensor, such as
// "buffer.frames". A directory is a folder of images.
func Open(spec string) (*Array, error) {
	path, key := splitSpec(spec)
	info, err := os.Stat(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) { // without the name of the system call
			return nil, fmt.Errorf("%s: %w", path, p.Err)
		}
		return nil, err
	}
	if info.IsDir() {
		if key != "" {
			return nil, fmt.Errorf("%s: a folder of images has no array %q", path, key)
		}
		return openImages(path)
	}
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	a, err := openFile(file, key)
	if err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

// openFile opens one array of a file. The array closes the file; on error the
// caller does.
func openFile(file *mmap.File, key string) (*Array, error) {
	f, err := formatOf(file)
	if err != nil {
		return nil, err
	}
	switch f {
	case npyFormat:
		if key != "" {
			return nil, fmt.Errorf("%s: a .npy file holds one array without a name, not %q", file.Path(), key)
		}
		return openNPY(file)
	case npzFormat:
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
		return openMember(file, members[key], key)
	case safetensorsFormat:
		s, err := readSafetensors(file)
		if err != nil {
			return nil, err
		}
		if key, err = chooseKey(file.Path(), key, s.names); err != nil {
			return nil, err
		}
		return s.open(key)
	}
	a, err := openTorch(file.Path(), key)
	if err == nil {
		file.Close() // the array has the file open on its own
	}
	return a, err
}

// OpenAll opens every array of an .npz or .safetensors file, in the order of the
// file. Each is closed on its own; the file is released with the last.
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
	var arrays []*Array
	switch f {
	case npzFormat:
		archive, err := openZip(file)
		if err != nil {
			return nil, err
		}
		names, members, err := npzMembers(file, archive)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			a, err := openMember(file, members[name], name)
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, a)
		}
	case safetensorsFormat:
		s, err := readSafetensors(file)
		if err != nil {
			return nil, err
		}
		for _, name := range s.names {
			a, err := s.open(name)
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, a)
		}
	default:
		return nil, fmt.Errorf("%s: want an .npz or .safetensors file", file.Path())
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
	a.verified = part == nil
	a.digest = sync.OnceValues(func() (string, error) { return hashFile(file, part) })
}

// chooseKey returns the name that is meant, or an error that lists the names.
func chooseKey(path, key string, names []string) (string, error) {
	switch {
	case len(names) == 0:
		return "", fmt.Errorf("%s: holds no arrays", path)
	case key == "" && len(names) == 1:
		return names[0], nil
	case key == "":
		return "", fmt.Errorf("%s: holds %d arrays; name one as %s:%s (there are %s)", path, len(names), path, names[0], list(names))
	case slices.Contains(names, key):
		return key, nil
	}
	hint := ""
	if near := text.Nearest(key, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return "", fmt.Errorf("%s: no array %q (there are %s)%s", path, key, list(names), hint)
}

// list joins names for a message, the first dozen of them.
func list(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
