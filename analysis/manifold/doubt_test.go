// Tests of near duplicates, ties, and estimates that disagree.

package manifold

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// flat are n points of a five-dimensional linear set in 32 dimensions, about 5.
func flat(n int) []float32 {
	random := stat.NewRandom(stat.NewKey(9))
	basis := make([]float64, 5*32)
	for i := range basis {
		basis[i] = random.Normal()
	}
	out := make([]float32, n*32)
	for i := range n {
		var x [5]float64
		for k := range x {
			x[k] = 0.02 * random.Normal()
		}
		for d := range 32 {
			sum := 5.0
			for k, v := range x {
				sum += v * basis[k*32+d]
			}
			out[i*32+d] = float32(sum)
		}
	}
	return out
}

// Rows that PyTorch computed again in another batch differ in the last digits: 60 of 1,560 are
// duplicates, and every dimension is what it is without them, bit by bit. The true one is 5;
// with distances between copies Two-NN is near 1.
func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	const n, again = 1500, 60
	z := flat(n)
	both := slices.Clone(z)
	for _, v := range z[:again*32] {
		both = append(both, math.Nextafter32(v, 10))
	}
	wide := make([]float64, len(both))
	for i, v := range both {
		wide[i] = float64(v)
	}
	of := func(p points.Points) Model {
		r, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "z", Latents: p}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Models[0]
	}
	alone := of(points.Float32(z, 32))
	if v := alone.TwoNN.MLE.V; math.Abs(v-5) > 0.4 {
		t.Fatalf("Two-NN of a set of 5 dimensions: %v", v)
	}
	for _, m := range []Model{of(points.Float32(both, 32)), of(points.Float64(wide, 32))} {
		if m.TwoNN.Duplicates != again || m.TwoNN.NUsed != n || m.TwoNN.MLE != alone.TwoNN.MLE || m.TwoNN.Fit != alone.TwoNN.Fit {
			t.Errorf("%d duplicates, Two-NN %v and %v; want %d, %v and %v",
				m.TwoNN.Duplicates, m.TwoNN.MLE, m.TwoNN.Fit, again, alone.TwoNN.MLE, alone.TwoNN.Fit)
		}
		for i, g := range m.Gride {
			if g.ID.Value != alone.Gride[i].ID.Value {
				t.Errorf("Gride %d and %d: %v, want %v", g.N1, g.N2, g.ID, alone.Gride[i].ID)
			}
		}
		for i, l := range m.LevinaBickel {
			if l.ID.Value != alone.LevinaBickel[i].ID.Value {
				t.Errorf("Levina–Bickel %d: %v, want %v", l.K, l.ID, alone.LevinaBickel[i].ID)
			}
		}
	}
}

// One point far away holds all variance of a plane: it makes no duplicates of points that
// differ, and the plane keeps its two dimensions, those without that point up to the error
// of one more.
func TestFarOutlier(t *testing.T) {
	t.Parallel()
	for _, n := range []int{200, 1000} {
		random := stat.NewRandom(stat.NewKey(uint64(n)))
		z := make([]float64, (n+1)*10)
		for i := range n {
			z[i*10], z[i*10+1] = random.Float64(), random.Float64()
		}
		for d := range 10 {
			z[n*10+d] = 1e6
		}
		narrow := make([]float32, len(z))
		for i, v := range z {
			narrow[i] = float32(v)
		}
		of := func(p points.Points) (Model, string) {
			r, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "z", Latents: p}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r.Models[0], strings.Join(r.Warnings, "\n")
		}
		plane, calm := of(points.Float64(z[:n*10], 10))
		if strings.Contains(calm, "few latents have") {
			t.Errorf("a plane: %s", calm)
		}
		for _, p := range []points.Points{points.Float64(z, 10), points.Float32(narrow, 10)} {
			m, warnings := of(p)
			if v := m.TwoNN.MLE.V; m.TwoNN.Duplicates != 0 || math.Abs(v-plane.TwoNN.MLE.V) > 0.05 || math.Abs(v-2) > 0.3 {
				t.Errorf("n = %d: %d duplicates, Two-NN %v, of the plane alone %v", n, m.TwoNN.Duplicates, v, plane.TwoNN.MLE)
			}
			if !strings.Contains(warnings, "few latents have nearly all variance") {
				t.Errorf("warnings %q", warnings)
			}
		}
	}
}

