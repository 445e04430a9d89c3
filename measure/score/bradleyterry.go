// Strengths of items by comparisons in pairs.

package score

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/stat"
)

// Contest are all comparisons of two items.
type Contest struct {
	A, B               int     // numbers of the items
	Wins, Losses, Ties float64 // of A
}

// Strengths are the strengths of items by maximum likelihood: see [BradleyTerry].
type Strengths struct {
	Log []float64 // natural logarithms, with mean 0
	// Tie is ν of Davidson's model; 0 without ties.
	Tie float64

	information *mat.SymDense // of Log, and of log ν if there are ties; singular along equal changes of Log
}

// MostContestants is how many items [BradleyTerry] takes.
const MostContestants = 1000

// Unbounded is the error of comparisons without a finite estimate of the strengths.
type Unbounded struct {
	// Groups are the sets of items that no comparison connects, at least two; otherwise nil.
	Groups [][]int
	// Above and Below part all items where everything in Above won all comparisons with anything in Below; otherwise nil.
	// With neither, ties are the reason: no cycle of preferences has more wins than ties.
	Above, Below []int
}

// Error describes the reason without the names of the items.
func (u *Unbounded) Error() string {
	switch {
	case u.Groups != nil:
		return "no comparison connects some of the items"
	case u.Above != nil:
		return "some of the items won all comparisons with the others"
	}
	return "no cycle of preferences has more wins than ties"
}

// BradleyTerry returns the strengths π of n items by maximum likelihood, for comparisons that are independent of each
// other:
//
//	P(a wins) = π_a/D, P(b wins) = π_b/D, P(tie) = ν·√(π_a·π_b)/D, D = π_a + π_b + ν·√(π_a·π_b)
//
// This is Davidson's model (1970, "On extending the Bradley-Terry model to accommodate ties in paired comparison
// experiments"); without ties ν is 0, the model of Bradley and Terry (1952). start is where Newton's method begins,
// such as the strengths with a few more comparisons; nil: equal strengths.
//
// Errors: an item that is compared with itself, a number of an item outside [0, n), a negative or infinite count, more
// than [MostContestants] items, and [Unbounded]: a finite estimate exists if and only if comparisons connect all items,
// no set of items won all comparisons with the others (Ford 1957, ties count as both), and, where there are ties, some
// cycle of items, each of them beating or tying the next, has more wins than ties.
func BradleyTerry(n int, contests []Contest, start *Strengths) (*Strengths, error) {
	if err := checkContests(n, contests); err != nil {
		return nil, err
	}
	ties := 0.0
	for _, c := range contests {
		ties += c.Ties
	}
	f := &strengthFit{n: n, contests: contests, ties: ties > 0, at: make([]float64, n, n+1)}
	if err := f.bounded(); err != nil {
		return nil, err
	}
	if f.ties {
		f.at = append(f.at, 0)
	}
	if start != nil && len(start.Log) == n && (start.Tie > 0) == f.ties {
		copy(f.at, start.Log)
		if f.ties {
			f.at[n] = math.Log(start.Tie)
		}
	}
	if err := f.climb(); err != nil {
		return nil, err
	}
	out := &Strengths{Log: f.at[:n:n], information: f.information}
	middle := stat.Mean(out.Log)
	for i := range out.Log {
		out.Log[i] -= middle
	}
	if f.ties {
		out.Tie = math.Exp(f.at[n])
	}
	return out, nil
}

func checkContests(n int, contests []Contest) error {
	if n < 2 || n > MostContestants {
		return stat.Undefined("strengths", "%d items are compared, want 2 to %d", n, MostContestants)
	}
	for _, c := range contests {
		if min(c.A, c.B) < 0 || max(c.A, c.B) >= n || c.A == c.B {
			return stat.Undefined("strengths", "items %d and %d of %d are compared, want two different ones", c.A, c.B, n)
		}
		for _, count := range []float64{c.Wins, c.Losses, c.Ties} {
			if !(count >= 0) || math.IsInf(count, 1) {
				return stat.Undefined("strengths", "a count of %v, want a number of at least 0", count)
			}
		}
	}
	return nil
}

