// Reliability by isotonic regression (CORP).

package verification

import (
	"repscope/stat"
)

// Reliability is the CORP reliability diagram of Dimitriadis, Gneiting and Jordan (2021,
// "Stable reliability diagrams for probabilistic classifiers"): forecasts recalibrated by
// isotonic regression of the event on the probability, and the Brier score in parts,
//
//	Score = Miscalibration − Discrimination + Uncertainty.
type Reliability struct {
	Miscalibration float64 // score − the score of the recalibrated forecasts, ≥ 0, less is better
	Discrimination float64 // uncertainty − score of the recalibrated forecasts, ≥ 0, more is better
	Uncertainty    float64 // score of forecasting the base rate
	// Points are the probabilities that were forecast, ascending.
	Points []ReliabilityPoint
}

// ReliabilityPoint is a forecast probability.
type ReliabilityPoint struct {
	K            int     // members
	Probability  float64 // K/Members
	Weight       float64 // share of cells that it was forecast in
	Frequency    float64 // how often the event occurs there
	Recalibrated float64 // the isotonic regression
}

// Reliability returns the CORP reliability diagram. Errors: no cells.
func (p Probabilities) Reliability() (Reliability, error) {
	events, total := p.totals()
	if !(total > 0) {
		return Reliability{}, stat.Undefined("reliability", "no cells")
	}
	var r Reliability
	var values, weights []float64
	for k, hits := range p.Events {
		if weight := hits + p.Others[k]; weight > 0 {
			r.Points = append(r.Points, ReliabilityPoint{K: k, Probability: float64(k) / float64(p.Members), Weight: weight / total,
				Frequency: hits / weight})
			values = append(values, hits/weight)
			weights = append(weights, weight)
		}
	}
	score, recalibrated, rate := 0.0, 0.0, events/total
	for i, v := range isotonic(values, weights) {
		point := &r.Points[i]
		point.Recalibrated = v
		o, other := point.Frequency*point.Weight, (1-point.Frequency)*point.Weight
		score += o*square(1-point.Probability) + other*square(point.Probability)
		recalibrated += o*square(1-v) + other*square(v)
	}
	r.Uncertainty = rate * (1 - rate)
	// Rounding alone could make them negative.
	r.Miscalibration = max(0, score-recalibrated)
	r.Discrimination = max(0, r.Uncertainty-recalibrated)
	return r, nil
}

func square(x float64) float64 { return x * x }

// isotonic returns the weighted least-squares fit to values that does not decrease, by
// pooling adjacent violators, in O(n). Weights are positive; nil weighs all equally.
func isotonic(values, weights []float64) []float64 {
	type pool struct {
		mean, weight float64
		count        int
	}
	var pools []pool
	for i, v := range values {
		next := pool{v, 1, 1}
		if weights != nil {
			next.weight = weights[i]
		}
		for len(pools) > 0 && pools[len(pools)-1].mean >= next.mean {
			last := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			weight := last.weight + next.weight
			next = pool{(last.mean*last.weight + next.mean*next.weight) / weight, weight, last.count + next.count}
		}
		pools = append(pools, next)
	}
	fit := make([]float64, 0, len(values))
	for _, p := range pools {
		for range p.count {
			fit = append(fit, p.mean)
		}
	}
	return fit
}