// 64 points of a ball of 100 dimensions in 3,072 have a finite dimension, far too low, and
// a warning that they are too few to show more than about 4; 1,500 of a set of 5 have none.
func TestTooFewLatents(t *testing.T) {
	t.Parallel()
	const n, dim, wide = 64, 100, 3072
	random := stat.NewRandom(stat.NewKey(77))
	z := make([]float64, n*wide)
	for i := range n {
		row, length := z[i*wide:i*wide+dim], 0.0
		for d := range row {
			row[d] = random.Normal()
			length += row[d] * row[d]
		}
		r := math.Pow(random.Float64(), 1./dim) / math.Sqrt(length)
		for d := range row {
			row[d] *= r
		}
	}
	r, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "ball", Latents: points.Float64(z, wide)}}}, Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Models[0]
	for name, v := range map[string]float64{"Two-NN": m.TwoNN.MLE.Float(), "fit": m.TwoNN.Fit.Float(), "participation ratio": m.ParticipationRatio.Float(), "effective rank": m.EffectiveRank.Float()} {
		if !(v > 10 && v < 200) {
			t.Errorf("%s is %v", name, v)
		}
	}
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "64 latents cannot resolve a dimension above about 3.6") {
		t.Errorf("warnings %q", text)
	}
	if r, err = Analyze(t.Context(), Input{Models: []Encoded{{Name: "flat", Latents: points.Float32(flat(1500), 32)}}}, Options{}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(r.Warnings, "\n"); strings.Contains(text, "cannot show") {
		t.Errorf("warnings of 1,500 points of 5 dimensions %q", text)
	}
}

// Latents of equal states are duplicates although they differ by more than rounding. Where it
// is not known which states are equal, estimates that disagree say so.
func TestEqualStates(t *testing.T) {
	t.Parallel()
	const n, again = 1500, 60
	z := flat(n + again)
	random := stat.NewRandom(stat.NewKey(10))
	same := make([]int, n+again)
	for i := range same {
		same[i] = i
	}
	for i := range again {
		same[n+i] = i
		for k := range 32 {
			z[(n+i)*32+k] = z[i*32+k] + float32(5e-5*random.Normal())
		}
	}
	in := Input{Models: []Encoded{{Name: "z", Latents: points.Float32(z, 32)}}}
	for _, known := range []bool{false, true} {
		if in.Same = nil; known {
			in.Same = same
		}
		r, err := Analyze(t.Context(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		of, want := r.Models[0].TwoNN, 0
		if known {
			want = again
		}
		warned := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "by likelihood but") })
		if of.Duplicates != want || (math.Abs(of.MLE.V-5) < 0.4) != known || warned == known {
			t.Errorf("equal states known: %v: %d duplicates, Two-NN %v, warnings %q", known, of.Duplicates, of.MLE, r.Warnings)
		}
	}
}

