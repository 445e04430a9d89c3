// Alarms of episodes that may be watched at every step.

package conformal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"repscope/stat"
)

// Alarm is what an alarm makes of one episode.
type Alarm struct {
	Episode int
	Step    int     // the first transition at which it is raised, from 0; −1: never
	P       float64 // the lowest level at which it would be raised
}

// leastEpisodes are the untouched episodes that the simulations of InnovationAlarms begin with.
const leastEpisodes = 5

// EpisodeAlarms watches each episode with the CUSUM (Page 1954) of its errors above the 90 % quantile of untouched
// errors, of the same step with Phase. The alarm is raised where the CUSUM passes all but a share level of the
// largest values that other untouched episodes and the own one have. For an episode that is exchangeable with them it
// is ever raised with probability ≤ level, for any dependence within episodes and any scales. A level of 1 % needs
// 100 untouched episodes; fewer give a [stat.UndefinedError]. Episodes that are longer than the untouched ones are
// not exchangeable with them.
func (r *Reference) EpisodeAlarms(t Transitions, level float64) ([]Alarm, error) {
	episodes, err := t.split()
	if err != nil {
		return nil, err
	}
	if err := needs("alarm", len(r.episodes), 1, level); err != nil {
		return nil, err
	}
	largest := make([]float64, len(r.episodes))
	for i, e := range r.episodes {
		largest[i] = slices.Max(r.cusum(e))
	}
	sorted := slices.Sorted(slices.Values(largest))
	out := make([]Alarm, len(episodes))
	for i, e := range episodes {
		twin, hasTwin := r.index[e.name]
		p := func(value float64) float64 {
			n, others := count(sorted, value), len(sorted)
			if hasTwin {
				others--
				if largest[twin] >= value {
					n--
				}
			}
			return float64(n+1) / float64(others+1)
		}
		path := r.cusum(e)
		out[i] = Alarm{Episode: e.name, P: p(slices.Max(path))}
		out[i].Step = slices.IndexFunc(path, func(v float64) bool { return p(v) <= level })
	}
	return out, nil
}

// cusum returns the sums of excesses from the best earlier step on.
func (r *Reference) cusum(e episode) []float64 {
	out := make([]float64, len(e.errors))
	sum := 0.0
	for step, v := range e.errors {
		list := r.strata[0].errors
		if r.options.Phase {
			list = r.strata[min(step, len(r.strata)-1)].errors
		}
		sum = max(0, sum) + v/2 - list[len(list)*9/10]/2 // halves, as the difference of large numbers is infinite
		out[step] = sum
	}
	return out
}

// InnovationAlarms watches each episode with the [Martingale] of the ranks of its innovations among its own earlier
// ones. Errors become normal scores of their ranks among the errors of other episodes, and y are these scores around
// their means over the other episodes at the same step, so that a course that all episodes share raises no alarm.
// Innovations are y_t − ρ y_(t−1), where ρ is the correlation of successive y in the other episodes. The alarm is
// raised at M ≥ 1/level. If the innovations of an episode are exchangeable, as in an autoregressive process of order
// one around a shared course and any constant level of the episode, it is ever raised with probability ≤ level, however
// long the episode is, and episodes may have any levels and scales. A trend that one episode has alone breaks this.
// A change must leave some steps before it to be noticed: about 50 of independent errors, and more of dependent ones.
// Fewer than 5 untouched episodes, and episodes of 5 transitions and fewer, give a [stat.UndefinedError].
func (r *Reference) InnovationAlarms(t Transitions, level float64) ([]Alarm, error) {
	episodes, err := t.split()
	if err != nil {
		return nil, err
	}
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	if len(r.episodes) < leastEpisodes {
		return nil, stat.Undefined("alarm", "needs at least %d untouched episodes, found %d",
			leastEpisodes, len(r.episodes))
	}
	course := r.course()
	all := course.all
	if all.transitions <= 5*all.episodes {
		return nil, stat.Undefined("alarm", "needs untouched episodes of more than 5 transitions, found %.1f on average",
			all.transitions/all.episodes)
	}
	out := make([]Alarm, len(episodes))
	for i, e := range episodes {
		others := all
		if twin, hasTwin := r.index[e.name]; hasTwin {
			others = all.plus(course.lags[twin], -1)
		}
		innovations := course.around(r, e.name, r.normalScores(e))
		rho := others.rho()
		for step := len(innovations) - 1; step > 0; step-- {
			innovations[step] -= rho * innovations[step-1]
		}
		out[i] = Alarm{Episode: e.name, Step: -1, P: 1}
		var m Martingale
		for step, p := range earlierRanks(innovations[1:]) {
			log, err := m.Update(p)
			if err != nil {
				return nil, err
			}
			out[i].P = min(out[i].P, math.Exp(-log))
			if out[i].Step < 0 && -log <= math.Log(level) {
				out[i].Step = step + 1
			}
		}
	}
	return out, nil
}

