//go:build cuda && fakecuda

// The committed PTX belongs to the committed kernels.

package cuda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"repscope/internal/cuda/fakecuda"
)

func TestKernelsAreCompiled(t *testing.T) {
	hash := sha256.New()
	for _, pattern := range []string{"kernels/*.cu", "kernels/*.h"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			hash.Write(text)
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != fakecuda.Sources() {
		t.Errorf("the kernels have changed since their PTX was made: run make ptx")
	}
}

func TestPTXIsReproducible(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not installed; the PTX is not compared")
	}
	dir := t.TempDir()
	if out, err := exec.Command("./ptx.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names, _ := filepath.Glob("kernels/*.ptx")
	if len(names) == 0 {
		t.Fatal("no PTX")
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its source compiles to: run make ptx (%v)", name, err)
		}
	}
}
