// What Analyze says about latents of known content.

package reward

import (
	"testing"

	"repscope/points"
	"repscope/stat"
)

// world is a draw of states whose latents hold the targets, linearly, beside noise.
type world struct {
	episode []int
	z       []float64
	reward  []float64
	lives   []int64
}

const worldDim = 4

// newWorld draws episodes of equal length. The reward of a transition is a linear function
// of both its latents, of which half are cut off at 0.
func newWorld(episodes, length int, noise float64) *world {
	r := stat.NewRandom(stat.NewKey(7))
	n := episodes * length
	w := &world{episode: make([]int, n), z: make([]float64, n*worldDim), reward: make([]float64, n), lives: make([]int64, n)}
	for i := range n {
		w.episode[i] = i / length
		for k := range worldDim {
			before := 0.0
			if i%length > 0 {
				before = w.z[(i-1)*worldDim+k]
			}
			w.z[i*worldDim+k] = 0.7*before + r.Normal()
		}
		if w.z[i*worldDim] > 0.5 {
			w.lives[i] = 1
		} else if w.z[i*worldDim] < -0.5 {
			w.lives[i] = 2
		}
	}
	for i := range n - 1 {
		w.reward[i] = w.z[i*worldDim] - 2*w.z[(i+1)*worldDim+1] + noise*r.Normal()
	}
	return w
}

func (w *world) latents() points.Points { return points.Float64(w.z, worldDim) }

func (w *world) input() Input {
	return Input{Episode: w.episode, Targets: []Target{
		{Name: "reward", OfTransition: true, Values: w.reward}, {Name: "lives", Classes: w.lives},
	}, Models: []Model{{Name: "a", Latents: w.latents()}}}
}

// successors are the latents of the states' successors, each with some noise.
func (w *world) successors(noise float64) points.Points {
	r := stat.NewRandom(stat.NewKey(9))
	out := make([]float64, len(w.z))
	copy(out, w.z[worldDim:])
	for i := range out {
		out[i] += noise * r.Normal()
	}
	return points.Float64(out, worldDim)
}

func analyze(t *testing.T, in Input, o Options) *Result {
	t.Helper()
	if o.Probes == nil {
		o.Probes = []string{Ridge}
	}
	r, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (m *ModelResult) row(t *testing.T, target, probe, fitted, evaluated string) *ProbeRow {
	t.Helper()
	for i := range m.Probes {
		r := &m.Probes[i]
		if r.Target == target && r.Probe == probe && r.FittedOn == fitted && r.EvaluatedOn == evaluated {
			return r
		}
	}
	t.Fatalf("%s: no row of %s by %s, %s on %s", m.Name, target, probe, fitted, evaluated)
	return nil
}

// Latents that hold the reward give it back; the mean of other episodes knows nothing.
func TestPerfectLatents(t *testing.T) {
	t.Parallel()
	w := newWorld(8, 40, 0)
	r := analyze(t, w.input(), Options{Intervals: true})
	p := r.Models[0].row(t, "reward", Ridge, True, True)
	if v := p.Score("r2").V; v < 1-1e-6 {
		t.Errorf("R² %v of latents that hold the reward", v)
	}
	if v := p.Score("auroc").V; v != 1 {
		t.Errorf("AUROC %v", v)
	}
	for _, m := range r.Models[1:] {
		if m.Name == BaselineMean && (m.Probes[0].Score("r2").V > 0 || m.Probes[0].Score("auroc").Defined()) {
			t.Errorf("the mean has R² %v, AUROC %v", m.Probes[0].Score("r2"), m.Probes[0].Score("auroc"))
		}
	}
	if r.Samples.Samples != 8*39 || r.Samples.Ignored != 8 || r.Samples.Groups != 8 || r.Samples.Folds != 5 {
		t.Errorf("samples %+v", r.Samples)
	}
}
