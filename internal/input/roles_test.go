// Tests of roles: one value per frame or state, arrays of any shape, columns of the
// example.

package input_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/report"
)

// seen is what a command with roles found.
type seen struct {
	labels  []int64
	rewards []float64
	shapes  []string // of the named arrays
	inputs  []report.Input
}

// runRoles runs a command over states that takes labels, rewards and named
// predictions.
func runRoles(t *testing.T, args string) (found seen, code int, stderr string) {
	t.Helper()
	c := run.Command{Name: "roles", Out: filepath.Join(t.TempDir(), "out"), Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{})
		labels := inputs.Role(flags, input.Role{Name: "labels", Unit: "label", Usage: "`FILE`", Example: "lives"})
		rewards := inputs.Role(flags, input.Role{Name: "rewards", Unit: "reward", Usage: "`FILE`"})
		predictions := inputs.Role(flags, input.Role{Name: "predictions", Unit: "prediction", Usage: "`NAME=FILE`", Named: true})
		return run.Job{Run: func(ctx context.Context, env *run.Env) error {
			data, err := inputs.Load(ctx, env)
			if err != nil {
				return err
			}
			if found.labels, err = labels.Ints(data, data.Index()); err != nil {
				return err
			}
			if found.rewards, err = rewards.Floats(data, data.Index()); err != nil {
				return err
			}
			arrays, err := predictions.Open(env)
			for _, a := range arrays {
				rows, err := predictions.Rows(data, a, data.Index()[:1])
				if err != nil {
					return err
				}
				found.shapes = append(found.shapes, fmt.Sprint(a.Name, a.Shape(), rows))
			}
			found.inputs = env.Result.Inputs
			return err
		}}
	}}
	var stdout, errs bytes.Buffer
	code = run.Run(t.Context(), c, strings.Fields(args), &stdout, &errs)
	return found, code, errs.String()
}

