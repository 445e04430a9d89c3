// Tests of configuration files.

package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	apply := func(yaml, args string) (*fake, error) {
		if err := os.WriteFile(path, []byte(yaml), 0o666); err != nil {
			t.Fatal(err)
		}
		f := newFake()
		if err := f.parse(strings.Fields(args)...); err != nil {
			t.Fatal(err)
		}
		return f, applyConfig(f.flags, path)
	}
	f, err := apply("model:\n  jepa: a.onnx\n  encdec: [b, c]\nk: [1, 2]\nfast: true\nseed: 9\nsigma: 1,2\nmemory: 2GiB\nformat: [png, svg]\nmean: [0.5, 0.25]\n", "--seed 11 -k 3")
	if err != nil {
		t.Fatal(err)
	}
	o := f.options
	if !slices.Equal(f.model.values, []string{"jepa=a.onnx", "encdec=b", "encdec=c"}) || !slices.Equal(f.mean.values, []string{"0.5,0.25"}) {
		t.Errorf("flags that repeat: %q, %q", f.model.values, f.mean.values)
	}
	if o.Seed != 11 || !slices.Equal(*f.k, []int{3}) || !slices.Equal(*f.sigma, []float64{1, 2}) || !*f.fast || o.Memory != 2<<30 || len(o.Formats) != 2 {
		t.Errorf("options %+v, k %v", o, *f.k)
	}
	if f, err := apply("model: {a: x}\n", "--model b=y"); err != nil || !slices.Equal(f.model.values, []string{"b=y"}) {
		t.Errorf("the command line should replace the list: %+v, %v", f.model.values, err)
	}
	if _, err := apply("", ""); err != nil {
		t.Errorf("an empty file: %v", err)
	}
	for _, test := range []struct{ yaml, message, hint string }{
		{"sead: 1\n", `line 1: unknown option "sead"`, "did you mean seed?"},
		{"seed: 1\n\nconfig: x\n", `line 3: unknown option "config"`, ""},
		{"seed: 1\nseed: 2\n", "seed", ""},
		{"seed:\n", "it has no value", ""},
		{"seed: x\n", "option seed", ""},
		{"metric: cosin\n", "is not one of", "did you mean cosine?"},
		{"seed: {a: 1}\n", "want a plain value or a list", ""},
		{"k: [[1]]\n", "want a list of plain values", ""},
		{"- seed\n", "name: value", ""},
		{"seed: [1\n", "configuration", ""},
		{"fast: perhaps\n", "option fast", ""},
	} {
		_, err := apply(test.yaml, "")
		switch {
		case err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), path) || exitCode(err) != exitUsage:
			t.Errorf("%q: got %v, want %q", test.yaml, err, test.message)
		case test.hint != strings.Join(hintsOf(err), "\n"):
			t.Errorf("%q: hints %q", test.yaml, hintsOf(err))
		}
	}
	if err := applyConfig(newFake().flags, filepath.Join(dir, "none.yaml")); err == nil || exitCode(err) != exitFailed {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"seed: 1\n", "model: {a: b}\n", "k: [1,2]\n", "a: &x [*x]\n", "x: &a {<<: *a}\n", "? [a]\n: b\n", "---\n...\n", "\x00"} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "c.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		flags := newFake().flags
		if err := applyConfig(flags, path); err != nil && exitCode(err) != exitUsage {
			t.Errorf("%q: %v is not wrong usage", data, err)
		}
	})
}
