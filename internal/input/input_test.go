// Tests of whole runs over states and models with a small stand-in for an analysis.

package input_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/points"
	"repscope/report"
)

// stand is an analysis that reports the mean of the latents it is given.
var stand = standCommand(input.Needs{})

func standCommand(needs input.Needs) run.Command {
	c := run.Command{
		Name:    "stand",
		Summary: "mean of the latents",
		Manual:  "A stand-in for an analysis.",
		Out:     "stand_out",
	}
	c.Setup = func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, needs)
		ks, act := []int{5}, "run"
		flags.Declare(option.Of(option.Func(func(l *option.List) {
			l.Ints(&ks, "k", "neighbours")
			option.Choice(l, &act, "act", []string{"run", "fail", "panic", "sleep", "stuck", "undefined", "encode"}, "what to do")
		})))
		return run.Job{Run: func(ctx context.Context, env *run.Env) error {
			data, err := inputs.Load(ctx, env)
			if err != nil {
				return err
			}
			return runStand(ctx, env, data, ks, act)
		}, Plan: func(ctx context.Context, env *run.Env) error {
			_, err := inputs.Plan(ctx, env)
			return err
		}}
	}
	return c
}

func runStand(ctx context.Context, env *run.Env, data *input.Data, ks []int, act string) error {
	index := data.Sample()
	latents, err := data.Latents(ctx, index)
	if err != nil {
		return err
	}
	table := report.NewTable("means", "model", "mean", "states")
	err = env.Files.CSV("stand_summary.csv", []string{"Model", "Mean", "Sample_Count"}, func(csv *report.CSV) error {
		for i, m := range data.Models {
			sum, n := 0.0, 0
			for j := range latents[i].N {
				for _, v := range latents[i].Row(j, nil) {
					sum += v
					n++
				}
			}
			mean := report.Number(sum / float64(n))
			if act == "undefined" {
				mean = report.Undefined("asked for it")
			}
			env.Result.Models.Set(m.Name, map[string]any{"mean": mean, "first": index[0], "pairs": len(data.Pairs(1)), "k": ks})
			table.Row(m.Name, mean, latents[i].N)
			if err := csv.Row(m.Name, mean, latents[i].N); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch act {
	case "fail":
		return errors.New("it failed")
	case "panic":
		panic("it broke")
	case "sleep":
		<-ctx.Done()
		return ctx.Err()
	case "stuck":
		time.Sleep(time.Hour)
	}
	if act == "encode" {
		if err := encodeAgain(ctx, data, index, latents); err != nil {
			return err
		}
	}
	if data.States != nil {
		frames, err := data.Frames(ctx, index)
		if err != nil {
			return err
		}
		env.Print("frames of %d values\n", frames.Dim)
	}
	if err := env.Table(table); err != nil {
		return err
	}
	return env.Figure("stand", drawing{})
}

// encodeAgain encodes some of the states by other ways, which must give the
// same latents.
func encodeAgain(ctx context.Context, data *input.Data, index []int, latents []points.Points) error {
	few := index[:3]
	for i, m := range data.Models {
		again, err := m.Encode(ctx, data.States.Subset(few), "again")
		if err != nil {
			return err
		}
		part, err := m.Latents(ctx, few)
		if err != nil {
			return err
		}
		if want := latents[i].F32[:3*latents[i].Dim]; !slices.Equal(again.F32, want) || !slices.Equal(part.F32, want) {
			return fmt.Errorf("%s: three states encoded alone differ", m.Name)
		}
	}
	clips, err := data.Clips(ctx, few)
	if err == nil && clips.N != 3 {
		err = fmt.Errorf("%d clips", clips.N)
	}
	return err
}

// drawing is a figure.
type drawing struct{}

func (drawing) Render(w io.Writer, format string) error {
	_, err := io.WriteString(w, "a "+format)
	return err
}

func TestMain(m *testing.M) { runtest.Main(m, stand) }

func TestScripts(t *testing.T) { runtest.Run(t, "testdata/script") }

// folder makes input files and returns a folder.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	z := make([]float32, 20*4)
	frames := make([]uint8, 20*6)
	episodes := make([]int64, 20)
	for i := range z {
		z[i] = float32(i%7) / 7
	}
	for i := range frames {
		frames[i] = uint8(i * 13)
	}
	for i := range episodes {
		episodes[i] = int64(i / 10)
	}
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(dir, "z.npy"), []int{20, 4}, z),
		dataset.WriteNPY(filepath.Join(dir, "frames.npy"), []int{20, 2, 3}, frames),
		dataset.WriteNPY(filepath.Join(dir, "episodes.npy"), []int{20}, episodes),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runIn runs the stand-in with {} in the arguments replaced by the folder.
func runIn(ctx context.Context, dir, args string) (code int, stdout, stderr string) {
	fields := strings.Fields(strings.ReplaceAll(args, "{}", dir))
	var out, errs bytes.Buffer
	code = run.Run(ctx, stand, fields, &out, &errs)
	return code, out.String(), errs.String()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestRunJSON(t *testing.T) {
	dir := folder(t)
	code, stdout, stderr := runIn(t.Context(), dir, "--frames {}/frames.npy --episodes {}/episodes.npy --latents a=/{}/z.npy --latents b={}/z.npy --out {}/out --format png,svg --json --quiet")
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, stderr %s", code, stderr)
	}
	file, err := os.ReadFile(filepath.Join(dir, "out", "stand.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(file) != stdout {
		t.Error("standard output is not the result file")
	}
	var result struct {
		Schema, Analysis, Device, Started string
		Seed                              int
		Kernel                            report.Kernel
		Inputs                            []map[string]any
		Options                           map[string]any
		Models                            map[string]map[string]any
	}
	if err := json.Unmarshal(file, &result); err != nil {
		t.Fatal(err)
	}
	if result.Schema != "repscope/1" || result.Analysis != "stand" || result.Device != "cpu" || result.Seed != 42 || result.Kernel.KC == 0 || result.Kernel.Name == "" || result.Started == "" {
		t.Errorf("header %+v", result)
	}
	roles := []string{}
	for _, in := range result.Inputs {
		roles = append(roles, in["role"].(string))
		if sum, _ := in["sha256"].(string); len(sum) != 64 {
			t.Errorf("input %v has no digest", in)
		}
	}
	if !slices.Equal(roles, []string{"frames", "episodes", "latents", "latents"}) {
		t.Errorf("inputs %v", roles)
	}
	if pairs := result.Models["a"]["pairs"]; pairs != 18.0 {
		t.Errorf("%v pairs in two episodes of ten, want 18", pairs)
	}
	if got := names(t, filepath.Join(dir, "out")); !slices.Equal(got, []string{"stand.json", "stand.png", "stand.sha256", "stand.svg", "stand_summary.csv"}) {
		t.Errorf("files %v", got)
	}
}

// Threads and batch size leave no trace in the result.
func TestRunIsDeterministic(t *testing.T) {
	dir := folder(t)
	var first string
	for _, more := range []string{"--threads 1 --batch 1", "--threads 4 --batch 64 --memory 1GB", ""} {
		code, stdout, stderr := runIn(t.Context(), dir, "--frames {}/frames.npy --latents a={}/z.npy --samples 7 --json --out {}/out "+more)
		if code != 0 {
			t.Fatal(stderr)
		}
		var kept []string
		for line := range strings.SplitSeq(stdout, "\n") {
			if !strings.HasPrefix(line, `  "started"`) && !strings.HasPrefix(line, `  "elapsed_s"`) {
				kept = append(kept, line)
			}
		}
		text := strings.Join(kept, "\n")
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("%s changes the result:\n%s\nwant\n%s", more, text, first)
		}
	}
}

func TestRunFailsWithoutTrace(t *testing.T) {
	dir := folder(t)
	out := filepath.Join(dir, "out")
	if code, _, stderr := runIn(t.Context(), dir, "--latents a={}/z.npy --out {}/out"); code != 0 {
		t.Fatal(stderr)
	}
	before, err := os.ReadFile(filepath.Join(out, "stand.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args, message string
		code          int
	}{
		{"--latents a={}/z.npy --act fail", "stand: it failed\n", 1},
		{"--latents a={}/z.npy --act panic", "stand: internal error: it broke", 1},
		{"--latents a={}/none.npy", "none.npy", 1},
		{"--latents a={}/z.npy --act fial", "stand: hint: did you mean fail?", 2},
		{"--latents a={}/z.npy --frames {}/none.npy", "none.npy", 1},
		{"--latents a={}/z.npy --model b={}/none.onnx --frames {}/frames.npy", "none.onnx: no such file", 1},
		{"--frames {}/frames.npy --weights {}/none", "none: no such file", 1},
		{"--frames {}/frames.npy --weights {}", "found no <name>/best_encoder", 1},
		{"--device cuda --example", "device cuda: no CUDA device", 1},
		{"--device gpu --example", "\"gpu\" is not a device", 2},
		{"--latents a={}/z.npy --window 3", "windows need frames", 2},
		{"--latents a={}/z.npy --cache {}/z.npy", "latent cache", 1},
		{"", "stand: hint: or run the built-in example: stand --example", 2},
	} {
		code, stdout, stderr := runIn(t.Context(), dir, test.args+" --out {}/out")
		if code != test.code || !strings.Contains(stderr, test.message) || stdout != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %s; want %d and %q", test.args, code, stdout, stderr, test.code, test.message)
		}
		for line := range strings.SplitSeq(strings.TrimSpace(stderr), "\n") {
			if !strings.HasPrefix(line, "stand: ") {
				t.Errorf("%s: line %q has no prefix", test.args, line)
			}
		}
		if got := names(t, out); !slices.Equal(got, []string{"stand.json", "stand.png", "stand.sha256", "stand_summary.csv"}) {
			t.Errorf("%s: files %v", test.args, got)
		}
	}
	if after, err := os.ReadFile(filepath.Join(out, "stand.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the earlier result changed (%v)", err)
	}
}

// The checksum of a large array is verified while the analysis runs. A wrong one ends it,
// whatever it is doing, and nothing is written.
func TestDamagedFrames(t *testing.T) {
	runtest.Long(t, "one damaged file after another")
	dir := folder(t)
	const rows, side = 20, 1850 // more bytes than are checked when the file is opened
	frames := make([]uint8, rows*side*side)
	path := filepath.Join(dir, "large.npz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	member, err := archive.CreateHeader(&zip.FileHeader{Name: "frames.npy", Method: zip.Store})
	if err == nil {
		err = dataset.WriteNPY(filepath.Join(dir, "large.npy"), []int{rows, side, side}, frames)
	}
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "large.npy"))
	if err == nil {
		_, err = member.Write(content)
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	args := "--frames {}/large.npz:frames --latents a={}/z.npy --quiet --act "
	if code, _, stderr := runIn(t.Context(), dir, args+"run --out {}/out"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if _, err := file.WriteAt([]byte{1}, int64(len(content)/2)); err != nil {
		t.Fatal(err)
	}
	before := names(t, filepath.Join(dir, "out"))
	for _, act := range []string{"run", "sleep"} {
		code, _, stderr := runIn(t.Context(), dir, args+act+" --out {}/bad")
		if code != 1 || !strings.Contains(stderr, "large.npz: corrupt: checksum") {
			t.Errorf("%s: exit %d: %s, want the wrong checksum", act, code, stderr)
		}
	}
	if after := names(t, filepath.Join(dir, "out")); !slices.Equal(before, after) || len(names(t, filepath.Join(dir, "bad"))) > 0 {
		t.Errorf("files %v and %v", after, names(t, filepath.Join(dir, "bad")))
	}
}

func TestMismatch(t *testing.T) {
	dir := folder(t)
	if err := dataset.WriteNPY(filepath.Join(dir, "short.npy"), []int{19, 4}, make([]float32, 76)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"--frames {}/frames.npy --latents a={}/short.npy", "latents a: {}/short.npy has shape [19 4], but frames {}/frames.npy of shape [20 2 3] give 20 states: want 20 rows"},
		{"--frames {}/frames.npy --window 4 --latents a={}/z.npy", "give 17 states: want 17 rows, one per window of 4 frames\n" +
			"stand: hint: there is one row per frame, but the model takes windows of 4 frames; give latents of the windows, or --window a=1 if it takes one frame"},
		{"--latents a={}/short.npy --episodes {}/episodes.npy", "episodes: {}/episodes.npy has shape [20], but latents a: {}/short.npy has shape [19 4]: want 19 rows"},
		{"--frames {}/frames.npy --latents a={}/z.npy --episodes {}/short.npy", "short.npy"},
	} {
		code, _, stderr := runIn(t.Context(), dir, test.args+" --out {}/out")
		if want := strings.ReplaceAll(test.want, "{}", dir); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s\nwant %s", test.args, code, stderr, want)
		}
	}
}

func TestSkipNaN(t *testing.T) {
	dir := folder(t)
	z := make([]float64, 20*2)
	for i := range z {
		z[i] = float64(i)
	}
	z[7*2+1] = math.NaN()
	z[12*2] = math.Inf(1)
	f := make([]float32, 20*3)
	f[3*3+2] = float32(math.NaN())
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(dir, "bad.npy"), []int{20, 2}, z),
		dataset.WriteNPY(filepath.Join(dir, "badframes.npy"), []int{20, 3}, f),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := runIn(t.Context(), dir, "--latents a={}/bad.npy --out {}/out")
	if code != 1 || !strings.Contains(stderr, "NaN or Inf in 2 of 20 rows, first in row 7, pooled column 1") || !strings.Contains(stderr, "--skip-nan") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	code, _, stderr = runIn(t.Context(), dir, "--frames {}/badframes.npy --latents a={}/z.npy --out {}/out")
	if code != 1 || !strings.Contains(stderr, "badframes.npy") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	code, stdout, stderr := runIn(t.Context(), dir, "--frames {}/badframes.npy --latents a={}/bad.npy --latents b={}/z.npy --skip-nan --out {}/out --json")
	if code != 0 {
		t.Fatal(stderr)
	}
	var result struct {
		Inputs   []map[string]any
		Models   map[string]map[string]any
		Warnings []string
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatal(err)
	}
	// States 3, 7 and 12 are gone for both models; so are the pairs they were in.
	if got := result.Models["b"]["pairs"]; got != 13.0 {
		t.Errorf("%v pairs, want 13", got)
	}
	sum := 0.0
	for i, v := range z {
		if row := i / 2; row != 3 && row != 7 && row != 12 {
			sum += v
		}
	}
	if got := result.Models["a"]["mean"]; got != sum/34 {
		t.Errorf("mean %v, want %v: rows of latents and states are out of step", got, sum/34)
	}
	if len(result.Warnings) != 2 || result.Inputs[0]["skipped"] != 1.0 || result.Inputs[1]["skipped"] != 2.0 {
		t.Errorf("warnings %v, inputs %v", result.Warnings, result.Inputs)
	}
}

