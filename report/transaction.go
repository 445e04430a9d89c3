// This file is for writing the files of a run: all of them or none.

package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"repscope/internal/atomicfile"
)

// ErrClosed is returned by a transaction that was committed or aborted.
var ErrClosed = errors.New("the output transaction is closed")

// Transaction collects the files of one run under temporary names in the
// output folder. Commit gives all of them their names; Abort removes them. An
// earlier result in the folder stays as it was until Commit, and is restored
// when Commit fails half way. Nothing but the transaction's own files is ever
// removed, and those of runs of this machine that were killed. Runs that write into one folder at the same time take turns in
// Commit, so that the folder always holds the files of one run.
//
// A Transaction may be used by several goroutines.
type Transaction struct {
	dir     string
	id      string
	mu      sync.Mutex
	created []string // folders that were made, outermost first
	swept   []string // folders below that were there, from which is removed what killed runs have left
	files   []*file
	closed  bool
	sync    func(*os.File) error // os.File.Sync; tests replace it
}

// file is one file of a transaction.
type file struct {
	name string // final name inside the folder
	temp string // temporary path
	f    *os.File
	done bool // closed by its writer
}

// Begin starts a transaction in a folder, which is created if it is missing.
// Errors: the folder cannot be created or written.
func Begin(dir string) (*Transaction, error) {
	t := &Transaction{dir: dir, id: atomicfile.NewID(), sync: (*os.File).Sync}
	if err := t.makeFolder(); err != nil {
		t.removeFolders()
		var path *fs.PathError
		if errors.As(err, &path) { // which folder, not the call
			err = fmt.Errorf("%s: %w", path.Path, path.Err)
		}
		return nil, fmt.Errorf("output folder %s: %w", dir, err)
	}
	sweep(dir)
	// Find out now, not after the analysis, that the folder cannot be written.
	probe := t.tempPath("probe")
	f, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		t.removeFolders()
		return nil, fmt.Errorf("output folder %s: cannot write into it: %w", dir, atomicfile.Reason(err))
	}
	return t, errors.Join(f.Close(), os.Remove(probe))
}

// asideSuffix is added to the name of a file that Commit sets aside.
const asideSuffix = ".earlier"

// sweep removes from a folder what runs have left that were killed. A file that one of them had moved aside, on a file system without
// second names, gets its name back unless there is another one.
func sweep(dir string) {
	for final, paths := range atomicfile.Abandoned(dir) {
		for _, path := range paths {
			if name, ok := strings.CutSuffix(final, asideSuffix); ok {
				target := filepath.Join(dir, name)
				if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) && os.Rename(path, target) == nil {
					continue
				}
			}
			_ = os.Remove(path) // a left-over file harms nobody
		}
	}
}

