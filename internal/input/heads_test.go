// Tests of heads, of what goes into them, and of what rewards and actions are of which state.

package input_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/report"
)

// headsFound is what a command with heads found, as texts.
type headsFound struct {
	latents, outputs []string
	rewards, actions string
	successors       string
	inputs           []report.Input
}

// runHeads runs a command that takes predictors, heads of two variants, actions and rewards.
func runHeads(t *testing.T, args string) (found headsFound, code int, stderr string) {
	t.Helper()
	c := run.Command{Name: "heads", Out: filepath.Join(t.TempDir(), "out"), Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{HeadsOnly: true, NoModels: true})
		predictors := inputs.Heads(flags, input.HeadRole{Name: "predictor", Example: example.Predictor, Usage: "`NAME=FILE`"})
		heads := inputs.Heads(flags, input.HeadRole{Name: "head", Usage: "`NAME:V=FILE`", Variants: []string{"true", "predicted"}})
		actions := inputs.Role(flags, input.Role{Name: "actions", Unit: "action", Usage: "`FILE`", Example: "action", Published: "actions"})
		rewards := inputs.Role(flags, input.Role{Name: "rewards", Unit: "reward", Usage: "`FILE`", Example: "reward", Published: "rewards", NaN: true})
		inputs.Role(flags, input.Role{Name: "rollouts", Unit: "rollout", Usage: "`NAME=FILE`", Named: true, Models: true})
		return run.Job{Run: func(ctx context.Context, env *run.Env) error {
			data, err := inputs.Load(ctx, env)
			if err != nil {
				return err
			}
			index := data.Index()
			found.successors = fmt.Sprint(data.Successors(index))
			a, err := actions.Ints(data, index)
			if err != nil {
				return err
			}
			r, err := rewards.Floats(data, index)
			if err != nil {
				return err
			}
			found.actions, found.rewards = fmt.Sprint(a), fmt.Sprint(r)
			for _, m := range data.Models {
				if data.Options.Samples > 0 { // latents are of no interest
					predictor, err := predictors.Open(data, m.Name, "")
					if err != nil || (predictor != nil) != predictors.Has(m.Name) {
						return fmt.Errorf("predictor %v: %w", predictor, err)
					}
					if predictor != nil {
						found.outputs = append(found.outputs, m.Name+" "+predictor.Path)
					}
					continue
				}
				z, err := m.HeadLatents(ctx, index)
				if err != nil {
					return err
				}
				shape, err := m.HeadShape(ctx)
				if err != nil {
					return err
				}
				found.latents = append(found.latents, fmt.Sprint(m.Name, z.Rows.N, z.Rows.Dim, z.Shape, shape))
				pooled, err := m.PoolHeadRows(z.Rows.F32, z.Shape)
				if err != nil {
					return err
				}
				truth, err := m.Latents(ctx, index)
				if err != nil {
					return err
				}
				if pooled.Dim != truth.Dim || !slices.Equal(pooled.F32, truth.F32) {
					return fmt.Errorf("the pooled rows of %s are not its latents: %d and %d dimensions", m.Name, pooled.Dim, truth.Dim)
				}
				predictor, err := predictors.Open(data, m.Name, "")
				if err != nil {
					return err
				}
				if predictor != nil {
					_, shape, err := predictor.Run(ctx, []latent.HeadInput{z, {Name: latent.HeadAction, Ints: a}}, nil, m.EncodeOptions(""))
					if err != nil {
						return predictors.Hint(m.Name, err)
					}
					found.outputs = append(found.outputs, fmt.Sprint(m.Name, shape))
				}
				if head, err := heads.Open(data, m.Name, "true"); err != nil || (head != nil) != heads.Has(m.Name) {
					return fmt.Errorf("head %v: %w", head, err)
				}
			}
			found.inputs = env.Result.Inputs
			return nil
		}}
	}}
	var stdout, errs bytes.Buffer
	code = run.Run(t.Context(), c, strings.Fields(args), &stdout, &errs)
	return found, code, errs.String()
}

