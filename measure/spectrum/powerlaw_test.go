// Power laws and stable ranks: NumPy's, closed forms, and what has none.

package spectrum

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

// labelFree is testdata/label_free.json.
type labelFree struct {
	Spectra []struct {
		Name   string
		Dim    int
		Points []float64
		Fits   []struct {
			Low, High int
			Alpha     float64
			RSquared  float64 `json:"r_squared"`
		}
		StableRankUncentered float64 `json:"stable_rank_uncentered"`
		NESum                float64
	}
	LiDAR []struct {
		Name         string
		Dim          int
		Points       []float64
		Labels       []int64
		Delta, LiDAR float64
	}
}

func readLabelFree(t *testing.T) (golden labelFree) {
	t.Helper()
	data, err := os.ReadFile("testdata/label_free.json")
	if err == nil {
		err = json.Unmarshal(data, &golden)
	}
	if err != nil {
		t.Fatal(err)
	}
	return golden
}

func TestPowerLawGolden(t *testing.T) {
	t.Parallel()
	for _, c := range readLabelFree(t).Spectra {
		s, raw, err := WithUncentered(points.Float64(c.Points, c.Dim))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Fits {
			got, err := FitPowerLaw(s.Eigenvalues, f.Low, f.High)
			if err != nil {
				t.Fatal(err)
			}
			label := fmt.Sprintf("%s, ranks %d to %d", c.Name, f.Low, f.High)
			measuretest.Near(t, label+": exponent", got.Alpha, f.Alpha, 1e-9)
			measuretest.Near(t, label+": R²", got.RSquared, f.RSquared, 1e-9)
		}
		measuretest.Near(t, c.Name+": stable rank", raw.StableRank, c.StableRankUncentered, 1e-10)
		measuretest.Near(t, c.Name+": NESum", s.StableRank, c.NESum, 1e-10)
	}
}

// An exact power law has its exponent, in any unit; equal eigenvalues have exponent 0.
func TestPowerLaw_Exact(t *testing.T) {
	for _, alpha := range []float64{0, 0.5, 1, 2.5} {
		for _, unit := range []float64{1e-8, 1, 1e6} {
			values := make([]float64, 60)
			for i := range values {
				values[i] = unit * math.Pow(float64(i+1), -alpha)
			}
			low, high := PowerLawRanks(1000, 120)
			got, err := FitPowerLaw(values, low, high)
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, "exponent", got.Alpha, alpha, 1e-12)
			measuretest.Near(t, "R²", got.RSquared, 1, 1e-12)
		}
	}
	// Exponential decay is none.
	values := make([]float64, 60)
	for i := range values {
		values[i] = math.Exp(-float64(i) / 4)
	}
	if got, err := FitPowerLaw(values, 1, 60); err != nil || got.RSquared > 0.9 {
		t.Errorf("exponential decay: %+v, %v", got, err)
	}
}

func TestPowerLawRanks(t *testing.T) {
	for _, c := range [][4]int{{1000, 512, 12, 50}, {101, 4000, 12, 50}, {500, 64, 7, 32}, {500, 32, 3, 16}, {500, 10, 1, 5}, {8, 100, 1, 3}, {500, 1, 1, 0}} {
		if low, high := PowerLawRanks(c[0], c[1]); low != c[2] || high != c[3] {
			t.Errorf("%d points of %d: ranks %d to %d, want %d to %d", c[0], c[1], low, high, c[2], c[3])
		}
	}
}

func TestPowerLaw_Undefined(t *testing.T) {
	values := []float64{5, 4, 3, 2, 1, 1e-13, 0}
	for want, ranks := range map[string][2]int{
		"ranks up to 8 of 7 eigenvalues":               {1, 8},
		"4 ranks (2 to 5) are too few":                 {2, 5},
		"0 ranks (1 to 0) are too few":                 {1, 0},
		"eigenvalue 6 is below 1e-12 of the largest":   {1, 6},
		"eigenvalue 7 is below 1e-12 of the largest, ": {2, 7},
		"first rank 0, want at least 1":                {0, 5},
	} {
		if _, err := FitPowerLaw(values, ranks[0], ranks[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ranks %v: error %v, want %q", ranks, err, want)
		}
	}
	if _, err := FitPowerLaw(make([]float64, 8), 1, 6); err == nil {
		t.Error("no error for eigenvalues that are all zero")
	}
}
