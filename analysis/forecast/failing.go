// Forecasts that fail while samples are scored: the others go on.

package forecast

import (
	"context"
	"sync"

	"repscope/analysis/internal/results"
	"repscope/internal/fault"
	"repscope/report"
)

// NoneLeftError is the error of a run all of whose forecasts failed; the reason is the first one's.
type NoneLeftError struct{ First report.Unmeasured }

func (e *NoneLeftError) Error() string { return e.First.Reason }

// failing are the forecasts of a part that fail while samples are scored, several at a time:
// the reason is the first sample's.
type failing struct {
	mutex  sync.Mutex
	sample []int
	reason []string // by model; empty: it has not failed
}

func newFailing(models int) *failing {
	return &failing{sample: make([]int, models), reason: make([]string, models)}
}

// before reports whether a forecast has failed on an earlier sample: then this one is not read.
func (f *failing) before(model, sample int) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.reason[model] != "" && f.sample[model] < sample
}

// add notes that a forecast fails on a sample; false for an error that is not the forecast's.
func (f *failing) add(ctx context.Context, model int, from source, sample int, err error) bool {
	if from.kind == "baseline" || !fault.OfModel(ctx, err) {
		return false
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.reason[model] == "" || sample < f.sample[model] {
		f.sample[model], f.reason[model] = sample, err.Error()
	}
	return true
}

// enter puts the reasons into a part, and takes out of it what depends on how far others were.
func (f *failing) enter(part *Part) {
	for m, reason := range f.reason {
		if reason != "" {
			part.Models[m] = PartOfModel{Failed: reason}
		}
	}
}

// withoutFailed is the plan and its parts without the forecasts that failed, and these with the
// reason.
func (p *plan) withoutFailed(parts []*Part) (*plan, []*Part, []report.Unmeasured) {
	reasons := make([]string, len(p.models))
	for _, part := range parts {
		for m, scores := range part.Models {
			if reasons[m] == "" {
				reasons[m] = scores.Failed
			}
		}
	}
	models, failed := results.WithoutFailed(p.models, reasons, func(m source) string { return m.name })
	if len(failed) == 0 {
		return p, parts, nil
	}
	q := &plan{setting: p.setting, in: p.in, n: p.n, arrays: p.arrays, models: models, families: p.families, climate: p.climate, block: p.block}
	fewer := make([]*Part, len(parts))
	for k, part := range parts {
		of := *part
		of.Models = results.Kept(part.Models, reasons)
		fewer[k] = &of
	}
	return q, fewer, failed
}
