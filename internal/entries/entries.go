// Package entries keeps computed data in a folder that several processes may share. An entry is a file whose name is
// its key and whose last bytes are the SHA-256 of its key and content. Damaged entries, and content under another name,
// count as absent. Entries that another user may have written are not used.
//
//	f := entries.Folder{Dir: "cache", Ending: ".npy", MaxBytes: 4 << 30}
//	content, err := f.Load(strings.Repeat("0", 64))
package entries

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repscope/internal/atomicfile"
	"repscope/internal/regular"
)

// Folder is where entries are. Keys are 64 hexadecimal digits.
type Folder struct {
	Dir, Ending string
	MaxBytes    int64 // of all entries after [Folder.Trim], and of one
}

// ErrForeign reports that another user may have written an entry, which is not used.
var ErrForeign = errors.New("is not used")

// Path is the file of an entry.
func (f *Folder) Path(key string) string { return filepath.Join(f.Dir, key+f.Ending) }

// entryHash begins the hash at the end of an entry.
func entryHash(key string) hash.Hash {
	h := sha256.New()
	io.WriteString(h, key)
	return h
}

// Load returns the content of an entry and marks it as used; nil if there is none that is whole. Its error is
// [ErrForeign], of an entry or of the folder.
func (f *Folder) Load(key string) ([]byte, error) {
	path := f.Path(key)
	data, err := f.read(path)
	if err != nil || check(key, data) != nil {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // a read-only folder still serves
	return data[:len(data)-sha256.Size], nil
}

// read reads the file of an entry, nil if there is none, unless another user may have written it.
func (f *Folder) read(path string) ([]byte, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil
	}
	folder, err := os.Stat(f.Dir)
	if err != nil {
		return nil, nil
	}
	if who := strangers(folder); who != "" {
		return nil, fmt.Errorf("%s %w: %s", f.Dir, ErrForeign, who)
	}
	if who := strangers(info); who != "" {
		return nil, fmt.Errorf("%s %w: %s", path, ErrForeign, who)
	}
	if info.Size() > f.MaxBytes {
		return nil, nil
	}
	data, err := regular.All(context.Background(), path, file, f.MaxBytes)
	if err != nil {
		return nil, nil
	}
	return data, nil
}

// check finds an entry that is not whole, or of another key.
func check(key string, data []byte) error {
	if len(data) < sha256.Size {
		return errors.New("it is truncated")
	}
	end := len(data) - sha256.Size
	h := entryHash(key)
	h.Write(data[:end])
	if !bytes.Equal(h.Sum(nil), data[end:]) {
		return errors.New("its contents have changed since it was written")
	}
	return nil
}

// Check checks the file of an entry. ok is false for a file whose name is no entry's. Errors: another user may have
// written it, or its bytes have changed.
func Check(path, ending string) (ok bool, err error) {
	key, ok := keyOf(filepath.Base(path), ending)
	if !ok {
		return false, nil
	}
	f := Folder{Dir: filepath.Dir(path), Ending: ending, MaxBytes: math.MaxInt64}
	data, err := f.read(path)
	if err == nil {
		err = check(key, data)
	}
	return true, err
}

// keyOf is the key of the entry in a file of this name.
func keyOf(name, ending string) (string, bool) {
	key, ok := strings.CutSuffix(name, ending)
	_, err := hex.DecodeString(key)
	return key, ok && err == nil && len(key) == 2*sha256.Size
}

// Store writes an entry, completely or not at all. It is not forced to disk: the hash detects damage by a power cut.
func (f *Folder) Store(key string, write func(io.Writer) error) error {
	return atomicfile.Write(f.Path(key), atomicfile.Options{Mode: 0o600}, func(w io.Writer) error {
		h := entryHash(key)
		if err := write(io.MultiWriter(w, h)); err != nil {
			return err
		}
		_, err := w.Write(h.Sum(nil))
		return err
	})
}

// abandoned is the age of a temporary file that is no longer being written.
const abandoned = 24 * time.Hour

// Trim removes the least recently used entries until the rest is within the bound, and the remains of killed processes.
func (f *Folder) Trim() error {
	list, err := os.ReadDir(f.Dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	var total int64
	for _, e := range list {
		_, ok := keyOf(e.Name(), f.Ending)
		temporary := atomicfile.IsTemporary(e.Name())
		if !ok && !temporary {
			continue
		}
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case ok:
			files, total = append(files, info), total+info.Size()
		case time.Since(info.ModTime()) > abandoned:
			_ = os.Remove(filepath.Join(f.Dir, e.Name())) // another process may have done it
		}
	}
	slices.SortStableFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		if total <= f.MaxBytes {
			break
		}
		if err := os.Remove(filepath.Join(f.Dir, info.Name())); err != nil {
			return err
		}
		total -= info.Size()
	}
	return nil
}
