// Temporal distance: whether states that are further apart in time are further apart in
// latent space, as planning by latent distances assumes.

package reward

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// TemporalDistance is the rank correlation of ‖z_i − z_j‖ with the number of frames
// between the states i and j, inside episodes.
type TemporalDistance struct {
	// Spearman is the mean over episodes of the rank correlation over the pairs of states
	// of each: 1 where latent distance grows with time throughout. SD is over episodes.
	Spearman report.Estimate `json:"spearman"`
	Episodes int             `json:"episodes"`
	Pairs    int             `json:"pairs"` // of all episodes
	// Skipped counts episodes that were left out: too short, or of one latent.
	Skipped int `json:"skipped_episodes"`
}

const (
	// leastTemporalStates is the length below which an episode says nothing.
	leastTemporalStates = 5
	// mostTemporalPairs is the number of pairs of an episode that are ranked; of more, this many are drawn.
	mostTemporalPairs = 5000
)

// temporalEpisode is an episode with its pairs of states, the same for all models.
type temporalEpisode struct {
	pairs []points.Pair
	apart []float64 // frames
}

// temporal correlates distances in time and in latent space for all models.
func temporal(ctx context.Context, in *DynamicsInput, o *DynamicsOptions, r *DynamicsResult) error {
	episodes, short := in.temporalEpisodes(o.Seed)
	if len(episodes) == 0 {
		for i := range r.Models {
			r.Models[i].skip("temporal_distance", fmt.Sprintf("no episode has %d states", leastTemporalStates))
		}
		return nil
	}
	rho := make([][]float64, len(in.Models)) // by model and episode; NaN for latents that are all the same
	for i := range rho {
		rho[i] = make([]float64, len(episodes))
	}
	err := parallel.Try(ctx, o.Threads, len(episodes)*len(in.Models), func(_, unit int) error {
		i, e := unit%len(in.Models), unit/len(in.Models)
		v, err := episodes[e].correlation(in.Models[i].Latents)
		rho[i][e] = v
		return err
	})
	if err != nil {
		return err
	}
	return r.temporal(in, o, episodes, rho, short)
}

// temporal enters the correlations of all episodes. Episodes in which the latents of any
// model do not vary are left out for all, so that all have the same.
func (r *DynamicsResult) temporal(in *DynamicsInput, o *DynamicsOptions, episodes []temporalEpisode, rho [][]float64,
	skipped int) error {
	var kept []int
	pairs := 0
	for e := range episodes {
		defined := true
		for i := range rho {
			defined = defined && (!math.IsNaN(rho[i][e]) || in.constant(i))
		}
		if defined {
			kept, pairs = append(kept, e), pairs+len(episodes[e].pairs)
		} else {
			skipped++
		}
	}
	var blocks *stat.Blocks
	var err error
	labels := make([]int, len(kept))
	for i := range labels {
		labels[i] = i
	}
	if o.Intervals && len(kept) >= 3 {
		if blocks, err = stat.NewBlocks(len(kept), labels, stat.BlockSpec{}); err != nil {
			return err
		}
	}
	names, estimates := make([]string, len(in.Models)), make([]*stat.Jackknifed, len(in.Models))
	for i := range in.Models {
		m := &r.Models[i]
		names[i] = m.Name
		if in.constant(i) {
			m.skip("temporal_distance", NoVariance)
			continue
		}
		if len(kept) == 0 {
			m.skip("temporal_distance", "no episode has varying latents for all models")
			continue
		}
		values := make([]float64, len(kept))
		for k, e := range kept {
			values[k] = rho[i][e]
		}
		out := &TemporalDistance{Episodes: len(kept), Pairs: pairs, Skipped: skipped,
			Spearman: report.WithInterval(report.Number(stat.Mean(values)), report.NoInterval(NoDynamicsIntervals))}
		if o.Intervals {
			out.Spearman.CI = report.NoInterval("%s, want at least 5", text.Count(len(kept), "episode"))
		}
		if blocks != nil && len(kept) >= 5 {
			if estimates[i], err = stat.JackknifeMean(blocks, values); err != nil {
				return err
			}
			out.Spearman = results.Estimate(estimates[i].Within(-1, 1), "")
		}
		out.Spearman.SD = new(deviation(values))
		m.TemporalDistance = out
	}
	if blocks == nil {
		return nil
	}
	const name = "temporal_distance.spearman"
	rows, err := results.Pairwise(results.Metric{Name: name, Family: name, Path: name}, names, estimates, o.Seed)
	r.Comparisons = append(r.Comparisons, rows...)
	return err
}

// constant reports whether the latents of a model are all the same.
func (in *DynamicsInput) constant(model int) bool {
	z := in.Models[model].Latents
	first, row := z.Row(0, nil), make([]float64, z.Dim)
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			if v != first[k] {
				return false
			}
		}
	}
	return true
}

// temporalEpisodes are the episodes that are long enough, in the order of their first states,
// and the number of the others.
func (in *DynamicsInput) temporalEpisodes(seed uint64) (episodes []temporalEpisode, short int) {
	var order []int
	members := map[int][]int{}
	for s := range in.Next {
		label := 0
		if in.Episode != nil {
			label = in.Episode[s]
		}
		if members[label] == nil {
			order = append(order, label)
		}
		members[label] = append(members[label], s)
	}
	for e, label := range order {
		states := members[label]
		if len(states) < leastTemporalStates {
			short++
			continue
		}
		var t temporalEpisode
		add := func(a, b int) {
			from, to := states[a], states[b]
			apart := to - from
			if in.Time != nil {
				apart = in.Time[to] - in.Time[from]
			}
			t.pairs, t.apart = append(t.pairs, points.Pair{Now: from, Next: to}), append(t.apart, math.Abs(float64(apart)))
		}
		if n := len(states); n*(n-1)/2 <= mostTemporalPairs {
			for b := range n {
				for a := range b {
					add(a, b)
				}
			}
		} else {
			random := stat.NewRandom(stat.StreamTemporalPairs.Key(seed, uint64(e)))
			for range mostTemporalPairs {
				a, b := random.Intn(n), random.Intn(n-1)
				if b >= a {
					b++
				}
				add(min(a, b), max(a, b))
			}
		}
		episodes = append(episodes, t)
	}
	return episodes, short
}

// correlation is the correlation of one model; NaN where its latents are all the same, or the times.
func (t *temporalEpisode) correlation(z points.Points) (float64, error) {
	distance := make([]float64, len(t.pairs))
	a, b := make([]float64, z.Dim), make([]float64, z.Dim)
	for i, p := range t.pairs {
		z.Row(p.Now, a)
		z.Row(p.Next, b)
		sum := 0.0
		for k := range a {
			sum += (a[k] - b[k]) * (a[k] - b[k])
		}
		distance[i] = math.Sqrt(sum)
	}
	c, err := stat.Spearman(t.apart, distance)
	return c.Coefficient, err
}
