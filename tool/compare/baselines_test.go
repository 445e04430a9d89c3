// Baselines of probes beside probes.

package compare

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"repscope/report"
)

func TestBaselinesOfProbes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "reward.json")
	write(t, file, `{"schema":"repscope/1","analysis":"reward","metrics":{"probes.mse":{"direction":"lower"}},
"models":{"a":{"probes":[{"name":"reward/ridge/true/true","mse":1,"mse_ci":[0.8,1.2]},{"name":"reward/mlp/true/true","mse":1.5,"mse_ci":[1.2,1.8]},
 {"name":"lives/ridge/true/true","mse":7,"mse_ci":[6,8]}]},
"mean":{"probes":[{"name":"reward/mean/true/true","mse":4,"mse_ci":[3.5,4.5]},{"name":"x/mean/true/true","mse":2,"mse_ci":[1,3]}]}},
"comparisons":[{"a":"a","b":"mean","metric":"mse of reward by ridge, true on true","path":"probes[name=reward/ridge/true/true].mse",
 "difference":-3,"ci":[-3.5,-2.5],"p":0.001,"p_holm":0.001}]}`)
	r := must(t, Options{Baseline: "mean"}, file)
	for path, want := range map[string]struct {
		value float64
		from  Source
	}{
		"probes[name=reward/ridge/true/true].mse": {4, "comparison"}, "probes[name=reward/mlp/true/true].mse": {4, "intervals"},
	} {
		found := false
		for _, row := range r.Table {
			if row.Metric != path {
				continue
			}
			found = true
			if got := row.Cells[1]; got == nil || got.Value.V != want.value {
				t.Errorf("%s: the mean has %+v", path, got)
			}
			if got := row.Cells[0]; got == nil || got.From != want.from {
				t.Errorf("%s: %+v, want a difference from %s", path, got, want.from)
			}
		}
		if !found {
			t.Errorf("no row %s", path)
		}
	}
	for _, row := range r.Table {
		if row.Metric == "probes[name=reward/mean/true/true].mse" {
			t.Error("the baseline has a row of its own")
		}
	}
}

// A baseline in the row of a probe is paired by the scores of its own row.
func TestBaselinesArePaired(t *testing.T) {
	t.Parallel()
	const episodes = 8
	dir := t.TempDir()
	files, err := report.Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Abort()
	r := report.NewResult("reward")
	r.Describe(report.Described{Name: "probes.mse", Better: report.Lower})
	r.Inputs = append(r.Inputs, report.Input{Role: "frames", Path: "f.npy", SHA256: "aa", States: episodes * perEpisode, Episodes: episodes})
	table := &report.SampleTable{}
	for _, m := range []struct {
		name, row string
		scores    []float64
	}{{"a", "reward/ridge/true/true", noisy(1, episodes, 5, 0.1)}, {"mean", "reward/mean/true/true", noisy(2, episodes, 6, 0.1)}} {
		s := report.ModelSamples{Model: m.name}
		for i := range m.scores {
			s.Sample, s.Group = append(s.Sample, fmt.Sprint(i)), append(s.Group, fmt.Sprint(i/perEpisode))
		}
		n := meanOf("mse", m.scores, s.Group)
		row, part := &report.Object{}, &report.Object{}
		row.Set("name", m.row)
		row.Set("mse", n.Value)
		row.Set("mse_ci", n.Interval)
		part.Set("probes", []*report.Object{row})
		r.Models.Set(m.name, part)
		table.Metrics, table.Models = append(table.Metrics, "probes[name="+m.row+"].mse"), append(table.Models, s)
	}
	nothing := slices.Repeat([]float64{math.NaN()}, episodes*perEpisode)
	a, mean := &table.Models[0], &table.Models[1]
	a.Scores, mean.Scores = [][]float64{noisy(1, episodes, 5, 0.1), nothing}, [][]float64{nothing, noisy(2, episodes, 6, 0.1)}
	said, err := files.Samples("reward_samples.csv", table)
	if err != nil {
		t.Fatal(err)
	}
	said.Sample, said.Group = "state", "episode"
	r.Samples = &said
	if err := files.JSON("reward.json", r); err != nil {
		t.Fatal(err)
	}
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	got := must(t, Options{Baseline: "mean"}, filepath.Join(dir, "reward.json")).Table[0].Cells[0]
	if got.From != FromSamples || got.DifferenceCI == nil || !got.DifferenceCI.Defined() || got.DifferenceCI.High-got.DifferenceCI.Low > 0.2 {
		t.Errorf("a difference from %s, %v", got.From, got.DifferenceCI) // the episodes' own spread cancels
	}
}
