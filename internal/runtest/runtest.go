// Package runtest runs binaries end to end in tests, from scripts. A package with a binary has
//
//	func TestMain(m *testing.M) { runtest.Main(m, command.Command) }
//	func TestScripts(t *testing.T) { runtest.Run(t, "testdata/script") }
//
// and scripts testdata/script/*.txt in the language of github.com/rogpeppe/go-internal/testscript, in which the binary
// is a program and these commands are added:
//
//	npy FILE TYPE SHAPE [PATTERN]    write an array: npy f.npy uint8 20x8x8 random:1
//	images DIR SIZE N SEED           write gray PNG files 0.png, 1.png, …: images f/ep0 8x8 5 1
//	experience FILE SHAPE EPISODES   write a published dataset of frames [F,H,W]: experience d.pth 60x8x8 3
//	exits STATUS PROGRAM ARGS…       run a program and check its exit status
//	same FILE FILE                   compare two result files except for their time stamps
//	onlyfiles DIR NAME…              the folder holds exactly these files
//	waitfor PATH                     wait until a file or folder exists
//	tidy FOLDER/ANALYSIS…            the tidy CSV files hold all numbers of the result file
//	reread FILE…                     read result files: written again, they have the same bytes
//	python FILE ARGS…                run a Python program; the condition [numpy] says whether there is one with NumPy
//
// $WEIGHTS is the folder of the built-in example's encoders, $TESTDATA the folder of the encoders of package latent's
// tests, $DOCS the folder of the documentation. Types are uint8, int64, float32, float64. Patterns are zero, ramp,
// random:SEED, and for float types nan:ROW, which is random with a NaN in that row.
package runtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"repscope/dataset"
	"repscope/internal/dtype"
	"repscope/internal/run"
	"repscope/internal/torchfile"
	"repscope/internal/torchfile/torchtest"
	"repscope/report"
	"repscope/stat"
)

// Main makes the commands programs of the scripts and runs the tests.
func Main(m *testing.M, commands ...run.Command) { MainWith(m, map[string]func(){}, commands...) }

// MainWith is Main with programs besides.
func MainWith(m *testing.M, programs map[string]func(), commands ...run.Command) {
	for _, c := range commands {
		programs[c.Name] = func() { run.Main(c) }
	}
	testscript.Main(m, programs)
}

// Long skips a test in short runs, such as runs of the race detector; why explains its running time.
func Long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: " + why)
	}
}

// LongPackage is Long for all tests of a package, called by its TestMain.
func LongPackage(why string) {
	if flag.Parse(); testing.Short() {
		fmt.Println("left out with -short: " + why)
		os.Exit(0)
	}
}

// Run runs every script of a folder.
func Run(t *testing.T, dir string) {
	Long(t, "scripts start whole programs")
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			// Caches stay inside the script's own folder.
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			root, err := Root()
			env.Setenv("WEIGHTS", filepath.Join(root, "internal", "example", "weights"))
			env.Setenv("DOCS", filepath.Join(root, "docs"))
			env.Setenv("TESTDATA", filepath.Join(root, "latent", "testdata"))
			env.Setenv("GENERATOR", filepath.Join(root, "analysis", "generation", "command", "testdata", "generator"))
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"npy":        npy,
			"images":     images,
			"experience": experience,
			"exits":      exits,
			"same":       same,
			"onlyfiles":  onlyFiles,
			"waitfor":    waitFor,
			"reread":     reread,
			"tidy":       tidy,
			"python":     runPython,
		},
		Condition: func(name string) (bool, error) {
			if name == "numpy" {
				return python() != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// python is a Python that has NumPy; empty where there is none.
var python = sync.OnceValue(func() string {
	for _, name := range []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"} {
		if name != "" && exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	return ""
})

func runPython(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || python() == "" {
		ts.Fatalf("usage: [numpy] python FILE ARGS…")
	}
	ts.Check(ts.Exec(python(), args...))
}

// Root returns the folder of go.mod: tests run in the folder of their package, below it.
func Root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above the working folder")
		}
	}
	return "", err
}

func npy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: npy FILE TYPE SHAPE [PATTERN]")
	}
	var shape []int
	size := 1
	for part := range strings.SplitSeq(args[2], "x") {
		n, err := strconv.Atoi(part)
		ts.Check(err)
		shape = append(shape, n)
		size *= n
	}
	pattern := "random:1"
	if len(args) == 4 {
		pattern = args[3]
	}
	kind, number, _ := strings.Cut(pattern, ":")
	seed, row := 1, -1
	if number != "" {
		n, err := strconv.Atoi(number)
		ts.Check(err)
		if kind == "nan" {
			row = n
		} else {
			seed = n
		}
	}
	values := make([]float64, size)
	random := stat.NewRandom(stat.NewKey(uint64(seed)))
	for i := range values {
		switch {
		case kind == "zero":
		case kind == "ramp":
			values[i] = float64(i)
		case args[1] == "uint8" || args[1] == "int64":
			values[i] = float64(random.Intn(256))
		default:
			values[i] = random.Normal()
		}
	}
	if row >= 0 {
		values[row*(size/shape[0])] = math.NaN()
	}
	path := ts.MkAbs(args[0])
	switch args[1] {
	case "uint8":
		ts.Check(dataset.WriteNPY(path, shape, convert[uint8](values)))
	case "int64":
		ts.Check(dataset.WriteNPY(path, shape, convert[int64](values)))
	case "float32":
		ts.Check(dataset.WriteNPY(path, shape, convert[float32](values)))
	case "float64":
		ts.Check(dataset.WriteNPY(path, shape, values))
	default:
		ts.Fatalf("unknown type %s", args[1])
	}
}

