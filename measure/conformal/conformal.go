// Ranks of errors among the errors of other episodes.

package conformal

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"repscope/internal/text"
	"repscope/stat"
)

// Transitions are the prediction errors of transitions, where larger is worse, and the episode of each. The
// transitions of an episode stand in their order, and need not be adjacent.
type Transitions struct {
	Errors   []float64 // finite
	Episodes []int
}

// Options choose with which transitions an error is compared.
type Options struct {
	Phase bool // with errors of the same step of other episodes alone
}

// Reference holds the errors of untouched episodes.
type Reference struct {
	options  Options
	episodes []episode
	index    map[int]int // of an episode by its name
	strata   []stratum   // one, or with Phase one for each step
	scale    uint64      // weight of an episode

	course func() *course // computed once
}

// episode holds the errors of one episode, in their order and sorted, and the rows they come from.
type episode struct {
	name           int
	errors, sorted []float64
	rows           []int
}

// stratum holds errors that are compared with each other.
type stratum struct {
	errors   []float64 // sorted
	above    []uint64  // weight of the errors from this one on
	episodes uint64
}

// NewReference sorts the errors of untouched episodes, in time O(n log n). It is an error if a value is not finite,
// if the arrays differ in length, or if there are fewer than two episodes.
func NewReference(untouched Transitions, options Options) (*Reference, error) {
	episodes, err := untouched.split()
	if err != nil {
		return nil, err
	}
	if len(episodes) < 2 {
		return nil, stat.Undefined("conformal p", "%s, want at least 2", text.Count(len(episodes), "untouched episode"))
	}
	r := &Reference{options: options, episodes: episodes, index: map[int]int{}}
	for i, e := range episodes {
		r.index[e.name] = i
	}
	r.scale = 1
	if !options.Phase {
		r.scale = weightScale(episodes)
	}
	r.stratify()
	r.course = sync.OnceValue(r.newCourse)
	return r, nil
}

// split returns the episodes in the order of their first transitions.
func (t Transitions) split() ([]episode, error) {
	if len(t.Errors) != len(t.Episodes) {
		return nil, fmt.Errorf("%d errors and episodes of %d transitions, want the same number",
			len(t.Errors), len(t.Episodes))
	}
	index := map[int]int{}
	var out []episode
	for row, v := range t.Errors {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("errors[%d] is %v, want finite numbers", row, v)
		}
		i, ok := index[t.Episodes[row]]
		if !ok {
			i = len(out)
			index[t.Episodes[row]] = i
			out = append(out, episode{name: t.Episodes[row]})
		}
		out[i].errors, out[i].rows = append(out[i].errors, v), append(out[i].rows, row)
	}
	for i := range out {
		out[i].sorted = slices.Sorted(slices.Values(out[i].errors))
	}
	return out, nil
}

// weightScale is a multiple of all lengths, for exact weights, or a power of two where that is too large; times a
// power of two, for lengths of other episodes.
func weightScale(episodes []episode) uint64 {
	largest := uint64(1) << 61 / uint64(len(episodes)+1)
	scale := uint64(1)
	for _, e := range episodes {
		n := uint64(len(e.errors))
		a, b := scale, n
		for b > 0 {
			a, b = b, a%b
		}
		high, low := bits.Mul64(scale, n/a)
		if high > 0 || low > largest {
			scale = 1
			break
		}
		scale = low
	}
	return scale << (bits.Len64(largest/scale) - 1)
}

// weight is the weight of one of n transitions of an episode, not rounded down, so that no p value is too small.
func (r *Reference) weight(n int) uint64 { return (r.scale + uint64(n) - 1) / uint64(n) }

