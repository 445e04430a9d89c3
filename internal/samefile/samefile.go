// Package samefile finds outputs that are inputs, by whatever name: through symbolic links, other spellings of a path
// and other paths of a folder.
//
//	var files samefile.Set
//	files.Input("--frames x.npy", "x.npy")
//	err := files.Output("--out .", "./x.npy") // a *Clash
package samefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Set holds the inputs and outputs of a run. The zero Set is empty and ready to use, by several goroutines.
type Set struct {
	mu      sync.Mutex
	inputs  map[key][]file
	outputs map[key][]file
}

// key is the same for the same file, and for few others.
type key struct {
	canonical string // of a file that is not there
	size      int64
	modified  int64
}

// file is a path as it was named.
type file struct {
	what, path string
	info       fs.FileInfo // nil: it is not there
}

// Clash is the error of two files that are one.
type Clash struct {
	// The descriptions of the output and of the other file, and their paths.
	Output, OutputPath string
	Other, OtherPath   string
	Both               bool // the other one is an output, too
}

func (c *Clash) Error() string {
	if c.Both {
		return fmt.Sprintf("%s and %s are the same file (%s, %s)", c.Output, c.Other, c.OutputPath, c.OtherPath)
	}
	return fmt.Sprintf("%s would overwrite %s (%s), an input", c.OutputPath, c.Other, c.OtherPath)
}

// Input enters a file that is read; what describes how it was named. Missing files and folders are ignored.
func (s *Set) Input(what, path string) error {
	in, k, err := look(what, path)
	if err != nil || in.info == nil || !in.info.Mode().IsRegular() {
		return nil // its reader reports the error
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inputs == nil {
		s.inputs = map[key][]file{}
	}
	if out := same(s.outputs[k], in); out != nil {
		return &Clash{Output: out.what, OutputPath: out.path, Other: what, OtherPath: path}
	}
	if same(s.inputs[k], in) == nil {
		s.inputs[k] = append(s.inputs[k], in)
	}
	return nil
}

// Output enters a file that is written. Its error is a [*Clash] with an input, or with another output.
func (s *Set) Output(what, path string) error {
	out, k, err := look(what, path)
	if err != nil {
		return nil // its writer reports the error
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outputs == nil {
		s.outputs = map[key][]file{}
	}
	if in := same(s.inputs[k], out); in != nil {
		return &Clash{Output: what, OutputPath: path, Other: in.what, OtherPath: in.path}
	}
	if other := same(s.outputs[k], out); other != nil {
		return &Clash{Output: what, OutputPath: path, Other: other.what, OtherPath: other.path, Both: true}
	}
	s.outputs[k] = append(s.outputs[k], out)
	return nil
}

// Over is the [*Clash] of writing to a path that is an input; nil if it is none.
func (s *Set) Over(path string) error {
	out, k, err := look("", path)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := same(s.inputs[k], out); in != nil {
		return &Clash{OutputPath: path, Other: in.what, OtherPath: in.path}
	}
	return nil
}

// same is the file of a list that another one is.
func same(list []file, f file) *file {
	for i := range list {
		if list[i].info == nil || f.info == nil || os.SameFile(list[i].info, f.info) {
			return &list[i]
		}
	}
	return nil
}

// look identifies the file of a path.
func look(what, path string) (file, key, error) {
	f := file{what: what, path: path}
	info, err := os.Stat(path)
	switch {
	case err == nil:
		f.info = info
		return f, key{size: info.Size(), modified: info.ModTime().UnixNano()}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return f, key{}, err
	}
	canonical, err := Canonical(path)
	return f, key{canonical: canonical}, err
}

// Inside is the path of a file from a folder, whether the file exists or not; "" if it is not below the folder.
// Symbolic links are resolved.
func Inside(folder, file string) (string, error) {
	folder, err := Canonical(folder)
	if err != nil {
		return "", err
	}
	if file, err = Canonical(file); err != nil {
		return "", err
	}
	rest, err := filepath.Rel(folder, file)
	if err != nil || rest == "." || !filepath.IsLocal(rest) {
		return "", nil // such as on another drive
	}
	return rest, nil
}

// mostBelow is the most files of a folder that are looked at.
const mostBelow = 1 << 20

// Below are the files in and below a folder, as far as it can be read.
func Below(folder string) (files []string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // its reader reports the error
		case len(files) == mostBelow:
			return fs.SkipAll
		case !entry.IsDir():
			files = append(files, path)
		}
		return nil
	})
	return files
}

// links is the maximum number of symbolic links that are followed.
const links = 40

// Canonical is the one path of a file, whether it exists or not: symbolic links are resolved as far as folders exist.
func Canonical(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for range links {
		if whole, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(whole, rest), nil
		}
		if target, err := os.Readlink(path); err == nil { // to nowhere
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			path = target
			continue
		}
		above := filepath.Dir(path)
		if above == path {
			break
		}
		rest, path = filepath.Join(filepath.Base(path), rest), above
	}
	return filepath.Join(path, rest), nil
}