func images(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: images DIR HEIGHTxWIDTH N SEED")
	}
	height, width, ok := strings.Cut(args[1], "x")
	if !ok {
		ts.Fatalf("size %s, want HEIGHTxWIDTH", args[1])
	}
	var numbers [4]int
	for i, text := range []string{height, width, args[2], args[3]} {
		n, err := strconv.Atoi(text)
		ts.Check(err)
		numbers[i] = n
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	random := stat.NewRandom(stat.NewKey(uint64(numbers[3])))
	for i := range numbers[2] {
		img := image.NewGray(image.Rect(0, 0, numbers[1], numbers[0]))
		for k := range img.Pix {
			img.Pix[k] = uint8(random.Intn(256))
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(i, ".png")))
		ts.Check(err)
		ts.Check(errors.Join(png.Encode(f, img), f.Close()))
	}
}

// experience writes a published dataset: {train_dataset, val_dataset}, each of episodes of moving noise.
func experience(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: experience FILE FxHxW EPISODES")
	}
	var shape [3]int
	_, err := fmt.Sscanf(args[1], "%dx%dx%d", &shape[0], &shape[1], &shape[2])
	ts.Check(err)
	episodes, err := strconv.Atoi(args[2])
	ts.Check(err)
	split := func(seed uint64) torchtest.Object {
		random := stat.NewRandom(stat.NewKey(seed))
		pixels, stop := make([]float32, shape[0]*shape[1]*shape[2]), make([]byte, shape[0])
		size := shape[1] * shape[2]
		for i := range pixels { // every frame is half of the one before
			pixels[i] = float32(random.Float64())
			if i >= size {
				pixels[i] = pixels[i]/2 + pixels[i-size]/2
			}
		}
		for e := 1; e <= episodes; e++ {
			stop[e*shape[0]/episodes-1] = 1
		}
		return torchtest.Object{Class: torchfile.ExperienceDataset, State: torchtest.Dict{
			{Key: "sequence_length", Value: 1}, {Key: "states", Value: torchtest.Floats(append([]int{1}, shape[:]...), pixels)},
			{Key: "stop_episodes", Value: torchtest.Tensor{DType: dtype.Bool, Shape: shape[:1], Raw: stop}},
		}}
	}
	var file bytes.Buffer
	ts.Check(torchtest.Encode(&file, torchtest.Dict{{Key: "train_dataset", Value: split(1)}, {Key: "val_dataset",
		Value: split(2)}, {Key: "metadata", Value: torchtest.Dict{}}}))
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file.Bytes(), 0o666))
}

func convert[T uint8 | int64 | float32](values []float64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v)
	}
	return out
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	a, b := resultLines(ts, args[0]), resultLines(ts, args[1])
	if diff := cmp.Diff(a, b); (diff == "") == neg {
		ts.Fatalf("%s and %s (− the first, + the second):\n%s", args[0], args[1], diff)
	}
}

// resultLines are the lines of a result file without its time stamps, and without the statistics of the cache.
func resultLines(ts *testscript.TestScript, name string) []string {
	data, err := os.ReadFile(ts.MkAbs(name))
	ts.Check(err)
	if !json.Valid(data) {
		ts.Fatalf("%s is not JSON", name)
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return strings.HasPrefix(line, `  "started": `) || strings.HasPrefix(line, `  "elapsed_s": `) || strings.HasPrefix(line, `  "latents_from_cache": `)
	})
}

func onlyFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: onlyfiles DIR NAME…")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(names, want) {
		ts.Fatalf("%s holds %v, want %v", args[0], fmt.Sprint(names), fmt.Sprint(want))
	}
}

func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor PATH")
	}
	for range 1000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}

func reread(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: reread FILE...")
	}
	for _, name := range args {
		r, err := report.Read(ts.MkAbs(name))
		ts.Check(err)
		var again strings.Builder
		ts.Check(r.Write(&again))
		if was := ts.ReadFile(name); again.String() != was {
			ts.Fatalf("%s changes when it is read and written: %s", name, cmp.Diff(was, again.String()))
		}
	}
}
