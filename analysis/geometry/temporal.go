// Temporal coherence: autocorrelation of latents, step sizes, straightness.

package geometry

import (
	"context"
	"fmt"
	"math"

	"repscope/points"
	"repscope/stat"
)

// runs are the longest stretches [start, end) of states that follow each other in
// time in one episode. nil episodes mean one, nil times the positions themselves.
func runs(n int, episode, time []int) [][2]int {
	var out [][2]int
	for start := 0; start < n; {
		end := start + 1
		for end < n && (episode == nil || episode[end] == episode[start]) && (time == nil || time[end] == time[end-1]+1) {
			end++
		}
		out = append(out, [2]int{start, end})
		start = end
	}
	return out
}

// pairsOf lists the consecutive states, triplesOf those that have two successors,
// by the first of them.
func pairsOf(runs [][2]int) []points.Pair {
	var out []points.Pair
	for _, r := range runs {
		for i := r[0]; i+1 < r[1]; i++ {
			out = append(out, points.Pair{Now: i, Next: i + 1})
		}
	}
	return out
}

func triplesOf(runs [][2]int) []int {
	var out []int
	for _, r := range runs {
		for i := r[0]; i+2 < r[1]; i++ {
			out = append(out, i)
		}
	}
	return out
}

// autocorrelation of centred vectors: the autocorrelation of every coordinate,
// averaged with the coordinates' variances as weights,
//
//	ρ(k) = (1 − k/n) · mean over pairs at lag k of x_t·x_{t+k} / mean of x_t·x_t,
//
// with pairs inside runs only (for one coordinate that of stat.Autocorrelation).
type autocorrelation struct {
	rho   []float64 // at lags 0, 1, …
	pairs []int     // at each lag
	// without[b][k] is ρ(k) without block b: without every pair that touches it.
	without [][]float64

	tau       float64 // 1 + 2·Σ ρ(k) over lags 1 … window
	window    int
	converged bool // the window satisfies Sokal's rule window ≥ 5τ
	// tauWithout[b] is τ without block b, over the same window.
	tauWithout []float64
}

// maxTauLag bounds the window of τ.
const maxTauLag = 5000

// autocorrelate returns ρ at lags 0 … lags at least, and as many more as τ needs. It
// returns an UndefinedError for points that do not vary and for runs without a pair.
func autocorrelate(ctx context.Context, x matrix, runs [][2]int, lags int, block []int, blocks, threads int) (*autocorrelation, error) {
	longest := 0
	for _, r := range runs {
		longest = max(longest, r[1]-r[0])
	}
	if longest < 2 {
		return nil, &stat.UndefinedError{Quantity: "autocorrelation", Reason: "no two states follow each other in time"}
	}
	// Sums at one lag: over all pairs, and over those that touch each block.
	type sums struct {
		total   float64
		pairs   int
		touched []float64
		touches []int
	}
	at := func(lag int) sums {
		s := sums{touched: make([]float64, blocks), touches: make([]int, blocks)}
		for _, r := range runs {
			for t := r[0]; t+lag < r[1]; t++ {
				product := dot(x.row(t), x.row(t+lag))
				s.total += product
				s.pairs++
				if blocks == 0 {
					continue
				}
				a, b := block[t], block[t+lag]
				s.touched[a] += product
				s.touches[a]++
				if a != b {
					s.touched[b] += product
					s.touches[b]++
				}
			}
		}
		return s
	}
	variance := at(0)
	if variance.total == 0 {
		return nil, &stat.UndefinedError{Quantity: "autocorrelation", Reason: "the latents are constant"}
	}
	a := &autocorrelation{without: make([][]float64, blocks), tau: 1, tauWithout: make([]float64, blocks)}
	n := float64(variance.pairs)
	rho := func(total float64, pairs int, lag int, n, variance float64) float64 {
		if pairs == 0 {
			return math.NaN()
		}
		return (1 - float64(lag)/n) * (total / float64(pairs)) / (variance / n)
	}
	for b := range a.tauWithout {
		a.tauWithout[b] = 1
	}
	limit := min(longest-1, maxTauLag)
	lags = min(lags, longest-1)
	const chunk = 32
	for first := 0; ; first += chunk {
		last := min(first+chunk, max(limit, lags)+1)
		found := make([]sums, last-first)
		err := parallel(ctx, threads, len(found), func() func(int) error {
			return func(i int) error {
				found[i] = at(first + i)
				return nil
			}
		})
		if err != nil {
			return nil, err
		}
		for i, s := range found {
			lag := first + i
			if lag > lags && a.converged {
				return a, nil
			}
			value := rho(s.total, s.pairs, lag, n, variance.total)
			a.rho, a.pairs = append(a.rho, value), append(a.pairs, s.pairs)
			open := lag > 0 && !a.converged && lag <= limit
			if open {
				a.tau += 2 * value
			}
			for b := range blocks {
				left := rho(s.total-s.touched[b], s.pairs-s.touches[b], lag, n-float64(variance.touches[b]), variance.total-variance.touched[b])
				a.without[b] = append(a.without[b], left)
				if open && !math.IsNaN(left) {
					a.tauWithout[b] += 2 * left
				}
			}
			if open {
				a.window = lag
				a.converged = float64(lag) >= 5*a.tau
			}
		}
		if last > max(limit, lags) {
			return a, nil
		}
	}
}

// steps returns ‖z_{t+1} − z_t‖ of every pair.
func steps(x matrix, pairs []points.Pair) []float64 {
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		out[i] = math.Sqrt(squaredDistance(x.row(p.Next), x.row(p.Now)))
	}
	return out
}

// turns returns, for every state with two successors, the cosine of its two steps
// and the angle between them in degrees (0: straight on), and 1 in moved where
// both steps have a length, else 0 in all three.
func turns(x matrix, triples []int) (cosine, degrees, moved []float64) {
	cosine, degrees, moved = make([]float64, len(triples)), make([]float64, len(triples)), make([]float64, len(triples))
	first, second := make([]float64, x.dim), make([]float64, x.dim)
	for i, t := range triples {
		here, next, after := x.row(t), x.row(t+1), x.row(t+2)
		for k, v := range next {
			first[k], second[k] = v-here[k], after[k]-v
		}
		a, b := math.Sqrt(dot(first, first)), math.Sqrt(dot(second, second))
		if a == 0 || b == 0 {
			continue
		}
		for k := range first {
			first[k], second[k] = first[k]/a, second[k]/b
		}
		cosine[i] = max(-1, min(1, dot(first, second)))
		degrees[i] = angle(first, second)
		moved[i] = 1
	}
	return cosine, degrees, moved
}

// angle between unit vectors in degrees, 2·atan2(‖u − v‖, ‖u + v‖): exact to the last
// digits near 0 and 180 too, where the arc cosine is not.
func angle(u, v []float64) float64 {
	apart, together := 0.0, 0.0
	for k, a := range u {
		d, s := a-v[k], a+v[k]
		apart += float64(d * d)
		together += float64(s * s)
	}
	return 2 * math.Atan2(math.Sqrt(apart), math.Sqrt(together)) * 180 / math.Pi
}

// noPairs is the reason of what needs consecutive states where there are none.
func noPairs(count, want int, what string) string {
	return fmt.Sprintf("%d %s of consecutive states, want at least %d", count, what, want)
}
