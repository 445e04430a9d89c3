// Ties averaged and at random, against enumeration of ranks and random orders.

package neighbors

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"repscope/points"
	"repscope/stat"
)

// byDefinition are the scores by the rule for ties.
func byDefinition(ties Ties, original, embedded naiveSpace, k int) Scores {
	if ties == TiesAverage {
		return expectedScores(original.marked(), embedded.marked(), k)
	}
	return naiveScores(original, embedded, k)
}

// coRankingByDefinition are only the scores of common neighbors.
func coRankingByDefinition(ties Ties, original, embedded naiveSpace, k int) Scores {
	if ties != TiesAverage {
		return naiveScores(original, embedded, k)
	}
	a, b := original.marked(), embedded.marked()
	n := len(a.keys)
	common, share := 0.0, 0.0
	ra, rb := a.ranges(), b.ranges()
	for i := range n {
		m := 0
		for j := range n {
			if a.ok[i][j] {
				m++
				common += ra[i][j].within(k) * rb[i][j].within(k)
			}
		}
		share += float64(k) / float64(m) / float64(n)
	}
	q := common / float64(n*k)
	return Scores{QNX: q, RNX: (q - share) / (1 - share), LCMC: q - share}
}

// within is the probability of a rank up to k.
func (r rankRange) within(k int) float64 {
	return float64(min(max(k-r.first+1, 0), r.last-r.first+1)) / float64(r.last-r.first+1)
}

func (s naiveSpace) marked() markedSpace {
	m := markedSpace{keys: s.keys, ok: make([][]bool, len(s.keys)), memo: s.places}
	for i := range s.keys {
		m.ok[i] = make([]bool, len(s.keys))
		for j := range s.keys {
			m.ok[i][j] = s.candidate(i, j)
		}
	}
	return m
}

// rankRange is the range of ranks, first and last, that point j can have in row i.
type rankRange struct{ first, last int }

// ranges are the ranges of all candidates, by counting.
func (s markedSpace) ranges() [][]rankRange {
	if s.memo != nil && *s.memo != nil {
		return *s.memo
	}
	out := make([][]rankRange, len(s.keys))
	for i, row := range s.keys {
		out[i] = make([]rankRange, len(row))
		for j := range row {
			below, tied := 0, 0
			for l, key := range row {
				if s.ok[i][l] && key < row[j] {
					below++
				} else if s.ok[i][l] && key == row[j] {
					tied++
				}
			}
			out[i][j] = rankRange{below + 1, below + tied}
		}
	}
	if s.memo != nil {
		*s.memo = out
	}
	return out
}

// mean is the mean of f over the ranks.
func (r rankRange) mean(f func(rank int) float64) float64 {
	sum := 0.0
	for rank := r.first; rank <= r.last; rank++ {
		sum += f(rank)
	}
	return sum / float64(r.last-r.first+1)
}

