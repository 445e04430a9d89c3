// Faults inside recordings: frozen stretches, constant states, cuts, and episodes that copy another one.

package audit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/points"
)

// cutShare is the share of steps that count as cuts where there is no cut.
const cutShare = 1e-3

// recordings counts over all states and fills in the steps.
func (a *auditor) recordings(ctx context.Context, same []int32) (Recordings, error) {
	var r Recordings
	if a.in.Sequences != nil {
		return r, nil
	}
	p := a.in.States
	constant := make([]bool, p.N)
	a.steps = make([]float64, p.N)
	err := parallel.With(ctx, a.o.Threads, p.N, func() func(int) error {
		x, y := make([]float64, p.Dim), make([]float64, p.Dim)
		return func(i int) error {
			p.Row(i, x)
			constant[i] = !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
			a.steps[i] = math.NaN()
			if i+1 < p.N && a.episode[i+1] == a.episode[i] {
				p.Row(i+1, y)
				square := 0.0
				for k, v := range x {
					square += (v - y[k]) * (v - y[k])
				}
				a.steps[i] = math.Sqrt(square)
			}
			return nil
		}
	})
	if err != nil {
		return r, err
	}
	a.frozen(&r)
	for i, yes := range constant {
		if yes && p.Dim > 1 {
			r.Constant++
			r.Found = append(r.Found, Finding{Kind: "constant", State: i, Episode: a.episode[i], Other: -1, Length: 1})
		}
	}
	a.cuts(&r)
	a.copies(&r, same)
	return r, nil
}

// frozen finds runs of equal states.
func (a *auditor) frozen(r *Recordings) {
	start := -1
	for i, step := range a.steps {
		if step == 0 {
			r.Frozen++
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			r.Stretches++
			r.Found = append(r.Found, Finding{Kind: "frozen", State: start, Episode: a.episode[start], Other: -1,
				Length: i - start + 1})
			start = -1
		}
	}
}

// cuts finds steps larger than all but the share cutShare of the steps of other episodes.
func (a *auditor) cuts(r *Recordings) {
	var all []float64
	byEpisode := map[int][]float64{}
	for i, step := range a.steps {
		if !math.IsNaN(step) {
			all = append(all, step)
			byEpisode[a.episode[i]] = append(byEpisode[a.episode[i]], step)
		}
	}
	slices.Sort(all)
	for _, list := range byEpisode {
		slices.Sort(list)
	}
	// atLeast counts the values of an ascending list from v on.
	atLeast := func(list []float64, v float64) int {
		k, _ := slices.BinarySearch(list, v)
		return len(list) - k
	}
	for i, step := range a.steps {
		if math.IsNaN(step) {
			continue
		}
		episode := byEpisode[a.episode[i]]
		others := len(all) - len(episode)
		if float64(1+others)*cutShare < 1 {
			continue // too few to say
		}
		r.CutsExpected += cutShare
		if float64(1+atLeast(all, step)-atLeast(episode, step)) <= cutShare*float64(1+others) {
			r.Cuts++
			r.Found = append(r.Found, Finding{Kind: "cut", State: i + 1, Episode: a.episode[i], Other: -1, Length: 1})
		}
	}
}

const (
	// fewestCommon is the least number of equal states, and commonShare the least share of the shorter episode, from which
	// an episode is a copy of another.
	fewestCommon = 5
	commonShare  = 0.5
	// mostCopies is the number of episodes with an equal state from which the state says nothing about copies: a title or
	// a
	// black frame.
	mostCopies = 16
)

// copies finds pairs of episodes that share states in order or in reverse order.
func (a *auditor) copies(r *Recordings, same []int32) {
	if a.in.Episode == nil {
		return
	}
	first, length := map[int]int{}, map[int]int{} // of each episode
	holders := map[int32][]int{}                  // states with equal values
	for i, e := range a.episode {
		if length[e] == 0 {
			first[e] = i
		}
		length[e]++
		holders[same[i]] = append(holders[same[i]], i)
	}
	type line struct {
		a, b     int
		reversed bool
		offset   int
	}
	common := map[line]int{}
	for _, states := range holders {
		// A state that its own episode repeats belongs to no place of it.
		if len(states) < 2 || len(states) > mostCopies {
			continue
		}
		if episodes := points.Pick(a.episode,
			states); len(slices.Compact(slices.Sorted(slices.Values(episodes)))) < len(states) {
			continue
		}
		for k, i := range states {
			for _, j := range states[k+1:] {
				x, y := i-first[a.episode[i]], j-first[a.episode[j]]
				common[line{a.episode[i], a.episode[j], false, y - x}]++
				common[line{a.episode[i], a.episode[j], true, y + x}]++
			}
		}
	}
	best := map[[2]int]line{}
	for l, count := range common {
		if count < fewestCommon || float64(count) < commonShare*float64(min(length[l.a], length[l.b])) {
			continue
		}
		pair := [2]int{l.a, l.b}
		old, ok := best[pair]
		if !ok || cmp.Or(-cmp.Compare(count, common[old]), cmp.Compare(l.offset, old.offset)) < 0 {
			best[pair] = l
		}
	}
	pairs := make([][2]int, 0, len(best))
	for pair := range best {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
	for _, pair := range pairs {
		l := best[pair]
		kind := "copy"
		if l.reversed {
			kind = "reversed"
			r.Reversed++
		} else {
			r.Copies++
		}
		r.Found = append(r.Found, Finding{Kind: kind, State: first[l.a], Episode: l.a, Other: l.b, Length: common[l],
			Offset: l.offset})
	}
}
