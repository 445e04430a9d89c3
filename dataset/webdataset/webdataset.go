// Package webdataset lists the samples of WebDataset archives: tar files whose members share a name up to its first
// point, the key, and differ in what follows, the ending.
//
//	file, err := mmap.Open("train-000.tar")
//	…
//	samples, err := webdataset.Read(file)
//	…
//	fmt.Println(samples[0].Key, samples[0].Parts["jpg"].Offset)
package webdataset

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"repscope/internal/format"
)

// Source is a file.
type Source interface {
	io.ReaderAt
	Path() string
	Size() int64
}

// Part is a member of an archive.
type Part struct{ Offset, Size int64 }

// Sample is the members of one key.
type Sample struct {
	Key string
	// Endings are the endings of the members, in lower case and in order; Parts are the members by them.
	Endings []string
	Parts   map[string]Part
}

// Is reports whether a file is a tar archive.
func Is(file io.ReaderAt) bool {
	const offset = 257
	var magic [5]byte
	n, _ := file.ReadAt(magic[:], offset)
	return string(magic[:n]) == "ustar"
}

// Read lists the samples of an archive in order. Errors: a damaged or truncated archive, links, devices and sparse
// members, members that lie outside of the file, two members of one name, and keys whose members do not lie together.
func Read(file Source) ([]Sample, error) {
	samples, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path(), err)
	}
	return samples, nil
}

func read(file Source) (samples []Sample, err error) {
	section := io.NewSectionReader(file, 0, file.Size())
	archive := tar.NewReader(section)
	seen := map[string]bool{}
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%w: the archive ends within a member", format.ErrTruncated)
		}
		if err != nil {
			return nil, fmt.Errorf("corrupt tar file: %w", err)
		}
		offset, _ := section.Seek(0, io.SeekCurrent)
		if err := regular(h); err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeDir || strings.HasPrefix(path.Base(h.Name), ".") {
			continue
		}
		if h.Size < 0 || h.Size > file.Size()-offset {
			return nil, fmt.Errorf("%w: member %q has %d bytes at offset %d of %d", format.ErrTruncated,
				h.Name, h.Size, offset, file.Size())
		}
		key, ending := split(h.Name)
		if ending == "" {
			return nil, fmt.Errorf("member %q has no ending, want KEY.ENDING such as 000.jpg", h.Name)
		}
		last := len(samples) - 1
		if last < 0 || samples[last].Key != key {
			if seen[key] {
				return nil, fmt.Errorf("the members of key %q are not consecutive; sort the archive by name (tar --sort=name)", key)
			}
			seen[key] = true
			samples = append(samples, Sample{Key: key, Parts: map[string]Part{}})
			last++
		}
		s := &samples[last]
		if _, twice := s.Parts[ending]; twice {
			return nil, fmt.Errorf("has two members %q", h.Name)
		}
		s.Endings = append(s.Endings, ending)
		s.Parts[ending] = Part{offset, h.Size}
	}
	if err := ended(section); err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("the archive has no samples")
	}
	return samples, nil
}

// regular is the error of members that are no plain files or folders.
func regular(h *tar.Header) error {
	what := ""
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir:
		for name := range h.PAXRecords {
			if strings.HasPrefix(name, "GNU.sparse.") {
				what = "sparse"
			}
		}
	case tar.TypeLink, tar.TypeSymlink:
		what = "a link to " + fmt.Sprintf("%q", h.Linkname)
	case tar.TypeGNUSparse:
		what = "sparse"
	default:
		what = fmt.Sprintf("of type %q", h.Typeflag)
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("member %q is %s, want plain files", h.Name, what)
}

// split separates a name at the first point of its last part.
func split(name string) (key, ending string) {
	dir, base := path.Split(name)
	base, ending, _ = strings.Cut(base, ".")
	return dir + base, strings.ToLower(ending)
}

// ended checks the two empty blocks at the end of an archive.
func ended(section *io.SectionReader) error {
	const blocks = 1024
	end, _ := section.Seek(0, io.SeekCurrent)
	tail := make([]byte, blocks)
	if end < blocks {
		return fmt.Errorf("%w: it has %d bytes", format.ErrTruncated, end)
	}
	if _, err := section.ReadAt(tail, end-blocks); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(tail, make([]byte, blocks)) {
		return fmt.Errorf("%w: the archive has no empty blocks at its end", format.ErrTruncated)
	}
	return nil
}