// expectedScores are the scores in expectation over independent orders of ties, by summing over all ranks.
func expectedScores(original, embedded markedSpace, k int) Scores {
	n := len(original.keys)
	s := Scores{Points: n}
	var wrong, missing, h, chance, share float64
	within := func(r int) float64 {
		if r <= k {
			return 1
		}
		return 0
	}
	over := func(r int) float64 { return float64(max(0, r-k)) }
	gap := func(ranks rankRange) func(l int) float64 {
		return func(l int) float64 {
			if l > k {
				return 0
			}
			return ranks.mean(func(r int) float64 { return math.Abs(float64(r - l)) }) / float64(l)
		}
	}
	ranges, embeddedRanges := original.ranges(), embedded.ranges()
	for i := range n {
		m := 0
		for j := range n {
			if !original.ok[i][j] {
				continue
			}
			m++
			a, b := ranges[i][j], embeddedRanges[i][j]
			s.TrustPenalty += b.mean(within) * a.mean(over)
			s.ContPenalty += a.mean(within) * b.mean(over)
			s.Common += a.mean(within) * b.mean(within)
			wrong += b.mean(gap(a))
			missing += a.mean(gap(b))
		}
		s.Normalizer += worstPenaltyByEnumeration(k, m)
		for r := k + 1; r <= m; r++ {
			chance += float64(r-k) * float64(k) / float64(m)
		}
		share += float64(k) / float64(m) / float64(n)
		for l := 1; l <= k; l++ {
			h += math.Abs(float64(m+2-2*l)) / float64(l)
		}
	}
	// What sums of fractions should be whole are.
	for _, v := range []*float64{&s.TrustPenalty, &s.ContPenalty, &s.Common} {
		if whole := math.Round(*v); math.Abs(*v-whole) < 1e-9 {
			*v = whole
		}
	}
	s.Trustworthiness = 1 - s.TrustPenalty/float64(s.Normalizer)
	s.Continuity = 1 - s.ContPenalty/float64(s.Normalizer)
	s.QNX = s.Common / float64(n*k)
	s.RNX, s.LCMC = (s.QNX-share)/(1-share), s.QNX-share
	s.MRREFalse, s.MRREMissing = 1-wrong/h, 1-missing/h
	s.Chance = 1 - chance/float64(s.Normalizer)
	return s
}

// broken are keys with the ties of every row in the order of before.
func broken(keys [][]float64, before func(i, a, b int) int) naiveSpace {
	out := make([][]float64, len(keys))
	for i := range keys {
		order := make([]int, len(keys))
		for j := range order {
			order[j] = j
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(keys[i][a], keys[i][b]), before(i, a, b)) })
		out[i] = make([]float64, len(keys))
		for at, j := range order {
			out[i][j] = float64(at)
		}
	}
	return newNaive(out, 0, nil)
}

// The averages are the means over random orders of ties, independent in every row of both spaces.
func TestAverageIsTheMeanOfOrders(t *testing.T) {
	t.Parallel()
	const n, draws = 14, 3000
	r := random(91)
	for name, c := range map[string][2]points.Points{
		"few values": {bytes8(r, n, 3, 2), bytes8(r, n, 2, 3)},
		"duplicates": {nearlyEqual32(r, n, 10), bytes8(r, n, 2, 2)},
		"classes":    {gaussian32(r, n, 9), bytes8(r, n, 1, 2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := random(92)
			o := Options{Ks: []int{2, 5, 9}, CoRanking: CoRankingFull}
			got, err := Compare(t.Context(), c[0], []points.Points{c[1]}, o)
			if err != nil {
				t.Fatal(err)
			}
			a, b := naiveKeys(c[0], c[0], Euclidean), naiveKeys(c[1], c[1], Euclidean)
			shuffle := func(keys [][]float64) naiveSpace {
				draws := make([][]float64, n)
				for i := range draws {
					draws[i] = make([]float64, n)
					for j := range draws[i] {
						draws[i][j] = r.Float64()
					}
				}
				return broken(keys, func(i, a, b int) int { return cmp.Compare(draws[i][a], draws[i][b]) })
			}
			values := make([][][]float64, len(o.Ks))
			fields := func(s Scores) []float64 {
				return []float64{s.TrustPenalty, s.ContPenalty, s.Common, s.Trustworthiness, s.Continuity, s.QNX, s.RNX, s.MRREFalse, s.MRREMissing}
			}
			for range draws {
				original, embedded := shuffle(a), shuffle(b)
				for q, k := range o.Ks {
					values[q] = append(values[q], fields(naiveScores(original, embedded, k)))
				}
			}
			for q, k := range o.Ks {
				for f, v := range fields(got[0].ByK[q].Scores) {
					sum, squares := 0.0, 0.0
					for _, draw := range values[q] {
						sum += draw[f]
						squares += draw[f] * draw[f]
					}
					mean := sum / draws
					se := math.Sqrt(max(0, squares/draws-mean*mean) / draws)
					if math.Abs(v-mean) > 4.5*se+1e-9 {
						t.Errorf("k = %d, score %d: %v, mean over orders %v ± %v", k, f, v, mean, se)
					}
				}
			}
		})
	}
}

