// From files to the input of an analysis.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/forecast"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/report"
)

// input opens what the flags name.
func (s *settings) input(ctx context.Context, env *run.Env) (*forecast.Input, error) {
	if err := s.exist(); err != nil {
		return nil, err
	}
	in := &forecast.Input{Variables: s.variables, FieldVariables: s.inputVariables}
	if s.example.On() && in.Variables == nil {
		in.Variables = exampleVariables
	}
	target, err := open(env, s.target)
	if err != nil {
		return nil, err
	}
	in.Target = target
	if fields, err := open(env, s.fields); err != nil {
		return nil, err
	} else if fields != nil {
		in.Fields = fields
	}
	losses := &input.Losses{} // forecasts that cannot be measured
	forecasts, err := s.forecasts.OpenMeasured(ctx, env, losses)
	if err != nil {
		return nil, err
	}
	for _, a := range forecasts {
		in.Forecasts = append(in.Forecasts, forecast.Forecast{Name: a.Name, Members: a.Array})
	}
	if err := s.openClimate(env, in); err != nil {
		return nil, err
	}
	if err := s.align(env.Warn, in, forecasts); err != nil {
		return nil, err
	}
	in.WithAxes()
	if err := s.readSamples(env, in); err != nil {
		return nil, err
	}
	if err := s.readCells(env, in); err != nil {
		return nil, err
	}
	if err := s.addModels(ctx, env, in, losses); err != nil {
		return nil, err
	}
	return in, s.leaveUnfit(ctx, env, in, losses)
}

// open opens the array of a role that is not named; nil if none is given.
func open(env *run.Env, g *input.Given) (*dataset.Array, error) {
	arrays, err := g.Open(env)
	if err != nil || len(arrays) == 0 {
		return nil, err
	}
	return arrays[0].Array, nil
}

// openClimate opens a climatology.
func (s *settings) openClimate(env *run.Env, in *forecast.Input) error {
	switch s.climate {
	case "":
		return nil
	case climateTarget:
		in.FromTarget = true
		return nil
	}
	a, err := dataset.Open(s.climate)
	if err != nil {
		return fmt.Errorf("climatology: %w", err)
	}
	env.CloseLater(a)
	sum, err := a.SHA256()
	if err != nil {
		return fmt.Errorf("climatology: %w", err)
	}
	env.Result.Inputs = append(env.Result.Inputs,
		report.Input{Role: "climatology", Path: s.climate, SHA256: sum, DType: a.DType().String(), Shape: a.Shape()})
	in.Climate = a
	return nil
}

// readSamples reads what there is one of per sample.
func (s *settings) readSamples(env *run.Env, in *forecast.Input) error {
	n := in.Target.Shape()
	perSample := func(g *input.Given) (*dataset.Array, error) {
		a, err := open(env, g)
		if err != nil || a == nil {
			return nil, err
		}
		if len(a.Shape()) != 1 || len(n) > 0 && a.Len() != n[0] {
			return nil, fmt.Errorf("%s: %s has shape %v, want [%d], one per sample", g.Role(), a.Name(), a.Shape(), n[0])
		}
		return a, nil
	}
	a, err := perSample(s.leads)
	if err != nil {
		return err
	}
	if a != nil {
		if in.Leads, err = readLeads(a); err != nil {
			return fmt.Errorf("leads: %w", err)
		}
		if isDuration(a) && s.leadUnit == "" {
			s.leadUnit = "h"
		}
		if nanoseconds(in.Leads) && !isDuration(a) {
			env.Warn("leads: %s: leads such as %g look like nanoseconds; they appear unchanged in tables, figures "+
				"and model inputs; give hours, or timedelta64", a.Name(), slices.Max(in.Leads))
		}
	}
	if a, err = perSample(s.groups); err != nil || a == nil {
		return err
	}
	groups := make([]int64, a.Len())
	if err := a.ReadInt64(groups, 0, a.Len()); err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	in.Groups = make([]int, len(groups))
	for i, g := range groups {
		in.Groups[i] = int(g)
	}
	return nil
}

// readCells reads weights and regions.
func (s *settings) readCells(env *run.Env, in *forecast.Input) error {
	d, err := in.Dims()
	if err != nil {
		return err
	}
	read := func(what string, a *dataset.Array) ([]float64, error) {
		if s := a.Shape(); !slices.Equal(s, []int{d.H, d.W}) && !slices.Equal(s, []int{d.H}) {
			return nil, fmt.Errorf("%s: %s has shape %v, want [%d,%d], one per cell, or [%d], one per row", what, a.Name(), s,
				d.H, d.W, d.H)
		}
		out := make([]float64, a.Len()*a.RowLen())
		if err := a.ReadFloat64(out, 0, a.Len()); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		return out, nil
	}
	a, err := open(env, s.weights)
	if err != nil {
		return err
	}
	if a != nil {
		if in.Weights, err = read("weights", a); err != nil {
			return err
		}
	}
	if a, err = open(env, s.latitudes); err != nil {
		return err
	}
	if a != nil {
		latitudes, err := read("lat", a)
		if err != nil {
			return err
		}
		if in.Weights, err = weightedByLatitude(in.Weights, latitudes, a.Name(), d); err != nil {
			return err
		}
		if why := radians(latitudes); why != "" {
			env.Warn("lat: %s: %s", a.Name(), why)
		}
	}
	if s.areas != nil && a == nil {
		in.Weights = timesCells(s.areas, in.Weights, d)
	}
	if s.latitude != nil && a == nil {
		if in.Weights, err = weightedByLatitude(in.Weights, s.latitude, in.Target.Name(), d); err != nil {
			return err
		}
	}
	regions, err := s.regions.Open(env)
	if err != nil {
		return err
	}
	for _, r := range regions {
		weights, err := read("regions "+r.Name, r.Array)
		if err != nil {
			return err
		}
		in.Regions = append(in.Regions, forecast.Region{Name: r.Name, Weights: weights})
	}
	return nil
}

// weightedByLatitude are the weights of cells times the cosines of their latitudes; weights are those
// of cells or rows, nil: all 1.
func weightedByLatitude(weights, latitudes []float64, name string, d forecast.Dims) ([]float64, error) {
	cosines := make([]float64, len(latitudes))
	for i, degrees := range latitudes {
		if !(degrees >= -90 && degrees <= 90) {
			return nil, fmt.Errorf("lat: %s: row %d is %v, want degrees from -90 to 90", name, i*d.H/len(latitudes), degrees)
		}
		cosines[i] = max(0, math.Cos(degrees*math.Pi/180))
	}
	return timesCells(cosines, weights, d), nil
}

// timesCells are the products of two weights of cells or rows; nil stands for 1.
func timesCells(a, b []float64, d forecast.Dims) []float64 {
	out := make([]float64, d.H*d.W)
	value := func(values []float64, cell int) float64 {
		if len(values) == d.H {
			cell /= d.W
		}
		return values[cell]
	}
	for c := range out {
		if out[c] = value(a, c); b != nil {
			out[c] *= value(b, c)
		}
	}
	return out
}

// radians says that latitudes look like radians: no degree lies beyond ±π/2, as if all of the grid lay
// at the equator; "" where they do not.
func radians(latitudes []float64) string {
	low, high := slices.Min(latitudes), slices.Max(latitudes)
	if low < -1.5708 || high > 1.5708 || low == high {
		return ""
	}
	return fmt.Sprintf(
		"latitudes from %.4g to %.4g look like radians but are read as degrees, so all rows have nearly equal "+
			"weight; convert radians to degrees", low, high)
}
