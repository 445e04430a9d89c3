// Principal components beside scikit-learn's.

package embedding_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"repscope/measure/embedding"
	"repscope/points"
	"repscope/stat"
)

type golden struct {
	Name                            string
	D                               int
	X                               []float64
	Perplexity, KL, Trustworthiness float64
	Scores, Explained               []float64
}

func readGolden(t *testing.T) []golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []golden }
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g.Cases
}

func TestPCAGolden(t *testing.T) {
	t.Parallel()
	for _, want := range readGolden(t) {
		got, err := embedding.PCA(points.Float64(want.X, want.D), 3)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range want.Explained {
			if math.Abs(got.Explained[k]-v) > 1e-12 {
				t.Errorf("%s: explained %v, want %v", want.Name, got.Explained, want.Explained)
				break
			}
		}
		for k, v := range want.Scores {
			if math.Abs(got.Scores[k]-v) > 1e-8 {
				t.Fatalf("%s: score %d is %v, want %v", want.Name, k, got.Scores[k], v)
			}
		}
	}
}

// TestPCAFewPoints: with fewer points than coordinates the other Gram matrix gives the same.
func TestPCAFewPoints(t *testing.T) {
	t.Parallel()
	x, _ := blobs(2, 6, 40, 3)
	wide, err := embedding.PCA(x, 50)
	if err != nil {
		t.Fatal(err)
	}
	if wide.Count != 11 {
		t.Errorf("%d directions of 12 points, want 11", wide.Count)
	}
	// All directions together keep every distance.
	for i := range x.N {
		for j := range i {
			var want, got float64
			for k := range x.Dim {
				d := x.F64[i*x.Dim+k] - x.F64[j*x.Dim+k]
				want += d * d
			}
			for k := range wide.Count {
				d := wide.Scores[i*wide.Count+k] - wide.Scores[j*wide.Count+k]
				got += d * d
			}
			if math.Abs(got-want) > 1e-9*want {
				t.Fatalf("points %d and %d: squared distance %v, want %v", i, j, got, want)
			}
		}
	}
}

func TestPCAErrors(t *testing.T) {
	t.Parallel()
	constant := points.Float64(make([]float64, 12), 3)
	bad := points.Float64([]float64{1, 2, math.Inf(1), 4}, 2)
	for _, c := range []struct {
		pts   points.Points
		count int
		want  string
	}{
		{constant, 2, "the points do not vary"},
		{points.Float64([]float64{1, 2}, 2), 1, "1 points, want at least 2"},
		{bad, 1, "point 1, coordinate 0 is +Inf, want finite numbers"},
	} {
		_, err := embedding.PCA(c.pts, c.count)
		var undefined *stat.UndefinedError
		if !errors.As(err, &undefined) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := embedding.PCA(constant, 0); err == nil || !strings.Contains(err.Error(), "0 requested, want at least 1") {
		t.Errorf("%v", err)
	}
}
