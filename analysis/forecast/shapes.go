// Arrays without an axis of variables, as arrays of one variable are often stored.

package forecast

import "slices"

// view is an array with axes of length 1 that the array itself has not.
type view struct {
	Array
	shape []int
	rows  int // of the array that make a row of the view
}

// Shape is that with the axes.
func (v view) Shape() []int { return v.shape }

// ReadFloat64 reads rows of the view.
func (v view) ReadFloat64(dst []float64, lo, hi int) error {
	return v.Array.ReadFloat64(dst, lo*v.rows, hi*v.rows)
}

// stored is the shape of an array as it is stored.
func stored(a Array) []int {
	if v, ok := a.(view); ok {
		return v.Array.Shape()
	}
	return a.Shape()
}

// WithAxes gives arrays of one variable its axis: a target and an input [N,H,W], forecasts [N,H,W] and
// [N,S,H,W], a climatology [H,W] and [N,H,W]. Of several variables nothing is guessed.
func (in *Input) WithAxes() {
	insert := func(a Array, axis int) Array {
		return view{a, slices.Insert(slices.Clone(a.Shape()), axis, 1), 1}
	}
	if len(in.Target.Shape()) == 3 {
		in.Target = insert(in.Target, 1)
	}
	if s := in.Target.Shape(); len(s) != 4 || s[1] != 1 {
		return
	}
	in.Forecasts = slices.Clone(in.Forecasts)
	for i := range in.Forecasts {
		members := &in.Forecasts[i].Members
		switch s := (*members).Shape(); {
		case len(s) == 3:
			*members = insert(*members, 1)
		case len(s) == 4 && s[1] != 1:
			*members = insert(*members, 2)
		}
	}
	if in.Fields != nil && len(in.Fields.Shape()) == 3 {
		in.Fields = insert(in.Fields, 1)
	}
	if in.Climate == nil {
		return
	}
	switch s := in.Climate.Shape(); {
	case len(s) == 2:
		in.Climate = view{in.Climate, []int{1, s[0], s[1]}, s[0]}
	case len(s) == 3 && s[0] != 1:
		in.Climate = insert(in.Climate, 1)
	}
}
