//go:build cuda && fakecuda

// The committed PTX, and the twins of the fake driver, belong to the committed kernels.

package cuda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repscope/internal/cuda/fakecuda"
)

func TestKernelsAreCompiled(t *testing.T) {
	compiled := map[string]bool{}
	for _, family := range fakecuda.Families() {
		compiled[family.Name] = true
		hash := sha256.New()
		for _, name := range family.Sources {
			text, err := os.ReadFile(filepath.Join("kernels", name))
			if err != nil {
				t.Fatal(err)
			}
			hash.Write(text)
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != family.Hash {
			t.Errorf("%v have changed since the PTX of %s was made: run internal/cuda/ptx.sh %s", family.Sources, family.Name, family.Name)
		}
	}
	for _, pattern := range []string{"kernels/*.cu", "kernels/ptx/*.ptx"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			if base := filepath.Base(name); !compiled[strings.TrimSuffix(base, filepath.Ext(base))] {
				t.Errorf("%s has no twin in the fake driver: run make ptx", name)
			}
		}
	}
}

// Functions of the header are forwarded, under the names of their symbols.
func TestFunctionsAreForwarded(t *testing.T) {
	header, err := os.ReadFile("include/cuda.h")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("forward/symbols.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^CUresult (cu\w+)\(`).FindAllSubmatch(header, -1) {
		if !regexp.MustCompile(`"` + string(m[1]) + `(_v\d)?"`).Match(table) {
			t.Errorf("%s is not forwarded: run go run generate.go in forward", m[1])
		}
	}
}

func TestPTXIsReproducible(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not installed; the PTX is not compared")
	}
	dir := t.TempDir()
	if out, err := exec.Command("./ptx.sh", "-o", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, pattern := range []string{"kernels/ptx/*.ptx", "fakecuda/*/twin.cpp", "fakecuda/*/twin.go", "fakecuda/twin_*.go"} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Fatalf("no %s", pattern)
		}
		for _, name := range names {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what its source compiles to: run make ptx (%v)", name, err)
			}
		}
	}
}

// A module has one kernel and all that its family shares; no line of the PTX is left out.
func TestModules(t *testing.T) {
	l, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	kernels := 0
	for family, shared := range l.shared {
		text, err := ptxFiles.ReadFile("kernels/ptx/" + family)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(shared, ".entry") || !strings.Contains(shared, ".version 7.1") {
			t.Errorf("%s: what kernels share has a kernel or no head", family)
		}
		length := len(shared)
		for kernel, name := range l.family {
			if name != family {
				continue
			}
			kernels++
			length += len(l.text[kernel])
			module, ok := l.module(kernel)
			if !ok || strings.Count(module, ".entry") != 1 || !strings.Contains(module, ".entry "+kernel+"(") || !strings.HasSuffix(module, "\n}\n") {
				t.Errorf("%s: not a module of one kernel", kernel)
			}
		}
		if length != len(text) {
			t.Errorf("%s: %d of %d bytes are in its modules", family, length, len(text))
		}
	}
	if kernels < 148 {
		t.Errorf("%d kernels", kernels)
	}
	if _, ok := l.module("absent"); ok {
		t.Error("a module of no kernel")
	}
}