// columns writes one value per frame of the test's 20 frames, one per window of 3 in
// their two episodes, and arrays that are wrong.
func columns(t *testing.T) string {
	t.Helper()
	dir := folder(t)
	frame, window := make([]int64, 20), make([]int64, 16)
	reward, bad := make([]float32, 20), make([]float64, 20)
	for i := range frame {
		frame[i], reward[i] = int64(100+i), float32(i)/2
	}
	for i := range window {
		window[i] = int64(i)
	}
	bad[4] = math.NaN()
	for name, err := range map[string]error{
		"per frame":  dataset.WriteNPY(filepath.Join(dir, "frame.npy"), []int{20}, frame),
		"column":     dataset.WriteNPY(filepath.Join(dir, "column.npy"), []int{20, 1}, frame),
		"per window": dataset.WriteNPY(filepath.Join(dir, "window.npy"), []int{16}, window),
		"rewards":    dataset.WriteNPY(filepath.Join(dir, "reward.npy"), []int{20}, reward),
		"with NaN":   dataset.WriteNPY(filepath.Join(dir, "bad.npy"), []int{20}, bad),
		"pairs":      dataset.WriteNPY(filepath.Join(dir, "pairs.npy"), []int{20, 2}, make([]int64, 40)),
		"short":      dataset.WriteNPY(filepath.Join(dir, "short.npy"), []int{7}, make([]int64, 7)),
		"predicted":  dataset.WriteNPY(filepath.Join(dir, "predicted.npy"), []int{20, 3, 4}, make([]float32, 240)),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	return dir
}

func TestRoles(t *testing.T) {
	dir := columns(t)
	states := "--frames " + dir + "/frames.npy --episodes " + dir + "/episodes.npy --latents a=" + dir
	for _, test := range []struct {
		args          string
		first, last   int64
		count         int
		wantNoRewards bool
	}{
		{states + "/z.npy --labels " + dir + "/frame.npy", 100, 119, 20, true},
		{states + "/z.npy --labels " + dir + "/column.npy", 100, 119, 20, true},
		{"--latents a=" + dir + "/z.npy --labels " + dir + "/frame.npy --rewards " + dir + "/reward.npy", 100, 119, 20, false},
		// A window has the label of its last frame, or its own.
		{states + "/window.npy --window 3 --labels " + dir + "/frame.npy", 102, 119, 16, true},
		{states + "/window.npy --window 3 --labels " + dir + "/window.npy", 0, 15, 16, true},
	} {
		found, code, stderr := runRoles(t, test.args)
		if code != 0 {
			t.Errorf("%s: %s", test.args, stderr)
			continue
		}
		if l := found.labels; len(l) != test.count || l[0] != test.first || l[len(l)-1] != test.last || (found.rewards == nil) != test.wantNoRewards {
			t.Errorf("%s: labels %v, rewards %v", test.args, l, found.rewards)
		}
		labels := found.inputs[slices.IndexFunc(found.inputs, func(in report.Input) bool { return in.Role == "labels" })]
		if len(labels.SHA256) != 64 || labels.DType != "int64" || labels.Path == "" {
			t.Errorf("input %+v", labels)
		}
	}
	found, code, stderr := runRoles(t, "--latents a="+dir+"/z.npy --predictions p="+dir+"/predicted.npy --predictions q="+dir+"/reward.npy")
	if code != 0 || fmt.Sprint(found.shapes) != "[p[20 3 4] [0] q[20] [0]]" {
		t.Errorf("exit %d, %v: %s", code, found.shapes, stderr)
	}
	if in := found.inputs[len(found.inputs)-1]; in.Role != "predictions" || in.Name != "q" || in.DType != "float32" {
		t.Errorf("input %+v", in)
	}
	if found.labels != nil {
		t.Errorf("labels %v where none are given", found.labels)
	}
}

func TestWrongRoles(t *testing.T) {
	dir := columns(t)
	for _, test := range []struct {
		args, message string
		code          int
	}{
		{"--labels {}/none.npy", "roles: labels: {}/none.npy: no such file", 1},
		{"--labels {}/pairs.npy", "labels: {}/pairs.npy has shape [20 2], want one label per frame", 1},
		{"--labels {}/short.npy", "labels: {}/short.npy has 7 labels, want 20, one per frame", 1},
		{"--labels {}/short.npy --frames {}/frames.npy --window 3 --latents a={}/window.npy --episodes {}/episodes.npy",
			"labels: {}/short.npy has 7 labels, want 20, one per frame, or 16, one per state", 1},
		{"--labels {}/reward.npy", "reward.npy", 1}, // not integers
		{"--rewards {}/bad.npy", "rewards: {}/bad.npy: row 4 is NaN, want a finite number", 1},
		{"--labels example:lives", "labels: --labels example:lives needs --example", 2},
		{"--predictions {}/predicted.npy", "want NAME=FILE", 2},
		{"--predictions p={}/none.npy --predictions p={}/none.npy", `two predictions are named "p"`, 2},
		{"--predictions p={}/short.npy", "predictions p: {}/short.npy has 7 predictions, want 20, one per frame", 1},
		{"--predictions p={}/none.npy", "predictions p: {}/none.npy: no such file", 1},
	} {
		args := test.args
		if !strings.Contains(args, "--latents") {
			args += " --latents a={}/z.npy"
		}
		_, code, stderr := runRoles(t, strings.ReplaceAll(args, "{}", dir))
		if want := strings.ReplaceAll(test.message, "{}", dir); code != test.code || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s; want %d, %s", test.args, code, stderr, test.code, want)
		}
	}
	_, code, stderr := runRoles(t, "--example --labels example:livs")
	if code != 2 || !strings.Contains(stderr, "hint: did you mean example:lives?") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A command without states has roles too.
func TestRolesWithoutStates(t *testing.T) {
	dir := columns(t)
	c := run.Command{Name: "bare", Out: filepath.Join(dir, "out"), Setup: func(flags *run.Flags) run.Job {
		target := input.RegisterRole(flags, input.Role{Name: "target", Unit: "field", Usage: "`FILE`"})
		return run.Job{Run: func(_ context.Context, env *run.Env) error {
			arrays, err := target.Open(env)
			if err == nil && (len(arrays) == 1) != target.Any() {
				err = fmt.Errorf("%d arrays", len(arrays))
			}
			for _, a := range arrays {
				env.Result.Models.Set("rows", a.Len())
			}
			return err
		}}
	}}
	for args, want := range map[string]string{"--json": `"models": {}`, "--json --target " + dir + "/predicted.npy": `"rows": 20`} {
		var stdout, stderr bytes.Buffer
		if code := run.Run(t.Context(), c, strings.Fields(args), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), want) || !json.Valid(stdout.Bytes()) {
			t.Errorf("%s: exit %d, %s%s", args, code, stderr.String(), stdout.String())
		}
	}
}
