// The latent cache on disk.

package latent

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"repscope/dataset"
	"repscope/internal/entries"
	"repscope/internal/regular"
)

// Cache keeps latents on disk, keyed by a hash over the encoder's file and options, the states' content and selection,
// the preprocessing and the pooling. An entry is a .npy file [N, D] float32 that NumPy can read, followed by the
// SHA-256 of its key and bytes. Damaged entries and entries of another user count as absent. A nil *Cache is a cache
// that is switched off. Several processes may share one folder.
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
		return nil, fmt.Errorf("latent cache %w", regular.PathError(err)) // which folder, not the call
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

// ContentKey identifies the content, pooling and preprocessing of an encoder for any states; empty if the content of
// the encoder is unknown.
func ContentKey(info Info, o EncodeOptions) string {
	if info.Identity == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %s %s", cacheVersion, info.Identity, poolOf(info, o), o.Preprocessing.key())
}

// ErrForeign reports that another user may have written an entry of a cache, which is not used.
var ErrForeign = entries.ErrForeign

// cacheEnding is the ending of the files of entries.
const cacheEnding = ".npy"

func (c *Cache) folder() *entries.Folder {
	return &entries.Folder{Dir: c.Dir, Ending: cacheEnding, MaxBytes: c.limit()}
}

// load returns an entry of n latents and their dimension, or nil. Its error is [ErrForeign], of an entry or of the
// folder.
func (c *Cache) load(key string, n int) ([]float32, int, error) {
	if c == nil || key == "" {
		return nil, 0, nil
	}
	body, err := c.folder().Load(key)
	if err != nil {
		return nil, 0, fmt.Errorf("latent cache: %w", err)
	}
	if body == nil {
		return nil, 0, nil
	}
	offset := bytes.IndexByte(body, '\n') + 1
	d := (len(body) - offset) / 4 / n
	if d == 0 || len(body)-offset != 4*n*d {
		return nil, 0, nil
	}
	if header, err := dataset.NPYHeader(dataset.Float32, []int{n, d}); err != nil || !bytes.Equal(body[:offset], header) {
		return nil, 0, nil
	}
	z := make([]float32, n*d)
	for i := range z {
		z[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[offset+4*i:]))
	}
	return z, d, nil
}

// CheckEntry checks the file of a cache entry against its name and the digest at its end. ok is false if the name is
// not the name of an entry. Errors: another user may have written the file, or its contents have changed.
func CheckEntry(path string) (ok bool, err error) {
	if ok, err = entries.Check(path, cacheEnding); errors.Is(err, ErrForeign) {
		err = fmt.Errorf("latent cache: %w", err)
	}
	return ok, err
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
	err = c.folder().Store(key, func(out io.Writer) error {
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
		return nil
	})
	if err != nil {
		return err
	}
	return c.folder().Trim()
}

func (c *Cache) limit() int64 {
	if c.MaxBytes > 0 {
		return c.MaxBytes
	}
	return defaultCacheBytes
}
