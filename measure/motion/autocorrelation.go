// The autocorrelation of vectors along runs, and its integrated time.

package motion

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/stat"
)

// Autocorrelation is the autocorrelation of every coordinate, averaged with the coordinates'
// variances as weights,
//
//	ρ(k) = (1 − k/n) · mean over pairs at lag k of x_t·x_{t+k} / mean of x_t·x_t,
//
// with x centered and pairs inside runs only.
type Autocorrelation struct {
	Rho   []float64 // at lags 0, 1, …; NaN where there is no pair
	Pairs []int     // at each lag
	// Without[b][k] is ρ(k) without block b: without every pair that touches it.
	Without [][]float64

	// Tau is the integrated autocorrelation time 1 + 2·Σ ρ(k) over lags 1 … Window, in
	// points: Tau dependent points carry the information of one independent point.
	Tau    float64
	Window int
	// Converged says that the window satisfies Sokal's rule Window ≥ 5·Tau (Sokal
	// 1997); else the runs are too short, and Tau is too small.
	Converged bool
	// TauWithout[b] is τ without block b: over the same window or over one chosen again by Sokal's rule, whichever is
	// farther from Tau. With the same window alone the error leaves out that other runs have other windows, which is
	// most of it where memory fades slowly.
	TauWithout []float64
	// Support is how many equal blocks the pairs at lag Window come from, (Σ c)²/Σ c² of
	// the counts c of pairs that touch a block; 0 without blocks. Where runs are of very
	// different lengths it is far below their number.
	Support float64
}

// maxTauLag bounds the window of τ.
const maxTauLag = 5000

// Autocorrelation returns ρ at lags 0 … lags at least, or as far as the longest run
// reaches, and as many more as τ needs. blocks group the points for the values
// without each block; nil for none. A path that does not move and runs without a
// pair are a [stat.UndefinedError], blocks of another number of points an error.
// threads ≤ 0 means all; results do not depend on it.
func (p *Path) Autocorrelation(ctx context.Context, runs []Run, lags int, blocks *stat.Blocks,
	threads int) (*Autocorrelation, error) {
	const quantity = "autocorrelation"
	longest := 0
	for _, r := range runs {
		longest = max(longest, r.End-r.Start)
	}
	if longest < 2 {
		return nil, stat.Undefined(quantity, "no two states are consecutive in time")
	}
	c := &correlator{x: p.x, runs: runs}
	if blocks != nil {
		if c.block, c.blocks = blocks.Labels(), blocks.Count(); len(c.block) != p.x.N {
			return nil, fmt.Errorf("%s: blocks of %d points for %d points", quantity, len(c.block), p.x.N)
		}
	}
	if c.variance = c.at(0); c.variance.total == 0 {
		return nil, stat.Undefined(quantity, "the latents are constant")
	}
	c.limit, c.lags = min(longest-1, maxTauLag), min(lags, longest-1)
	return c.run(ctx, threads)
}

// correlator collects an autocorrelation lag by lag.
type correlator struct {
	x           matrix.Matrix
	runs        []Run
	block       []int // of every point; nil without blocks
	blocks      int
	variance    lagSums // at lag 0
	limit, lags int     // the largest lag that τ may need, and that is asked for
	out         Autocorrelation
	own         []ownTau // of each block
}

// ownTau is τ without a block over a window of its own.
type ownTau struct {
	tau    float64
	closed bool
}

// lagSums are the sums at one lag: over all pairs, and over those that touch each
// block.
type lagSums struct {
	total   float64
	pairs   int
	touched []float64
	touches []int
}

// at adds the products of all pairs at a lag.
func (c *correlator) at(lag int) lagSums {
	s := lagSums{touched: make([]float64, c.blocks), touches: make([]int, c.blocks)}
	for _, r := range c.runs {
		for t := r.Start; t+lag < r.End; t++ {
			product := matrix.Dot(c.x.Row(t), c.x.Row(t+lag))
			s.total += product
			s.pairs++
			if c.blocks == 0 {
				continue
			}
			a, b := c.block[t], c.block[t+lag]
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

// run takes lags in chunks, each on all threads, until those asked for are there and
// τ has converged or reached its limit.
func (c *correlator) run(ctx context.Context, threads int) (*Autocorrelation, error) {
	c.out = Autocorrelation{Without: make([][]float64, c.blocks), Tau: 1, TauWithout: make([]float64, c.blocks)}
	c.own = make([]ownTau, c.blocks)
	for b := range c.out.TauWithout {
		c.out.TauWithout[b], c.own[b].tau = 1, 1
	}
	defer c.farther()
	const chunk = 32
	end := max(c.limit, c.lags) + 1
	for first := 0; first < end; first += chunk {
		sums := make([]lagSums, min(chunk, end-first))
		if err := parallel.For(ctx, threads, len(sums), func(_, i int) { sums[i] = c.at(first + i) }); err != nil {
			return nil, err
		}
		for i, s := range sums {
			lag := first + i
			if lag > c.lags && c.out.Converged && !slices.ContainsFunc(c.own, func(a ownTau) bool { return !a.closed }) {
				return &c.out, nil
			}
			c.add(lag, s)
		}
	}
	return &c.out, nil
}

// add appends ρ at the next lag and, while its window is open, adds to τ.
func (c *correlator) add(lag int, s lagSums) {
	out, n := &c.out, float64(c.variance.pairs)
	value := rho(s.total, s.pairs, lag, n, c.variance.total)
	out.Rho, out.Pairs = append(out.Rho, value), append(out.Pairs, s.pairs)
	open := lag > 0 && !out.Converged && lag <= c.limit
	if open {
		out.Tau += 2 * value
	}
	for b := range c.blocks {
		correlation := rho(s.total-s.touched[b], s.pairs-s.touches[b], lag, n-float64(c.variance.touches[b]),
			c.variance.total-c.variance.touched[b])
		out.Without[b] = append(out.Without[b], correlation)
		if open && !math.IsNaN(correlation) {
			out.TauWithout[b] += 2 * correlation
		}
		if a := &c.own[b]; lag > 0 && lag <= c.limit && !a.closed && !math.IsNaN(correlation) {
			a.tau += 2 * correlation
			a.closed = float64(lag) >= 5*a.tau
		}
	}
	if open {
		out.Window = lag
		out.Support = support(s.touches)
		out.Converged = float64(lag) >= 5*out.Tau
	}
}

// farther takes τ over windows chosen again where it is farther from Tau.
func (c *correlator) farther() {
	for b, a := range c.own {
		if same := c.out.TauWithout[b]; math.Abs(a.tau-c.out.Tau) > math.Abs(same-c.out.Tau) {
			c.out.TauWithout[b] = a.tau
		}
	}
}

// support is the number of equal counts that these are worth.
func support(counts []int) float64 {
	sum, squares := 0.0, 0.0
	for _, c := range counts {
		sum += float64(c)
		squares += float64(c) * float64(c)
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// rho is the autocorrelation of n points from sums over the pairs at a lag and at 0.
func rho(total float64, pairs, lag int, n, variance float64) float64 {
	if pairs == 0 {
		return math.NaN()
	}
	return (1 - float64(lag)/n) * (total / float64(pairs)) / (variance / n)
}
