// Baselines of probes beside probes.

package compare

import (
	"path/filepath"
	"testing"
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
