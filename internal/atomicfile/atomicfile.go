// Package atomicfile writes files completely or not at all: under a temporary name in the same folder, which becomes
// the final one when all is written. An error leaves an earlier file unchanged and no other trace.
//
//	err := atomicfile.Write("state.json", atomicfile.Options{Sync: true}, func(w io.Writer) error {
//		return json.NewEncoder(w).Encode(state)
//	})
//
// It also has advisory locks, which keep processes from writing to the same file.
package atomicfile

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repscope/internal/folderlock"
)

// Options say how a file is written. The zero value is a file that anybody may
// read, not forced to disk.
type Options struct {
	// Sync forces the content to disk before the file gets its name, so that after a power cut the file has either the old
	// or the new content.
	Sync bool
	// Mode holds the permissions before the umask; 0 means 0666.
	Mode fs.FileMode
	// Temporary is a fixed temporary path in the same folder, for the only writer: remains of a killed process are
	// overwritten. "" means a path that no other writer uses.
	Temporary string
}

// Write writes the file at path as a whole: write fills it through a buffer. Errors come from write and the file
// system; none names the temporary path.
func Write(path string, o Options, write func(io.Writer) error) (err error) {
	temporary, flags := o.Temporary, os.O_TRUNC
	if temporary == "" {
		temporary, flags = Temporary(path, NewID()), os.O_EXCL
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|flags, cmp.Or(o.Mode, 0o666))
	if err != nil {
		return Reason(err)
	}
	var sync func(*os.File) error
	if o.Sync {
		sync = (*os.File).Sync
	}
	err = Fill(f, sync, write)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(Reason(err), Reason(os.Remove(temporary)))
	}
	return nil
}

// Fill lets write fill an open file through a buffer, forces it to disk by sync
// (nil: leaves that to the system), and closes it in any case.
func Fill(f *os.File, sync func(*os.File) error, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<16)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil && sync != nil {
		err = sync(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Temporary is the path that the file at path has while the writer id writes it:
// hidden, in the same folder, with the ending .tmp.
func Temporary(path, id string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+id+".tmp")
}

// idBytes is the length in bytes of the random part of a writer's name. The mark of its process follows.
const idBytes = 6

// TemporaryFolder makes a new folder among the temporary files of the system, whose name begins with a prefix. Folders
// of this prefix whose processes have ended, killed ones too, are removed. Errors name the folder that
// these are in.
func TemporaryFolder(prefix string) (string, error) {
	removeAbandoned(os.TempDir(), prefix)
	folder, err := os.MkdirTemp("", prefix+folderlock.Mark()+"-")
	var path *fs.PathError
	if errors.As(err, &path) {
		return "", fmt.Errorf("temporary files in %s: %w; set TMPDIR to a folder that can be written", os.TempDir(), path.Err)
	}
	return folder, err
}

// removeAbandoned removes temporary folders in dir whose processes on this machine have ended, as far as they can be
// removed.
func removeAbandoned(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		mark, _, marked := strings.Cut(rest, "-")
		if ok && marked && e.IsDir() && folderlock.Gone(mark) {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// NewID returns a name that no other writer has.
func NewID() string {
	id := make([]byte, idBytes)
	rand.Read(id) // cannot fail: without random numbers the program ends
	return hex.EncodeToString(id) + folderlock.Mark()
}

// Reason takes a temporary path out of an error, since the user knows only the
// final one; other errors stay as they are.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && strings.HasSuffix(path.Path, ".tmp") {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// IsTemporary reports whether a file's name is one that [Temporary] makes.
func IsTemporary(name string) bool {
	_, _, ok := parse(name)
	return ok
}

// parse takes a name of [Temporary] apart: the final one, and the mark of the process that writes it.
func parse(name string) (final, mark string, ok bool) {
	rest, ok := strings.CutSuffix(name, ".tmp")
	i := strings.LastIndexByte(rest, '.')
	if !ok || !strings.HasPrefix(name, ".") || i <= 1 { // 1: the final name is empty
		return "", "", false
	}
	id := rest[i+1:]
	if _, err := hex.DecodeString(id); err != nil || len(id) != 2*(idBytes+folderlock.MarkBytes) {
		return "", "", false
	}
	return rest[1:i], id[2*idBytes:], true
}

// Abandoned are the temporary files in a folder whose processes on this machine have ended, by their final names. A
// folder that cannot be read has none.
func Abandoned(dir string) map[string][]string {
	remains := map[string][]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if final, mark, ok := parse(e.Name()); ok && e.Type().IsRegular() && folderlock.Gone(mark) {
			remains[final] = append(remains[final], filepath.Join(dir, e.Name()))
		}
	}
	return remains
}
