// The autocorrelation of vectors against NumPy, that of one coordinate against
// package stat.

package motion

import (
	"math"
	"slices"
	"testing"

	"repscope/measure/internal/matrix"
	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// Values equal the reference, and those without a block the points that remain.
func TestAutocorrelationMatchesReference(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	blocks, err := stat.NewBlocks(x.N, g.Episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	path := NewPath(x)
	all, err := path.Autocorrelation(t.Context(), Runs(x.N, g.Episode, nil), 20, blocks, 1)
	if err != nil {
		t.Fatal(err)
	}
	for lag, want := range g.Autocorrelation {
		measuretest.Near(t, "autocorrelation", all.Rho[lag], want, 1e-10)
	}
	// The mean stays that of all points, so the rest is not centered again.
	rest := &Path{x: matrix.Matrix{N: 70, Dim: 6, Data: path.x.Data[:70*6]}}
	part, err := rest.Autocorrelation(t.Context(), Runs(70, g.Episode[:70], nil), 5, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for lag := range 6 {
		measuretest.Near(t, "autocorrelation", all.Without[2][lag], part.Rho[lag], 1e-10)
	}
}

// One coordinate has the autocorrelation of package stat, and τ is its sum.
func TestAutocorrelationOfOneCoordinate(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	series := make([]float64, x.N)
	for i := range series {
		series[i] = x.F64[i*6]
	}
	smooth := slices.Clone(series)
	for i := 1; i < len(smooth); i++ {
		smooth[i] = 0.7*smooth[i-1] + series[i]
	}
	want, err := stat.Autocorrelation(smooth, g.Episode, 30)
	if err != nil {
		t.Fatal(err)
	}
	tau, window := 1.0, 0
	for float64(window) < 5*tau {
		window++
		tau += 2 * want[window]
	}
	got, err := NewPath(points.Float64(smooth, 1)).Autocorrelation(t.Context(), Runs(x.N, g.Episode, nil), 10, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	for lag := range 11 {
		measuretest.Near(t, "ρ", got.Rho[lag], want[lag], 1e-10)
	}
	measuretest.Near(t, "τ", got.Tau, tau, 1e-10)
	if got.Window != window || !got.Converged {
		t.Errorf("window %d, converged %v, want %d, true", got.Window, got.Converged, window)
	}
}

func TestNoAutocorrelation(t *testing.T) {
	t.Parallel()
	still := NewPath(points.Float64([]float64{2, 2, 2}, 1))
	if _, err := still.Autocorrelation(t.Context(), Runs(3, nil, nil), 1, nil, 0); stat.Reason(err) != "the latents are constant" {
		t.Errorf("a path that does not move: %v", err)
	}
	if _, err := still.Autocorrelation(t.Context(), Runs(3, []int{0, 1, 2}, nil), 1, nil, 0); stat.Reason(err) != "no "+
		"two states are consecutive in time" {
		t.Errorf("runs of one point: %v", err)
	}
}

// The last lag of τ rests on the blocks that have pairs at it.
func TestSupportOfTheWindow(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	path, runs := NewPath(x), Runs(x.N, g.Episode, nil)
	blocks, err := stat.NewBlocks(x.N, g.Episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	got, err := path.Autocorrelation(t.Context(), runs, 10, blocks, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares := 0.0, 0.0
	for _, r := range runs {
		pairs := float64(max(0, r.End-r.Start-got.Window))
		sum, squares = sum+pairs, squares+pairs*pairs
	}
	measuretest.Near(t, "support", got.Support, sum*sum/squares, 1e-12)
	none, err := path.Autocorrelation(t.Context(), runs, 10, nil, 1)
	if err != nil || none.Support != 0 {
		t.Errorf("support %v without blocks, %v", none.Support, err)
	}
}

// Without a block τ is that over the same window or that over a window of its own, whichever is farther.
func TestTauWithoutBlocks(t *testing.T) {
	t.Parallel()
	g, x, _ := measuretest.ReadGeometry(t)
	smooth := make([]float64, x.N)
	for i := range smooth {
		if smooth[i] = x.F64[i*6]; i > 0 && g.Episode[i] == g.Episode[i-1] {
			smooth[i] += 0.6 * smooth[i-1]
		}
	}
	blocks, err := stat.NewBlocks(x.N, g.Episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewPath(points.Float64(smooth, 1)).Autocorrelation(t.Context(), Runs(x.N, g.Episode, nil), 1000, blocks, 1)
	if err != nil {
		t.Fatal(err)
	}
	for b, rho := range got.Without {
		same, own := 1.0, 1.0
		for lag := 1; lag <= got.Window; lag++ {
			same += 2 * rho[lag]
		}
		for lag := 1; lag < len(rho); lag++ {
			if own += 2 * rho[lag]; float64(lag) >= 5*own {
				break
			}
		}
		want := same
		if math.Abs(own-got.Tau) > math.Abs(same-got.Tau) {
			want = own
		}
		measuretest.Near(t, "τ without a block", got.TauWithout[b], want, 1e-10)
	}
}