// makeFolder creates the missing part of the folder's path and remembers it.
func (t *Transaction) makeFolder() error {
	var missing []string
	for dir := filepath.Clean(t.dir); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil {
			if !info.IsDir() {
				return fmt.Errorf("%s is not a folder", dir)
			}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = append(missing, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for i := len(missing) - 1; i >= 0; i-- {
		err := os.Mkdir(missing[i], 0o777)
		switch {
		case err == nil:
			t.created = append(t.created, missing[i])
		case !errors.Is(err, fs.ErrExist): // another run may have made it meanwhile
			return err
		}
	}
	return nil
}

// removeFolders removes the folders Begin made, as far as they are empty.
func (t *Transaction) removeFolders() {
	for i := len(t.created) - 1; i >= 0; i-- {
		if os.Remove(t.created[i]) != nil {
			return
		}
	}
}

func (t *Transaction) tempPath(name string) string {
	return atomicfile.Temporary(filepath.Join(t.dir, name), t.id)
}

// Dir returns the output folder.
func (t *Transaction) Dir() string { return t.dir }

// Names returns the final names of the files written so far, in order.
func (t *Transaction) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := make([]string, len(t.files))
	for i, f := range t.files {
		names[i] = f.name
	}
	return names
}

// File creates the file with the given name, lets write fill it through a
// buffer, and forces it to disk. The name is used once; it may have folders in it, as in
// "frames/7.png", which are made if they are missing.
// Errors: from write, a full disk (reported with the file's final name), a
// closed transaction. A failed file is removed at once.
func (t *Transaction) File(name string, write func(io.Writer) error) error {
	out, err := t.create(name)
	if err != nil {
		return err
	}
	err = atomicfile.Fill(out.f, t.sync, write)
	t.mu.Lock()
	defer t.mu.Unlock()
	out.done = true
	if err == nil && t.closed {
		err = ErrClosed
	}
	if err != nil {
		_ = os.Remove(out.temp) // Abort may have removed it already
		for i := range t.files {
			if t.files[i] == out {
				t.files = append(t.files[:i], t.files[i+1:]...)
				break
			}
		}
		return fmt.Errorf("writing %s: %w", filepath.Join(t.dir, name), atomicfile.Reason(err))
	}
	return nil
}

// CSV writes a CSV file with the given columns; rows are added in fill.
func (t *Transaction) CSV(name string, columns []string, fill func(*CSV) error) error {
	return t.File(name, func(w io.Writer) error {
		c, err := NewCSV(w, columns...)
		if err != nil {
			return err
		}
		if err := fill(c); err != nil {
			return err
		}
		return c.Flush()
	})
}

// JSON writes a value by [Encode].
func (t *Transaction) JSON(name string, value any) error {
	return t.File(name, func(w io.Writer) error { return Encode(w, value) })
}

// create opens a temporary file for a final name.
func (t *Transaction) create(name string) (*file, error) {
	parts := strings.Split(name, "/")
	for _, part := range parts {
		if !plain(part) {
			return nil, fmt.Errorf("output file name %q is not a plain name", name)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, fmt.Errorf("writing %s: %w", filepath.Join(t.dir, name), ErrClosed)
	}
	for _, f := range t.files {
		if f.name == name {
			return nil, fmt.Errorf("output file %s is written twice", filepath.Join(t.dir, name))
		}
	}
	target := filepath.Join(t.dir, name)
	if info, err := os.Lstat(target); err == nil && info.IsDir() {
		return nil, fmt.Errorf("writing %s: a folder has this name", target)
	}
	for k := 1; k < len(parts); k++ {
		dir := filepath.Join(t.dir, filepath.Join(parts[:k]...))
		switch err := os.Mkdir(dir, 0o777); {
		case err == nil:
			t.created = append(t.created, dir)
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("writing %s: %w", target, atomicfile.Reason(err))
		case !slices.Contains(t.swept, dir):
			t.swept = append(t.swept, dir)
			sweep(dir)
		}
	}
	out := &file{name: name, temp: t.tempPath(name)}
	f, err := os.OpenFile(out.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", target, atomicfile.Reason(err))
	}
	out.f = f
	t.files = append(t.files, out)
	return out, nil
}

// plain reports whether a name is that of a file or folder, without others around it.
func plain(name string) bool {
	return name != "" && name == filepath.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

// Commit gives every file its final name, in the order in which they were
// written: write the result file last, so that it never describes files that
// are not there. If a rename fails, the earlier files are put back and the
// error is returned.
func (t *Transaction) Commit() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	for _, f := range t.files {
		if !f.done {
			t.abort()
			return fmt.Errorf("writing %s: the file is still being written", filepath.Join(t.dir, f.name))
		}
	}
	unlock, err := atomicfile.LockFolder(t.dir)
	if err != nil {
		t.abort()
		return fmt.Errorf("output folder %s: %w", t.dir, atomicfile.Reason(err))
	}
	defer unlock()

	var backups []string // for each renamed file: where the earlier one went, or ""
	for _, f := range t.files {
		target := filepath.Join(t.dir, f.name)
		backup, err := setAside(target, t.tempPath(f.name+asideSuffix))
		if err == nil {
			backups = append(backups, backup)
			err = os.Rename(f.temp, target)
		}
		if err != nil {
			undo := t.putBack(backups)
			t.abort()
			return errors.Join(fmt.Errorf("writing %s: %w", target, atomicfile.Reason(err)), undo)
		}
		f.temp = ""
	}
	t.closed = true
	for _, backup := range backups {
		if backup != "" {
			_ = os.Remove(backup) // a left-over second name of the old file harms nobody
		}
	}
	// The renames are done; that the folder entry cannot be synced on some file
	// systems is no reason to call the run failed.
	if d, err := os.Open(t.dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// setAside keeps the earlier file at target under a second name, and returns
// that name, or "" when there is no earlier file.
func setAside(target, backup string) (string, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("a folder has this name")
	}
	if os.Link(target, backup) == nil {
		return backup, nil
	}
	// No hard links on this file system: move it.
	if err := os.Rename(target, backup); err != nil {
		return "", err
	}
	return backup, nil
}

// putBack restores the earlier files of the first len(backups) files.
func (t *Transaction) putBack(backups []string) error {
	var errs []error
	for i, backup := range backups {
		target := filepath.Join(t.dir, t.files[i].name)
		switch {
		case backup != "":
			errs = append(errs, os.Rename(backup, target))
			if _, err := os.Lstat(backup); err == nil {
				// Renaming one name of a file to another of the same file does nothing.
				errs = append(errs, os.Remove(backup))
			}
		case t.files[i].temp == "":
			errs = append(errs, os.Remove(target))
		}
	}
	return errors.Join(errs...)
}

// Abort removes the transaction's files and the folders Begin made if they are
// empty. After Commit, and when called again, it does nothing.
func (t *Transaction) Abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abort()
}

func (t *Transaction) abort() {
	if t.closed {
		return
	}
	t.closed = true
	for _, f := range t.files {
		if f.temp != "" {
			if !f.done {
				_ = f.f.Close() // a file that is open cannot be removed on Windows
			}
			_ = os.Remove(f.temp)
		}
	}
	t.removeFolders()
}
