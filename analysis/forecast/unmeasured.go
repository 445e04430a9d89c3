// Forecasts that cannot be measured: of another shape than the target, or with NaN.

package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"repscope/analysis/internal/results"
	"repscope/internal/fault"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/report"
)

// plannedBytes is the most bytes of a forecast that a plan reads to look for NaN.
const plannedBytes = 1 << 30

// leaveUnfit leaves out the forecasts that cannot be measured, beside those that could not be
// opened. A plan looks for NaN, which a run finds while it scores; with --skip-nan a run must know before whether
// a forecast has any sample without.
func (s *settings) leaveUnfit(ctx context.Context, env *run.Env, in *Input, left *input.Losses) error {
	d, err := in.dims()
	if err != nil {
		return err
	}
	for i := range in.Forecasts {
		f := &in.Forecasts[i]
		_, err := f.members(d)
		if err == nil && (env.Plan != nil || s.o.SkipNaN) {
			err = s.finiteForecast(ctx, env, in, d, f)
		}
		if err != nil {
			if err := left.Leave(ctx, f.Name, err); err != nil {
				return err
			}
		}
	}
	in.Forecasts = slices.DeleteFunc(in.Forecasts, func(f Forecast) bool { return left.Has(f.Name) })
	return left.Settle(env, append(s.forecasts.Names(), s.models.Names()...))
}

// finiteForecast is an error for NaN in a forecast where it counts; where samples with NaN
// are left out, for NaN in every sample.
func (s *settings) finiteForecast(ctx context.Context, env *run.Env, in *Input, d dims, f *Forecast) error {
	if _, made := f.Members.(*generator); made || s.o.SkipMembers { // it is looked at when it is made, and members when they are chosen
		return nil
	}
	length := 1
	for _, n := range f.Members.Shape()[1:] {
		length *= n
	}
	if env.Plan != nil && 8*int64(d.n)*int64(length) > plannedBytes {
		return nil
	}
	weights, err := cellWeights("weights", in.Weights, d)
	if err != nil {
		return err
	}
	row := make([]float64, length)
	bad, first := 0, error(nil)
	for i := range d.n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.Members.ReadFloat64(row, i, i+1); err != nil {
			return fmt.Errorf("forecast %s: %w", f.Name, err)
		}
		for k := range row {
			if weights[k%(d.h*d.w)] == 0 {
				row[k] = 0
			}
		}
		if err := checkFinite("forecast "+f.Name, f.Members, i, row); err != nil {
			if bad++; first == nil {
				first = hinted(err, false)
			}
			if !s.o.SkipNaN {
				return first
			}
		}
	}
	if bad < d.n {
		return nil
	}
	return first
}

// noneLeft is the error of a run all of whose forecasts failed; the reason is that of the first.
type noneLeft struct{ first report.Unmeasured }

func (e *noneLeft) Error() string { return e.first.Reason }

// explain finds the value again for which the last forecast failed, as a part keeps the text of the reason alone.
func (s *settings) explain(ctx context.Context, env *run.Env, in *Input, err error) error {
	none, ok := errors.AsType[*noneLeft](err)
	if !ok {
		return hinted(err, s.o.SkipMembers)
	}
	d, wrong := in.dims()
	for i := range in.Forecasts {
		if f := &in.Forecasts[i]; wrong == nil && f.Name == none.first.Name {
			if again := s.finiteForecast(ctx, env, in, d, f); again != nil {
				return again
			}
		}
	}
	return err
}

// failing are the forecasts of a part that fail while samples are scored, several at a time:
// the reason is that of the first sample.
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
func (f *failing) add(ctx context.Context, model int, of source, sample int, err error) bool {
	if of.kind == "baseline" || !fault.OfModel(ctx, err) {
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
		for m, of := range part.Models {
			if reasons[m] == "" {
				reasons[m] = of.Failed
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
