// Tests of exclusion windows that count times, with missing points.

package neighbors

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"repscope/points"
)

// drawnTimes are n ascending times, some next to each other and some far apart.
func drawnTimes(seed uint64, n int) []int {
	r := random(seed)
	time, now := make([]int, n), 40
	for i := range time {
		now += 1 + r.IntN(4)*r.IntN(4)
		time[i] = now
	}
	return time
}

// inTime are the definitions of a space whose window counts times.
func inTime(pts points.Points, w int, episode, time []int) naiveSpace {
	s := newNaive(naiveKeys(pts, pts, Euclidean), w, episode)
	s.time = time
	return s
}

func TestWindowInTimeAgainstDefinitions(t *testing.T) {
	t.Parallel()
	r := random(12)
	n := 90
	time, straight, mixed := drawnTimes(5, n), make([]int, n), make([]int, n)
	for i := range n {
		straight[i], mixed[i] = i/30, r.IntN(3)
	}
	ks := []int{3, 12, 30}
	for _, c := range []pair{
		{"near frames", nearlyEqual32(r, n, 40), gaussian32(r, n, 10)},
		{"uint8 ties", bytes8(r, n, 8, 2), gaussian64(r, n, 10)},
		{"few dimensions", gaussian64(r, n, 2), bytes8(r, n, 3, 2)},
	} {
		for name, episode := range map[string][]int{"one episode": nil, "straight": straight, "mixed": mixed} {
			for offset, w := range []int{1, 9, 1, 9} {
				ties := []Ties{TiesAverage, TiesAverage, TiesIndex, TiesIndex}[offset]
				t.Run(fmt.Sprintf("%s/%s/w=%d/%v", c.name, name, w, ties), func(t *testing.T) {
					o := Options{Ks: ks, ExcludeWindow: w, Episode: episode, Time: time, Ties: ties, CoRanking: CoRankingOff}
					original, embedded := inTime(c.original, w, episode, time), inTime(c.embedded, w, episode, time)
					for _, curves := range []CoRanking{CoRankingOff, CoRankingFull} {
						o.CoRanking = curves
						result, err := Compare(t.Context(), c.original, []points.Points{c.embedded}, o)
						if err != nil {
							t.Fatal(err)
						}
						for q, k := range ks {
							compareScores(t, fmt.Sprintf("k=%d", k), result[0].ByK[q].Scores, byDefinition(ties, original, embedded, k))
						}
					}
				})
			}
		}
	}
}

// A deleted block and a permutation are what they are without their names: the points
// left, at their times, and the embedding in another order.
func TestWindowInTimeOfBlocksAndPermutations(t *testing.T) {
	t.Parallel()
	r := random(13)
	n := 80
	original, embedded, time := nearlyEqual32(r, n, 30), bytes8(r, n, 4, 3), drawnTimes(6, n)
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i / 10
	}
	for _, ties := range []Ties{TiesAverage, TiesIndex} {
		o := Options{Ks: []int{2, 9}, ExcludeWindow: 7, Time: time, Ties: ties, CoRanking: CoRankingOff, Threads: 2}
		with := o
		with.Blocks, with.Permutations = blocks, permutations(4, n, 3)
		got, err := Compare(blocksOf(17), original, []points.Points{embedded}, with)
		if err != nil {
			t.Fatal(err)
		}
		same := func(what string, original, embedded points.Points, time []int, score func(q int) (trust, cont float64)) {
			t.Helper()
			o := o
			o.Time = time
			want, err := Compare(t.Context(), original, []points.Points{embedded}, o)
			if err != nil {
				t.Fatal(err)
			}
			for q, s := range want[0].ByK {
				trust, cont := score(q)
				near(t, fmt.Sprintf("%v, %s: T(%d)", ties, what, s.K), trust, s.Trustworthiness, 1e-12)
				near(t, fmt.Sprintf("%v, %s: C(%d)", ties, what, s.K), cont, s.Continuity, 1e-12)
			}
		}
		for b := range 8 {
			var kept, removed []int
			for i := range n {
				if blocks[i] != b {
					kept, removed = append(kept, i), append(removed, time[i])
				}
			}
			same(fmt.Sprint("without block ", b), original.Select(kept), embedded.Select(kept), removed, func(q int) (float64, float64) {
				rep := got[0].ByK[q].Replicates[b]
				return rep.Trustworthiness, rep.Continuity
			})
		}
		for p, order := range with.Permutations {
			same(fmt.Sprint("permutation ", p), original, embedded.Select(order), time, func(q int) (float64, float64) {
				null := got[0].ByK[q].Null[p]
				return null.Trustworthiness, null.Continuity
			})
		}
		same("all as references", original, embedded, time, func(q int) (float64, float64) {
			sampled, err := compareSampled(t.Context(), original, []points.Points{embedded}, o, Approximation{References: n})
			if err != nil {
				t.Fatal(err)
			}
			return sampled.Spaces[0].ByK[q].Trustworthiness.Value, sampled.Spaces[0].ByK[q].Continuity.Value
		})
	}
}

// Without missing times a window in time is one of positions.
func TestWindowInTimeOfConsecutivePoints(t *testing.T) {
	r := random(14)
	original, embedded := bytes8(r, 70, 6, 3), gaussian32(r, 70, 5)
	o := Options{Ks: []int{4}, ExcludeWindow: 3, PerPoint: true}
	want, err := Compare(t.Context(), original, []points.Points{embedded}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		o.Time = append(o.Time, 1000+i)
	}
	got, err := Compare(t.Context(), original, []points.Points{embedded}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].ByK[0].Scores != want[0].ByK[0].Scores || !slices.Equal(got[0].ByK[0].PointTrustPenalty, want[0].ByK[0].PointTrustPenalty) {
		t.Errorf("got %+v, want %+v", got[0].ByK[0].Scores, want[0].ByK[0].Scores)
	}
}

func TestKNearestExcludesTimes(t *testing.T) {
	r := random(15)
	time := drawnTimes(7, 60)
	for _, pts := range []points.Points{nearlyEqual32(r, 60, 20), bytes8(r, 60, 20, 200), gaussian64(r, 60, 2)} {
		got, err := KNearest(context.Background(), pts, 5, Options{ExcludeWindow: 8, Time: time})
		if err != nil {
			t.Fatal(err)
		}
		checkNearest(t, got, naiveKeys(pts, pts, Euclidean), Euclidean, func(i, j int) bool {
			return max(time[i]-time[j], time[j]-time[i]) > 8
		})
	}
}