// course is what the untouched episodes have in common, and how dependent their normal scores are around it.
type course struct {
	scores         [][]float64 // by untouched episode
	sums, episodes []float64   // of the scores at each step, and the numbers of episodes; none with Phase
	lags           []lag       // by untouched episode
	all            lag
}

func (r *Reference) newCourse() *course {
	c := &course{}
	for _, e := range r.episodes {
		scores := r.normalScores(e)
		c.scores = append(c.scores, scores)
		if r.options.Phase { // the scores are around the errors of the same step already
			continue
		}
		for step, y := range scores {
			if step == len(c.sums) {
				c.sums, c.episodes = append(c.sums, 0), append(c.episodes, 0)
			}
			c.sums[step] += y
			c.episodes[step]++
		}
	}
	for i, e := range r.episodes {
		c.lags = append(c.lags, lagOf(c.around(r, e.name, slices.Clone(c.scores[i]))))
		c.all = c.all.plus(c.lags[i], 1)
	}
	return c
}

// around turns the normal scores of an episode into those around their means over other episodes at the same step, or
// at the last step that another has.
func (c *course) around(r *Reference, episode int, y []float64) []float64 {
	var scores []float64
	if i, ok := r.index[episode]; ok {
		scores = c.scores[i]
	}
	mean := 0.0
	for step := range y {
		if step < len(c.sums) {
			sum, n := c.sums[step], c.episodes[step]
			if step < len(scores) {
				sum, n = sum-scores[step], n-1
			}
			if n > 0 {
				mean = sum / n
			}
		}
		y[step] -= mean
	}
	return y
}

// normalScores are the normal quantiles of the ranks among other episodes.
func (r *Reference) normalScores(e episode) []float64 {
	out := make([]float64, len(e.errors))
	unit := float64(r.weight(len(e.errors)))
	for step, v := range e.errors {
		least, n := r.others(e.name, step, v)
		above, _ := r.others(e.name, step, math.Nextafter(v, math.Inf(1)))
		total := float64(n * r.scale)
		out[step] = -distuv.UnitNormal.Quantile((float64(least+above)/2 + unit/2) / (total + unit))
	}
	return out
}

// lag sums products of successive deviations from the means of episodes.
type lag struct{ products, squares, transitions, episodes float64 }

func lagOf(y []float64) lag {
	mean := stat.Mean(y)
	out := lag{transitions: float64(len(y)), episodes: 1}
	for i, v := range y {
		out.squares += (v - mean) * (v - mean)
		if i > 0 {
			out.products += (v - mean) * (y[i-1] - mean)
		}
	}
	return out
}

// plus adds a multiple.
func (a lag) plus(b lag, factor float64) lag {
	return lag{a.products + factor*b.products, a.squares + factor*b.squares, a.transitions + factor*b.transitions,
		a.episodes + factor*b.episodes}
}

// rho is the correlation at lag one of an autoregressive process whose sums are expected to have the same ratio.
func (a lag) rho() float64 {
	if !(a.squares > 0) {
		return 0
	}
	low, high := -0.999, 0.999
	for high-low > 1e-9 {
		if middle := (low + high) / 2; expectedRatio(middle, a.transitions/a.episodes) < a.products/a.squares {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// expectedRatio is the ratio of the expected sums of n values with correlations ρ^k, around their mean.
func expectedRatio(rho, n float64) float64 {
	power := math.Pow(rho, math.Round(n))
	mean := (1 + 2*(rho*(n-1)/(1-rho)-(rho*rho-rho*power)/((1-rho)*(1-rho)))/n) / n // its variance
	ends := 2 * (1 - power) / (1 - rho) / n                                         // covariance with the ends
	return ((n-1)*rho - (n+1)*mean + ends) / (n - n*mean)
}

// earlierRanks returns of each value the share of the values up to itself that are at least as large.
func earlierRanks(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	tree := make([]int, len(values)+1) // counts of earlier values by rank, of Fenwick 1994
	out := make([]float64, len(values))
	for t, v := range values {
		i, _ := slices.BinarySearch(sorted, v)
		smaller := 0
		for k := i; k > 0; k -= k & -k {
			smaller += tree[k]
		}
		for k := i + 1; k < len(tree); k += k & -k {
			tree[k]++
		}
		out[t] = float64(t-smaller+1) / float64(t+1)
	}
	return out
}