func TestCtrlC(t *testing.T) {
	dir := folder(t)
	for _, act := range []string{"sleep", "stuck"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Second, cancel)
			start := time.Now()
			code, stdout, stderr := runIn(ctx, dir, "--latents a={}/z.npy --out {}/out --act "+act)
			took := time.Since(start)
			if code != 1 || stdout != "" || !strings.Contains(stderr, "stand: interrupted") {
				t.Errorf("%s: exit %d, stdout %q, stderr %s", act, code, stdout, stderr)
			}
			if took > 11*time.Second {
				t.Errorf("%s: took %v after the signal", act, took-10*time.Second)
			}
			if got := names(t, filepath.Join(dir, "out")); len(got) > 0 {
				t.Errorf("%s: left %v", act, got)
			}
			time.Sleep(time.Hour) // lets the stuck analysis come back and find its files gone
			if got := names(t, filepath.Join(dir, "out")); len(got) > 0 {
				t.Errorf("%s: wrote %v after all", act, got)
			}
		})
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, stderr := runIn(done, dir, "--latents a={}/z.npy --out {}/out"); code != 1 || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestSampleIsPairedAndSeeded(t *testing.T) {
	dir := folder(t)
	first := map[string]any{}
	for _, seed := range []string{"1", "2", "1"} {
		code, stdout, stderr := runIn(t.Context(), dir, "--latents a={}/z.npy --latents b={}/z.npy --samples 5 --json --out {}/out --seed "+seed)
		if code != 0 {
			t.Fatal(stderr)
		}
		var result struct{ Models map[string]map[string]any }
		if err := json.Unmarshal([]byte(stdout), &result); err != nil {
			t.Fatal(err)
		}
		if result.Models["a"]["mean"] != result.Models["b"]["mean"] {
			t.Errorf("models see different samples: %v", result.Models)
		}
		if old, ok := first[seed]; ok && old != result.Models["a"]["mean"] {
			t.Errorf("seed %s gives %v, then %v", seed, old, result.Models["a"]["mean"])
		}
		first[seed] = result.Models["a"]["mean"]
	}
	if first["1"] == first["2"] {
		t.Error("the seed does not matter")
	}
}

