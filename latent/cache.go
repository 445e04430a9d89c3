// The latent cache on disk.

package latent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
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

	"repscope/dataset"
	"repscope/internal/atomicfile"
	"repscope/internal/regular"
)

// Cache keeps latents on disk, keyed by a hash over the encoder's file and
// options, the states' content and selection, the preprocessing and the pooling. An
// entry is a .npy file [N, D] float32, followed by the SHA-256 of its key and bytes, so that
// NumPy can read it and damage and foreign content are noticed; such entries count as absent. A nil
// *Cache is a cache that is switched off. Several processes may share one folder.
type Cache struct {
	Dir string
	// MaxBytes bounds the size of the folder: the entries that were not used
	// for the longest time are removed first. 0 means 4 GiB.
	MaxBytes int64
}

// cacheVersion changes when the numbers that encoders give for the same file change.
const cacheVersion = "repscope latents 2"

// defaultCacheBytes bounds a cache that does not say.
const defaultCacheBytes = 4 << 30

// OpenCache returns the cache in dir, which is created if it is missing; an
// empty dir means repscope/latents in os.UserCacheDir.
func OpenCache(dir string) (*Cache, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("latent cache: %w", err)
		}
		dir = filepath.Join(base, "repscope", "latents")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		var path *fs.PathError
		if errors.As(err, &path) { // which folder, not the call
			err = fmt.Errorf("%s: %w", path.Path, path.Err)
		}
		return nil, fmt.Errorf("latent cache %w", err)
	}
	return &Cache{Dir: dir}, nil
}

