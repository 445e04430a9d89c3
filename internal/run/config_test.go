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
		f.options.config = path
		return f, applyConfig(f.flags, f.options)
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
		{"seed: x\n", `option seed: invalid value "x": want a whole number from 0`, ""},
		{"seed: -1\n", `option seed: invalid value "-1": want a whole number from 0`, ""},
		{"seed: 1.5\n", "want a whole number from 0", ""},
		{"threads: many\n", `option threads: invalid value "many": want a whole number from 0`, ""},
		{"metric: cosin\n", "is not one of", "did you mean cosine?"},
		{"seed: {a: 1}\n", "option seed: found a mapping; want one value", ""},
		{"k: {a: 1}\n", "option k: found a mapping; want a plain value or a list", ""},
		{"seed: [1, 2]\n", "option seed: found a list, [1, 2]; want one value", ""},
		{"out: [a, b]\n", "option out: found a list, [a, b]; want one value", ""},
		{"k: [[1]]\n", "want a list of plain values", ""},
		{"- seed\n", "name: value", ""},
		{"seed: [1\n", "configuration", ""},
		{"fast: perhaps\n", `option fast: invalid value "perhaps": want true or false`, ""},
		{"seed: 1\n---\nseed: 2\n", "line 2: a second document begins", ""},
		{"seed: 1\n---\n[\n", "configuration", ""},
		{"horizons: [1]\n", `unknown option "horizons"`, "horizons is an option of smoothness\nput it into a section: smoothness: {horizons: …}"},
		{"smoothness: {horizon: 1}\n", `unknown option "horizon" of smoothness`, "did you mean horizons?"},
		{"smoothness: 7\n", "smoothness is a command: want a section", ""},
		{"fake: {sead: 1}\n", `unknown option "sead"`, "did you mean seed?"},
		{"fake: {seed: 1}\nfake: {seed: 2}\n", "section fake appears twice", ""},
	} {
		_, err := apply(test.yaml, "")
		switch {
		case err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), path) || exitCode(err) != exitUsage:
			t.Errorf("%q: got %v, want %q", test.yaml, err, test.message)
		case test.hint != strings.Join(hintsOf(err), "\n"):
			t.Errorf("%q: hints %q", test.yaml, hintsOf(err))
		}
	}
	if err := applyConfig(newFake().flags, &Options{config: filepath.Join(dir, "none.yaml")}); err == nil || exitCode(err) != exitUsage ||
		strings.Contains(err.Error(), "open") || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := apply("# nothing yet\n", ""); err != nil {
		t.Errorf("a file of comments: %v", err)
	}
}

// A section is for one command and wins over what is common, the command line over both;
// what takes the place of values that repeat, and what means nothing, is said.
func TestConfigSections(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.yaml")
	const file = "seed: 1\nbootstrap: 5\nsmoothness: {horizons: [1, 7]}\ngeometry:\nfake:\n  seed: 2\n  k: [3]\nmodel: {a: x, b: y}\n"
	if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args, models string
		seed         uint64
		k, notes     int
	}{
		{"", "a=x b=y", 2, 3, 0},
		{"--seed 7", "a=x b=y", 7, 3, 0},
		{"--k 9 --model c=z", "c=z", 2, 9, 1},
	} {
		f := newFake()
		if err := f.parse(strings.Fields(test.args)...); err != nil {
			t.Fatal(err)
		}
		f.options.config = path
		if err := applyConfig(f.flags, f.options); err != nil {
			t.Fatalf("%s: %v", test.args, err)
		}
		o := f.options
		if o.Seed != test.seed || o.Bootstrap != 5 || !slices.Equal(*f.k, []int{test.k}) || strings.Join(f.model.values, " ") != test.models || len(o.notes) != test.notes {
			t.Errorf("%s: seed %d, bootstrap %d, k %v, models %v, notes %q", test.args, o.Seed, o.Bootstrap, *f.k, f.model.values, o.notes)
		}
	}

	f := newFake()
	f.flags.omit([]string{"bootstrap"})
	f.options.config = path
	if err := applyConfig(f.flags, f.options); err != nil || len(f.options.notes) != 1 || !strings.Contains(f.options.notes[0], "bootstrap has no effect on fake") {
		t.Errorf("an option that the command has no use for: %v, notes %q", err, f.options.notes)
	}
}

// A home folder is put in place of ~/ wherever a path stands.
func TestConfigExpands(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte("out: ~/results\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := newFake()
	f.options.config = path
	if err := applyConfig(f.flags, f.options); err != nil || f.options.Out != "/home/someone/results" {
		t.Errorf("out %q, %v", f.options.Out, err)
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"seed: 1\n", "model: {a: b}\n", "k: [1,2]\n", "a: &x [*x]\n", "x: &a {<<: *a}\n", "? [a]\n: b\n", "a: 1\n---\nb: 2\n", "fake: {k: 1}\nsmoothness: {k: 1}\n", "---\n...\n", "\x00"} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "c.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		flags := newFake().flags
		if err := applyConfig(flags, &Options{config: path}); err != nil && exitCode(err) != exitUsage {
			t.Errorf("%q: %v is not wrong usage", data, err)
		}
	})
}