func TestPairStates(t *testing.T) {
	index, local := input.PairStates([]points.Pair{{Now: 7, Next: 9}, {Now: 2, Next: 7}}, []points.Pair{{Now: 2, Next: 3}})
	if !slices.Equal(index, []int{2, 3, 7, 9}) {
		t.Errorf("index %v", index)
	}
	if fmt.Sprint(local) != "[[{2 3} {0 2}] [{0 1}]]" {
		t.Errorf("local %v", local)
	}
}

// failingWriter is standard output on a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A cache that cannot be written costs nothing but time, and is mentioned once.
func TestCacheFails(t *testing.T) {
	dir := folder(t)
	c := standCommand(input.Needs{})
	cache := filepath.Join(dir, "cache")
	c.Setup = func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{})
		return run.Job{Run: func(ctx context.Context, env *run.Env) error {
			data, err := inputs.Load(ctx, env)
			if err != nil {
				return err
			}
			// A file in the folder's place: no entry can be written.
			if err := errors.Join(os.RemoveAll(cache), os.WriteFile(cache, nil, 0o600)); err != nil {
				return err
			}
			_, err = data.Latents(ctx, data.Index())
			return err
		}}
	}
	var stdout, stderr bytes.Buffer
	args := []string{"--frames", dir + "/frames.npy", "--baseline", "random:3,pca:2", "--cache", cache, "--out", dir + "/out"}
	code := run.Run(t.Context(), c, args, &stdout, &stderr)
	if n := strings.Count(stderr.String(), "note: encoded latents are not cached: "); code != 0 || n != 1 {
		t.Errorf("exit %d, %d notes: %s", code, n, stderr.String())
	}
}

func TestStdoutFails(t *testing.T) {
	dir := folder(t)
	var stderr bytes.Buffer
	code := run.Run(t.Context(), stand, []string{"--latents", "a=" + dir + "/z.npy", "--out", dir + "/out"}, failingWriter{}, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
}
