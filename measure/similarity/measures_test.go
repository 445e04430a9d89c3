// The measures against other programs, what they are invariant to, and scores of other orders and without blocks
// against scores of the points that these leave.

package similarity

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// reference is a case of testdata/reference.json.
type reference struct {
	X, Y           [][]float64
	Scores         map[string]float64
	Orders         [][]int
	ProcrustesNull []float64 `json:"procrustes_null"`
}

func pointsOf(rows [][]float64) points.Points {
	return points.Float64(slices.Concat(rows...), len(rows[0]))
}

func mustPrepare(t testing.TB, z points.Points) *Prepared {
	t.Helper()
	p, err := Prepare(z)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func scored(t testing.TB, a, b points.Points, o Options) map[string]Series {
	t.Helper()
	series, err := Score(t.Context(), mustPrepare(t, a), mustPrepare(t, b), o)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Series{}
	for _, s := range series {
		out[s.Name] = s
	}
	return out
}

// readJSON fills in a value from a file of testdata.
func readJSON(t *testing.T, name string, value any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatal(err)
	}
}

// Scores equal the values of netrep and ReSi, where these have the same measure.
func TestScoresMatchPeers(t *testing.T) {
	t.Parallel()
	var cases []reference
	readJSON(t, "reference.json", &cases)
	var peers []map[string]float64
	readJSON(t, "peers.json", &peers)
	for c, ref := range cases {
		found := scored(t, pointsOf(ref.X), pointsOf(ref.Y), Options{})
		for title, want := range peers[c] {
			_, name, _ := strings.Cut(title, " ")
			measuretest.Near(t, title, found[name].Value, want, 1e-9)
		}
	}
}

// Scores equal the values of platonic-rep, whose neighbors are by the angle. Shares of neighbors there are float32.
func TestScoresMatchPlatonic(t *testing.T) {
	t.Parallel()
	var cases []reference
	readJSON(t, "reference.json", &cases)
	var peers []map[string]float64
	readJSON(t, "platonic.json", &peers)
	for c, ref := range cases {
		found := scored(t, pointsOf(ref.X), pointsOf(ref.Y), Options{K: []int{3, 10}, Metric: neighbors.Cosine})
		for name, want := range peers[c] {
			tolerance := 1e-9
			if strings.HasPrefix(name, "mutual_knn") {
				tolerance = 1e-6
			}
			measuretest.Near(t, name, found[name].Value, want, tolerance)
		}
	}
}

// Every score equals the value of another program to 1e-6 and better.
func TestScoresMatchReference(t *testing.T) {
	t.Parallel()
	var cases []reference
	readJSON(t, "reference.json", &cases)
	for c, ref := range cases {
		found := scored(t, pointsOf(ref.X), pointsOf(ref.Y), Options{K: []int{3, 10}, Orders: ref.Orders})
		if len(found) != len(ref.Scores) {
			t.Errorf("case %d: %d scores, want %d", c, len(found), len(ref.Scores))
		}
		for name, want := range ref.Scores {
			tolerance := 1e-9
			if strings.Contains(name, "cca") { // scikit-learn iterates
				tolerance = 1e-6
			} else if name == "cka_rbf" || name == "distance_correlation" { // matrices of pairs are float32
				tolerance = 1e-7
			}
			measuretest.Near(t, name, found[name].Value, want, tolerance)
		}
		for p, want := range ref.ProcrustesNull {
			measuretest.Near(t, "Procrustes in an order", found["procrustes"].Null[p], want, 1e-9)
		}
	}
}

// randomSpaces share a part.
func randomSpaces(r *rand.Rand, n, p, q int) (a, b points.Points) {
	x, y := make([]float64, n*p), make([]float64, n*q)
	for i := range n {
		shared := r.NormFloat64()
		for k := range p {
			x[i*p+k] = r.NormFloat64() + shared
		}
		for k := range q {
			y[i*q+k] = r.NormFloat64() + float64(k+1)*shared
		}
	}
	return points.Float64(x, p), points.Float64(y, q)
}