// strengthFit is a maximization of the log likelihood.
type strengthFit struct {
	n        int
	contests []Contest
	ties     bool
	at       []float64 // log strengths, and log ν if there are ties

	gradient    []float64
	information *mat.SymDense
}

// bounded returns an error unless the likelihood has a finite maximum.
func (f *strengthFit) bounded() error {
	over, under := make([][]int, f.n), make([][]int, f.n) // those that an item beat or tied, and that beat or tied it
	for _, c := range f.contests {
		if c.Wins > 0 || c.Ties > 0 {
			over[c.A], under[c.B] = append(over[c.A], c.B), append(under[c.B], c.A)
		}
		if c.Losses > 0 || c.Ties > 0 {
			over[c.B], under[c.A] = append(over[c.B], c.A), append(under[c.A], c.B)
		}
	}
	if groups := connected(over, under); len(groups) > 1 {
		return &Unbounded{Groups: groups}
	}
	if reached, rest := reach(0, over); len(rest) > 0 {
		return &Unbounded{Above: rest, Below: reached}
	}
	if reached, rest := reach(0, under); len(rest) > 0 {
		return &Unbounded{Above: reached, Below: rest}
	}
	if f.ties && !f.winsExceed() {
		return &Unbounded{}
	}
	return nil
}

// connected are the sets of items that edges connect, in either direction.
func connected(over, under [][]int) (groups [][]int) {
	both := make([][]int, len(over))
	for i := range both {
		both[i] = append(append(both[i], over[i]...), under[i]...)
	}
	seen := make([]bool, len(both))
	for i := range both {
		if !seen[i] {
			group, _ := reach(i, both)
			for _, k := range group {
				seen[k] = true
			}
			groups = append(groups, group)
		}
	}
	return groups
}

// reach are the items that edges lead to from a first one, itself among them, and the rest; both in their order.
func reach(first int, edges [][]int) (reached, rest []int) {
	seen := make([]bool, len(edges))
	seen[first] = true
	for stack := []int{first}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range edges[i] {
			if !seen[k] {
				seen[k] = true
				stack = append(stack, k)
			}
		}
	}
	for i, yes := range seen {
		if yes {
			reached = append(reached, i)
		} else {
			rest = append(rest, i)
		}
	}
	return reached, rest
}

// winsExceed reports whether some cycle of items, each of them beating or tying the next, has more wins than ties.
// Without one there are levels of items such that every win is at least one level down and every tie at most one level
// away: strengths that grow along them, and ν with them, lower no probability of the outcomes. Levels are shortest
// paths (Bellman and Ford).
func (f *strengthFit) winsExceed() bool {
	for _, c := range f.contests {
		if c.Wins > 0 && c.Losses > 0 {
			return true
		}
	}
	level := make([]int, f.n)
	lower := func(i, k, by int) bool {
		if level[i]+by < level[k] {
			level[k] = level[i] + by
			return true
		}
		return false
	}
	for range f.n {
		changed, lowest := false, 0
		for _, c := range f.contests {
			if c.Wins > 0 {
				changed = lower(c.A, c.B, -1) || changed
			}
			if c.Losses > 0 {
				changed = lower(c.B, c.A, -1) || changed
			}
			if c.Ties > 0 {
				changed = lower(c.A, c.B, 1) || changed
				changed = lower(c.B, c.A, 1) || changed
			}
			lowest = min(lowest, level[c.A], level[c.B])
		}
		switch {
		case !changed:
			return false
		case lowest <= -f.n: // lower than along any path without a cycle
			return true
		}
	}
	return true
}

