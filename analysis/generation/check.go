// Faults of an input, whatever is computed from it.

package generation

import (
	"fmt"
	"math"
	"slices"

	"repscope/points"
)

func (in *Input) check() error {
	if len(in.Generators) == 0 {
		return fmt.Errorf("no generators to evaluate")
	}
	for _, part := range []struct {
		role string
		s    *Samples
	}{{"real", in.Real}, {"hold-out", in.HoldOut}} {
		if err := part.s.check(); err != nil {
			return fmt.Errorf("%s: %w", part.role, err)
		}
	}
	if in.HoldOut != nil {
		if in.Real == nil {
			return fmt.Errorf("hold-out samples need real samples too")
		}
		if err := fits("hold-out", in.HoldOut, in.Real); err != nil {
			return err
		}
	}
	if err := in.RealLatents.check(); err != nil {
		return fmt.Errorf("real latents: %w", err)
	}
	if err := in.RealPredictions.check(); err != nil {
		return fmt.Errorf("real predictions: %w", err)
	}
	for i := range in.Generators {
		g := &in.Generators[i]
		if slices.ContainsFunc(in.Generators[:i], func(other Generator) bool { return other.Name == g.Name }) {
			return fmt.Errorf("two generators are named %q", g.Name)
		}
		if err := in.CheckGenerator(g); err != nil {
			return fmt.Errorf("%s: %w", g.Name, err)
		}
	}
	return nil
}

// CheckGenerator finds the faults of one generator, given the real samples.
func (in *Input) CheckGenerator(g *Generator) error {
	if g.Generated == nil && g.Reconstruction == nil && g.Latents == nil && g.Predictions == nil {
		return fmt.Errorf("no input is given for it")
	}
	if err := g.Generated.check(); err != nil {
		return fmt.Errorf("generated: %w", err)
	}
	if g.Generated != nil && in.Real != nil {
		if err := fits("generated", g.Generated, in.Real); err != nil {
			return err
		}
	}
	if p := g.Reconstruction; p != nil {
		switch {
		case p.N == 0:
			return fmt.Errorf("reconstruction: %s contains no samples", p.Name)
		case p.Labels != nil && len(p.Labels) != p.N:
			return fmt.Errorf("reconstruction: %d labels for %d samples", len(p.Labels), p.N)
		case p.Groups != nil && len(p.Groups) != p.N:
			return fmt.Errorf("reconstruction: %d groups for %d samples", len(p.Groups), p.N)
		}
	}
	if err := g.Latents.check(); err != nil {
		return fmt.Errorf("latents: %w", err)
	}
	if err := g.Predictions.check(); err != nil {
		return fmt.Errorf("predictions: %w", err)
	}
	return nil
}

// fits is the error for samples that cannot be held against others.
func fits(role string, s, real *Samples) error {
	switch {
	case s.Binary() != real.Binary():
		return fmt.Errorf("%s: %s contains %s, but %s contains %s", role, s.Name, s.Kind(), real.Name, real.Kind())
	case !slices.Equal(s.Shape, real.Shape):
		return fmt.Errorf(
			"%s: %s contains grids of shape %v, but %s has shape %v", role, s.Name, s.Shape, real.Name, real.Shape)
	case s.Columns == nil && real.Columns == nil && s.Rows.Dim != real.Rows.Dim: // else they are joined by name
		return fmt.Errorf("%s: rows of %s have %d columns, but rows of %s have "+
			"%d", role, s.Name, s.Rows.Dim, real.Name, real.Rows.Dim)
	case s.Labels == nil && real.Labels != nil:
		return fmt.Errorf("%s: %s has no labels, but %s has: give both or neither", role, s.Name, real.Name)
	case s.Labels != nil && real.Labels == nil:
		return fmt.Errorf("%s: %s has labels, but %s has none: give both or neither", role, s.Name, real.Name)
	}
	return nil
}

// Kind is what the samples are, for messages: grids or rows of numbers.
func (s *Samples) Kind() string {
	if s.Binary() {
		return "grids"
	}
	return "rows of numbers"
}

func (s *Samples) check() error {
	if s == nil {
		return nil
	}
	n := s.Rows.N
	switch {
	case n == 0:
		return fmt.Errorf("%s contains no samples", s.Name)
	case s.Columns != nil && len(s.Columns) != s.Rows.Dim:
		return fmt.Errorf("%s: %d names for %d columns", s.Name, len(s.Columns), s.Rows.Dim)
	case s.Labels != nil && len(s.Labels) != n:
		return fmt.Errorf("%s: %d labels for %d samples", s.Name, len(s.Labels), n)
	case s.Valid != nil && len(s.Valid) != n:
		return fmt.Errorf("%s: %d values of validity for %d samples", s.Name, len(s.Valid), n)
	case s.Groups != nil && len(s.Groups) != n:
		return fmt.Errorf("%s: %d groups for %d samples", s.Name, len(s.Groups), n)
	}
	for _, statistic := range s.Statistics {
		if len(statistic.Values) != n {
			return fmt.Errorf("%s: %d values of %s for %d samples", s.Name, len(statistic.Values), statistic.Name, n)
		}
	}
	if !s.Binary() {
		return finite(s.Name, s.Rows)
	}
	cells := 1
	for _, k := range s.Shape {
		cells *= k
	}
	if cells != s.Rows.Dim || s.Rows.U8 == nil {
		return fmt.Errorf("%s: rows of %d cells do not form grids of shape %v", s.Name, s.Rows.Dim, s.Shape)
	}
	for i, v := range s.Rows.U8 {
		if v > 1 {
			return fmt.Errorf("%s: cell %d of sample %d is %d, want 0 or 1", s.Name, i%cells, i/cells, v)
		}
	}
	return nil
}

// finite finds NaN and infinity among rows.
func finite(name string, p points.Points) error {
	row := make([]float64, p.Dim)
	for i := range p.N {
		for k, v := range p.Row(i, row) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s: [%d,%d] is %v, want a finite number", name, i, k, v)
			}
		}
	}
	return nil
}

func (l *Latents) check() error {
	if l == nil {
		return nil
	}
	switch {
	case l.Points.N == 0:
		return fmt.Errorf("%s contains no samples", l.Name)
	case l.Labels != nil && len(l.Labels) != l.Points.N:
		return fmt.Errorf("%s: %d labels for %d latents", l.Name, len(l.Labels), l.Points.N)
	case l.Groups != nil && len(l.Groups) != l.Points.N:
		return fmt.Errorf("%s: %d groups for %d latents", l.Name, len(l.Groups), l.Points.N)
	}
	return finite(l.Name, l.Points)
}

func (p *Predictions) check() error {
	if p == nil {
		return nil
	}
	switch {
	case len(p.Target) == 0:
		return fmt.Errorf("%s contains no samples", p.Name)
	case len(p.Predicted) != len(p.Target):
		return fmt.Errorf("%s: %d predictions for %d targets", p.Name, len(p.Predicted), len(p.Target))
	case p.Groups != nil && len(p.Groups) != len(p.Target):
		return fmt.Errorf("%s: %d groups for %d predictions", p.Name, len(p.Groups), len(p.Target))
	}
	return nil
}
