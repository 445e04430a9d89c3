// Tests of a cache that is damaged, and of very many that use it.

package latent

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
)

// A cache that is damaged at random bytes gives the latents of the encoder, always.
func TestCacheDamaged(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, src := open(t, "mlp_opset17.onnx"), ones(33, 24)
	for i := range src.values {
		src.values[i] = float32(i % 17)
	}
	encode := func() []float32 {
		t.Helper()
		z, err := Latents(t.Context(), e, src, EncodeOptions{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return z.F32
	}
	want := encode()
	list, err := filepath.Glob(filepath.Join(cache.Dir, "*.npy"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	whole, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 400 {
		damaged := slices.Clone(whole)
		switch i % 4 {
		case 0:
			damaged[random.IntN(len(damaged))] ^= byte(1 << random.IntN(8))
		case 1:
			for range 1 + random.IntN(20) {
				damaged[random.IntN(len(damaged))] = byte(random.Uint32())
			}
			damaged[0] ^= 1 // never what it was
		case 2:
			damaged = damaged[:random.IntN(len(damaged))]
		case 3:
			damaged = append(damaged, byte(i))
		}
		if err := os.WriteFile(list[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(encode(), want) {
			t.Fatalf("damage %d gave other latents", i)
		}
		if now, err := os.ReadFile(list[0]); err != nil || !slices.Equal(now, whole) {
			t.Fatalf("damage %d was not mended: %v", i, err)
		}
	}
}

// A thousand that read the cache at the same time, while some damage and remove entries and one has no room for them,
// get their latents.
func TestCacheReaders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scales := []float64{3, 5, 9}
	src := ones(20, 24)
	for i := range src.values {
		src.values[i] = float32(i % 13)
	}
	options := func(i int, cache *Cache) EncodeOptions {
		return EncodeOptions{Cache: cache, Threads: 1, Preprocessing: Preprocessing{Scale: ScaleUnit, High: scales[i%len(scales)]}}
	}
	var want [][]float32
	for i := range scales {
		z, err := Latents(t.Context(), open(t, "mlp_opset17.onnx"), src, options(i, nil))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, z.F32)
	}
	begin := make(chan struct{})
	var wait sync.WaitGroup
	for i := range 1000 {
		e := open(t, "mlp_opset17.onnx")
		wait.Go(func() {
			cache, err := OpenCache(dir)
			if err != nil {
				t.Error(err)
				return
			}
			<-begin
			switch {
			case i%50 == 1:
				harm(dir, i)
			case i%100 == 2:
				cache.MaxBytes = 2000
			}
			z, err := Latents(t.Context(), e, &memorySource{shape: src.shape, values: src.values}, options(i, cache))
			if err != nil {
				t.Error(err)
			} else if !slices.Equal(z.F32, want[i%len(scales)]) {
				t.Errorf("reader %d has other latents", i)
			}
		})
	}
	close(begin)
	wait.Wait()
	remains, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	if err != nil || len(remains) > 0 {
		t.Errorf("left behind: %v, %v", remains, err)
	}
}

// harm damages an cache entry, or removes it.
func harm(dir string, i int) {
	list, _ := filepath.Glob(filepath.Join(dir, "*.npy"))
	if len(list) == 0 {
		return
	}
	path := list[i%len(list)]
	if i%100 == 1 {
		_ = os.Remove(path)
		return
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteAt([]byte{byte(i)}, int64(100+i%80))
		_ = f.Close()
	}
}

// Whatever lies where an cache entry should be is taken only if it is the entry as it was
// written, and takes no more memory than its bytes.
func FuzzCacheEntry(f *testing.F) {
	c := &Cache{Dir: f.TempDir()}
	const key, n = "k", 3
	want := []float32{1, 2, 3, 4, 5, 6}
	if err := c.store(key, want, n, 2); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(c.folder().Path(key))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range [][]byte{whole, whole[:len(whole)-1], nil, append(slices.Clone(whole), 0), make([]byte, 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(c.folder().Path(key), data, 0o600); err != nil {
			t.Fatal(err)
		}
		z, d, err := c.load(key, n)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(data, whole) != (z != nil) || z != nil && (d != 2 || !slices.Equal(z, want)) {
			t.Errorf("%d bytes are taken for %v", len(data), z)
		}
	})
}

// Configurations of generation: no panic, tokens that the files name or none.
func FuzzGenerationConfig(f *testing.F) {
	for _, s := range []string{`{}`, `{"bos_token_id":1,"eos_token_id":2}`, `{"text_config":{"bos_token_id":30522,"sep_token_id":102}}`, `{"decoder":{"pad_token_id":0}}`, `{"eos_token_id":[1,2]}`, `[]`, `null`} {
		f.Add([]byte(s), []byte(`{"max_length":20}`))
	}
	f.Fuzz(func(t *testing.T, config, second []byte) {
		var a, b generation
		errA, errB := a.read(config, second), b.read(config, second)
		if (errA == nil) != (errB == nil) || errA == nil && !reflect.DeepEqual(a, b) {
			t.Errorf("read twice: %+v and %+v, %v and %v", a, b, errA, errB)
		}
	})
}
