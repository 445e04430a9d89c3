// Tests of what the flags of dynamics name, with small heads whose weights are known.

package command

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/internal/output"
	"repscope/analysis/reward"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/points"
)

const toys = "../../../latent/testdata/"

// runDynamics runs a command that has only the flags of dynamics.
func runDynamics(t *testing.T, args string) (d *loadedDynamics, in reward.DynamicsInput, code int, stderr string) {
	t.Helper()
	c := run.Command{Name: "dynamics", Out: filepath.Join(t.TempDir(), "out"), Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{})
		f := registerDynamics(flags, inputs)
		return run.Job{
			Check: func(*run.Options) error { return f.check() },
			Run: func(ctx context.Context, env *run.Env) error {
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				states, err := data.Select(ctx, data.Index(), input.NoFrames)
				if err != nil {
					return err
				}
				if d, err = f.load(ctx, env, data, states, make([]points.Points, len(states.Models))); err != nil {
					return err
				}
				in = d.input(states, states.Models)
				if !f.predictors.Any() && !f.rollouts.Any() {
					return nil
				}
				result, err := reward.Dynamics(ctx, in, reward.DynamicsOptions{Settings: analysis.Settings{Intervals: env.Options.Bootstrap > 0, Seed: env.Options.Seed, Threads: env.Options.Threads}})
				if err != nil {
					return err
				}
				env.Result.Describe(reward.Metrics()...)
				output.Enter(env, result.Warnings, result.Models, func(m reward.ModelDynamics) string { return m.Name }, result.Comparisons)
				if err := output.All(env, func(env *run.Env) error { return writeRollouts(result, env) }, func(env *run.Env) error { return printDynamics(result, env) }); err != nil {
					return err
				}
				return env.Figure(DynamicsFigure, figureOfDynamics(result, data.Names()))
			},
			Plan: func(ctx context.Context, env *run.Env) error {
				data, err := inputs.Plan(ctx, env)
				if err != nil {
					return err
				}
				return f.plan(ctx, data)
			},
		}
	}}
	var stdout, errs bytes.Buffer
	code = run.Run(t.Context(), c, strings.Fields(args), &stdout, &errs)
	return d, in, code, errs.String() + stdout.String()
}

// dynamicsFolder has 30 latents of six numbers in two episodes, actions, and rollouts.
func dynamicsFolder(t *testing.T) (dir string, z points.Points, actions []int64) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	values, episodes := make([]float32, 30*6), make([]int64, 30)
	narrow := make([]int32, 30)
	for i := range values {
		values[i] = float32((i*i+3*i)%17-8) / 8
	}
	for i := range 30 {
		episodes[i], narrow[i] = int64(min(i/12, 1)), int32(i*i%4)
		actions = append(actions, int64(narrow[i]))
	}
	bad := slices.Clone(narrow)
	bad[7] = 9
	for name, err := range map[string]error{
		"z":        dataset.WriteNPY(filepath.Join(dir, "z.npy"), []int{30, 6}, values),
		"steps":    dataset.WriteNPY(filepath.Join(dir, "steps.npy"), []int{30, 1, 6}, values),
		"episodes": dataset.WriteNPY(filepath.Join(dir, "episodes.npy"), []int{30}, episodes),
		"actions":  dataset.WriteNPY(filepath.Join(dir, "actions.npy"), []int{30}, narrow),
		"bad":      dataset.WriteNPY(filepath.Join(dir, "bad.npy"), []int{30}, bad),
		"rollouts": dataset.WriteNPY(filepath.Join(dir, "rollouts.npy"), []int{3, 2, 6}, values[:36]),
		"all":      dataset.WriteNPY(filepath.Join(dir, "all.npy"), []int{30, 1, 6}, values),
		"flat":     dataset.WriteNPY(filepath.Join(dir, "flat.npy"), []int{3, 6}, values[:18]),
		"starts":   dataset.WriteNPY(filepath.Join(dir, "starts.npy"), []int{3}, []int64{20, 4, 10}),
		"outside":  dataset.WriteNPY(filepath.Join(dir, "outside.npy"), []int{3}, []int64{20, 30, 10}),
		"two":      dataset.WriteNPY(filepath.Join(dir, "two.npy"), []int{2}, []int64{20, 4}),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	return dir, points.Float32(values, 6), actions
}