// A score in an order is the score of the second space with its points in this order, for every measure; the order that
// leaves the points as they are gives the same bits.
func TestNullIsTheScoreOfOrderedPoints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 48
	a, b := randomSpaces(r, n, 4, 6)
	identity := make([]int, n)
	for i := range identity {
		identity[i] = i
	}
	order := r.Perm(n)
	found := scored(t, a, b, Options{K: []int{5}, Orders: [][]int{order, identity}})
	permuted := scored(t, a, b.Select(order), Options{K: []int{5}})
	for name, s := range found {
		if s.Null[1] != s.Value {
			t.Errorf("%s: %v in the order of the points, %v as they are", name, s.Null[1], s.Value)
		}
		if name == "predictivity_ba" { // its folds stay with the points of the second space
			continue
		}
		measuretest.Near(t, name, s.Null[0], permuted[name].Value, 1e-9)
	}
}

// Values without a block are the scores of the points outside it, also where all the nearest neighbors of a point are in
// one block.
func TestWithoutIsTheScoreOfTheRest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	a, b := randomSpaces(r, 60, 3, 4)
	testWithout(t, a, b, 5)
	crowded, row := make([]float64, 60*3), make([]float64, 3)
	for i := range 60 {
		copy(crowded[3*i:], a.Row(i, row))
		if i < 11 { // the first episode and a point of the second
			for k := range 3 {
				crowded[3*i+k] = 2 + 1e-3*r.NormFloat64()
			}
		}
	}
	testWithout(t, points.Float64(crowded, 3), b, 2)
}

