// The definitions again, written down literally: full distance matrices in
// float64, full sorts, formulas as in the papers. The package is tested against this.

package neighbors

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"testing"
)

// naiveSpace is a matrix of keys with the options that say who is a candidate.
type naiveSpace struct {
	keys    [][]float64
	window  int
	episode []int
	time    []int // nil: positions

	memo   *[2][][]int    // orders and ranks, once computed
	places *[][]rankRange // likewise
}

func newNaive(keys [][]float64, window int, episode []int) naiveSpace {
	return naiveSpace{keys, window, episode, nil, new([2][][]int), new([][]rankRange)}
}

func (s naiveSpace) candidate(i, j int) bool {
	if i == j {
		return false
	}
	if s.episode != nil && s.episode[i] != s.episode[j] {
		return true
	}
	if s.time != nil {
		i, j = s.time[i], s.time[j]
	}
	return i-j > s.window || j-i > s.window
}

// order is the candidates of i, nearest first.
func (s naiveSpace) order(i int) []int {
	row := s.keys[i]
	list := make([]int, 0, len(row))
	for j := range row {
		if s.candidate(i, j) {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		switch {
		case row[a] < row[b]:
			return -1
		case row[a] > row[b]:
			return 1
		}
		return cmp.Or(cmp.Compare(row[a], row[b]), a-b) // NaN first
	})
	return list
}

// orders is order for all i, ranks the inverse: ranks[i][j] from 1, 0 for no candidate.
func (s naiveSpace) orders() (orders, ranks [][]int) {
	if s.memo[0] != nil {
		return s.memo[0], s.memo[1]
	}
	n := len(s.keys)
	orders, ranks = make([][]int, n), make([][]int, n)
	*s.memo = [2][][]int{orders, ranks}
	for i := range n {
		orders[i], ranks[i] = s.order(i), make([]int, n)
		for r, j := range orders[i] {
			ranks[i][j] = r + 1
		}
	}
	return orders, ranks
}

// naiveScores computes everything for one k.
func naiveScores(original, embedded naiveSpace, k int) Scores {
	no, ro := original.orders()
	ne, re := embedded.orders()
	n := len(no)
	s := Scores{Points: n}
	var wrong, missing, h, chance, share float64
	for i := range n {
		m := len(no[i])
		if 2*k <= m {
			s.Normalizer += int64(k * (2*m - 3*k + 1) / 2)
		} else {
			s.Normalizer += int64((m - k) * (m - k + 1) / 2)
		}
		for r := k + 1; r <= m; r++ {
			chance += float64(r-k) * float64(k) / float64(m)
		}
		share += float64(k) / float64(m) / float64(n)
		for l := 1; l <= k; l++ {
			h += math.Abs(float64(m+1-2*l+1)) / float64(l)
		}
		for l, j := range ne[i][:k] {
			if ro[i][j] > k {
				s.TrustPenalty += float64(ro[i][j] - k)
			} else {
				s.Common++
			}
			wrong += math.Abs(float64(ro[i][j]-re[i][j])) / float64(l+1)
		}
		for l, j := range no[i][:k] {
			if re[i][j] > k {
				s.ContPenalty += float64(re[i][j] - k)
			}
			missing += math.Abs(float64(ro[i][j]-re[i][j])) / float64(l+1)
		}
	}
	s.Trustworthiness = 1 - s.TrustPenalty/float64(s.Normalizer)
	s.Continuity = 1 - s.ContPenalty/float64(s.Normalizer)
	s.QNX = s.Common / float64(n*k)
	s.RNX = (s.QNX - share) / (1 - share)
	s.LCMC = s.QNX - share
	s.MRREFalse, s.MRREMissing = 1-wrong/h, 1-missing/h
	s.Chance = 1 - chance/float64(s.Normalizer)
	return s
}

// naiveTies counts what SpaceCounts.Ties counts: over the kmax nearest in
// lists, the other candidates at the same key in ranked.
func naiveTies(ranked, lists naiveSpace, kmax int) (ties int64) {
	orders, _ := lists.orders()
	for i := range ranked.keys {
		for _, j := range orders[i][:kmax] {
			for l := range ranked.keys {
				if l != j && ranked.candidate(i, l) && ranked.keys[i][l] == ranked.keys[i][j] {
					ties++
				}
			}
		}
	}
	return ties
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// compareScores wants integers equal and the rest within rounding.
func compareScores(t *testing.T, what string, got, want Scores) {
	t.Helper()
	same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) && b != math.Trunc(b) }
	if got.Points != want.Points || !same(got.TrustPenalty, want.TrustPenalty) || !same(got.ContPenalty, want.ContPenalty) ||
		got.Normalizer != want.Normalizer || !same(got.Common, want.Common) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
	near(t, what+": trustworthiness", got.Trustworthiness, want.Trustworthiness, 1e-13)
	near(t, what+": continuity", got.Continuity, want.Continuity, 1e-13)
	near(t, what+": Q_NX", got.QNX, want.QNX, 1e-13)
	near(t, what+": R_NX", got.RNX, want.RNX, 1e-11)
	near(t, what+": LCMC", got.LCMC, want.LCMC, 1e-13)
	near(t, what+": false MRRE", got.MRREFalse, want.MRREFalse, 1e-12)
	near(t, what+": missing MRRE", got.MRREMissing, want.MRREMissing, 1e-12)
	near(t, what+": chance", got.Chance, want.Chance, 1e-12)
}

// markedSpace is a naiveSpace with an explicit candidate relation.
type markedSpace struct {
	keys [][]float64
	ok   [][]bool
	memo *[][]rankRange // where not nil, once computed
}

// markedScores is naiveScores with explicit candidates.
func markedScores(original, embedded markedSpace, k int) Scores {
	n := len(original.keys)
	order := func(s markedSpace, i int) (list []int, rank map[int]int) {
		for j := range s.keys {
			if s.ok[i][j] {
				list = append(list, j)
			}
		}
		sort.SliceStable(list, func(a, b int) bool { return s.keys[i][list[a]] < s.keys[i][list[b]] })
		rank = map[int]int{}
		for r, j := range list {
			rank[j] = r + 1
		}
		return list, rank
	}
	s := Scores{Points: n}
	var wrong, missing, h, chance, share float64
	for i := range n {
		lo, ro := order(original, i)
		le, re := order(embedded, i)
		m := len(lo)
		s.Normalizer += worstPenaltyByEnumeration(k, m)
		for r := k + 1; r <= m; r++ {
			chance += float64(r-k) * float64(k) / float64(m)
		}
		share += float64(k) / float64(m) / float64(n)
		for l := 1; l <= k; l++ {
			h += math.Abs(float64(m+2-2*l)) / float64(l)
		}
		for l, j := range le[:k] {
			s.TrustPenalty += float64(max(0, ro[j]-k))
			if ro[j] <= k {
				s.Common++
			}
			wrong += math.Abs(float64(ro[j]-re[j])) / float64(l+1)
		}
		for l, j := range lo[:k] {
			s.ContPenalty += float64(max(0, re[j]-k))
			missing += math.Abs(float64(ro[j]-re[j])) / float64(l+1)
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

// worstPenaltyByEnumeration: the k farthest ranks embedded as the k nearest.
func worstPenaltyByEnumeration(k, m int) (sum int64) {
	for r := m - k + 1; r <= m; r++ {
		sum += int64(max(0, r-k))
	}
	return sum
}