// keyOf is the name of an entry without its ending; empty if the encoder cannot be cached.
func keyOf(info Info, src Source, o EncodeOptions) (string, error) {
	if info.Identity == "" {
		return "", nil
	}
	states, err := src.Fingerprint()
	if err != nil {
		return "", fmt.Errorf("hashing the states: %w", err)
	}
	if states == "" {
		return "", nil
	}
	pool := poolOf(info, o)
	h := sha256.New()
	shape := fmt.Sprint(src.Len(), src.Shape())
	for _, part := range []string{cacheVersion, info.Identity, states, shape, string(pool), o.Preprocessing.key()} {
		fmt.Fprintf(h, "%d:%s;", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// poolOf is the pooling that options come to.
func poolOf(info Info, o EncodeOptions) Pool {
	if o.Pool == PoolNone {
		return info.DefaultPool
	}
	return o.Pool
}

// ContentKey says by which content, pooling and preprocessing an encoder makes latents of any states; empty where the content
// of the encoder is not known.
func ContentKey(info Info, o EncodeOptions) string {
	if info.Identity == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %s %s", cacheVersion, info.Identity, poolOf(info, o), o.Preprocessing.key())
}

func (c *Cache) path(key string) string { return filepath.Join(c.Dir, key+".npy") }

// entryHash begins the hash at the end of an entry: over its key, as content under the
// name of another entry is not that entry's, and then its bytes.
func entryHash(key string) hash.Hash {
	h := sha256.New()
	io.WriteString(h, key)
	return h
}

// ErrForeign says that somebody else may have written an entry of a cache, which is not used.
var ErrForeign = errors.New("is not used")

// load returns an entry of n latents and their dimension, or nil. Its error is [ErrForeign], of an entry or of the folder.
func (c *Cache) load(key string, n int) ([]float32, int, error) {
	if c == nil || key == "" {
		return nil, 0, nil
	}
	path := c.path(key)
	data, err := c.read(path)
	if err != nil || checkEntry(key, data) != nil {
		return nil, 0, err
	}
	body := data[:len(data)-sha256.Size]
	at := bytes.IndexByte(body, '\n') + 1
	d := (len(body) - at) / 4 / n
	if d == 0 || len(body)-at != 4*n*d {
		return nil, 0, nil
	}
	if header, err := dataset.NPYHeader(dataset.Float32, []int{n, d}); err != nil || !bytes.Equal(body[:at], header) {
		return nil, 0, nil
	}
	z := make([]float32, n*d)
	for i := range z {
		z[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[at+4*i:]))
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // marks it as used; a read-only cache still serves
	return z, d, nil
}

// read reads the file of an entry, nil if there is none, unless somebody else than this user may have written it.
func (c *Cache) read(path string) ([]byte, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil
	}
	for _, place := range []struct {
		path string
		info func() (fs.FileInfo, error)
	}{{c.Dir, func() (fs.FileInfo, error) { return os.Stat(c.Dir) }}, {path, func() (fs.FileInfo, error) { return info, nil }}} {
		info, err := place.info()
		if err != nil {
			return nil, nil
		}
		if who := strangers(info); who != "" {
			return nil, fmt.Errorf("latent cache: %s %w: %s", place.path, ErrForeign, who)
		}
	}
	if info.Size() > c.limit() {
		return nil, nil
	}
	data, err := regular.All(context.Background(), path, file, c.limit())
	if err != nil {
		return nil, nil
	}
	return data, nil
}

// checkEntry finds an entry that is not whole, or of another key.
func checkEntry(key string, data []byte) error {
	if len(data) < 64+sha256.Size {
		return errors.New("it is cut short")
	}
	hash := entryHash(key)
	hash.Write(data[:len(data)-sha256.Size])
	if !bytes.Equal(hash.Sum(nil), data[len(data)-sha256.Size:]) {
		return errors.New("its bytes are not those that were written")
	}
	return nil
}

// CheckEntry finds what is wrong with the file of an entry, which its name and a digest at its end tell. ok is false of a file
// that is no entry by its name. Errors: somebody else may have written it, or its bytes have changed.
func CheckEntry(path string) (ok bool, err error) {
	key, ok := entryKey(filepath.Base(path))
	if !ok {
		return false, nil
	}
	c := &Cache{Dir: filepath.Dir(path), MaxBytes: math.MaxInt64}
	data, err := c.read(path)
	if err == nil {
		err = checkEntry(key, data)
	}
	return true, err
}

// entryKey is the key of the entry in a file of this name.
func entryKey(name string) (string, bool) {
	key, ok := strings.CutSuffix(name, ".npy")
	_, err := hex.DecodeString(key)
	return key, ok && err == nil && len(key) == 2*sha256.Size
}

// store writes an entry, complete or not at all, and trims the folder.
func (c *Cache) store(key string, z []float32, n, d int) error {
	if c == nil || key == "" {
		return nil
	}
	header, err := dataset.NPYHeader(dataset.Float32, []int{n, d})
	if err != nil {
		return err
	}
	if int64(len(header)+4*len(z)+sha256.Size) > c.limit() {
		return nil
	}
	// Not forced to disk: what a power cut leaves is noticed by its hash.
	err = atomicfile.Write(c.path(key), atomicfile.Options{Mode: 0o600}, func(w io.Writer) error {
		hash := entryHash(key)
		out := io.MultiWriter(w, hash)
		if _, err := out.Write(header); err != nil {
			return err
		}
		var part []byte
		for chunk := range slices.Chunk(z, 1<<14) {
			part = part[:0]
			for _, v := range chunk {
				part = binary.LittleEndian.AppendUint32(part, math.Float32bits(v))
			}
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
		_, err := w.Write(hash.Sum(nil))
		return err
	})
	if err != nil {
		return err
	}
	return c.trim()
}

func (c *Cache) limit() int64 {
	if c.MaxBytes > 0 {
		return c.MaxBytes
	}
	return defaultCacheBytes
}

// entries lists the cache's own files, the least recently used first.
func (c *Cache) entries() ([]fs.FileInfo, error) {
	list, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, err
	}
	var files []fs.FileInfo
	for _, e := range list {
		c.sweep(e)
		if _, ok := entryKey(e.Name()); !ok {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortStableFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	return files, nil
}

// abandoned is how old a temporary file is that nobody writes any more.
const abandoned = 24 * time.Hour

// sweep removes the temporary file of a process that was killed.
func (c *Cache) sweep(e fs.DirEntry) {
	if !atomicfile.IsTemporary(e.Name()) {
		return
	}
	if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
		_ = os.Remove(filepath.Join(c.Dir, e.Name())) // another process may have done it
	}
}

func (c *Cache) trim() error {
	files, err := c.entries()
	if err != nil {
		return err
	}
	var total int64
	for _, f := range files {
		total += f.Size()
	}
	for _, f := range files {
		if total <= c.limit() {
			break
		}
		if err := os.Remove(filepath.Join(c.Dir, f.Name())); err != nil {
			return err
		}
		total -= f.Size()
	}
	return nil
}
