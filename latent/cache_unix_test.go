// Tests of entries of the cache that others may have written.

//go:build unix

package latent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestCache_Foreign(t *testing.T) {
	t.Parallel()
	cache, err := OpenCache(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	e, src := open(t, "mlp_opset17.onnx"), ones(9, 24)
	encode := func() (z []float32, kept bool, warned error) {
		t.Helper()
		p, err := Latents(t.Context(), e, src, EncodeOptions{Cache: cache, Kept: func() { kept = true }, Warn: func(err error) { warned = err }})
		if err != nil {
			t.Fatal(err)
		}
		return p.F32, kept, warned
	}
	first, kept, warned := encode()
	if kept || warned != nil {
		t.Errorf("nothing is kept yet: %v, %v", kept, warned)
	}
	again, kept, warned := encode()
	if !kept || warned != nil || !slices.Equal(first, again) {
		t.Errorf("the second time: kept %v, %v", kept, warned)
	}
	list, _ := filepath.Glob(filepath.Join(cache.Dir, "*.npy"))
	if len(list) != 1 {
		t.Fatal(list)
	}
	entry := list[0]
	foreignEntry := func(what string, change, restore func() error, want string) {
		t.Helper()
		if err := change(); err != nil {
			t.Logf("%s: %v", what, err)
			return
		}
		if ok, err := CheckEntry(entry); !ok || !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: CheckEntry: %v, %v", what, ok, err)
		}
		z, kept, warned := encode()
		if kept || !slices.Equal(z, first) || !errors.Is(warned, ErrForeign) || !strings.Contains(warned.Error(), want) {
			t.Errorf("%s: kept %v, warned of %v", what, kept, warned)
		}
		if err := restore(); err != nil {
			t.Fatal(err)
		}
		encode() // puts an own entry there
		if _, kept, warned := encode(); !kept || warned != nil {
			t.Errorf("after %s: kept %v, %v", what, kept, warned)
		}
	}
	chmod := func(path string, mode os.FileMode) func() error {
		return func() error { return os.Chmod(path, mode) }
	}
	foreignEntry("a file that all may write", chmod(entry, 0o602), chmod(entry, 0o600), filepath.Base(entry)+" is not used: other users may write to it (mode 0602)")
	foreignEntry("a file that a group may write", chmod(entry, 0o620), chmod(entry, 0o600), "mode 0620")
	foreignEntry("a folder that all may write", chmod(cache.Dir, 0o777|os.ModeSticky), chmod(cache.Dir, 0o755), cache.Dir+" is not used: other users may write to it (mode 0777)")
	foreignEntry("a file of another", func() error { return os.Chown(entry, os.Geteuid()+12345, -1) }, func() error { return os.Remove(entry) }, "it belongs to user")
	foreignEntry("a folder of another", func() error { return os.Chown(cache.Dir, os.Geteuid()+12345, -1) }, func() error { return os.Chown(cache.Dir, os.Geteuid(), -1) }, "it belongs to user")

	// A pipe instead of an entry keeps nobody waiting.
	if err := errors.Join(os.Remove(entry), syscall.Mkfifo(entry, 0o600)); err != nil {
		t.Fatal(err)
	}
	if z, kept, _ := encode(); kept || !slices.Equal(z, first) {
		t.Error("a pipe was taken")
	}
}

func TestCheckEntry(t *testing.T) {
	t.Parallel()
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Latents(t.Context(), open(t, "mlp_opset17.onnx"), ones(9, 24), EncodeOptions{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	list, _ := filepath.Glob(filepath.Join(cache.Dir, "*.npy"))
	if ok, err := CheckEntry(list[0]); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	data, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	data[150] ^= 1
	if err := os.WriteFile(list[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := CheckEntry(list[0]); !ok || err == nil {
		t.Errorf("a damaged entry: %v, %v", ok, err)
	}
	if ok, err := CheckEntry(filepath.Join(cache.Dir, "z.npy")); ok || err != nil {
		t.Errorf("no entry: %v, %v", ok, err)
	}
}