// climb moves to the maximum by Newton's method, with steps that are halved until the likelihood rises.
func (f *strengthFit) climb() error {
	size := len(f.at)
	f.gradient, f.information = make([]float64, size), mat.NewSymDense(size, nil)
	likelihood := f.likelihood(f.at)
	var factor mat.Cholesky
	const steps, enough = 200, 1e-9
	for range steps {
		f.slopes()
		for i := range f.n { // equal changes of all strengths change nothing: any curvature along them will do
			for k := i; k < f.n; k++ {
				f.information.SetSym(i, k, f.information.At(i, k)+1/float64(f.n))
			}
		}
		step := mat.NewVecDense(size, nil)
		if !factor.Factorize(f.information) || factor.SolveVecTo(step, mat.NewVecDense(size, f.gradient)) != nil {
			return errNoMaximum
		}
		moved, part := mat.Norm(step, math.Inf(1)), 1.0
		next := make([]float64, size)
		for {
			for i := range next {
				next[i] = f.at[i] + float64(part*step.AtVec(i))
			}
			value := f.likelihood(next)
			if value >= likelihood || moved*part <= enough {
				f.at, likelihood = next, value
				break
			}
			part /= 2
			next = make([]float64, size)
		}
		if moved <= enough {
			f.slopes()
			return nil
		}
	}
	return errNoMaximum
}

// errNoMaximum is that rounding hides the maximum.
var errNoMaximum = stat.Undefined("strengths", "the likelihood is too flat for a maximum: strengths are far apart")

// outcomes are the probabilities that A wins, that B wins, and of a tie.
func (f *strengthFit) outcomes(logs []float64, c *Contest) (win, loss, tie float64) {
	half := (logs[c.A] - logs[c.B]) / 2
	largest := math.Abs(half)
	up, down, even := math.Exp(half-largest), math.Exp(-half-largest), 0.0
	if f.ties {
		largest = max(largest, logs[f.n])
		up, down, even = math.Exp(half-largest), math.Exp(-half-largest), math.Exp(logs[f.n]-largest)
	}
	sum := up + down + even
	return up / sum, down / sum, even / sum
}

// likelihood is the logarithm of the likelihood.
func (f *strengthFit) likelihood(logs []float64) float64 {
	sum := 0.0
	for i := range f.contests {
		c := &f.contests[i]
		win, loss, tie := f.outcomes(logs, c)
		for _, part := range [][2]float64{{c.Wins, win}, {c.Losses, loss}, {c.Ties, tie}} {
			if part[0] > 0 {
				sum += float64(part[0] * math.Log(part[1]))
			}
		}
	}
	return sum
}

// slopes fills in the gradient and the information, its negative second derivative.
func (f *strengthFit) slopes() {
	clear(f.gradient)
	f.information.Zero()
	add := func(i, k int, by float64) { f.information.SetSym(i, k, f.information.At(i, k)+by) }
	for i := range f.contests {
		c := &f.contests[i]
		count := c.Wins + c.Losses + c.Ties
		if count == 0 {
			continue
		}
		win, loss, tie := f.outcomes(f.at, c)
		mean := (win - loss) / 2 // of ½ for a win, −½ for a loss
		slope := (c.Wins-c.Losses)/2 - float64(count*mean)
		curvature := count * ((win+loss)/4 - float64(mean*mean))
		f.gradient[c.A] += slope
		f.gradient[c.B] -= slope
		add(c.A, c.A, curvature)
		add(c.B, c.B, curvature)
		add(c.A, c.B, -curvature)
		if f.ties {
			f.gradient[f.n] += c.Ties - float64(count*tie)
			add(f.n, f.n, count*float64(tie*(1-tie)))
			add(c.A, f.n, -count*float64(tie*mean))
			add(c.B, f.n, count*float64(tie*mean))
		}
	}
}

// StdErrors are the standard errors of the log strengths about their mean by the inverse of the information matrix, as
// if comparisons were independent of each other.
func (s *Strengths) StdErrors() ([]float64, error) {
	n := len(s.Log)
	size := s.information.SymmetricDim()
	regular := mat.NewSymDense(size, nil)
	regular.CopySym(s.information)
	for i := range n {
		for k := i; k < n; k++ {
			regular.SetSym(i, k, regular.At(i, k)+1/float64(n))
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(regular) {
		return nil, errNoMaximum
	}
	var inverse mat.SymDense
	if err := factor.InverseTo(&inverse); err != nil {
		return nil, errors.Join(errNoMaximum, err)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sqrt(max(inverse.At(i, i)-1/float64(n), 0)) // without the curvature along equal changes
	}
	return out, nil
}
