// CKA between blocks against its definition, its level for independent processes, and shuffled
// scores against spaces that are put together by hand.

package similarity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// betweenByDefinition takes the best fit by sums a_i + a_j away from the inner products of the pairs in different
// blocks, by least squares over all pairs, and returns the cosine of what is left.
func betweenByDefinition(x, y points.Points, block []int) float64 {
	n := x.N
	var pairs [][2]int
	for i := range n {
		for j := i + 1; j < n; j++ {
			if block[i] != block[j] {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	left := func(p points.Points) []float64 {
		design, k := mat.NewDense(len(pairs), n, nil), mat.NewVecDense(len(pairs), nil)
		for q, pair := range pairs {
			design.Set(q, pair[0], 1)
			design.Set(q, pair[1], 1)
			sum := 0.0
			for d, v := range p.Row(pair[0], nil) {
				sum += v * p.Row(pair[1], nil)[d]
			}
			k.SetVec(q, sum)
		}
		var a mat.VecDense
		if err := a.SolveVec(design, k); err != nil {
			panic(err)
		}
		var fit mat.VecDense
		fit.MulVec(design, &a)
		k.SubVec(k, &fit)
		return k.RawVector().Data
	}
	a, b := left(x), left(y)
	ab, aa, bb := 0.0, 0.0, 0.0
	for q := range a {
		ab, aa, bb = ab+a[q]*b[q], aa+a[q]*a[q], bb+b[q]*b[q]
	}
	return ab / math.Sqrt(aa*bb)
}

// kept are the points outside a block.
func kept(block []int, without int) (index []int) {
	for i, b := range block {
		if b != without {
			index = append(index, i)
		}
	}
	return index
}

func TestCKABetweenIsItsDefinition(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, sizes := range [][]int{{4, 7, 3, 9, 5}, {2, 2, 2, 2, 2, 2}, {3, 4, 12, 2, 3}, {1, 20, 3, 4, 2}} {
		var block []int
		for b, size := range sizes {
			block = append(block, slices.Repeat([]int{b}, size)...)
		}
		n := len(block)
		x, y := measuretest.Normal(random, n, 3), measuretest.Normal(random, n, 5)
		for i := range n {
			y.F64[i*5] += x.F64[i*3]
			x.F64[i*3+1] += 40 // far from 0
		}
		order := random.Perm(n) // blocks do not lie together
		x, y = x.Select(order), y.Select(order)
		mixed := make([]int, n)
		for at, i := range order {
			mixed[at] = block[i]
		}
		blocks, err := stat.NewBlocks(n, mixed, stat.BlockSpec{Kind: stat.EpisodeBlocks})
		if err != nil {
			t.Fatal(err)
		}
		_, s := compared(t, x, y, blocks)
		labels := blocks.Labels()
		measuretest.Near(t, "CKA between blocks", s.CKABetween.Value, betweenByDefinition(x, y, labels), 1e-9)
		for b := range sizes {
			index := kept(labels, b)
			rest := make([]int, len(index))
			for k, i := range index {
				rest[k] = labels[i]
			}
			measuretest.Near(t, "CKA between blocks without one", s.CKABetween.Without[b],
				betweenByDefinition(x.Select(index), y.Select(index), rest), 1e-9)
		}
	}
}

// With single points for blocks it is the debiased CKA.
func TestCKABetweenPointsIsDebiased(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	x, y := measuretest.Normal(random, 30, 4), measuretest.Normal(random, 30, 3)
	single := make([]int, 30)
	for i := range single {
		single[i] = i
	}
	blocks, err := stat.NewBlocks(30, single, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	_, s := compared(t, x, y, blocks)
	measuretest.Near(t, "CKA between points", s.CKABetween.Value, s.CKADebiased.Value, 1e-10)
	if _, s = compared(t, x, y, nil); !math.IsNaN(s.CKABetween.Value) {
		t.Errorf("without blocks it is %v, want NaN", s.CKABetween.Value)
	}
	three, err := stat.NewBlocks(30, slices.Concat(slices.Repeat([]int{0}, 10), slices.Repeat([]int{1}, 10), slices.Repeat([]int{2}, 10)),
		stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	if _, s = compared(t, x, y, three); !math.IsNaN(s.CKABetween.Value) {
		t.Errorf("with three blocks it is %v, want NaN", s.CKABetween.Value)
	}
}

// walk are AR(1) points in episodes of equal length whose levels differ.
func walk(random *rand.Rand, episodes, length, dim int, rho, between float64) (points.Points, []int) {
	var z []float64
	var episode []int
	for e := range episodes {
		level, x := make([]float64, dim), make([]float64, dim)
		for k := range dim {
			level[k], x[k] = math.Sqrt(between)*random.NormFloat64(), random.NormFloat64()
		}
		for range length {
			for k := range dim {
				z = append(z, level[k]+math.Sqrt(1-between)*x[k])
				x[k] = rho*x[k] + math.Sqrt(1-rho*rho)*random.NormFloat64()
			}
			episode = append(episode, e)
		}
	}
	return points.Float64(z, dim), episode
}

// Independent processes: debiased CKA and RSA are far above 0, those between blocks are not.
func TestBetweenIsZeroForIndependentProcesses(t *testing.T) {
	t.Parallel()
	for _, d := range []struct{ rho, between float64 }{{0.98, 0}, {0.6, 0.7}} {
		random := rand.New(rand.NewPCG(7, 8))
		var sums [4]float64
		var squares [2]float64
		const draws = 40
		for range draws {
			x, episode := walk(random, 10, 20, 4, d.rho, d.between)
			y, _ := walk(random, 10, 20, 4, d.rho, d.between)
			blocks, err := stat.NewBlocks(x.N, episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
			if err != nil {
				t.Fatal(err)
			}
			spaces, s := compared(t, x, y, blocks)
			all, err := DrawPairs(x.N, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			scores, _, err := Shuffled(t.Context(), spaces, [][2]int{{0, 1}}, nil, all, 1)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range []float64{s.CKADebiased.Value, scores[0].RSA, s.CKABetween.Value, scores[0].RSABetween} {
				sums[k] += v / draws
				if k >= 2 {
					squares[k-2] += v * v / draws
				}
			}
		}
		t.Logf("ρ %g, between %g: debiased CKA %.3f, RSA %.3f; between blocks %.3f and %.3f", d.rho, d.between, sums[0], sums[1], sums[2], sums[3])
		if sums[0] < 0.1 || sums[1] < 0.06 {
			t.Errorf("ρ %g: debiased CKA %v and RSA %v of independent processes are near 0", d.rho, sums[0], sums[1])
		}
		for k := range 2 {
			if v := sums[2+k]; math.Abs(v) > 3*math.Sqrt(squares[k]/draws) {
				t.Errorf("ρ %g: between blocks the mean is %v", d.rho, v)
			}
		}
	}
}

// Shuffled scores are those of spaces that are put together by hand, for any number of threads.
func TestShuffledScores(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 10))
	x, episode := walk(random, 6, 9, 3, 0.8, 0.3)
	y, _ := walk(random, 6, 9, 4, 0.8, 0.3)
	blocks, err := stat.NewBlocks(x.N, episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	spaces, s := compared(t, x, y, blocks)
	pairs, err := DrawPairs(x.N, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	twice := make([]int, x.N) // no permutation
	for i := range twice {
		twice[i] = i / 2
	}
	orders := [][]int{random.Perm(x.N), twice}
	given, shuffled, err := Shuffled(t.Context(), spaces, [][2]int{{0, 1}, {1, 0}}, orders, pairs, 1)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, got Scores, s *Similarity, spaces []*Space) {
		t.Helper()
		measuretest.Near(t, name, got.CKA, s.CKA.Value, 1e-10)
		measuretest.Near(t, name, got.CKADebiased, s.CKADebiased.Value, 1e-10)
		measuretest.Near(t, name, got.CKABetween, s.CKABetween.Value, 1e-9)
		measuretest.Near(t, name, got.Procrustes, s.Procrustes.Value, 1e-7)
		for _, of := range []struct {
			value float64
			pairs *Pairs
		}{{got.RSA, pairs}, {got.RSABetween, pairs.Between(spaces[0])}} {
			r, err := RSA(t.Context(), spaces, of.pairs, 1)
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, name, of.value, r[0].Value, 1e-12)
		}
	}
	same("as given", given[0], s, spaces)
	for o, order := range orders {
		again, s := compared(t, x, y.Select(order), blocks)
		same("shuffled", shuffled[o][0], s, again)
	}
	_, parallel, err := Shuffled(t.Context(), spaces, [][2]int{{0, 1}, {1, 0}}, orders, pairs, 4)
	if err != nil || !slices.EqualFunc(shuffled, parallel, slices.Equal) {
		t.Errorf("scores depend on the threads: %v", err)
	}
	if _, _, err := Shuffled(t.Context(), spaces, nil, [][]int{{0}}, pairs, 1); err == nil {
		t.Error("an order of one point is no error")
	}
}
