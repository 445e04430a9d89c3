// Tests of the null.

package neighborhood

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/internal/runtest"
	"repscope/points"
	"repscope/stat"
)

// slow are states whose coordinates follow AR(1) in episodes of equal length.
func slow(seed uint64, n, episodes, dim int, rho float64) (points.Points, []int) {
	r := stat.NewRandom(stat.NewKey(seed, 31))
	data, episode := make([]float64, n*dim), make([]int, n)
	for c := range dim {
		x := 0.0
		for t := range n {
			if t%(n/episodes) == 0 {
				x = r.Normal()
			}
			data[t*dim+c] = x
			episode[t] = t / (n / episodes)
			x = rho*x + math.Sqrt(1-rho*rho)*r.Normal()
		}
	}
	return points.Float64(data, dim), episode
}

// Independent orders differ. Orders in time are of the null that all analyses share, and none is near the given one.
func TestNullOrders(t *testing.T) {
	t.Parallel()
	independent, err := NullIndependent.orders(7, 2, 100, nil)
	if err != nil || slices.Equal(independent[0], independent[1]) {
		t.Errorf("permutations do not differ: %v", err)
	}
	null, err := stat.NewEpisodeNull(100, nil, 7)
	if err != nil {
		t.Fatal(err)
	}
	inTime, err := NullTime.orders(7, 20, 100, nil)
	if err != nil || len(inTime) != 20 || !reflect.DeepEqual(inTime, null.Permutations(20)) {
		t.Errorf("%d orders: %v", len(inTime), err)
	}
	if _, err := NullTime.orders(7, 2, 3, []int{1}); err == nil {
		t.Error("one label for three states is no error")
	}
}

// numbers are the scores of a result as a text.
func numbers(r *Result) string {
	out := ""
	for _, c := range r.Comparisons {
		out += fmt.Sprintln(c.A, c.B, c.Metric, c.Difference, c.CI, c.P, c.PHolm)
	}
	for _, m := range r.Models {
		for _, a := range m.ByK {
			out += fmt.Sprintln(m.Name, m.Candidates, a.Trustworthiness, a.Continuity, a.RNX, a.TrustCI, a.ContCI, a.RNXCI)
			if null := a.MadeNull(); null != nil {
				out += fmt.Sprintln(*null)
			}
		}
	}
	return out
}

// An automatic window is the one that the warning of slow states suggests, for each set of
// states its own, and gives the same numbers as if it were given.
func TestAutomaticWindow(t *testing.T) {
	runtest.Long(t, "a large search")
	t.Parallel()
	windows := map[int]bool{}
	for _, rho := range []float64{0.5, 0.95} {
		frames, episode := slow(1, 600, 6, 3, rho)
		latents, _ := slow(2, 600, 6, 3, rho)
		in := Input{Frames: frames, Episode: episode, Models: []Encoded{{Name: "a", Latents: latents}, {Name: "b", Latents: frames}, {Name: "constant", Latents: points.Float32(make([]float32, 600), 1)}}}
		o := Options{K: []int{5}, Permutations: 2, Settings: analysis.Settings{Intervals: true, Seed: 3}}
		plain := analyze(t, in, o)
		suggested := plain.suggestedWindow()
		o.ExcludeWindow = int(suggested.V)
		given := analyze(t, in, o)
		o.ExcludeWindow = results.AutoWindow
		found := analyze(t, in, o)
		if !suggested.Defined() || found.ExcludeWindow != int(suggested.V) {
			t.Errorf("window %d, suggested %v", found.ExcludeWindow, suggested)
		}
		windows[found.ExcludeWindow] = true
		for i := range found.Models {
			if found.Models[i].ExcludeWindow != found.ExcludeWindow || given.Models[i].ExcludeWindow != 0 {
				t.Errorf("%s: windows %d and %d are stored", found.Models[i].Name, found.Models[i].ExcludeWindow, given.Models[i].ExcludeWindow)
			}
		}
		if a, b := numbers(found), numbers(given); a != b || fmt.Sprint(found.Warnings) != fmt.Sprint(given.Warnings) {
			t.Errorf("the window found gives other numbers than the same one given:\n%s\n%s", a, b)
		}
	}
	if len(windows) < 2 {
		t.Errorf("fast and slow states have one window: %v", windows)
	}

	// A trend is slow all along: the window leaves half of the states.
	z := make([]float32, 60)
	for i := range z {
		z[i] = float32(i)
	}
	in := Input{Frames: points.Float32(z, 1), Models: []Encoded{{Name: "trend", Latents: points.Float32(z, 1)}}}
	r := analyze(t, in, Options{K: []int{2}, ExcludeWindow: results.AutoWindow})
	if m := r.Models[0]; m.ExcludeWindow > 14 || m.Candidates < 30 {
		t.Errorf("window %d, %d candidates", m.ExcludeWindow, m.Candidates)
	}
	in.Sampled = true
	if _, err := Analyze(t.Context(), in, Options{K: []int{2}, ExcludeWindow: results.AutoWindow}); err == nil || !strings.Contains(err.Error(), "needs consecutive states") {
		t.Errorf("sampled states: %v", err)
	}
}

// Latents that have nothing to do with the frames, but are slow, score far above
// 0.5: as the null that keeps time says, and not as the independent one does.
func TestUnrelatedLatentsAreAtTheirNull(t *testing.T) {
	t.Parallel()
	frames, episode := slow(1, 600, 6, 3, 0.95)
	latents, _ := slow(2, 600, 6, 3, 0.95)
	in := Input{Frames: frames, Episode: episode, Models: []Encoded{{Name: "unrelated", Latents: latents}}}
	null := func(kind NullKind) AtK {
		r, err := Analyze(context.Background(), in, Options{K: []int{5}, Permutations: 8, Null: kind, Settings: analysis.Settings{Seed: 3}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Models[0].ByK[0]
	}
	a := null(NullTime)
	if a.Null != nil || a.NullInTime == nil {
		t.Fatalf("nulls %v, %v", a.Null, a.NullInTime)
	}
	score, level := a.Trustworthiness.Float(), a.NullInTime.TrustworthinessMean.Float()
	if score < 0.6 || math.Abs(score-level) > 0.06 {
		t.Errorf("trustworthiness %v, null %v", score, level)
	}
	b := null(NullIndependent)
	if b.Null == nil || b.NullInTime != nil || math.Abs(b.Null.TrustworthinessMean.Float()-0.5) > 0.03 {
		t.Errorf("independent null %+v", b.Null)
	}
}
