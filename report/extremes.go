// This file is for which models may be the best: p values of all models at once.

package report

import (
	"encoding/json"
	"slices"
)

// Extremes are the p values of models' being the highest and the lowest of all that were
// compared on one metric: small where some other model is above, or below, by the joint
// distribution of the differences from all others. A model is in the 95 % confidence set for
// the best where that in the better direction is at least 0.05.
type Extremes struct {
	Metric string `json:"metric"`
	Path   string `json:"path,omitempty"` // as in a [Comparison]
	// By model; one that is tested against no other has none.
	Highest Object `json:"p_highest"`
	Lowest  Object `json:"p_lowest"`
}

// P is the p value of a model's being the best in a direction; ok is false where it has none.
func (e *Extremes) P(model string, better Direction) (p float64, ok bool) {
	list := &e.Highest
	if better == Lower {
		list = &e.Lowest
	}
	switch v := list.values[model].(type) {
	case float64:
		return v, true
	case json.Number:
		p, err := v.Float64()
		return p, err == nil
	}
	return 0, false
}

// ExtremesOf are the Extremes of a metric by its path in the models; nil where there are none.
func (r *Result) ExtremesOf(path string) *Extremes {
	r.gatherExtremes()
	for i := range r.Extremes {
		if e := &r.Extremes[i]; e.Path == path || e.Path == "" && e.Metric == path {
			return e
		}
	}
	return nil
}

// gatherExtremes collects the extremes of the comparisons, each once.
func (r *Result) gatherExtremes() {
	if r.Extremes != nil {
		return
	}
	var seen []*Extremes
	for i := range r.Comparisons {
		if e := r.Comparisons[i].Extremes; e != nil && !slices.Contains(seen, e) {
			seen = append(seen, e)
			r.Extremes = append(r.Extremes, *e)
		}
	}
}
