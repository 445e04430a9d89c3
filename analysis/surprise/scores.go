// From errors to p values, and to what a predictor notices of each violation.

package surprise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"repscope/measure/conformal"
	"repscope/stat"
)

// Levels of detection and of the alarm.
const (
	level1in100  = 0.01
	level1in1000 = 0.001
	alarmLevel   = 0.01
)

// The numbers of a violated episode.
const (
	auroc = iota
	detected100
	detected1000
	noticed
	untouched
	delay
	place
	alarmed
	alarmDelay
	numbers
)

// recording is what all predictors are scored on.
type recording struct {
	o       *Options
	episode []int   // of each state
	order   []int   // states that a transition leads to, by episode and time
	before  [][]int // of each moment: such states before it, ascending
	after   [][]int // from it on
	draw    []int   // of each moment, counted in its episode
	units   []made
}

// made is a violation of one size.
type made struct {
	unit
	moments []int
	span    func(transitions int) int
}

// predictor is a model, or a model without learning on its latents.
type predictor struct {
	name, base string // base is the model whose latents are predicted without learning; else empty
	reason     string // why nothing is known; empty
	errors     []float64
	units      []erred
}

// erred are the errors of a predictor on the violated episodes of a unit, in the order of its moments.
type erred struct {
	errors [][]float64
	reason string // why there are none; empty where there are
}

// scored is what a predictor noticed.
type scored struct {
	*predictor
	reference *conformal.Reference
	why       string    // there are no p values; empty where there are
	p         []float64 // of untouched transitions, by state; NaN where there is none
	shares    [2][]float64
	falses    []float64 // of untouched episodes: 1 where the alarm sounds
	whyAlarm  string
	whyLevel  [2]string       // that the share of p up to 1 and 1 in 1,000 is not known
	units     [][]transitions // of each unit and moment
	values    [][numbers][]float64
	episodes  int // untouched
}

// transitions are the errors and p values of a violated episode.
type transitions struct {
	errors, p   []float64 // from the violation on
	twin, twinP []float64
	before      []float64 // errors of the horizon before it
	span        int
	sounded     bool // the alarm, at the step alarm from the violation on, negative before it
	alarm       int
}

