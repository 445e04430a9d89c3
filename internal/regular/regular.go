// Package regular opens files named by a command line, a configuration or another file. Only regular files are opened,
// and opening one never waits. A pipe without a writer or an endless device is an error instead of a run that hangs.
//
//	data, err := regular.Read("study.yaml", regular.Settings)
package regular

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"repscope/internal/text"
)

// The maximum bytes of a file that is read as a whole, by its content.
const (
	Settings = 16e6  // a configuration, a suite, a record of ours
	Listing  = 256e6 // a vocabulary, a tokenizer, an index of weights, a design, a trace
	Table    = 1e9   // a table, a result, a shard
)

// ErrTooLarge reports that a file is larger than its kind of content may be.
var ErrTooLarge = errors.New("too large")

// Open opens a regular file for reading. Errors: errors of the system, and a folder, pipe, socket or device.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is [os.OpenFile] of a regular file, or of one that it makes.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	// A device is not even opened: for some that alone does something.
	info, err := os.Stat(path)
	if err == nil {
		err = Check(path, info)
	} else if flag&os.O_CREATE != 0 && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, flag|withoutWaiting, mode)
	if err != nil {
		return nil, err
	}
	return checked(path, file)
}

// OpenIn is Open for a name below a folder; no symbolic link may lead outside.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, outside(err)
	}
	if err := Check(name, info); err != nil {
		return nil, err
	}
	file, err := root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, outside(err)
	}
	return checked(name, file)
}

// PathError is an error of a file without the name of the system call; other errors stay as they are.
func PathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// outside is an error of [os.Root] without the system call, and one that names the link that leads out of the folder.
func outside(err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	failed := p.Err
	if failed.Error() == "path escapes from parent" {
		failed = errors.New("is a link that leads outside its folder")
	}
	return &kindError{&fs.PathError{Op: "open", Path: p.Path, Err: failed}}
}

// OpenBeside opens a file that the file at a path names, in the folder of that file or below. No symbolic link may lead
// outside. Where the file is a link itself, the named one may lie with its target: the cache of a hub of models has
// links to its blobs in the folder of every version.
func OpenBeside(path, name string) (*os.File, error) {
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%s: want a path inside the folder of %s", name, path)
	}
	file, err := openBelow(filepath.Dir(path), name)
	if err == nil {
		return file, nil
	}
	if info, failed := os.Lstat(path); failed != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil, err
	}
	target, failed := filepath.EvalSymlinks(path)
	named, missing := filepath.EvalSymlinks(filepath.Join(filepath.Dir(path), name))
	if failed != nil || missing != nil {
		return nil, err
	}
	rest, outside := filepath.Rel(filepath.Dir(target), named)
	if outside != nil || !filepath.IsLocal(rest) {
		return nil, err
	}
	return openBelow(filepath.Dir(target), rest)
}

// openBelow is OpenIn for a folder by its path.
func openBelow(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return OpenIn(root, name)
}

// checked checks an open file again: the path may now belong to another one.
func checked(path string, file *os.File) (*os.File, error) {
	info, err := file.Stat()
	if err == nil {
		err = Check(path, info)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Check is the error of a path that is no regular file.
func Check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &kindError{&fs.PathError{Op: "open", Path: path, Err: errors.New("want a file, got a " + kind(info.Mode()))}}
}

// kindError is a path error that does not name the system call, as none failed.
type kindError struct{ path *fs.PathError }

func (e *kindError) Error() string { return e.path.Path + ": " + e.path.Err.Error() }
func (e *kindError) Unwrap() error { return e.path }

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file (" + mode.Type().String() + ")"
}

// Read reads a regular file of at most most bytes. Errors: the errors of [Open], and [ErrTooLarge].
func Read(path string, most int64) ([]byte, error) {
	return ReadContext(context.Background(), path, most)
}

// ReadContext is Read that ends soon after ctx does.
func ReadContext(ctx context.Context, path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return All(ctx, path, file, limit)
}

// All reads the rest of a stream of at most most bytes, and ends soon after ctx does; path names it in errors.
func All(ctx context.Context, path string, r io.Reader, limit int64) ([]byte, error) {
	size := int64(0)
	if file, ok := r.(*os.File); ok {
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		size = info.Size()
	}
	if size > limit {
		return nil, tooLarge(path, size, limit)
	}
	var data bytes.Buffer
	data.Grow(int(size) + bytes.MinRead)
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n, err := io.CopyN(&data, r, 1<<20)
		switch {
		case int64(data.Len()) > limit:
			return nil, tooLarge(path, int64(data.Len()), limit)
		case err == io.EOF:
			return data.Bytes(), nil
		case err != nil:
			return nil, err
		case n == 0:
			return nil, io.ErrNoProgress
		}
	}
}

func tooLarge(path string, size, most int64) error {
	return fmt.Errorf("%s: %w: it has %s or more, want at most %s; check that it is the right file",
		path, ErrTooLarge, text.Bytes(size), text.Bytes(most))
}