// Latents that are all equal say nothing: chance, exactly, in whatever order the rows come.
func TestCollapsedIsChance(t *testing.T) {
	t.Parallel()
	const n = 60
	r := random(93)
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i / 10
	}
	o := Options{Blocks: blocks, Ks: []int{5, 20, 35}, CoRanking: CoRankingFull}
	got := compare(t, bytes8(r, n, 9, 2), []points.Points{constant32(n, 12), constant32(n, 3)}, o)
	for e := range got {
		for _, a := range got[e].ByK {
			all := []Scores{a.Scores}
			for _, without := range a.Replicates {
				all = append(all, without.Scores)
			}
			for _, s := range all {
				near(t, "trustworthiness", s.Trustworthiness, s.Chance, 1e-12)
				near(t, "continuity", s.Continuity, s.Chance, 1e-12)
				near(t, "R_NX", s.RNX, 0, 1e-12)
			}
		}
		near(t, "area", got[e].Curves.AUCRNX, 0, 1e-12)
	}
}

// A rule for ties changes nothing without ties: not a bit.
func TestTiesDoNotMatterWithoutTies(t *testing.T) {
	t.Parallel()
	const n = 80
	r := random(94)
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i / 16
	}
	original, embedded := gaussian32(r, n, 30), []points.Points{gaussian64(r, n, 9), gaussian32(r, n, 3)}
	o := Options{Blocks: blocks, PerPoint: true, CoRanking: CoRankingFull, Permutations: permutations(95, n, 2)}
	want := compare(t, original, embedded, o)
	if want[0].Original.Ties+want[0].Embedded.Ties > 0 {
		t.Fatal("the data have ties")
	}
	for _, o.Ties = range []Ties{TiesRandom, TiesIndex} {
		got := compare(t, original, embedded, o)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: another result", o.Ties)
		}
		sampled, err := compareSampled(t.Context(), original, embedded, o, Approximation{References: n})
		if err != nil {
			t.Fatal(err)
		}
		for e := range sampled.Spaces {
			near(t, o.Ties.String(), sampled.Spaces[e].ByK[0].Trustworthiness.Value, want[e].ByK[0].Trustworthiness, 1e-12)
		}
	}
}

// Random orders come from the stream: each row has its own, the same for every split, and the scores equal the
// definition.
func TestRandomTies(t *testing.T) {
	t.Parallel()
	const n = 70
	r := random(96)
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i / 14
	}
	original, embedded := nearlyEqual32(r, n, 20), bytes8(r, n, 3, 3)
	o := Options{Ks: []int{3, 11}, Ties: TiesRandom, Seed: 7, Blocks: blocks, CoRanking: CoRankingFull, PerPoint: true}
	got := compare(t, original, []points.Points{embedded}, o)
	order := func(keys [][]float64, space uint64) naiveSpace {
		key := stat.StreamTies.Key(o.Seed, space)
		return broken(keys, func(i, a, b int) int {
			x, y := key.Derive(uint64(i)).Derive(uint64(a)).Word, key.Derive(uint64(i)).Derive(uint64(b)).Word
			return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1]>>1, y[1]>>1), cmp.Compare(a, b))
		})
	}
	a, b := order(naiveKeys(original, original, Euclidean), 0), order(naiveKeys(embedded, embedded, Euclidean), 1)
	for q, k := range o.Ks {
		compareScores(t, fmt.Sprintf("k = %d", k), got[0].ByK[q].Scores, naiveScores(a, b, k))
		for _, without := range got[0].ByK[q].Replicates {
			want := naiveWithout(TiesIndex, a.keys, b.keys, blocks, without.Block, 0, k)
			compareScores(t, fmt.Sprintf("k = %d without block %d", k, without.Block), without.Scores, want)
		}
	}
	compareCurves(t, got[0].Curves, TiesIndex, a, b)
	for _, height := range []int{1, 9} { // in a block of one row, one worker has all of a point
		for _, o.Threads = range []int{1, 3} {
			again, err := Compare(blocksOf(height), original, []points.Points{embedded}, o)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(again, got) {
				t.Errorf("%d threads, blocks of %d rows: another result: counts %+v, want %+v", o.Threads, height, again[0].Original, got[0].Original)
			}
		}
	}
	sampled, err := compareSampled(t.Context(), original, []points.Points{embedded}, o, Approximation{References: n})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sampled", sampled.Spaces[0].ByK[1].Trustworthiness.Value, got[0].ByK[1].Trustworthiness, 1e-12)
	o.Seed = 8
	if other := compare(t, original, []points.Points{embedded}, o); other[0].ByK[0].Scores == got[0].ByK[0].Scores {
		t.Error("another seed gives the same scores")
	}
}

