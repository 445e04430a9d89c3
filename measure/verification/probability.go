// Probabilities of an event as shares of members: Brier score and its parts, ROC.

package verification

import (
	"math"

	"repscope/stat"
)

// Probabilities are forecasts of an event by how many of the members forecast it, k = 0 to
// Members: sums of the weights of cells where it occurs and where it does not. All scores
// of probabilities k/Members are functions of these sums.
type Probabilities struct {
	Members int
	// Events and Others have Members + 1 values.
	Events, Others []float64
}

// ProbabilitiesOf are the probabilities from Sums: Events, then Others, not copied.
func ProbabilitiesOf(sums []float64) Probabilities {
	half := len(sums) / 2
	return Probabilities{Members: half - 1, Events: sums[:half], Others: sums[half:]}
}

// AddField adds the cells of a field: counts are numbers of members ([Event.CountMembers]).
func (p Probabilities) AddField(e Event, counts []int, truth []float64, weights []float64) {
	for c, k := range counts {
		w := 1.0
		if weights != nil {
			w = weights[c]
		}
		if e.Occurs(truth[c]) {
			p.Events[k] += w
		} else {
			p.Others[k] += w
		}
	}
}

// Brier is the Brier score of the probabilities k/Members and its parts by Murphy (1973),
// which are exact because the probabilities take Members + 1 values:
//
//	Score = Reliability − Resolution + Uncertainty.
type Brier struct {
	Score float64 // mean of (p − o)², 0 to 1, less is better
	// Fair is the score that an ensemble of infinitely many such members would have in
	// expectation (Ferro 2014, "Fair scores for ensemble forecasts"): the mean of
	// (p − o)² − p(1 − p)/(Members − 1). NaN for one member.
	Fair float64
	// Reliability is the mean of (p − ō_p)², with ō_p how often the event occurs where p is
	// forecast; less is better.
	Reliability float64
	Resolution  float64 // mean of (ō_p − ō)²; more is better
	Uncertainty float64 // ō(1 − ō), the score of forecasting the base rate ō
	BaseRate    float64 // ō
	Skill       float64 // 1 − Score/Uncertainty; NaN where the uncertainty is 0
	FairSkill   float64 // 1 − Fair/Uncertainty; NaN where one of both is undefined
}

// Brier returns the Brier score. Errors: no cells.
func (p Probabilities) Brier() (Brier, error) {
	events, total := p.totals()
	if !(total > 0) {
		return Brier{}, stat.Undefined("Brier score", "no cells")
	}
	b := Brier{BaseRate: events / total}
	b.Uncertainty = b.BaseRate * (1 - b.BaseRate)
	correction := 0.0
	for k, hits := range p.Events {
		weight := hits + p.Others[k]
		if weight == 0 {
			continue
		}
		q, rate := float64(k)/float64(p.Members), hits/weight
		b.Score += hits*(1-q)*(1-q) + p.Others[k]*q*q
		b.Reliability += weight * (q - rate) * (q - rate)
		b.Resolution += weight * (rate - b.BaseRate) * (rate - b.BaseRate)
		correction += weight * q * (1 - q)
	}
	b.Score /= total
	b.Reliability /= total
	b.Resolution /= total
	b.Fair = math.NaN()
	if p.Members > 1 {
		b.Fair = b.Score - correction/total/float64(p.Members-1)
	}
	b.Skill, b.FairSkill = math.NaN(), math.NaN()
	if b.Uncertainty > 0 {
		b.Skill, b.FairSkill = 1-b.Score/b.Uncertainty, 1-b.Fair/b.Uncertainty
	}
	return b, nil
}

func (p Probabilities) totals() (events, total float64) {
	for k, hits := range p.Events {
		events += hits
		total += hits + p.Others[k]
	}
	return events, total
}

// ROCPoint is a point of the relative operating characteristic: the rates of forecasting
// the event where at least K members do.
type ROCPoint struct {
	K         int
	POFD, POD float64
}

// ROC returns the relative operating characteristic from K = Members + 1 at (0, 0) to
// K = 0 at (1, 1), and the area below its straight connections, which is the probability
// that a cell with the event has a higher probability than one without, ties counted
// half; ½ for chance. Errors: the event never occurs, or everywhere.
func (p Probabilities) ROC() (points []ROCPoint, area float64, err error) {
	events, total := p.totals()
	others := total - events
	switch {
	case !(events > 0):
		return nil, math.NaN(), stat.Undefined("ROC", neverObserved)
	case !(others > 0):
		return nil, math.NaN(), stat.Undefined("ROC", alwaysThere)
	}
	points = append(points, ROCPoint{K: p.Members + 1})
	hits, alarms := 0.0, 0.0
	for k := p.Members; k >= 0; k-- {
		// The area in sums, divided once: mirrored forecasts have areas that add up to 1.
		area += p.Others[k] * (hits + p.Events[k]/2)
		hits += p.Events[k]
		alarms += p.Others[k]
		points = append(points, ROCPoint{K: k, POFD: min(1, alarms/others), POD: min(1, hits/events)})
	}
	return points, min(1, area/(events*others)), nil
}
