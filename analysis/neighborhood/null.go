// The null: latents given to other states. Frames that follow each other are alike in
// both spaces, whatever the encoder does, and a null that keeps the order in time
// knows it; one of independent states does not.

package neighborhood

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// NullKind is the way in which latents are given to other states.
type NullKind string

const (
	// NullTime keeps the order in time: [stat.EpisodeNull], without orders near the given one.
	NullTime NullKind = "time"
	// NullIndependent gives every state the latent of a random other one.
	NullIndependent NullKind = "independent"
)

// Describe describes pairings in words.
func (k NullKind) Describe(pairings int) string {
	if k == NullIndependent {
		return fmt.Sprintf("%d random pairings", pairings)
	}
	return fmt.Sprintf("%d pairings that keep the order in time", pairings)
}

// orders are count permutations of n states: state i is given the latent of state order[i].
// States of an episode are in the order of time.
func (k NullKind) orders(seed uint64, count, n int, episode []int) ([][]int, error) {
	if k != NullIndependent {
		null, err := stat.NewEpisodeNull(n, episode, seed)
		if err != nil {
			return nil, err
		}
		return null.Permutations(count), nil
	}
	var out [][]int
	for p := range count {
		out = append(out, stat.NewRandom(stat.StreamPermutation.Key(seed, uint64(p))).Perm(n))
	}
	return out, nil
}

// cut is the null of episodes cut to one length, which has a pass of its own; see [stat.EqualLengths].
type cut struct {
	states []int
	// undefined[i] says why model i has no null, empty where it has; live are the others. pass compares those, nil
	// without any.
	undefined []string
	live      []int
	pass      *neighbors.Pass
}

// openNull makes the orders of the null: in the pass of all states, or in a pass of their own.
func (p *plan) openNull() (err error) {
	in, o := p.in, p.o
	if o.Permutations > 0 && o.Null != NullIndependent {
		if states := stat.EqualLengths(in.Episode); states != nil {
			return p.openCut(states)
		}
	}
	p.settings.Permutations, err = o.Null.orders(o.Seed, o.Permutations, in.Frames.N, in.Episode)
	return err
}

// openCut opens the pass over the states of episodes cut to one length. A null that these states cannot have is
// undefined, and the scores stay.
func (p *plan) openCut(states []int) (err error) {
	c := &cut{states: states, undefined: slices.Clone(p.collapsed)}
	p.cut = c
	s, where := p.settings, fmt.Sprintf(" in the %d states of episodes cut to one length", len(states))
	s.Episode, s.Time = points.Pick(s.Episode, states), points.Pick(s.Time, states)
	s.CoRanking, s.PerPoint = neighbors.CoRankingOff, false
	s.Permutations, err = p.o.Null.orders(p.o.Seed, p.o.Permutations, len(states), points.Pick(p.in.Episode, states))
	if err != nil {
		return err
	}
	frames := p.frames.Select(states)
	var spaces []neighbors.Space
	for _, i := range p.live {
		space := p.spaces[i].Select(states)
		switch {
		case frames.Collapsed():
			c.undefined[i] = "all original states are equal" + where
		case space.Collapsed():
			c.undefined[i] = "all latents are equal" + where
		default:
			c.live, spaces = append(c.live, i), append(spaces, space)
		}
	}
	if len(spaces) == 0 {
		return nil
	}
	var failed error
	if c.pass, failed = neighbors.NewPassOf(frames, spaces, s); failed != nil {
		for _, i := range c.live {
			c.undefined[i] = failed.Error() + where
		}
		c.live, c.pass = nil, nil
	}
	if n := p.in.Frames.N; failed != nil {
		p.warn(fmt.Sprintf("no null%s: %v; use fewer neighbors or a shorter window", where, failed))
	} else if 2*len(states) < n {
		p.warn(fmt.Sprintf("episodes are of very unequal lengths: the null uses %d of %d states, cut to one length",
			len(states), n))
	}
	return nil
}

// scoresOf are the scores of entry e of the models of a pass, at k number q, over its orders.
type scoresOf func(e, q int) nullScores

// fillNull fills in the null of model i from the pass of all states, or from the pass of episodes cut to one length.
func (p *plan) fillNull(m *Model, i int, all, short scoresOf) {
	for q := range m.ByK {
		if p.o.Permutations > 0 {
			m.ByK[q].setNull(p.o.Null, p.nullOf(i, q, all, short))
		}
	}
}

func (p *plan) nullOf(i, q int, all, short scoresOf) *Null {
	if p.cut == nil {
		return all(slices.Index(p.live, i), q).summary()
	}
	states := len(p.cut.states)
	if reason := p.cut.undefined[i]; reason != "" {
		v := report.Undefined("%s", reason)
		return &Null{Permutations: p.o.Permutations, Cut: &CutScores{states, v, v, v}, TrustworthinessMean: v,
			TrustworthinessSD: v, ContinuityMean: v, ContinuitySD: v, RNXMean: v, RNXSD: v}
	}
	s := short(slices.Index(p.cut.live, i), q)
	null := s.summary()
	null.Cut = &CutScores{states, report.Number(s.ofData[0]), report.Number(s.ofData[1]), report.Number(s.ofData[2])}
	return null
}

