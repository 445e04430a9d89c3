// Files that are made when they are first read.

package screens

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// files is a tree of files in memory: an [fs.FS]. It may be used by several goroutines.
type files struct {
	content map[string]func() []byte // makes a file, once
	folders map[string][]fs.DirEntry // in the order of names
}

func newFiles() *files {
	return &files{map[string]func() []byte{}, map[string][]fs.DirEntry{}}
}

// put enters a file.
func (f *files) put(name string, content func() []byte) {
	f.content[name] = sync.OnceValue(content)
	f.enter(name, false)
}

// enter enters a name into its folder, and this folder into the one above.
func (f *files) enter(name string, folder bool) {
	dir := path.Dir(name)
	i, exists := slices.BinarySearchFunc(f.folders[dir], path.Base(name), func(e fs.DirEntry, base string) int {
		return strings.Compare(e.Name(), base)
	})
	if exists {
		return
	}
	if f.folders[dir] == nil && dir != "." {
		f.enter(dir, true)
	}
	f.folders[dir] = slices.Insert(f.folders[dir], i, fs.DirEntry(&entry{f, name, folder}))
}

// find returns the entry of a name.
func (f *files) find(op, name string) (*entry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if _, ok := f.content[name]; ok {
		return &entry{f, name, false}, nil
	}
	if _, ok := f.folders[name]; ok || name == "." {
		return &entry{f, name, true}, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Open implements [fs.FS].
func (f *files) Open(name string) (fs.File, error) {
	e, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.folder {
		return &openFolder{entry: e, rest: f.folders[name]}, nil
	}
	return &openFile{bytes.NewReader(f.content[name]()), e}, nil
}

// Stat implements [fs.StatFS], without making the file.
func (f *files) Stat(name string) (fs.FileInfo, error) {
	e, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ReadFile implements [fs.ReadFileFS].
func (f *files) ReadFile(name string) ([]byte, error) {
	e, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	if e.folder {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errFolder}
	}
	return slices.Clone(f.content[name]()), nil
}

// ReadDir implements [fs.ReadDirFS].
func (f *files) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.folder {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errFile}
	}
	return slices.Clone(f.folders[name]), nil
}

type filesError string

func (e filesError) Error() string { return string(e) }

const (
	errFolder filesError = "is a folder"
	errFile   filesError = "is no folder"
)

// entry is a file or a folder by name: an [fs.DirEntry] and its [fs.FileInfo].
type entry struct {
	files  *files
	path   string
	folder bool
}

func (e *entry) Name() string               { return path.Base(e.path) }
func (e *entry) IsDir() bool                { return e.folder }
func (e *entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e *entry) Info() (fs.FileInfo, error) { return e, nil }
func (e *entry) ModTime() time.Time         { return time.Time{} }
func (e *entry) Sys() any                   { return nil }

func (e *entry) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// Size makes the file.
func (e *entry) Size() int64 {
	if e.folder {
		return 0
	}
	return int64(len(e.files.content[e.path]()))
}

// openFile is a file that is being read.
type openFile struct {
	*bytes.Reader
	entry *entry
}

func (o *openFile) Stat() (fs.FileInfo, error) { return o.entry, nil }
func (o *openFile) Close() error               { return nil }

// openFolder is a folder that is being listed.
type openFolder struct {
	entry *entry
	rest  []fs.DirEntry
}

func (o *openFolder) Stat() (fs.FileInfo, error) { return o.entry, nil }
func (o *openFolder) Close() error               { return nil }

func (o *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.entry.path, Err: errFolder}
}

// ReadDir implements [fs.ReadDirFile].
func (o *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(o.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(o.rest) {
		n = len(o.rest)
	}
	out := slices.Clone(o.rest[:n])
	o.rest = o.rest[n:]
	return out, nil
}
