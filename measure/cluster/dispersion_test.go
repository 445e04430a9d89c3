// Davies–Bouldin and Calinski–Harabasz against scikit-learn, and groups that have none.

package cluster

import (
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

func TestDispersionMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	d, err := NewDispersion(x, NewPartition(g.Labels))
	if err != nil {
		t.Fatal(err)
	}
	daviesBouldin, err := d.DaviesBouldin()
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "Davies–Bouldin", daviesBouldin, g.DaviesBouldin, 1e-10)
	calinskiHarabasz, err := d.CalinskiHarabasz()
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "Calinski–Harabasz", calinskiHarabasz, g.CalinskiHarabasz, 1e-10)
}

func TestDispersionOfSpecialGroups(t *testing.T) {
	t.Parallel()
	x := points.Float64([]float64{0, 0, 5, 9, 10}, 1)
	for name, labels := range map[string][]int64{"in one group": {1, 1, 1, 1, 1}, "its own group": {1, 2, 3, 4, 5}, "2 labels for 5": {1, 2}} {
		if _, err := NewDispersion(x, NewPartition(labels)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one containing %q", err, name)
		}
	}
	twins := NewPartition([]int64{0, 1, 0, 1, 1})
	dispersion := func(values []float64) *Dispersion {
		d, err := NewDispersion(points.Float64(values, 1), twins)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if _, err := dispersion([]float64{-1, -1, 1, 1, 0}).DaviesBouldin(); err == nil || !strings.Contains(err.Error(), "same centroid") {
		t.Errorf("groups of one centroid: %v", err)
	}
	if _, err := dispersion([]float64{2, 5, 2, 5, 5}).CalinskiHarabasz(); err == nil || !strings.Contains(err.Error(), "within every group are equal") {
		t.Errorf("groups without spread: %v", err)
	}
}