// score computes p values and the numbers of every violated episode.
func (r *recording) score(p *predictor) (*scored, error) {
	s := &scored{predictor: p, p: slices.Repeat([]float64{math.NaN()}, len(r.episode))}
	if p.reason != "" {
		return s, nil
	}
	if err := s.calibrate(r); err != nil {
		return nil, err
	}
	for u := range r.units {
		if err := s.unit(r, u); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// known are the errors of some states that are known, with their states.
func (p *predictor) known(states []int) (errors []float64, which []int) {
	for _, s := range states {
		if v := p.errors[s]; !math.IsNaN(v) {
			errors, which = append(errors, v), append(which, s)
		}
	}
	return errors, which
}

// calibrate finds the p values of untouched transitions, their level, and false alarms.
func (s *scored) calibrate(r *recording) error {
	errors, states := s.known(r.order)
	t := conformal.Transitions{Errors: errors}
	for _, state := range states {
		t.Episodes = append(t.Episodes, r.episode[state])
	}
	var err error
	s.reference, err = conformal.NewReference(t, conformal.Options{Phase: r.o.Condition == Phase})
	if err != nil {
		if !stat.IsUndefined(err) {
			return err
		}
		s.why = stat.Reason(err)
		s.whyAlarm, s.whyLevel = s.why, [2]string{s.why, s.why}
		return nil
	}
	p, err := s.reference.P(t)
	if err != nil {
		return err
	}
	for i, state := range states {
		s.p[state] = p[i]
	}
	for k, level := range []float64{0.01, 0.05} {
		if s.shares[k], err = conformal.Shares(p, t.Episodes, level); err != nil {
			return err
		}
	}
	s.episodes = len(s.shares[0])
	for k, level := range []float64{level1in100, level1in1000} {
		if err := s.reference.Needed(level); err != nil {
			if !stat.IsUndefined(err) {
				return err
			}
			s.whyLevel[k] = stat.Reason(err)
		}
	}
	alarms, err := s.alarms(t)
	if err != nil {
		if !stat.IsUndefined(err) {
			return err
		}
		s.whyAlarm = stat.Reason(err)
		return nil
	}
	for _, a := range alarms {
		sounds := 0.0
		if a.Step >= 0 {
			sounds = 1
		}
		s.falses = append(s.falses, sounds)
	}
	return nil
}

// enoughEpisodes is the number of untouched episodes from which the alarm compares whole episodes.
const enoughEpisodes = 100

func (s *scored) alarms(t conformal.Transitions) ([]conformal.Alarm, error) {
	if s.episodes >= enoughEpisodes {
		return s.reference.EpisodeAlarms(t, alarmLevel)
	}
	return s.reference.InnovationAlarms(t, alarmLevel)
}

// falseAlarms is a warning where the alarm sounds in more untouched episodes than its level allows: in as many or more
// with probability below 0.001.
func (s *scored) falseAlarms() string {
	n, raised := float64(len(s.falses)), 0.0
	for _, sounds := range s.falses {
		raised += sounds
	}
	if raised == 0 || mathext.RegIncBeta(raised, n-raised+1, alarmLevel) >= 0.001 {
		return ""
	}
	return fmt.Sprintf("%s: the alarm sounds in %g of %g untouched episodes, more than its level of %g %% allows: "+
		"their errors drift, and not all in the same way; in violated episodes it sounds at such drift too",
		s.name, raised, n, 100*alarmLevel)
}

// unit scores the violated episodes of a unit.
func (s *scored) unit(r *recording, u int) error {
	unit := &r.units[u]
	all := make([]transitions, len(r.draw))
	var values [numbers][]float64
	for k := range values {
		values[k] = slices.Repeat([]float64{math.NaN()}, len(r.draw))
	}
	s.units, s.values = append(s.units, all), append(s.values, values)
	if s.predictor.units[u].reason != "" {
		return nil
	}
	for k, m := range unit.moments {
		t := &all[m]
		t.errors = s.predictor.units[u].errors[k]
		n := len(t.errors)
		t.span = unit.span(n)
		for _, state := range r.after[m][:min(n, len(r.after[m]))] {
			t.twin, t.twinP = append(t.twin, s.errors[state]), append(t.twinP, s.p[state])
		}
		before := r.before[m]
		for _, state := range before[max(0, len(before)-r.o.Horizon):] {
			t.before = append(t.before, s.errors[state])
		}
		t.p, t.alarm = slices.Repeat([]float64{math.NaN()}, n), -1
	}
	if s.why == "" {
		if err := s.test(r, unit, all); err != nil {
			return err
		}
	}
	for _, m := range unit.moments {
		all[m].fill(s, &values, m)
	}
	return nil
}

// test finds the p values and alarms of violated episodes: one draw of all episodes after the other, as an episode may
// be there once.
func (s *scored) test(r *recording, unit *made, all []transitions) error {
	for draw := 0; ; draw++ {
		var t conformal.Transitions
		type position struct{ moment, step int }
		var positions []position
		lengths := map[int]int{} // of untouched parts, by moment
		byEpisode := map[int]int{}
		later := false
		for _, m := range unit.moments {
			if later = later || r.draw[m] > draw; r.draw[m] != draw {
				continue
			}
			episode := r.episode[r.after[m][0]]
			add := func(v float64, step int) { // step −1: an untouched transition
				t.Errors, t.Episodes = append(t.Errors, v), append(t.Episodes, episode)
				positions = append(positions, position{m, step})
			}
			before, _ := s.known(r.before[m])
			lengths[m], byEpisode[episode] = len(before), m
			for _, v := range before {
				add(v, -1)
			}
			for step, v := range all[m].errors {
				if !math.IsNaN(v) {
					add(v, step)
				}
			}
			// The rest of the twin makes the episode as long as untouched ones: without effect, it is the twin itself.
			rest, _ := s.known(r.after[m][min(len(all[m].errors), len(r.after[m])):])
			for _, v := range rest {
				add(v, -1)
			}
		}
		if len(t.Errors) > 0 {
			p, err := s.reference.P(t)
			if err != nil {
				return err
			}
			for i, v := range p {
				if positions[i].step >= 0 {
					all[positions[i].moment].p[positions[i].step] = v
				}
			}
			if s.whyAlarm == "" {
				alarms, err := s.alarms(t)
				if err != nil {
					return err
				}
				for _, a := range alarms {
					m := byEpisode[a.Episode]
					step := a.Step - lengths[m]
					all[m].sounded, all[m].alarm = a.Step >= 0 && step < len(all[m].errors), step
				}
			}
		}
		if !later {
			return nil
		}
	}
}

// fill enters the numbers of a violated episode.
func (t *transitions) fill(s *scored, values *[numbers][]float64, m int) {
	values[auroc][m] = t.auroc()
	values[place][m] = t.place()
	if s.why != "" {
		return
	}
	t.detect(t.p, func(k int, v float64) { values[k][m] = v })
	values[untouched][m] = math.NaN()
	if first := firstBelow(t.twinP, level1in100); first != none {
		values[untouched][m] = 0
		if first >= 0 {
			values[untouched][m] = 1
		}
	}
	if s.whyAlarm != "" {
		return
	}
	values[alarmed][m] = 0
	if t.sounded && t.alarm >= 0 {
		values[alarmed][m], values[alarmDelay][m] = 1, float64(t.alarm)
	}
}

// detect tells the numbers that follow from p values.
func (t *transitions) detect(p []float64, enter func(number int, value float64)) {
	for k, level := range [2]float64{level1in100, level1in1000} {
		hits, count := 0.0, 0.0
		for _, v := range p[:t.span] {
			if !math.IsNaN(v) {
				count++
				if v <= level {
					hits++
				}
			}
		}
		enter(detected100+k, hits/count) // NaN for none
	}
	switch first := firstBelow(p, level1in100); first {
	case none:
		enter(noticed, math.NaN())
		enter(delay, math.NaN())
	case -1:
		enter(noticed, 0)
		enter(delay, math.NaN())
	default:
		enter(noticed, 1)
		enter(delay, float64(first))
	}
}

// firstBelow is the first p value up to a level; −1 if there is none, none if no p value is known.
func firstBelow(p []float64, level float64) int {
	first := none
	for i, v := range p {
		if v <= level {
			return i
		}
		if !math.IsNaN(v) {
			first = -1
		}
	}
	return first
}

// auroc is the probability that an impossible transition has a larger error than one of the untouched twin.
func (t *transitions) auroc() float64 {
	wins, pairs := 0.0, 0.0
	for _, v := range t.errors[:t.span] {
		for _, w := range t.twin[:min(t.span, len(t.twin))] {
			switch {
			case math.IsNaN(v) || math.IsNaN(w):
				continue
			case v > w:
				wins++
			case v == w:
				wins += 0.5
			}
			pairs++
		}
	}
	return wins / pairs // NaN for none
}

// place is the distance of the largest error from the violation; the mean over equal ones.
func (t *transitions) place() float64 {
	largest := math.Inf(-1)
	sum, count := 0.0, 0.0
	for i, v := range slices.Concat(t.before, t.errors) {
		d := math.Abs(float64(i - len(t.before)))
		switch {
		case v > largest:
			largest, sum, count = v, d, 1
		case v == largest:
			sum += d
			count++
		}
	}
	return sum / count // NaN for none
}

// blockShares are the shares of errors of the episodes of a block that are at least as large, summed over the episodes.
type blockShares struct {
	sorted   []float64
	above    []float64 // sum of weights from each on
	episodes int
}

func newBlockShares(errors [][]float64) *blockShares {
	type weighted struct{ value, weight float64 }
	var all []weighted
	for _, list := range errors {
		for _, v := range list {
			all = append(all, weighted{v, 1 / float64(len(list))})
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	b := &blockShares{sorted: make([]float64, len(all)), above: make([]float64, len(all)+1), episodes: len(errors)}
	for i := len(all) - 1; i >= 0; i-- {
		b.sorted[i], b.above[i] = all[i].value, b.above[i+1]+all[i].weight
	}
	return b
}

// without is a p value over some episodes without the episodes of the block.
func (b *blockShares) without(p, err float64, episodes int) float64 {
	i, _ := slices.BinarySearch(b.sorted, err)
	return min(1, max(0, (p*float64(episodes)-b.above[i])/float64(episodes-b.episodes)))
}
