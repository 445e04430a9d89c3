// This file is for the moment in which the files of a run get their names: all of them, or none.

package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"repscope/internal/atomicfile"
	"repscope/internal/regular"
)

const (
	// asideSuffix is added to the name of a file that Commit sets aside.
	asideSuffix = ".earlier"
	// commitName is the name of the list of what a commit changes, which is there while it does.
	commitName = "~commit"
)

// renaming is what a commit does to one file. In the list, paths in the folder count from it, and others are whole.
type renaming struct {
	Target  string `json:"target"`
	Temp    string `json:"temp"`              // empty: the file is removed
	Earlier string `json:"earlier,omitempty"` // where the file goes that has the name; empty: none has it
	Kept    bool   `json:"kept,omitempty"`    // Temp is not the transaction's own
}

// Commit gives every file its final name, in the order in which they were
// written: write the result file last, so that it never describes files that
// are not there. If that fails, or is killed, the earlier files are put back: at once, or by [Recover].
func (t *Transaction) Commit() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	for _, f := range t.files {
		if !f.done {
			t.abort()
			return fmt.Errorf("writing %s: the file is still being written", f.target)
		}
	}
	defer t.removeFolders() // all files may lie elsewhere
	unlock, err := atomicfile.LockFolder(t.dir)
	if err != nil {
		t.abort()
		return fmt.Errorf("output folder %s: %w", t.dir, atomicfile.Reason(err))
	}
	defer unlock()
	recoverLocked(t.dir) // of a run that was killed while this one ran
	if err := t.rename(); err != nil {
		t.abort()
		return err
	}
	t.closed = true
	for _, dir := range t.folders() {
		// The renames are done; that the folder entry cannot be synced on some file
		// systems is no reason to call the run failed.
		syncFolder(dir)
	}
	return nil
}

// folders are those that hold files of the transaction, each once.
func (t *Transaction) folders() []string {
	seen, folders := map[string]bool{}, []string{}
	for _, f := range t.files {
		if dir := filepath.Dir(f.target); !seen[dir] {
			seen[dir] = true
			folders = append(folders, dir)
		}
	}
	return folders
}

func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// rename gives the files their names.
func (t *Transaction) rename() error {
	changes, err := t.changes()
	if err != nil {
		return err
	}
	list := t.tempPath(filepath.Join(t.dir, commitName))
	if err := t.announce(list, changes); err != nil {
		return errors.Join(fmt.Errorf("output folder %s: %w", t.dir, atomicfile.Reason(err)), gone(os.Remove(list)))
	}
	for _, c := range changes {
		if err := t.apply(c); err != nil {
			failed := fmt.Errorf("writing %s: %w", c.Target, atomicfile.Reason(err))
			if undone := undo(changes); undone != nil {
				return errors.Join(failed, undone) // the list stays for Recover
			}
			return errors.Join(failed, gone(os.Remove(list)))
		}
	}
	if err := t.step(); err != nil {
		return errors.Join(err, undo(changes), gone(os.Remove(list)))
	}
	if err := gone(os.Remove(list)); err != nil { // from here on the folder has the new files
		return errors.Join(err, undo(changes))
	}
	for _, f := range t.files {
		f.temp = ""
	}
	for _, c := range changes {
		if c.Earlier != "" && t.step() == nil {
			_ = os.Remove(c.Earlier) // a left-over second name of the old file harms nobody
		}
	}
	return nil
}

// gone is the error of removing a file, unless there is none.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// changes are what the commit does.
func (t *Transaction) changes() ([]renaming, error) {
	var list []renaming
	for _, f := range t.files {
		c := renaming{Target: f.target, Temp: f.temp, Kept: f.kept}
		info, err := os.Lstat(f.target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("writing %s: %w", f.target, atomicfile.Reason(err))
		case info.IsDir():
			return nil, fmt.Errorf("writing %s: a folder has this name", f.target)
		default:
			c.Earlier = t.tempPath(f.target + asideSuffix)
		}
		list = append(list, c)
	}
	for _, name := range t.replaced() {
		path := filepath.Join(t.dir, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			list = append(list, renaming{Target: path, Earlier: t.tempPath(path + asideSuffix)})
		}
	}
	return list, nil
}

