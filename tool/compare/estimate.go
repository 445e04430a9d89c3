// Numbers of models over their runs.

package compare

import (
	"cmp"
	"fmt"
	"math"

	"repscope/report"
	"repscope/stat"
)

// estimate is a number of one model over its runs.
type estimate struct {
	name        string
	runs        []*FileModel
	values      []float64 // of the runs
	value       report.Value
	interval    report.Interval
	ofRuns      report.Interval // undefined if some run has none
	half        float64         // mean of half the widths of the runs' intervals; NaN if some run has none
	sd          report.Value
	notCompared string
	untested    pair // why there is no test of a difference from it, if there is none
}

// estimateOf is the number of a model over its runs; scale is the scale of its errors.
func estimateOf(name, path string, runs []*FileModel, scale stat.Scale) (*estimate, bool) {
	e, ok := newEstimate(name, path, runs, scale)
	if !ok {
		return nil, false
	}
	return e.prepared(), true
}

// prepared enters why there is no test of a difference from the estimate.
func (e *estimate) prepared() *estimate {
	switch {
	case !e.value.Defined():
		e.untested = undefinedPair(e.name + ": " + why(e.value))
	case e.notCompared != "":
		e.untested = undefinedPair(e.notCompared)
	case !e.interval.Defined() || math.IsInf(e.interval.Low, 0) || math.IsInf(e.interval.High, 0):
		e.untested = undefinedPair(fmt.Sprintf("%s has no interval: %s", e.name, whyNot(e.interval)))
	}
	return e
}

func newEstimate(name, path string, runs []*FileModel, scale stat.Scale) (*estimate, bool) {
	e := &estimate{name: name, sd: report.Undefined("no spread was computed")}
	width := 0.0
	var intervals []report.Interval
	for _, m := range runs {
		n, ok := m.number(path)
		if !ok {
			continue
		}
		e.notCompared = cmp.Or(e.notCompared, n.NotCompared)
		if len(runs) > 1 && !n.Value.Defined() {
			e.value = report.Undefined("run %s: %s", m.Run, why(n.Value))
			e.interval = report.NoInterval("%s", e.value.Reason)
			e.runs = append(e.runs, m)
			return e, true
		}
		e.runs = append(e.runs, m)
		e.values = append(e.values, n.Value.Float())
		intervals = append(intervals, n.Interval)
		low, high := ends(n.Interval)
		width += high - low
		e.value, e.interval, e.sd = n.Value, n.Interval, n.SD
	}
	if len(e.runs) == 0 {
		return nil, false
	}
	e.ofRuns, e.half = e.interval, width/float64(2*len(e.runs))
	if len(e.runs) > 1 {
		e.overRuns(intervals, scale)
	}
	return e, true
}

// overRuns is the mean over runs. Its interval has the spread of the runs, with Student's t,
// and the mean error of the single runs, which share their data, added in squares: on the
// scale of the metric, as the intervals of single runs are.
func (e *estimate) overRuns(intervals []report.Interval, scale stat.Scale) {
	mean, variance := stat.MeanVariance(e.values)
	e.value, e.sd = report.Number(mean), report.Number(math.Sqrt(variance))
	for _, ci := range intervals {
		if !ci.Defined() {
			e.ofRuns = ci
			intervals = nil
			break
		}
	}
	place, half := e.placed(scale, mean)
	if math.IsNaN(half) || math.IsInf(half, 0) || math.IsInf(place, 0) { // at or beyond the ends of the range
		bounds := scale
		scale = stat.Scale{}
		place, half = e.placed(scale, mean)
		defer func() {
			if e.interval.Defined() && mean >= bounds.Low && mean <= bounds.High && bounds.Low < bounds.High {
				e.interval = report.Between(bounds.Within(e.interval.Low), bounds.Within(e.interval.High))
			}
		}()
	}
	below, above, k := 0.0, 0.0, float64(len(e.values))
	for i, ci := range intervals {
		at := scale.To(e.values[i])
		below += (at - scale.To(scale.Within(ci.Low))) / k
		above += (scale.To(scale.Within(ci.High)) - at) / k
	}
	if half == 0 && below == 0 && above == 0 {
		e.interval = report.NoInterval("all runs have the same value: nothing shows its error")
		return
	}
	e.interval = report.Between(scale.From(place-math.Hypot(half, below)), scale.From(place+math.Hypot(half, above)))
}

// placed is the place of the mean on a scale and half the width of the interval of the runs
// there, by the jackknife: on the number's own scale t·s/√k.
func (e *estimate) placed(scale stat.Scale, mean float64) (place, half float64) {
	k := float64(len(e.values))
	if !scale.Bounded() {
		_, variance := stat.MeanVariance(e.values)
		return mean, quantile(k-1) * math.Sqrt(variance/k)
	}
	deleted := make([]float64, len(e.values))
	for i, v := range e.values {
		deleted[i] = scale.To((k*mean - v) / (k - 1))
	}
	_, variance := stat.MeanVariance(deleted)
	return scale.To(mean), quantile(k-1) * math.Sqrt(variance*(k-1)*(k-1)/k)
}