func (r *Reference) stratify() {
	type weighted struct {
		value  float64
		weight uint64
	}
	lists := make([][]weighted, 1)
	for _, e := range r.episodes {
		weight := r.weight(len(e.errors))
		for step, v := range e.errors {
			s := 0
			if r.options.Phase {
				s, weight = step, 1
			}
			for s >= len(lists) {
				lists = append(lists, nil)
			}
			lists[s] = append(lists[s], weighted{v, weight})
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
		s := stratum{errors: make([]float64, len(list)), above: make([]uint64, len(list)+1)}
		s.episodes = uint64(len(r.episodes))
		if r.options.Phase {
			s.episodes = uint64(len(list))
		}
		for i := len(list) - 1; i >= 0; i-- {
			s.errors[i], s.above[i] = list[i].value, s.above[i+1]+list[i].weight
		}
		r.strata = append(r.strata, s)
	}
}

// atLeast is the weight of the errors of a stratum that are at least as large.
func (s *stratum) atLeast(v float64) uint64 {
	i, _ := slices.BinarySearch(s.errors, v)
	return s.above[i]
}

// count is the number of sorted values that are at least as large.
func count(sorted []float64, v float64) int {
	i, _ := slices.BinarySearch(sorted, v)
	return len(sorted) - i
}

// others returns the weight of the errors of other episodes that are at least as large as an error at a step, and the
// number of these episodes. The untouched episode of the same name is left out.
func (r *Reference) others(name, step int, v float64) (weight, episodes uint64) {
	s := 0
	if r.options.Phase {
		if s = step; s >= len(r.strata) {
			return 0, 0
		}
	}
	weight, episodes = r.strata[s].atLeast(v), r.strata[s].episodes
	i, ok := r.index[name]
	if !ok {
		return weight, episodes
	}
	twin := r.episodes[i]
	if !r.options.Phase {
		return weight - uint64(count(twin.sorted, v))*r.weight(len(twin.errors)), episodes - 1
	}
	if step >= len(twin.errors) {
		return weight, episodes
	}
	if twin.errors[step] >= v {
		weight--
	}
	return weight, episodes - 1
}

// P returns the conformal p value of every transition, in (0, 1]: the rank of its error in a bag of its episode and the
// untouched episodes of other names,
//
//	p = Σ_k S_k(e) / (K + 1),
//
// where S_k(e) is the share of the errors of episode k that are at least as large as e, and the sum runs over the K
// other episodes and its own. Ties count as at least as large. Of a violated episode the untouched twin has the same
// name. For the untouched themselves this leaves one episode out.
//
// Of exchangeable episodes at most a share α of transitions has p ≤ α, on average over episodes, for any α and any
// dependence within episodes: all K + 1 orders of the bag are equally likely. The smallest possible value is 1/(n(K+1))
// for an episode of n transitions; an episode that is unusual as a whole has 1/(K+1). With Phase the bag holds one
// transition of each episode that is as long, and p is valid at every step, from 1/(K+1) on.
func (r *Reference) P(t Transitions) ([]float64, error) {
	episodes, err := t.split()
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(t.Errors))
	for _, e := range episodes {
		weight := r.weight(len(e.errors))
		for step, v := range e.errors {
			sum, n := r.others(e.name, step, v)
			if r.options.Phase {
				sum++
			} else {
				sum += uint64(count(e.sorted, v)) * weight
			}
			out[e.rows[step]] = min(1, float64(sum)/float64(r.scale*(n+1)))
		}
	}
	return out, nil
}

// Shares returns the share of transitions with p ≤ α of every episode, in the order of their first transitions. Their
// mean is the level that [Reference.P] holds.
func Shares(p []float64, episodes []int, alpha float64) ([]float64, error) {
	list, err := Transitions{p, episodes}.split()
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(list))
	for i, e := range list {
		below, _ := slices.BinarySearchFunc(e.sorted, alpha, func(v, alpha float64) int {
			if v <= alpha {
				return -1
			}
			return 1
		})
		out[i] = float64(below) / float64(len(e.errors))
	}
	return out, nil
}

// Needed returns nil, or a [stat.UndefinedError] with the number of episodes that p ≤ α needs: with Phase 1/α of them,
// the own one included, otherwise enough that 1/(n(K+1)) ≤ α for the longest episode.
func (r *Reference) Needed(alpha float64) error {
	length := 1
	if !r.options.Phase {
		for _, e := range r.episodes {
			length = max(length, len(e.errors))
		}
	}
	return needs("level", len(r.episodes), length, alpha)
}

// needs checks that 1/(episodes·length) ≤ α.
func needs(quantity string, episodes, length int, alpha float64) error {
	if err := checkLevel(alpha); err != nil {
		return err
	}
	if float64(episodes*length)*alpha < 1-1e-12 {
		least := int(math.Ceil(1/(alpha*float64(length)) - 1e-9))
		return stat.Undefined(quantity, "%g %% needs at least %d episodes, found %d", 100*alpha, least, episodes)
	}
	return nil
}

func checkLevel(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("level %v, want a number between 0 and 1", alpha)
	}
	return nil
}
