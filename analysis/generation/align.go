// Samples of tables whose columns stand in other orders.

package generation

import (
	"fmt"
	"slices"

	"repscope/internal/tabular"
	"repscope/points"
)

// checked returns the input with the columns of all tables in the order of the real samples',
// joined by name. Errors: faults of an input, columns that only one of both has.
func (in Input) checked() (Input, error) {
	err := in.check()
	if err != nil || in.Real == nil || in.Real.Binary() {
		return in, err
	}
	if in.HoldOut, err = in.HoldOut.like(in.Real); err != nil {
		return in, fmt.Errorf("hold-out: %w", err)
	}
	generators := in.Generators
	in.Generators = nil
	for _, g := range generators {
		if g.Generated, err = g.Generated.like(in.Real); err != nil {
			return in, fmt.Errorf("%s: generated: %w", g.Name, err)
		}
		in.Generators = append(in.Generators, g)
	}
	return in, nil
}

// like returns the samples with their columns in the order of the columns of others.
func (s *Samples) like(real *Samples) (*Samples, error) {
	if s == nil || s.Binary() || s.Columns == nil && real.Columns == nil {
		return s, nil
	}
	order, err := tabular.Pair(s.Name, s.Columns, real.Name, real.Columns)
	if err != nil || slices.IsSorted(order) {
		return s, err
	}
	out := *s
	out.Digest, out.Columns = "", real.Columns
	data, row := make([]float64, 0, s.Rows.N*s.Rows.Dim), make([]float64, s.Rows.Dim)
	for i := range s.Rows.N {
		from := s.Rows.Row(i, row)
		for _, k := range order {
			data = append(data, from[k])
		}
	}
	out.Rows = points.Float64(data, s.Rows.Dim)
	return &out, nil
}
