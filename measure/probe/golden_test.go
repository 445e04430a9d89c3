// The numbers of scikit-learn in testdata.

package probe

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

type golden struct {
	Ridge []struct {
		N, D, Targets int
		X, Y          []float64
		Groups, Outer []int
		Alphas        []float64
		Fixed         []struct {
			Alpha                   float64
			Coefficients, Intercept []float64
		}
		Alpha                   float64
		Errors                  []float64
		OuterAlphas             []float64 `json:"outer_alphas"`
		Predicted, Standardized []float64
	}
	Logistic []struct {
		N, D, Classes int
		C             float64
		X             []float64
		Y             []int
		Probability   []float64
	}
	Folds []struct {
		K             int
		Groups, Folds []int
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/probe.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGroupFoldsGolden(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Folds {
		got, err := GroupFolds(c.Groups, c.K)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.Folds) {
			t.Errorf("%d folds of %d rows: %v, want %v", c.K, len(c.Groups), got, c.Folds)
		}
	}
}
