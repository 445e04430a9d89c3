// The numbers of the authors' program and of NumPy in testdata.

package fidelity_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"repscope/measure/fidelity"
	"repscope/points"
)

type golden struct {
	PRDC []struct {
		D               int
		Real, Generated []float64
		Scores          []struct {
			K                                    int
			Precision, Recall, Density, Coverage float64
		}
	}
	Memorization []struct {
		D, Cells                  int
		Train, Holdout, Generated []float64
		AuthPct, Novelty, CT, P   float64
		HoldoutNovelty            float64 `json:"holdout_novelty"`
		CloserThanMedian          float64 `json:"closer_than_median"`
		CloserThanFive            float64 `json:"closer_than_five"`
		DistanceRatio             float64 `json:"distance_ratio"`
		Global                    float64 `json:"ct_global"`
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

func TestPRDCGolden(t *testing.T) {
	t.Parallel()
	for c, want := range readGolden(t).PRDC {
		var ks []int
		for _, s := range want.Scores {
			ks = append(ks, s.K)
		}
		found, err := fidelity.PRDC(context.Background(), points.Float64(want.Real, want.D), points.Float64(want.Generated, want.D), fidelity.Options{Ks: ks})
		if err != nil {
			t.Fatal(err)
		}
		for q, s := range want.Scores {
			got := found.ByK[q]
			if !near(got.Precision, s.Precision) || !near(got.Recall, s.Recall) || !near(got.Density, s.Density) || !near(got.Coverage, s.Coverage) {
				t.Errorf("case %d, k = %d: %+v, want %+v", c, s.K, got.Scores, s)
			}
		}
	}
}

func TestMemorizeGolden(t *testing.T) {
	t.Parallel()
	for c, want := range readGolden(t).Memorization {
		train, holdout := points.Float64(want.Train, want.D), points.Float64(want.Holdout, want.D)
		generated := points.Float64(want.Generated, want.D)
		global, err := fidelity.Memorize(context.Background(), train, holdout, generated, fidelity.MemorizationOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := fidelity.Memorize(context.Background(), train, holdout, generated, fidelity.MemorizationOptions{Cells: want.Cells})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"AuthPct", got.AuthPct, want.AuthPct}, {"Novelty", got.Novelty, want.Novelty}, {"HoldoutNovelty", got.HoldoutNovelty, want.HoldoutNovelty},
			{"CloserThanMedian", got.CloserThanMedian, want.CloserThanMedian}, {"CloserThanFive", got.CloserThanFive, want.CloserThanFive},
			{"DistanceRatio", got.DistanceRatio, want.DistanceRatio}, {"CT of one cell", global.Copying.CT, want.Global},
			{"CT", got.Copying.CT, want.CT}, {"p", got.Copying.PValue, want.P},
		} {
			if !near(v.got, v.want) {
				t.Errorf("case %d: %s %v, want %v", c, v.name, v.got, v.want)
			}
		}
	}
}
