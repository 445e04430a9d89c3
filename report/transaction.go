// This file is for writing the files of a run: all of them or none.

package report

import (
	"crypto/sha256"
	"encoding/hex"
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
	"repscope/internal/gunzip"
	"repscope/internal/regular"
)

// ErrClosed is returned by a transaction that was committed or aborted.
var ErrClosed = errors.New("the output transaction is closed")

// Transaction collects the files of one run under temporary names, in the output folder and elsewhere
// ([Transaction.Elsewhere]). Commit renames all files to their final names; Abort removes them. An earlier result in
// the folder stays unchanged until Commit, and is restored when Commit fails or is killed (see [Recover]). A
// Transaction removes only its own files and the files of killed runs of this machine. Runs that write into one
// folder at the same time take turns in Commit, so that the folder always contains the files of one run.
//
// A Transaction can be used by several goroutines.
type Transaction struct {
	// Guard, if not nil, is called for every file before it is created; its error is the error of the file. It can
	// forbid overwriting an input.
	Guard func(path string) error
	// CompressOver, if not 0, is the maximum of bytes of a table or result. One that has more, by the ending .csv or
	// .json of a name in the folder, is compressed by gzip, and .gz is added to its name.
	CompressOver int

	dir     string
	id      string
	mu      sync.Mutex
	created []string // folders that were made, outermost first
	swept   []string // folders below that were there, from which is removed what killed runs have left
	files   []*file
	omitted []string // tables that repeat the result file, and are too large for it
	closed  bool
	sync    func(*os.File) error // os.File.Sync; tests replace it
	step    func() error         // before every change of a commit; tests fail or end there
}

// file is one file of a transaction.
type file struct {
	name   string // final name inside the folder, or the path of one elsewhere
	target string // final path
	temp   string // temporary path; empty when it has its name
	f      *os.File
	done   bool   // closed by its writer
	other  bool   // it lies elsewhere
	kept   bool   // it was there before the transaction, and is not removed with it: see Adopt
	sum    string // SHA-256 of its content, in hexadecimal digits
}

// Begin starts a transaction in a folder, which is created if it is missing.
// Errors: the folder cannot be created or written.
func Begin(dir string) (*Transaction, error) {
	t := &Transaction{dir: dir, id: atomicfile.NewID(), sync: (*os.File).Sync, step: func() error { return nil }}
	if err := t.begin(dir); err != nil {
		t.removeFolders()
		return nil, err
	}
	return t, nil
}

// begin makes a folder, cleans it up and finds out, now and not after the analysis, whether it can be written.
func (t *Transaction) begin(dir string) error {
	if err := t.makeFolder(dir); err != nil {
		return fmt.Errorf("output folder %s: %w", dir, regular.PathError(err)) // which folder, not the call
	}
	sweep(dir)
	probe := t.tempPath(filepath.Join(dir, "probe"))
	f, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("output folder %s: cannot write into it: %w", dir, atomicfile.Reason(err))
	}
	return errors.Join(f.Close(), os.Remove(probe))
}