// announce writes what the commit changes, so that another process can undo it. One rename alone needs none.
func (t *Transaction) announce(path string, changes []renaming) error {
	if len(changes) < 2 {
		return nil
	}
	if err := t.step(); err != nil {
		return err
	}
	listed := make([]renaming, len(changes))
	for i, c := range changes {
		listed[i] = renaming{t.within(c.Target), t.within(c.Temp), t.within(c.Earlier), c.Kept}
	}
	text, err := json.Marshal(listed)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = atomicfile.Fill(f, t.sync, func(w io.Writer) error { _, err := w.Write(text); return err })
	syncFolder(t.dir)
	return err
}

// within is a path as the list of changes has it.
func (t *Transaction) within(path string) string {
	name, err := filepath.Rel(t.dir, path)
	switch {
	case path == "":
		return ""
	case err == nil && filepath.IsLocal(name):
		return filepath.ToSlash(name)
	}
	return absolute(path)
}

// from is a path of the list of changes of a folder.
func from(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// apply sets the earlier file aside and gives the new one its name.
func (t *Transaction) apply(c renaming) error {
	if c.Earlier != "" {
		if err := t.step(); err != nil {
			return err
		}
		if os.Link(c.Target, c.Earlier) != nil {
			// No hard links on this file system: move it.
			if err := os.Rename(c.Target, c.Earlier); err != nil {
				return err
			}
		}
	}
	if err := t.step(); err != nil {
		return err
	}
	if c.Temp == "" {
		return gone(os.Remove(c.Target))
	}
	return os.Rename(c.Temp, c.Target)
}

// undo puts the earlier files back, as far as the commit has come; it can be repeated.
func undo(changes []renaming) error {
	var errs []error
	for _, c := range changes {
		_, err := os.Lstat(c.Temp)
		renamed := errors.Is(err, fs.ErrNotExist)
		_, err = os.Lstat(c.Earlier)
		aside := c.Earlier != "" && err == nil
		if renamed && c.Kept {
			errs = append(errs, gone(os.Rename(c.Target, c.Temp)))
		}
		switch {
		case aside:
			errs = append(errs, os.Rename(c.Earlier, c.Target))
			// Renaming one name of a file to another of the same file does nothing.
			errs = append(errs, gone(os.Remove(c.Earlier)))
		case renamed && !c.Kept && c.Earlier == "":
			errs = append(errs, gone(os.Remove(c.Target)))
		}
	}
	return errors.Join(errs...)
}

// Interrupted reports whether a killed run of this machine had begun to commit in a folder: see [Recover].
func Interrupted(dir string) bool { return len(atomicfile.Abandoned(dir)[commitName]) > 0 }

// Recover undoes in a folder what a killed run of this machine had begun to commit, so that the folder holds the
// result that was there before. Whoever reads a result calls it first. What cannot be undone, as in a folder that is
// read-only, stays.
func Recover(dir string) {
	if !Interrupted(dir) {
		return
	}
	unlock, err := atomicfile.LockFolder(dir)
	if err != nil {
		return
	}
	defer unlock()
	recoverLocked(dir)
}

// recoverLocked is Recover for who has the lock of the folder.
func recoverLocked(dir string) {
	for _, path := range atomicfile.Abandoned(dir)[commitName] {
		data, err := regular.ReadContext(context.Background(), path, regular.Listing)
		var changes []renaming
		if errors.Is(err, fs.ErrNotExist) { // another process was faster
			continue
		}
		if err == nil && json.Unmarshal(data, &changes) == nil {
			for i, c := range changes {
				changes[i] = renaming{from(dir, c.Target), from(dir, c.Temp), from(dir, c.Earlier), c.Kept}
			}
			if undo(changes) != nil {
				continue // for who may
			}
		}
		// A list that is not whole is of a commit that had changed nothing yet.
		_ = os.Remove(path)
	}
	syncFolder(dir)
}
