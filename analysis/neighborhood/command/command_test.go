// Tests of the command: tables, files, figures.

package command

// The binary end to end, see testdata/script, and its choice of the original space.

import (
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/runtest"
	"repscope/latent"
)

func TestMain(m *testing.M) { runtest.Main(m, Command) }

func TestScripts(t *testing.T) { runtest.Run(t, "testdata/script") }

// described is an encoder of which only the description is asked for.
type described struct {
	latent.Encoder
	info latent.Info
}

func (d described) Info() latent.Info { return d.info }

func TestSeen(t *testing.T) {
	frames, err := dataset.NewArray("frames", []int{9, 4, 4}, make([]uint8, 9*16))
	if err != nil {
		t.Fatal(err)
	}
	conv := described{info: latent.Info{Architecture: "ConvEncoder", DefaultPool: latent.PoolLast}}
	dqn := described{info: latent.Info{Architecture: "DQN CNN"}}
	pca := described{info: latent.Info{Format: "pca"}}
	model := func(name string, e latent.Encoder, p latent.Pool) *input.Model {
		return &input.Model{Name: name, Encoder: e, Pool: p}
	}
	windows := map[string]int{"one": 1, "single": 0, "two": 2}
	for _, c := range []struct {
		name    string
		window  int
		models  []*input.Model
		want    string
		warning string
	}{
		{"single frames", 0, []*input.Model{model("dqn", dqn, "")}, spaceFrame, ""},
		{"windows of one", 1, []*input.Model{model("dqn", dqn, "")}, spaceFrame, ""},
		{"default pooling", 3, []*input.Model{model("jepa", conv, "")}, spaceFrame, ""},
		{"pooled over frames", 3, []*input.Model{model("jepa", conv, latent.PoolMean)}, spaceClip, ""},
		{"stacked frames", 3, []*input.Model{model("dqn", dqn, "")}, spaceClip, ""},
		{"latents", 3, []*input.Model{model("z", nil, "")}, spaceClip, ""},
		{"baselines do not decide", 3, []*input.Model{model("jepa", conv, ""), model("pca", pca, "")}, spaceFrame, ""},
		{"baselines only", 3, []*input.Model{model("pca", pca, "")}, spaceClip, ""},
		{"mixed", 3, []*input.Model{model("jepa", conv, ""), model("dqn", dqn, "")}, spaceClip,
			"as dqn may see it, but jepa uses only its last frame"},
		{"windows of their own", 3, []*input.Model{model("dqn", dqn, ""), model("one", dqn, ""), model("single", nil, ""), model("two", nil, "")}, spaceClip,
			"as dqn may see it, but two uses only its last 2 frames, and one, single uses only its last frame"},
		{"one frame of three", 3, []*input.Model{model("one", dqn, ""), model("pca", pca, "")}, spaceFrame, ""},
		{"two frames of three", 3, []*input.Model{model("two", nil, ""), model("pca", pca, "")}, spaceClip,
			"the whole clip, but two uses only its last 2 frames"},
	} {
		states, err := dataset.NewStates(frames, dataset.StateOptions{Window: c.window})
		if err != nil {
			t.Fatal(err)
		}
		space, warning := seen(states, c.models, func(m *input.Model) int {
			if n, ok := windows[m.Name]; ok {
				return n
			}
			return c.window
		})
		if space != c.want || (warning == "") != (c.warning == "") || !strings.Contains(warning, c.warning) {
			t.Errorf("%s: %s, warning %q; want %s, %q", c.name, space, warning, c.want, c.warning)
		}
	}
}