// suggestedWindow is the exclusion window that leaves neighbors in time out: the
// longest autocorrelation time of the models; undefined where none varies, and of
// sampled states, whose autocorrelation time is no number of frames.
func (r *Result) suggestedWindow() report.Value {
	if r.sampled {
		return report.Undefined("randomly drawn states are not consecutive")
	}
	longest := report.Undefined("the latents of every model are constant")
	for _, m := range r.Models {
		if t := m.AutocorrelationTime; t.Defined() && !(longest.Float() > t.V) {
			longest = report.Number(math.Ceil(t.V))
		}
	}
	return longest
}

// memory fills in the autocorrelation time of a series and what it is worth.
func (m *Model) memory(series []float64, episode []int) {
	m.NEff, m.NEffReliable = results.EffectiveSizeOf(series, episode)
	if !m.NEff.Defined() {
		m.AutocorrelationTime = m.NEff
		return
	}
	m.AutocorrelationTime = autocorrelationTime(series, episode)
}

// autocorrelationTime is the autocorrelation time of a series about the means of its episodes.
func autocorrelationTime(series []float64, episode []int) report.Value {
	t, err := stat.IntegratedAutocorrelationTime(aboutEpisodes(series, episode), episode)
	if err != nil {
		return results.Undefined(err).Value
	}
	return report.Number(t.Tau)
}

// aboutEpisodes takes the mean of its episode from every value: what episodes differ
// by for all their time is no memory that an exclusion window could leave out.
func aboutEpisodes(series []float64, episode []int) []float64 {
	out := make([]float64, len(series))
	for _, states := range points.Grouped(episode, len(series)) {
		mean := 0.0
		for _, i := range states {
			mean += series[i] / float64(len(states))
		}
		for _, i := range states {
			out[i] = series[i] - mean
		}
	}
	return out
}

// slowness is how far the null of a score may lie above the level of independent
// states before a reader should be told.
const slowness = 0.05

// warnOfTime warns where latents that have nothing to do with the states would score
// far above independent ones, and the exclusion window is shorter than their memory.
func (r *Result) warnOfTime() {
	suggested := r.suggestedWindow()
	enough := r.automatic || !suggested.Defined() || float64(r.ExcludeWindow) >= suggested.V
	if r.sampled {
		enough = r.ExcludeWindow > 0
	}
	if enough {
		return
	}
	advice := fmt.Sprintf("--exclude-window %s, the autocorrelation time, leaves", r.WindowText())
	if r.sampled {
		advice = "--exclude-window leaves"
	}
	for _, m := range r.Models {
		for _, a := range m.ByK {
			n := a.NullInTime
			if n == nil || !(n.TrustworthinessMean.Float() > a.Chance.Float()+slowness) {
				continue
			}
			r.warn(fmt.Sprintf("states change slowly: unrelated latents would already have T(%d) = %.2f; compare "+
				"with the null; %s neighbors in time out",
				a.K, n.TrustworthinessMean.V, advice))
			return
		}
	}
}

// WindowText is the suggested window, or a letter for it.
func (r *Result) WindowText() string {
	if w := r.suggestedWindow(); w.Defined() {
		return fmt.Sprintf("%.0f", w.V)
	}
	return "FRAMES"
}

// nullScores are the scores of one model at one k over the pairings: trustworthiness, continuity and R_NX, and the
// scores of the data.
type nullScores struct {
	trust, cont, rnx []float64
	ofData           [3]float64
}

func (s *nullScores) add(trust, cont, rnx float64) {
	s.trust, s.cont, s.rnx = append(s.trust, trust), append(s.cont, cont), append(s.rnx, rnx)
}

// exactNulls are the scores of a pass over all its states.
func exactNulls(compared []neighbors.Preservation) scoresOf {
	return func(e, q int) nullScores {
		a := &compared[e].ByK[q]
		s := nullScores{ofData: [3]float64{a.Trustworthiness, a.Continuity, a.RNX}}
		for _, one := range a.Null {
			s.add(one.Trustworthiness, one.Continuity, one.RNX)
		}
		return s
	}
}

// sampledNulls are the scores of a sample of the states of a pass.
func sampledNulls(sample *neighbors.Sample) scoresOf {
	return func(e, q int) nullScores {
		a := &sample.Spaces[e].ByK[q]
		s := nullScores{ofData: [3]float64{a.Trustworthiness.Value, a.Continuity.Value, a.RNX.Value}}
		for _, one := range a.Null {
			s.add(one.Trustworthiness.Value, one.Continuity.Value, one.RNX.Value)
		}
		return s
	}
}

func (s nullScores) summary() *Null {
	const one = "the spread needs at least two pairings"
	return &Null{
		Permutations:        len(s.trust),
		TrustworthinessMean: report.Number(stat.Mean(s.trust)),
		TrustworthinessSD:   report.NumberOr(stat.StandardDeviation(s.trust), one),
		ContinuityMean:      report.Number(stat.Mean(s.cont)),
		ContinuitySD:        report.NumberOr(stat.StandardDeviation(s.cont), one),
		RNXMean:             report.Number(stat.Mean(s.rnx)),
		RNXSD:               report.NumberOr(stat.StandardDeviation(s.rnx), one),
	}
}
