// Files of folders and of several parts that change while they are in use.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"repscope/internal/mmap"
	"repscope/internal/parallel"
	"repscope/internal/regular"
)

// fileStates are the sizes and times of files when an array of them was opened.
type fileStates struct {
	folder string                   // in messages
	list   func() ([]string, error) // lists the files again
	paths  []string
	infos  []fs.FileInfo
}

// statesOf describes the files of a folder, before any is read.
func statesOf(folder string, paths []string, list func() ([]string, error)) (*fileStates, error) {
	s := &fileStates{folder: folder, list: list, paths: paths, infos: make([]fs.FileInfo, len(paths))}
	err := parallel.Try(context.Background(), 0, len(paths), func(_, i int) (err error) {
		s.infos[i], err = stat(paths[i])
		return err
	})
	return s, err
}

// unchanged is an error if a file was added or removed, or has another size or time of modification.
func (s *fileStates) unchanged() error {
	now, err := s.list()
	if err != nil {
		return fmt.Errorf("%s: changed while it was in use: %w", s.folder, err)
	}
	if !slices.Equal(now, s.paths) {
		return s.otherFiles(now)
	}
	return parallel.Try(context.Background(), 0, len(now), func(_, i int) error { return sameFile(now[i], s.infos[i]) })
}

// otherFiles names the first file that was removed or added.
func (s *fileStates) otherFiles(now []string) error {
	present := map[string]bool{}
	for _, path := range now {
		present[path] = true
	}
	for _, path := range s.paths {
		if !present[path] {
			return fmt.Errorf("%s: changed while it was in use: it was removed", path)
		}
		delete(present, path)
	}
	for _, path := range now {
		if present[path] {
			return fmt.Errorf("%s: changed while it was in use: %s was added", s.folder, filepath.Base(path))
		}
	}
	return fmt.Errorf("%s: changed while it was in use: its files have another order", s.folder)
}

// sameFile is an error if a path no longer names the file that was described before, or that has changed.
func sameFile(path string, before fs.FileInfo) error {
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: changed while it was in use: it was removed", path)
	}
	if err != nil {
		return regular.PathError(err)
	}
	if !os.SameFile(before, now) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
		return fmt.Errorf("%s: changed while it was in use (%d bytes at %v, was %d at %v)", path, now.Size(),
			now.ModTime().Format(time.RFC3339), before.Size(), before.ModTime().Format(time.RFC3339))
	}
	return nil
}

// unchangedFiles is an error if one of several mapped files has changed, or its path names another file: their digest
// is computed from the paths.
func unchangedFiles(files []*mmap.File) error {
	for _, f := range files {
		if err := f.Unchanged(); err != nil {
			return err
		}
		if !f.Current() {
			return fmt.Errorf("%s: changed while it was in use: the path names another file", f.Path())
		}
	}
	return nil
}

// identify gives an array the digest of its files, which is computed once, and the check that they have not changed,
// which is made after the digest too.
func (a *Array) identify(digest func() (string, error), same func() error) {
	a.same = same
	a.digest = sync.OnceValues(func() (string, error) {
		sum, err := digest()
		if changed := same(); changed != nil {
			return "", changed
		}
		return sum, err
	})
}
