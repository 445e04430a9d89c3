// Forecasts that cannot be measured: of another shape than the target, or with NaN.

package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/analysis/forecast"
	"repscope/internal/input"
	"repscope/internal/run"
)

// plannedBytes is the most bytes of a forecast that a plan reads to look for NaN.
const plannedBytes = 1 << 30

// leaveUnfit leaves out the forecasts that cannot be measured, besides the ones that could not be
// opened. A plan looks for NaN, which a run finds while it scores; with --skip-nan a run must know before whether
// a forecast has any sample without.
func (s *settings) leaveUnfit(ctx context.Context, env *run.Env, in *forecast.Input, losses *input.Losses) error {
	d, err := in.Dims()
	if err != nil {
		return err
	}
	for i := range in.Forecasts {
		f := &in.Forecasts[i]
		_, err := f.CountMembers(d)
		if err == nil && (env.Plan != nil || s.o.SkipNaN) {
			err = s.finiteForecast(ctx, env, in, d, f)
		}
		if err != nil {
			if err := losses.Leave(ctx, f.Name, err); err != nil {
				return err
			}
		}
	}
	in.Forecasts = slices.DeleteFunc(in.Forecasts, func(f forecast.Forecast) bool { return losses.Has(f.Name) })
	return losses.Settle(env, append(s.forecasts.Names(), s.models.Names()...))
}

// finiteForecast is an error for NaN in a forecast where it counts; where samples with NaN
// are left out, for NaN in every sample.
func (s *settings) finiteForecast(ctx context.Context, env *run.Env, in *forecast.Input, d forecast.Dims,
	f *forecast.Forecast) error {
	if _, made := f.Members.(*generator); made || s.o.SkipMembers { // it is looked at when it is made, and members when they are chosen
		return nil
	}
	length := 1
	for _, n := range f.Members.Shape()[1:] {
		length *= n
	}
	if env.Plan != nil && 8*int64(d.N)*int64(length) > plannedBytes {
		return nil
	}
	weights, err := forecast.CellWeights("weights", in.Weights, d)
	if err != nil {
		return err
	}
	row := make([]float64, length)
	bad, first := 0, error(nil)
	for i := range d.N {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.Members.ReadFloat64(row, i, i+1); err != nil {
			return fmt.Errorf("forecast %s: %w", f.Name, err)
		}
		for k := range row {
			if weights[k%(d.H*d.W)] == 0 {
				row[k] = 0
			}
		}
		if err := forecast.CheckFinite("forecast "+f.Name, f.Members, i, row); err != nil {
			if bad++; first == nil {
				first = hinted(err, false)
			}
			if !s.o.SkipNaN {
				return first
			}
		}
	}
	if bad < d.N {
		return nil
	}
	return first
}

// explain finds the value again for which the last forecast failed, as a part keeps the text of the reason alone.
func (s *settings) explain(ctx context.Context, env *run.Env, in *forecast.Input, err error) error {
	none, ok := errors.AsType[*forecast.NoneLeftError](err)
	if !ok {
		return hinted(err, s.o.SkipMembers)
	}
	d, wrong := in.Dims()
	for i := range in.Forecasts {
		if f := &in.Forecasts[i]; wrong == nil && f.Name == none.First.Name {
			if again := s.finiteForecast(ctx, env, in, d, f); again != nil {
				return again
			}
		}
	}
	return err
}
