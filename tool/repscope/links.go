// Short names for the binaries in the program.

package repscope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"repscope/internal/regular"
	"repscope/internal/run"
)

// links makes DIR/NAME for every command, a link to this program. Where links are not to be
// had, as on Windows without the right to them, they are copies. What stands there and is
// neither is not replaced.
func links(commands []run.Command, args []string, w io.Writer) error {
	if len(args) != 1 || args[0] == "" {
		return run.Usage("links: want one folder, such as ~/.local/bin")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return err
	}
	return linkAll(program, run.Expand(args[0]), namesOf(commands), w)
}

func linkAll(program, folder string, names []string, w io.Writer) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	self, err := os.Stat(program)
	if err != nil {
		return err
	}
	// Nothing is made before it is known that all can be.
	for _, name := range names {
		path := filepath.Join(folder, name+suffix)
		if err := replaceable(path, self); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := link(program, filepath.Join(folder, name+suffix)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%d links in %s\n", len(names), folder)
	return err
}

// replaceable says whether a link may take a place: nothing is there, or a link to a program
// of this name, or this program, of whatever version.
func replaceable(path string, self fs.FileInfo) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if base := filepath.Base(target); err == nil && (base == Name || base == Name+".exe" || base == filepath.Base(self.Name())) {
			return nil
		}
		return fmt.Errorf("%s is a link to %s, want no link or a link to %s", path, target, Name)
	}
	if info.Mode().IsRegular() && (os.SameFile(info, self) || isCopy(path)) {
		return nil
	}
	return fmt.Errorf("%s exists and is not a link to %s; remove it, or name another folder", path, Name)
}

// isCopy reports whether a file is this program by a function that no other has.
func isCopy(path string) bool {
	content, err := regular.Read(path, regular.Table)
	return err == nil && bytes.Contains(content, []byte(mark))
}

// mark is among the names of functions in the program, and so is this text itself.
const mark = "repscope/tool/repscope.linkAll"

// link replaces a link in one step, so that whoever calls it meanwhile finds one.
func link(program, path string) (err error) {
	temporary := path + ".new"
	defer func() {
		if err != nil {
			os.Remove(temporary)
			if inner := errors.Unwrap(err); inner != nil { // without the name of the missing file
				err = fmt.Errorf("%s: %w", path, inner)
			}
		}
	}()
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, make := range []func(string, string) error{symlink, os.Link, copyFile} {
		if err = make(program, temporary); err != nil {
			continue
		}
		if _, err = os.Stat(temporary); err == nil { // some systems make no link and say they did
			break
		}
		os.Remove(temporary)
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// symlink makes a link that survives a move of the folder if the program is in it.
func symlink(program, path string) error {
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && filepath.Dir(program) == folder {
		program = filepath.Base(program)
	}
	return os.Symlink(program, path)
}

func copyFile(from, to string) (err error) {
	in, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