// headColumns adds to columns latents of six numbers, and of steps of six.
func headColumns(t *testing.T) string {
	t.Helper()
	dir := columns(t)
	for name, shape := range map[string][]int{"six": {20, 6}, "one": {20, 1, 6}, "steps": {20, 3, 6}, "windows": {16, 6}, "five": {20, 5}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i*i%97) / 8
		}
		if err := dataset.WriteNPY(filepath.Join(dir, name+".npy"), shape, values); err != nil {
			t.Fatal(err)
		}
	}
	if err := dataset.WriteNPY(filepath.Join(dir, "action.npy"), []int{20}, []int32{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	return dir
}

const toyHeads = "../../latent/testdata/"

func TestHeads(t *testing.T) {
	dir := headColumns(t)
	states := "--frames {}/frames.npy --episodes {}/episodes.npy --actions {}/action.npy --rewards {}/reward.npy "
	for _, test := range []struct {
		args             string
		latents, outputs string
	}{
		{"--latents a={}/six.npy --predictor a=" + toyHeads + "head_predictor.onnx", "[a20 6 [6] [6]]", "[a[6]]"},
		{"--latents a={}/one.npy --latents b={}/five.npy --predictor a=" + toyHeads + "head_onehot.onnx --head b:true=" + toyHeads + "head_reward.onnx",
			"[a20 6 [1 6] [1 6] b20 5 [5] [5]]", "[a[6]]"},
		{"--latents a={}/steps.npy --pool a=last --decoder-pool a=last --predictor a=" + toyHeads + "head_predictor.onnx", "[a20 6 [6] [6]]", "[a[6]]"},
		{"--latents a={}/steps.npy", "[a20 18 [3 6] [3 6]]", "[]"},
		{"--latents a={}/steps.npy --pool a=last", "[a20 18 [3 6] [3 6]]", "[]"},
		{"", "[]", "[]"},
	} {
		found, code, stderr := runHeads(t, strings.ReplaceAll(states+test.args, "{}", dir))
		if code != 0 || fmt.Sprint(found.latents) != test.latents || fmt.Sprint(found.outputs) != test.outputs {
			t.Errorf("%s: exit %d, latents %v, outputs %v: %s", test.args, code, found.latents, found.outputs, stderr)
		}
		if want := "[1 2 3 4 5 6 7 8 9 -1 11 12 13 14 15 16 17 18 19 -1]"; found.successors != want {
			t.Errorf("%s: successors %s", test.args, found.successors)
		}
	}
	// A window takes the action and the reward of its last frame.
	found, code, stderr := runHeads(t, strings.ReplaceAll(states+"--latents a={}/windows.npy --window 3", "{}", dir))
	if code != 0 || found.actions != "[2 3 0 1 2 3 0 1 0 1 2 3 0 1 2 3]" || found.rewards != "[1 1.5 2 2.5 3 3.5 4 4.5 6 6.5 7 7.5 8 8.5 9 9.5]" ||
		found.successors != "[1 2 3 4 5 6 7 -1 9 10 11 12 13 14 15 -1]" {
		t.Errorf("exit %d, actions %s, rewards %s, successors %s: %s", code, found.actions, found.rewards, found.successors, stderr)
	}
	found, code, stderr = runHeads(t, strings.ReplaceAll(states+"--latents a={}/six.npy --predictor a="+toyHeads+"head_predictor.onnx", "{}", dir))
	if in := found.inputs[len(found.inputs)-1]; code != 0 || in.Role != "predictor" || in.Name != "a" || len(in.SHA256) != 64 {
		t.Errorf("exit %d, input %+v: %s", code, in, stderr)
	}
}

func TestRewardsWithNaN(t *testing.T) {
	dir := headColumns(t)
	args := "--latents a=" + dir + "/six.npy --rewards " + dir + "/bad.npy"
	_, code, stderr := runHeads(t, args)
	if code != 1 || !strings.Contains(stderr, "bad.npy: row 4 is NaN, want a finite number") || !strings.Contains(stderr, "--skip-nan") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	found, code, stderr := runHeads(t, args+" --skip-nan")
	if code != 0 || !strings.HasPrefix(found.rewards, "[0 0 0 0 NaN 0") || !strings.Contains(stderr, "rewards: 1 state dropped for NaN or Inf") {
		t.Errorf("exit %d, %s: %s", code, found.rewards, stderr)
	}
}

func TestWrongHeads(t *testing.T) {
	dir := headColumns(t)
	for _, test := range []struct {
		args, message, hint string
		code                int
	}{
		{"--predictor b=p.onnx", `--predictor b=p.onnx: no model is named "b"; the models are jepa`, "", 2},
		{"--predictor jeppa=p.onnx", `no model is named "jeppa"`, "did you mean jepa?", 2},
		{"--rollouts jeppa=p.npy", `--rollouts jeppa=p.npy: no model is named "jeppa"`, "did you mean jepa?", 2},
		{"--predictor p.onnx", "want NAME=FILE", "did you mean p=p.onnx?", 2},
		{"--predictor jepa=p.onnx --predictor jepa=q.onnx", `two --predictor are for "jepa"`, "", 2},
		{"--head jepa=p.onnx", `want NAME:true=FILE or NAME:predicted=FILE, not "jepa"`, "", 2},
		{"--head jepa:maybe=p.onnx", `not "jepa:maybe"`, "", 2},
		{"--head jeppa:true=p.onnx", `--head jeppa:true=p.onnx: no model is named "jeppa"`, "did you mean jepa?", 2},
		{"--decoder-pool jeppa=last", `no model is named "jeppa"`, "did you mean jepa?", 2},
		{"--decoder-pool middle", "want last, mean", "", 2},
		{"--predictor jepa={}/none.onnx", "predictor jepa: {}/none.onnx: no such file", "", 1},
		{"--predictor jepa=" + toyHeads + "conv.pth", "predictor jepa: head " + toyHeads + "conv.pth: is a file of weights (ConvEncoder), want an ONNX file",
			"export the module to ONNX: torch.onnx.export(", 1},
		{"--actions {}/action.npy --predictor jepa=" + toyHeads + "head_predictor.onnx", "each latent has shape [3 6], input \"z\" wants [6]", "--decoder-pool jepa=MODE", 1},
	} {
		args := strings.ReplaceAll("--latents jepa={}/steps.npy "+test.args, "{}", dir)
		_, code, stderr := runHeads(t, args)
		if want := strings.ReplaceAll(test.message, "{}", dir); code != test.code || !strings.Contains(stderr, want) || !strings.Contains(stderr, test.hint) {
			t.Errorf("%s: exit %d, %s; want %d, %s, %s", test.args, code, stderr, test.code, want, test.hint)
		}
	}
}

// The example has a reward and an action per frame.
func TestExampleRewards(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: one probe after another")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, args := range []string{"--example --samples 1 --actions example:actions"} {
		found, code, stderr := runHeads(t, args)
		if want := "[jepa example:arcade/jepa/predictor.onnx encoder_decoder example:arcade/encoder_decoder/predictor.onnx]"; fmt.Sprint(found.outputs) != want {
			t.Errorf("%s: predictors %v, want %s", args, found.outputs, want)
		}
		if code != 0 || strings.Count(found.rewards, " ") != 1959 || !strings.Contains(found.rewards, " 10 ") || strings.Count(found.actions, "5") == 0 {
			t.Errorf("%s: exit %d, %.200s %.200s: %s", args, code, found.rewards, found.actions, stderr)
		}
	}
}

