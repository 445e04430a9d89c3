// Folders that clients may use, and paths in the values of options.

package mcp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/samefile"
)

const (
	// mostLinked is the most entries of a folder that is searched for links to the outside.
	mostLinked = 20_000
	// mostSpellings is the most paths that one text may stand for.
	mostSpellings = 4096
)

// roots are folders by their canonical paths. Relative paths start in the first.
type roots struct {
	folders []string
	walled  bool // a run cannot reach anything else
}

// newRoots checks the folders.
func newRoots(paths []string) (*roots, error) {
	r := &roots{}
	for _, path := range paths {
		info, err := os.Stat(run.Expand(path))
		if err != nil {
			return nil, run.Usage("--root: %w", regular.PathError(err))
		}
		if !info.IsDir() {
			return nil, run.Usage("--root %s: want a folder", path)
		}
		folder, err := samefile.Canonical(run.Expand(path))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(r.folders, folder) {
			r.folders = append(r.folders, folder)
		}
	}
	return r, nil
}

// inside reports whether a canonical path is in a folder, or is the folder.
func inside(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// absolute is a path, which starts in the first root if it is relative.
func (r *roots) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.folders[0], path)
}

// outside is the error of a path that is in no root.
func outside(path string) error {
	return run.Hint(run.Usage("%s: the path is outside the folders of this server", path),
		"start repscope mcp with --root for its folder")
}

// resolve returns the canonical path of a path, which must be inside a root, and the root.
func (r *roots) resolve(path string) (whole, root string, err error) {
	if strings.ContainsRune(path, 0) || path == "" {
		return "", "", run.Usage("%q: want a path", path)
	}
	whole, err = samefile.Canonical(r.absolute(path))
	if err != nil {
		return "", "", err
	}
	i := slices.IndexFunc(r.folders, func(folder string) bool { return inside(folder, whole) })
	if i < 0 {
		return "", "", outside(path)
	}
	return whole, r.folders[i], nil
}

// open opens a regular file inside a root; no link that appears meanwhile leads out of it.
func (r *roots) open(path string) (*os.File, error) {
	whole, folder, err := r.resolve(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name, err := filepath.Rel(folder, whole)
	if err != nil {
		return nil, err
	}
	file, err := regular.OpenIn(root, name)
	return file, regular.PathError(err)
}

// spellings are the paths that a text may name: it, what follows an equals sign or a comma, and each of these without
// a key behind a colon and without what follows a comma.
func spellings(text string) ([]string, error) {
	var out []string
	for start := 0; ; {
		rest := text[start:]
		for end := len(rest); end > 0; end = strings.LastIndexAny(rest[:end], ":,") {
			if path := strings.TrimSpace(rest[:end]); path != "" && !slices.Contains(out, path) {
				out = append(out, path)
			}
			if len(out) > mostSpellings {
				return nil, run.Usage("a value has too many parts that may be paths: want at most %d", mostSpellings)
			}
		}
		next := strings.IndexAny(rest, "=,")
		if next < 0 {
			return out, nil
		}
		start += next + 1
	}
}

// check is the error of a text that may name something outside. A text that names a path for sure is strict: then
// nothing outside is named whether it exists or not, and folders have no links to the outside.
func (r *roots) check(text string, strict bool) error {
	if strings.ContainsAny(text, "\x00\n\r") {
		return run.Usage("%q: want one line", text)
	}
	paths, err := spellings(text)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if path[0] == '~' || slices.Contains(strings.FieldsFunc(path,
			func(c rune) bool { return c == '/' || c == '\\' }),
			"..") {
			return run.Hint(run.Usage("%s: neither ~ nor .. may begin or be part of a path", path),
				"give a path inside a root")
		}
		whole, _, err := r.resolve(path)
		if err != nil {
			if _, missing := os.Lstat(r.absolute(path)); strict || missing == nil {
				return err
			}
			continue
		}
		if strict {
			if err := r.linked(path, whole); err != nil {
				return err
			}
		}
	}
	return nil
}

// linked is the error of a folder, or of the folder of a pattern, with a link to the outside.
func (r *roots) linked(path, folder string) error {
	info, err := os.Stat(folder)
	for err != nil && strings.ContainsAny(path, "*?[{") && strings.ContainsAny(folder, "*?[{") {
		folder = filepath.Dir(folder)
		info, err = os.Stat(folder)
	}
	if err != nil || !info.IsDir() {
		return nil
	}
	seen := 0
	failed := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if seen++; seen > mostLinked {
			return errMany
		}
		if err != nil || entry.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		if _, _, err := r.resolve(name); err != nil {
			return outside(name)
		}
		return nil
	})
	switch {
	case !errors.Is(failed, errMany):
		return failed
	case r.walled:
		return nil // its links lead nowhere
	}
	return run.Hint(run.Usage("%s: a folder of more than %d entries cannot be searched for links to other folders",
		path,
		mostLinked),
		"name a folder with fewer entries")
}

var errMany = errors.New("too many entries")