// Codes of few values have ties, which the result counts and a warning tells, and are compared
// with nothing. Of three latents two of which are equal, one is a duplicate.
func TestTies(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.NewKey(11))
	codes, smooth, other := make([]float32, 400*5), make([]float32, 400*5), make([]float32, 400*5)
	for i := range codes {
		smooth[i], other[i] = float32(random.Normal()), float32(random.Normal())
		codes[i] = float32(math.Round(min(max(1.2*random.Normal(), -3), 3)))
	}
	episode := make([]int, 400)
	for i := range episode {
		episode[i] = i / 40
	}
	r, err := Analyze(t.Context(), Input{Episode: episode, Models: []Encoded{
		{Name: "codes", Latents: points.Float32(codes, 5)}, {Name: "smooth", Latents: points.Float32(smooth, 5)}, {Name: "also", Latents: points.Float32(other, 5)},
	}}, Options{Settings: analysis.Settings{Intervals: true}})
	if err != nil {
		t.Fatal(err)
	}
	if share := r.Models[0].TwoNN.Tied.V; share < 0.5 {
		t.Errorf("%v of the codes have ties", share)
	}
	if share := r.Models[1].TwoNN.Tied; share.V != 0 || !share.Defined() {
		t.Errorf("%v of continuous latents have ties", share)
	}
	warnings := strings.Join(r.Warnings, "\n")
	if !strings.Contains(warnings, "codes: ") || !strings.Contains(warnings, "have two nearest neighbors at equal distances") || strings.Contains(warnings, "smooth: ") {
		t.Errorf("warnings %s", warnings)
	}
	pairs := 0
	for _, c := range r.Comparisons {
		if c.Metric == "two_nn_mle" {
			if pairs++; c.A == "codes" || c.B == "codes" {
				t.Errorf("%s and %s are compared by Two-NN", c.A, c.B)
			}
		}
	}
	if pairs != 1 {
		t.Errorf("%d comparisons by Two-NN, want 1", pairs)
	}
	three, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "three", Latents: points.Float64([]float64{0, 1, 0, 1, 2, 3}, 2)},
		{Name: "one", Latents: points.Float64([]float64{1, 1, 1, 1, 1, 1}, 2)}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 2} {
		if got := three.Models[i].TwoNN.Duplicates; got != want {
			t.Errorf("%s: %d duplicates of three latents, want %d", three.Models[i].Name, got, want)
		}
	}
}

// Latents that are rounded to steps of their own in each dimension have few ties, and Two-NN above their three
// dimensions: a warning tells, and nothing is compared. Latents of 8 bits are compared.
func TestRoundedLatents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		levels float64
		coarse bool
	}{{7, true}, {15, true}, {20, true}, {256, false}} {
		random := stat.NewRandom(stat.NewKey(12))
		const n, dim = 600, 5
		in := Input{Episode: make([]int, n)}
		for i := range in.Episode {
			in.Episode[i] = i / 60
		}
		for _, name := range []string{"a", "b"} {
			z := make([]float64, n*dim)
			for i := range n {
				x := [3]float64{random.Normal(), 0.7 * random.Normal(), 0.5 * random.Normal()}
				for k := range dim {
					z[i*dim+k] = math.Tanh(x[0]*math.Cos(float64(k)) + x[1]*math.Sin(float64(2*k)) + x[2]*math.Cos(float64(3*k+1)))
				}
			}
			for k := range dim {
				low, high := 1.0, -1.0
				for i := range n {
					low, high = min(low, z[i*dim+k]), max(high, z[i*dim+k])
				}
				step := (high - low) / (c.levels - 1)
				for i := range n {
					z[i*dim+k] = low + step*math.Round((z[i*dim+k]-low)/step)
				}
			}
			in.Models = append(in.Models, Encoded{Name: name, Latents: points.Float64(z, dim)})
		}
		r, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true}})
		if err != nil {
			t.Fatal(err)
		}
		warned := strings.Contains(strings.Join(r.Warnings, "\n"), "as rounded latents do")
		compared := slices.ContainsFunc(r.Comparisons, func(p report.Comparison) bool { return p.Metric == "two_nn_mle" })
		if warned != c.coarse || compared == c.coarse {
			t.Errorf("%v levels: compared %v, Two-NN %v, tied %v, warnings %q", c.levels, compared, r.Models[0].TwoNN.MLE, r.Models[0].TwoNN.Tied, r.Warnings)
		}
	}
}
