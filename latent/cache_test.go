// The cache: hits, keys, damage, its bound.

package latent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCache(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	cache, err := OpenCache(filepath.Join(t.TempDir(), "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, "mlp_opset17.onnx")
	src := ones(33, 24)
	for i := range src.values {
		src.values[i] = float32(i % 17)
	}
	encode := func(o EncodeOptions) []float32 {
		t.Helper()
		o.Cache = cache
		z, err := Latents(ctx, e, src, o)
		if err != nil {
			t.Fatal(err)
		}
		return z.F32
	}
	files := func() []string {
		list, _ := filepath.Glob(filepath.Join(cache.Dir, "*"))
		return list
	}
	first := encode(EncodeOptions{})
	reads := src.reads.Load()
	if again := encode(EncodeOptions{Batch: 5}); src.reads.Load() != reads || !slices.Equal(first, again) {
		t.Error("the second run encoded again")
	}
	if encode(EncodeOptions{Preprocessing: Preprocessing{Scale: ScaleUnit, High: 16}}); src.reads.Load() == reads || len(files()) != 2 {
		t.Errorf("another scale did not make another entry: %v", files())
	}
	other, err := Open("testdata/mlp_external.onnx", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.Info().Identity == e.Info().Identity {
		t.Error("two files have one identity")
	}

	// A damaged entry is encoded and written again.
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { b[200] ^= 1; return b },
		func(b []byte) []byte { return nil },
	} {
		for _, f := range files() {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f, damage(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		reads = src.reads.Load()
		if again := encode(EncodeOptions{}); src.reads.Load() == reads || !slices.Equal(first, again) {
			t.Error("a damaged entry was used")
		}
		reads = src.reads.Load()
		if encode(EncodeOptions{}); src.reads.Load() != reads {
			t.Error("a damaged entry was not replaced")
		}
	}

	if err := os.WriteFile(filepath.Join(cache.Dir, "notes.npy"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range files() {
		if filepath.Base(f) != "notes.npy" {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	cache.MaxBytes = 1500 // room for one entry of 33×6 latents
	encode(EncodeOptions{})
	encode(EncodeOptions{Preprocessing: Preprocessing{Scale: ScaleUnit, High: 3}})
	if list := files(); len(list) != 2 {
		t.Errorf("the bound was not kept: %v", list)
	}
	var warned error
	cache.Dir = filepath.Join(cache.Dir, "gone")
	encode(EncodeOptions{Warn: func(err error) { warned = err }})
	wantError(t, warned, "latent cache")
}

// Where the output is one vector per state, the poolings that leave it as it is share an entry; where there are
// several, and for the mean, each has its own.
func TestCachePoolings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shape   []int
		entries int
	}{{[]int{64, 64}, 2}, {[]int{2, 64, 64}, 4}} {
		cache, err := OpenCache(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		e, err := RandomEncoder([]int{64, 64}, RandomOptions{Dim: 16})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		src := ones(3, c.shape...)
		for i := range src.values {
			src.values[i] = float32(i % 251)
		}
		for _, pool := range []Pool{PoolNone, PoolFlatten, PoolLast, PoolCLS, PoolMean} {
			got, err := Latents(t.Context(), e, src, EncodeOptions{Pool: pool, Cache: cache})
			if err != nil {
				t.Fatal(err)
			}
			want, err := Latents(t.Context(), e, src, EncodeOptions{Pool: pool})
			if err != nil || !slices.Equal(got.F32, want.F32) || got.Dim != want.Dim {
				t.Errorf("%v, pooling %q: not what the encoder gives: %v", c.shape, pool, err)
			}
		}
		if list, _ := filepath.Glob(filepath.Join(cache.Dir, "*.npy")); len(list) != c.entries {
			t.Errorf("%v: %d entries, want %d", c.shape, len(list), c.entries)
		}
	}
}

// An entry under the name of another one is not that one's: two files exchanged, as by a copy
// that went wrong, give what the encoder gives.
func TestCacheExchanged(t *testing.T) {
	t.Parallel()
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, src := open(t, "mlp_opset17.onnx"), ones(9, 24)
	encode := func(scale float64) []float32 {
		t.Helper()
		z, err := Latents(context.Background(), e, src, EncodeOptions{Cache: cache, Preprocessing: Preprocessing{Scale: ScaleUnit, High: scale}})
		if err != nil {
			t.Fatal(err)
		}
		return z.F32
	}
	first, second := encode(2), encode(16)
	if slices.Equal(first, second) {
		t.Fatal("the two entries are the same")
	}
	list, _ := filepath.Glob(filepath.Join(cache.Dir, "*.npy"))
	if len(list) != 2 {
		t.Fatalf("entries %v", list)
	}
	for _, move := range [][2]string{{list[0], "kept"}, {list[1], list[0]}, {"kept", list[1]}} {
		for i, name := range move {
			if name == "kept" {
				move[i] = filepath.Join(cache.Dir, name)
			}
		}
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(encode(2), first) || !slices.Equal(encode(16), second) {
		t.Error("the latents of another model were taken")
	}
}