func TestUnknownTies(t *testing.T) {
	t.Parallel()
	if _, err := NewPass(gaussian32(random(1), 9, 2), []points.Points{gaussian32(random(2), 9, 2)}, Options{Ks: []int{2}, Ties: 3}); err == nil {
		t.Error("an unknown rule is accepted")
	}
}

// Fractions add up to the same bits in any order, and to whole numbers where they should.
func TestFixed(t *testing.T) {
	t.Parallel()
	var thirds Fixed
	for range 3 {
		thirds.addRatio(1, 1, 3)
	}
	if thirds.Float() != 1 {
		t.Errorf("three thirds are %v", thirds.Float())
	}
	var big Fixed
	big.addRatio(1<<40, 3<<30, 1<<41)
	if big != (Fixed{Whole: 3 << 29}) {
		t.Errorf("half of 3·2³⁰ is %+v", big)
	}
	r := random(97)
	var sum float64
	var parts []Fixed
	for range 1000 {
		den := uint64(1 + r.IntN(1<<20))
		a, b := uint64(r.IntN(int(den)+1)), uint64(r.IntN(1000))
		var f Fixed
		f.addRatio(a, b, den)
		parts = append(parts, f)
		sum += float64(a) * float64(b) / float64(den)
	}
	var forward, backward Fixed
	for i := range parts {
		forward.add(parts[i])
		backward.add(parts[len(parts)-1-i])
	}
	if forward != backward || math.Abs(forward.Float()-sum) > 1e-9 {
		t.Errorf("%+v and %+v, want %v", forward, backward, sum)
	}
}

// Of a longer list, only the needed neighbors count, with all ties of the last of them.
func TestListsEndWhereTheyMay(t *testing.T) {
	t.Parallel()
	original := points.Points{N: 40, Dim: 1, F32: make([]float32, 40)}
	blocks := make([]int, 40)
	for i := range blocks {
		original.F32[i], blocks[i] = float32(i%7), i/8
	}
	for _, blocks := range [][]int{nil, blocks} {
		p, err := NewPass(original, []points.Points{original}, Options{Ks: []int{2, 5}, Blocks: blocks, CoRanking: CoRankingOff})
		if err != nil {
			t.Fatal(err)
		}
		all := make([]int32, 0, 39)
		for j := 1; j < 40; j++ {
			all = append(all, int32(j))
		}
		w := p.newRowCounter()
		length, ok := w.enough(0, all)
		if !ok || blocks == nil && length != 5 || length > 25 {
			t.Errorf("blocks %v: %d of %d entries are needed, %v", blocks != nil, length, len(all), ok)
		}
		if length, ok = w.enough(0, all[:3]); ok || length != 3 {
			t.Errorf("blocks %v: of 3 entries %d are enough, %v", blocks != nil, length, ok)
		}
	}
}