// A published dataset has rewards and actions of its own, of the split of the frames.
func TestPublishedRewards(t *testing.T) {
	const file = "../torchfile/testdata/experience.pth"
	for _, test := range []struct{ args, path string }{
		{"--frames " + file, file + ":val.rewards"},
		{"--frames " + file + ":train", file + ":train.rewards"},
		{"--frames " + file + ":train --rewards " + file + ":rewards", file + ":train.rewards"},
		{"--frames " + file + ":train.states --rewards " + file + ":rewards", file + ":train.rewards"},
		{"--frames " + file + " --rewards " + file + ":val.rewards", file + ":val.rewards"},
	} {
		found, code, stderr := runHeads(t, test.args)
		if code != 0 || len(found.inputs) == 0 {
			t.Errorf("%s: exit %d: %s", test.args, code, stderr)
			continue
		}
		last := found.inputs[len(found.inputs)-1]
		if last.Role != "rewards" || last.Path != test.path || !strings.HasSuffix(found.inputs[len(found.inputs)-2].Path, "actions") {
			t.Errorf("%s: inputs %+v", test.args, found.inputs)
		}
		t.Log(found.rewards, found.actions, found.successors)
	}
	array, err := dataset.Open(file + ":rewards")
	if err != nil {
		t.Fatal(err)
	}
	defer array.Close()
	if array.Name() != file+":val.rewards" {
		t.Errorf("%s is not of the split that is the default", array.Name())
	}
	_, code, stderr := runHeads(t, "--frames "+file+":train --rewards "+file+":val.rewards")
	if code != 1 || !strings.Contains(stderr, "rewards") {
		t.Errorf("rewards of another split: exit %d: %s", code, stderr)
	}
}