// sweep removes from a folder what runs have left that were killed, when their commits are undone. A file that one of
// an older version had moved aside, on a file system without second names, gets its name back unless there is another
// one.
func sweep(dir string) {
	Recover(dir)
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

// makeFolder creates the missing part of a folder's path and remembers it.
func (t *Transaction) makeFolder(folder string) error {
	var missing []string
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
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

// removeFolders removes the folders that the transaction made, as far as they are empty.
func (t *Transaction) removeFolders() {
	for _, dir := range slices.Backward(t.created) {
		_ = os.Remove(dir)
	}
}

func (t *Transaction) tempPath(path string) string { return atomicfile.Temporary(path, t.id) }

// Dir returns the output folder.
func (t *Transaction) Dir() string { return t.dir }

// Names returns the final names of the files in the folder so far, in order.
func (t *Transaction) Names() []string { return t.names(false) }

// Others returns the paths of the files elsewhere so far, in order.
func (t *Transaction) Others() []string { return t.names(true) }

func (t *Transaction) names(others bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := []string{}
	for _, f := range t.files {
		if f.other == others {
			names = append(names, f.name)
		}
	}
	return names
}

// File creates the file with the given name, lets write fill it through a
// buffer, and forces it to disk. The name is used once; it may have folders in it, as in
// "frames/7.png", which are made if they are missing.
// Errors: from write, a full disk (reported with the file's final name), a
// closed transaction. A failed file is removed at once.
func (t *Transaction) File(name string, write func(io.Writer) error) error {
	return t.FileMode(name, 0o666, write)
}

// FileMode is File with permissions, before the umask.
func (t *Transaction) FileMode(name string, mode fs.FileMode, write func(io.Writer) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	return t.fill(&file{name: name, target: filepath.Join(t.dir, name)}, mode, write)
}

// Elsewhere is File for a path of its own, outside of the folder; the folder of the path is made if it is missing.
func (t *Transaction) Elsewhere(path string, write func(io.Writer) error) error {
	out := &file{name: path, target: filepath.Clean(path), other: true}
	if !plain(filepath.Base(out.target)) {
		return fmt.Errorf("output file %q has no name", path)
	}
	t.mu.Lock()
	err := t.begin(filepath.Dir(out.target))
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return t.fill(out, 0o666, write)
}

// fill makes a file.
func (t *Transaction) fill(out *file, mode fs.FileMode, write func(io.Writer) error) error {
	if err := t.create(out, mode); err != nil {
		return err
	}
	digest := sha256.New()
	compressed, name := false, out.name
	if out.other {
		name = "" // whoever names a path wants that
	}
	err := atomicfile.Fill(out.f, t.sync, func(w io.Writer) (err error) {
		compressed, err = t.pack(name, io.MultiWriter(w, digest), write)
		return err
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	out.done, out.sum = true, hex.EncodeToString(digest.Sum(nil))
	switch {
	case err == nil && t.closed:
		err = ErrClosed
	case err == nil && compressed:
		out.name, out.target = out.name+gunzip.Ending, out.target+gunzip.Ending
		err = t.admit(out)
	}
	if err != nil {
		_ = os.Remove(out.temp) // Abort may have removed it already
		t.files = slices.DeleteFunc(t.files, func(f *file) bool { return f == out })
		return fmt.Errorf("writing %s: %w", out.target, atomicfile.Reason(err))
	}
	return nil
}

// Adopt renames a complete file of the folder, such as one written by several runs in turn, together with the files
// of the transaction. If the transaction fails, the file stays in place. sum is the SHA-256 of its content in
// hexadecimal digits; empty: it is computed.
func (t *Transaction) Adopt(name, path, sum string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if sum == "" {
		var err error
		if sum, err = FileSum(path); err != nil {
			return fmt.Errorf("writing %s: %w", filepath.Join(t.dir, name), err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.enter(&file{name: name, target: filepath.Join(t.dir, name), temp: path, done: true, kept: true, sum: sum})
}

// CSV writes a CSV file with the given columns; rows are added in fill.
func (t *Transaction) CSV(name string, columns []string, fill func(*CSV) error) error {
	return t.File(name, func(w io.Writer) error { return writeCSV(w, columns, fill) })
}

// writeCSV writes a table.
func writeCSV(w io.Writer, columns []string, fill func(*CSV) error) error {
	c, err := NewCSV(w, columns...)
	if err != nil {
		return err
	}
	if err := fill(c); err != nil {
		return err
	}
	return c.Flush()
}

// JSON writes a value by [Encode].
func (t *Transaction) JSON(name string, value any) error {
	return t.File(name, func(w io.Writer) error { return Encode(w, value) })
}

// create opens the temporary file of a file.
func (t *Transaction) create(out *file, mode fs.FileMode) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.enter(out); err != nil {
		return err
	}
	err := t.open(out, mode)
	if err != nil {
		t.files = t.files[:len(t.files)-1]
		err = fmt.Errorf("writing %s: %w", out.target, atomicfile.Reason(err))
	}
	return err
}

// enter adds a file to the transaction, if it may be one.
func (t *Transaction) enter(out *file) error {
	if t.closed {
		return fmt.Errorf("writing %s: %w", out.target, ErrClosed)
	}
	if err := t.admit(out); err != nil {
		return err
	}
	t.files = append(t.files, out)
	return nil
}

// admit is the error of a path that no file of the transaction may have.
func (t *Transaction) admit(out *file) error {
	for _, f := range t.files {
		if f != out && (f.target == out.target || absolute(f.target) == absolute(out.target)) {
			return fmt.Errorf("output file %s is written twice", out.target)
		}
	}
	if t.Guard != nil {
		if err := t.Guard(out.target); err != nil {
			return err
		}
	}
	if info, err := os.Lstat(out.target); err == nil && info.IsDir() {
		return fmt.Errorf("writing %s: a folder has this name", out.target)
	}
	return nil
}

// absolute is a path from the root, as far as that is known.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// open makes the folders of a name and the temporary file.
func (t *Transaction) open(out *file, mode fs.FileMode) (err error) {
	if parts := strings.Split(out.name, "/"); !out.other {
		for k := 1; k < len(parts); k++ {
			dir := filepath.Join(t.dir, filepath.Join(parts[:k]...))
			switch err := os.Mkdir(dir, 0o777); {
			case err == nil:
				t.created = append(t.created, dir)
			case !errors.Is(err, fs.ErrExist):
				return err
			case !slices.Contains(t.swept, dir):
				t.swept = append(t.swept, dir)
				sweep(dir)
			}
		}
	}
	out.temp = t.tempPath(out.target)
	out.f, err = os.OpenFile(out.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) { // where names that differ in case are one
		return errors.New("it is written twice, under names that are the same on this file system")
	}
	return err
}

// checkName is the error of a name that is none of a file in the folder or below.
func checkName(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if !plain(part) {
			return fmt.Errorf("output file name %q is not a plain name", name)
		}
	}
	return nil
}

// plain reports whether a name names a file or folder directly, without a path.
func plain(name string) bool {
	return name != "" && name == filepath.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

// Unchanged reports whether every file so far has the bytes of the one whose name it is to get.
func (t *Transaction) Unchanged() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.files {
		if !f.done {
			return false
		}
		if sum, err := FileSum(f.target); err != nil || sum != f.sum {
			return false
		}
	}
	for _, name := range t.omitted {
		if f, err := Open(filepath.Join(t.dir, filepath.FromSlash(name))); err == nil {
			_ = f.Close()
			return false
		}
	}
	return true
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
		if f.temp != "" && !f.kept {
			if !f.done {
				_ = f.f.Close() // a file that is open cannot be removed on Windows
			}
			_ = os.Remove(f.temp)
		}
	}
	t.removeFolders()
}