// headOf runs a small head on some rows.
func headOf(t *testing.T, name string, given ...latent.HeadInput) points.Points {
	t.Helper()
	head, err := latent.OpenHead(toys+name, latent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer head.Close()
	values, shape, err := head.Run(t.Context(), given, nil, latent.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return points.Float32(values, points.Size(shape))
}

func TestDynamicsOfHeads(t *testing.T) {
	dir, z, actions := dynamicsFolder(t)
	named := func(name string, rows points.Points) latent.HeadInput {
		return latent.HeadInput{Name: name, Rows: rows}
	}
	predicted := headOf(t, "head_predictor.onnx", named(latent.HeadLatent, z), latent.HeadInput{Name: latent.HeadAction, Ints: actions})
	args := " --episodes " + dir + "/episodes.npy --actions " + dir + "/actions.npy --horizon 3 --predictor a=" + toys + "head_predictor.onnx" +
		" --head a:true=" + toys + "head_reward.onnx --head a:predicted=" + toys + "head_reward.onnx"
	for _, file := range []string{"z.npy", "steps.npy"} {
		d, in, code, stderr := runDynamics(t, "--latents a="+dir+"/"+file+" --latents b="+dir+"/z.npy"+args)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		if !slices.Equal(d.predicted[0].F32, predicted.F32) || d.predicted[1].N != 0 || d.next[11] != -1 || d.next[29] != -1 || d.next[12] != 13 {
			t.Errorf("%s: predicted %v, want %v; successors %v", file, d.predicted[0], predicted, d.next)
		}
		if len(d.rollouts[0]) != 3 || len(d.rollouts[0][2].Start) != 30-6 || d.rollouts[1] != nil {
			t.Fatalf("%s: rollouts %+v", file, d.rollouts)
		}
		// The second step from state 3.
		second := headOf(t, "head_predictor.onnx", named(latent.HeadLatent, predicted.Select([]int{3})), latent.HeadInput{Name: latent.HeadAction, Ints: actions[4:5]})
		squared := 0.0
		for k, v := range second.F32 {
			e := float64(v) - float64(z.F32[5*6+k])
			squared += e * e / 6
		}
		if got := d.rollouts[0][1]; got.Start[3] != 3 || got.End[3] != 5 || !nearly(got.Squared[3], squared) {
			t.Errorf("%s: step 2 from state %d to %d: %v, want %v", file, got.Start[3], got.End[3], got.Squared[3], squared)
		}
		checkHeadRewards(t, d, z, predicted)
		result, err := reward.Dynamics(t.Context(), in, reward.DynamicsOptions{Settings: analysis.Settings{Intervals: true}})
		if err != nil || result.Models[0].LatentPrediction == nil || len(result.Models[0].Rollout) != 3 || result.Ignored != 2 {
			t.Errorf("%s: %+v, %v", file, result, err)
		}
	}
	d, _, code, stderr := runDynamics(t, "--latents a="+dir+"/z.npy --latent-scale rms"+args)
	if code != 0 || nearly(d.predicted[0].Row(0, nil)[0], float64(predicted.F32[0])) {
		t.Errorf("in units of the RMS distance: exit %d, %v: %s", code, d.predicted, stderr)
	}
	if _, _, code, stderr = runDynamics(t, "--dry-run --latents a="+dir+"/z.npy"+args); code != 0 || !strings.Contains(stderr, "predictor a "+toys+"head_predictor.onnx: z [-1 6], a [-1]") {
		t.Errorf("dry run: exit %d: %s", code, stderr)
	}
}

// checkHeadRewards compares what the reward head says of transitions.
func checkHeadRewards(t *testing.T, d *loadedDynamics, z, predicted points.Points) {
	t.Helper()
	var got []string
	for _, r := range d.rewards[0] {
		got = append(got, r.fittedOn+" on "+r.evaluatedOn)
		to := z.Select([]int{15})
		if r.evaluatedOn == onPredicted {
			to = predicted.Select([]int{14})
		}
		want := headOf(t, "head_reward.onnx", latent.HeadInput{Name: latent.HeadLatent, Rows: z.Select([]int{14})}, latent.HeadInput{Name: latent.HeadNext, Rows: to})
		if r.values[14] != float64(want.F32[0]) || !math.IsNaN(r.values[11]) {
			t.Errorf("reward %v, want %v; of the end of an episode %v", r.values[14], want.F32[0], r.values[11])
		}
	}
	if fmt.Sprint(got) != "[true on true true on predicted predicted on predicted]" || len(d.rewards) > 1 && d.rewards[1] != nil {
		t.Errorf("rewards %v", got)
	}
}

func TestRolloutsOfFiles(t *testing.T) {
	dir, z, _ := dynamicsFolder(t)
	args := "--latents a=" + dir + "/z.npy --episodes " + dir + "/episodes.npy --rollouts a=" + dir
	d, _, code, stderr := runDynamics(t, args+"/rollouts.npy --rollout-starts "+dir+"/starts.npy")
	if code != 0 || len(d.rollouts[0]) != 2 || fmt.Sprint(d.rollouts[0][0].Start, d.rollouts[0][1].Start) != "[4 10 20] [4 20]" || len(d.warnings) != 1 {
		t.Errorf("exit %d, %+v: %s", code, d, stderr)
	}
	want := 0.0
	for k := range 6 {
		e := float64(z.F32[6*2+k]) - float64(z.F32[5*6+k]) // the second rollout starts at state 4
		want += e * e / 6
	}
	if got := d.rollouts[0][0].Squared[0]; !nearly(got, want) {
		t.Errorf("error %v, want %v", got, want)
	}
	if d, _, code, stderr = runDynamics(t, args+"/all.npy"); code != 0 || len(d.rollouts[0]) != 1 || len(d.rollouts[0][0].Start) != 28 {
		t.Errorf("exit %d, %+v: %s", code, d, stderr)
	}
}

func TestWrongDynamics(t *testing.T) {
	dir, _, _ := dynamicsFolder(t)
	predictor := "--predictor a=" + toys + "head_predictor.onnx"
	for _, test := range []struct {
		args, message string
		code          int
	}{
		{"--horizon 0", "--horizon 0: want", 2},
		{"--horizon 4", "--horizon 4 has no effect: there is no --predictor", 2},
		{"--decoder-pool mean", "--decoder-pool mean has no effect: there is no --predictor and no --head", 2},
		{"--rollout-starts {}/starts.npy", "--rollout-starts has no effect: there are no --rollouts", 2},
		{predictor, "--predictor a=" + toys + "head_predictor.onnx needs actions, but there is no --actions\ndynamics: " +
			"hint: give actions with --actions FILE[:key]", 2},
		{predictor + " --dry-run", "needs actions, but there is no --actions", 2},
		{"--actions {}/actions.npy --predictor a=" + toys + "head_reward.onnx", "predictor a: head " + toys + "head_reward.onnx", 1},
		{"--actions {}/bad.npy --predictor a=" + toys + "head_onehot.onnx", `action 9 in row 7, but input "a" takes 4 classes, 0 to 3`, 1},
		{"--predictor a=" + toys + "head_decoder.onnx", "the output has shape [1 4 5] for one row, want [6]", 1},
		{"--head a:true=" + toys + "head_decoder.onnx", "head a:true: head " + toys + "head_decoder.onnx: has 1 inputs (latent), want 2: latent, next", 1},
		{"--rollouts a={}/flat.npy", "rollouts a: {}/flat.npy: has shape [3 6], want [M T 6]: T steps from each of " +
			"M states, with the latent dimension of a", 1},
		{"--rollouts a={}/rollouts.npy", "rollouts a: {}/rollouts.npy has 3 rollouts, but there are 30 " +
			"states\ndynamics: hint: give their initial states with --rollout-starts", 1},
		{"--rollouts a={}/rollouts.npy --rollout-starts {}/two.npy", "rollout-starts: {}/two.npy has shape [2], want one state for each of the 3 rollouts of a", 1},
		{"--rollouts a={}/rollouts.npy --rollout-starts {}/outside.npy",
			"rollout-starts: {}/outside.npy: element 1 is 30, which is not among the analyzed states", 1},
	} {
		_, _, code, stderr := runDynamics(t, strings.ReplaceAll("--latents a={}/z.npy --episodes {}/episodes.npy "+test.args, "{}", dir))
		if want := strings.ReplaceAll(test.message, "{}", dir); code != test.code || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s; want %d, %s", test.args, code, stderr, test.code, want)
		}
	}
}

// input is that of the analysis of dynamics; models have latents in the unit of --latent-scale.
func (d *loadedDynamics) input(states *points.Selection, models []points.Encoded) reward.DynamicsInput {
	in := reward.DynamicsInput{Episode: states.Episode, Time: states.Time, Next: d.next}
	for i, m := range models {
		in.Models = append(in.Models, reward.DynamicsModel{Name: m.Name, Latents: m.Latents, Predicted: d.predicted[i], Rollout: d.rollouts[i]})
	}
	return in
}

func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