func testWithout(t *testing.T, a, b points.Points, k int) {
	t.Helper()
	const n, episodes = 60, 6
	episode := make([]int, n)
	for i := range episode {
		episode[i] = i * episodes / n
	}
	blocks, err := stat.NewBlocks(n, episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	found := scored(t, a, b, Options{K: []int{k}, Episode: episode, Blocks: blocks, Pairs: -1})
	label := blocks.Labels()
	for j := range blocks.Count() {
		var kept []int
		for i, block := range label {
			if block != j {
				kept = append(kept, i)
			}
		}
		o := Options{K: []int{k}, Episode: points.Pick(episode, kept), Pairs: -1}
		rest := scored(t, a.Select(kept), b.Select(kept), o)
		for name, s := range found {
			measuretest.Near(t, name+" without a block", s.Without[j], rest[name].Value, 1e-9)
		}
	}
}

// transforms of a space that some measures do not see.
var transforms = map[string]func(r *rand.Rand, z points.Points) points.Points{
	"rotation": func(r *rand.Rand, z points.Points) points.Points {
		return mapped(z, func(row []float64) {
			for k := 0; k+1 < len(row); k++ {
				a, b := row[k], row[k+1]
				s, c := math.Sincos(float64(k) + 0.7)
				row[k], row[k+1] = c*a-s*b, s*a+c*b
			}
		})
	},
	"scale": func(_ *rand.Rand, z points.Points) points.Points {
		return mapped(z, func(row []float64) { scaleRow(row, func(int) float64 { return 1e6 }) })
	},
	"shift": func(_ *rand.Rand, z points.Points) points.Points {
		return mapped(z, func(row []float64) {
			for k := range row {
				row[k] += float64(3 * (k + 1))
			}
		})
	},
	"order of units": func(_ *rand.Rand, z points.Points) points.Points {
		return mapped(z, slices.Reverse[[]float64])
	},
	"scale of units": func(_ *rand.Rand, z points.Points) points.Points {
		return mapped(z, func(row []float64) { scaleRow(row, func(k int) float64 { return math.Pow(3, float64(k)) }) })
	},
}

func scaleRow(row []float64, factor func(k int) float64) {
	for k := range row {
		row[k] *= factor(k)
	}
}

func mapped(z points.Points, change func(row []float64)) points.Points {
	out := slices.Clone(z.F64)
	for i := range z.N {
		change(out[i*z.Dim : (i+1)*z.Dim])
	}
	return points.Float64(out, z.Dim)
}

// Each measure is invariant to what it claims, for either space, and to nothing else of the list. PWCCA weighs by the
// units of the space with fewer components, the first one here.
func TestMeasuresAreInvariant(t *testing.T) {
	t.Parallel()
	all := []string{"rotation", "scale", "shift", "order of units"}
	withoutShift := []string{"rotation", "scale", "order of units"}
	invariant := map[string][]string{
		"cknna@7": withoutShift, "unit_match": {"scale", "shift", "order of units", "scale of units"},
		"first pwcca": {"scale", "shift", "order of units"},
	}
	for name, transform := range transforms {
		r := rand.New(rand.NewPCG(5, 6))
		a, b := randomSpaces(r, 57, 4, 5)
		o := Options{K: []int{7}}
		before := scored(t, a, b, o)
		for side, after := range map[string]map[string]Series{
			"first ": scored(t, transform(r, a), b, o), "second ": scored(t, a, transform(r, b), o),
		} {
			for score, s := range before {
				keeps := all
				for _, key := range []string{score, side + score} {
					if one := invariant[key]; one != nil {
						keeps = one
					}
				}
				same := math.Abs(s.Value-after[score].Value) <= 1e-6
				if want := slices.Contains(keeps, name); same != want {
					t.Errorf("%s under %s of the %sspace: %v, then %v", score, name, side, s.Value, after[score].Value)
				}
			}
		}
	}
}

// A space has with itself the score that the measure names, in float32 too.
func TestSameSpace(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	a, _ := randomSpaces(r, 40, 3, 3)
	for name, s := range scored(t, a, a, Options{K: []int{4}}) {
		tolerance := 1e-6
		if s.Measure.Name == "predictivity" { // the penalty shrinks a little
			tolerance = 1e-4
		}
		if s.Measure.Name == "shape_angle" { // √ of the rounding of a cosine
			tolerance = 1e-7
		}
		if math.Abs(s.Value-s.Measure.SameScore(40)) > tolerance {
			t.Errorf("%s of a space with itself: %v, want %v", name, s.Value, s.Measure.SameScore(40))
		}
	}
}

// Constant points, few points, constant units, duplicates, far points and great scales give a number or a reason.
func TestHardSpaces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	a, b := randomSpaces(r, 30, 3, 2)
	constant := mapped(a, func(row []float64) { scaleRow(row, func(int) float64 { return 0 }) })
	halfConstant := mapped(a, func(row []float64) { row[1] = 0.1 })
	repeated := a.Select(slices.Concat(r.Perm(15), r.Perm(15)))
	far := mapped(a, func(row []float64) {
		for k := range row {
			row[k] += 1e9
		}
	})
	for name, one := range map[string]struct {
		z       points.Points
		defined bool
	}{
		"constant": {constant, false}, "a constant unit": {halfConstant, true}, "repeated points": {repeated, true},
		"far points": {far, true},
		"tiny":       {mapped(a, func(row []float64) { scaleRow(row, func(int) float64 { return 1e-100 }) }), true},
		"great":      {mapped(a, func(row []float64) { scaleRow(row, func(int) float64 { return 1e100 }) }), true},
	} {
		for score, s := range scored(t, one.z, b, Options{K: []int{5}}) {
			if defined := !math.IsNaN(s.Value); defined != one.defined || !defined && s.Reason == "" {
				t.Errorf("%s, %s: %v %q", name, score, s.Value, s.Reason)
			}
		}
	}
	for score, s := range scored(t, a.Select([]int{0, 1, 2}), b.Select([]int{0, 1, 2}), Options{}) {
		if !math.IsNaN(s.Value) || s.Reason != "3 points, want at least 4" {
			t.Errorf("%s of 3 points: %v %q", score, s.Value, s.Reason)
		}
	}
	for score, s := range scored(t, a.Select([]int{0, 1, 2, 3}), b.Select([]int{0, 1, 2, 3}), Options{K: []int{2, 10}}) {
		if math.IsNaN(s.Value) && s.Reason == "" || math.IsInf(s.Value, 0) {
			t.Errorf("%s of 4 points: %v %q", score, s.Value, s.Reason)
		}
	}
	if count := ConstantUnits(halfConstant); count != 1 {
		t.Errorf("%d constant coordinates, want 1", count)
	}
	small := scored(t, a, b, Options{Measures: []string{"distance_correlation"}, Memory: 1000})["distance_correlation"]
	if !strings.Contains(small.Reason, "memory") {
		t.Errorf("a matrix without memory: %v %q", small.Value, small.Reason)
	}
}

// Wrong options are errors that name the value.
func TestScoreErrors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	a, b := randomSpaces(r, 20, 2, 2)
	for want, one := range map[string]struct {
		b points.Points
		o Options
	}{
		"20 and 19 points":         {b.Select(r.Perm(20)[:19]), Options{}},
		"no measure is named":      {b, Options{Measures: []string{"ckA"}}},
		"0 neighbors":              {b, Options{K: []int{0}}},
		"3 episodes for 20 points": {b, Options{Episode: []int{1, 2, 3}}},
		"want each of 0 to 19":     {b, Options{Orders: [][]int{make([]int, 20)}}},
	} {
		_, err := Score(t.Context(), mustPrepare(t, a), mustPrepare(t, one.b), one.o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Prepare(points.Float64([]float64{1, math.NaN()}, 1)); err == nil {
		t.Error("NaN is no error")
	}
}

// Results do not depend on the number of threads.
func TestScoreThreads(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	a, b := randomSpaces(r, 70, 5, 9)
	orders := [][]int{r.Perm(70), r.Perm(70), r.Perm(70)}
	one := scored(t, a, b, Options{Orders: orders, Threads: 1})
	for name, s := range scored(t, a, b, Options{Orders: orders, Threads: 5}) {
		if s.Value != one[name].Value || !slices.Equal(s.Null, one[name].Null) {
			t.Errorf("%s differs with 5 threads", name)
		}
	}
}

// A reason names the space that it is about, where the space has a name.
func TestReasonsNameSpaces(t *testing.T) {
	t.Parallel()
	a, _ := randomSpaces(rand.New(rand.NewPCG(13, 14)), 12, 3, 4)
	corners := mapped(a, func(row []float64) { scaleRow(row, func(int) float64 { return 0 }) })
	apart := points.Float64(make([]float64, 12*12), 12)
	for i := range 12 { // all distances are equal
		apart.F64[i*12+i] = 1
	}
	nowhere := points.Float64(slices.Clone(a.F64), 3)
	clear(nowhere.F64[:3])
	for _, test := range []struct {
		b             points.Points
		measure, want string
	}{
		{corners, "cka", "second: the points are constant"},
		{apart, "rsa_pearson", "second: all distances are equal"},
		{apart, "svcca", "second: 11 components of 12 points"},
		{nowhere, "cknna", "second: a point has length 0"},
	} {
		o := Options{Measures: []string{test.measure}, K: []int{3}}
		for _, names := range [][2]string{{"first", "second"}, {"", ""}} {
			series, err := Score(t.Context(), mustPrepare(t, a).Named(names[0]), mustPrepare(t, test.b).Named(names[1]), o)
			want := test.want
			if names[0] == "" {
				want = strings.TrimPrefix(want, "second: ")
			}
			if err != nil || !strings.HasPrefix(series[0].Reason, want) {
				t.Errorf("%s: reason %q, %v, want %q", test.measure, series[0].Reason, err, want)
			}
		}
	}
}
