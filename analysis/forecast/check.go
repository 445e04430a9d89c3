// Faults of an input or its options.

package forecast

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/text"
)

// Dims are the sizes of a target.
type Dims struct {
	N, V, H, W int
	note       string // for errors: that the target was taken for one variable
}

func (d Dims) String() string { return fmt.Sprintf("[%d,%d,%d,%d]", d.N, d.V, d.H, d.W) }

// Dims checks the shape of the target.
func (in *Input) Dims() (Dims, error) {
	s := in.Target.Shape()
	if len(s) != 4 {
		return Dims{}, fmt.Errorf(
			"target: %s has shape %v, want [N,V,H,W]: samples, variables, rows, columns; or [N,H,W] of one variable",
			in.Target.Name(), stored(in.Target))
	}
	d := Dims{N: s[0], V: s[1], H: s[2], W: s[3]}
	if own := stored(in.Target); len(own) == 3 {
		d.note = fmt.Sprintf("; the target %s of shape %v has one variable", in.Target.Name(), own)
	}
	if d.N < 1 || d.V < 1 || d.H < 1 || d.W < 1 {
		return d, fmt.Errorf("target: %s has shape %v, which is empty", in.Target.Name(), stored(in.Target))
	}
	return d, nil
}

// CountMembers checks the shape of a forecast and returns the number of its members.
func (f *Forecast) CountMembers(d Dims) (int, error) {
	s := f.Members.Shape()
	fail := func(format string, args ...any) (int, error) {
		return 0, fmt.Errorf("forecast %s: %s has shape %v, %s", f.Name, f.Members.Name(), stored(f.Members),
			fmt.Sprintf(format, args...))
	}
	grid := []int{d.V, d.H, d.W}
	want := fmt.Sprintf("want [%d,S,%d,%d,%d], S members of the target's shape", d.N, d.V, d.H, d.W)
	switch {
	case len(s) != 5 && len(s) != 4:
		return fail("%s", want)
	case len(s) == 4 && !slices.Equal(s[1:], grid):
		return fail("%s, or the target's shape %v for one member", want, d)
	case s[0] > d.N:
		return fail("but the target has %s: the forecast has too many", text.Count(d.N, "sample"))
	case s[0] < d.N:
		return fail("but the target has %s: the forecast has too few", text.Count(d.N, "sample"))
	case len(s) == 4:
		return 1, nil
	case s[2] != d.V:
		return fail("%s: found %d variables, expected %d%s", want, s[2], d.V, d.note)
	case s[3] != d.H || s[4] != d.W:
		return fail("%s: found a grid of %d × %d, expected %d × %d%s", want, s[3], s[4], d.H, d.W, d.note)
	case s[1] < 1:
		return fail("%s: found no members", want)
	}
	return s[1], nil
}

// names are the names of the variables.
func (in *Input) names(d Dims) ([]string, error) {
	if in.Variables == nil {
		out := make([]string, d.V)
		for i := range out {
			out[i] = "v" + strconv.Itoa(i)
		}
		return out, nil
	}
	if len(in.Variables) != d.V {
		return nil, fmt.Errorf("%s named (%s), but the target %s has %d: give one name per "+
			"variable", text.Count(len(in.Variables), "variable"),
			strings.Join(in.Variables, ", "), in.Target.Name(), d.V)
	}
	return in.Variables, distinct("variable", in.Variables)
}

// distinct finds a name that stands twice.
func distinct(what string, names []string) error {
	for i, name := range names {
		if name == "" {
			return fmt.Errorf("%s %d has no name", what, i)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two %ss are named %q", what, name)
		}
	}
	return nil
}

// checkModels finds models of equal names, and an input without any.
func (in *Input) checkModels() error {
	if len(in.Forecasts) == 0 && in.Fields == nil {
		return fmt.Errorf("nothing to score: neither forecasts nor input fields are given")
	}
	names := make([]string, len(in.Forecasts))
	for i, f := range in.Forecasts {
		names[i] = f.Name
		if f.Name == Persistence && in.Fields != nil || f.Name == Climatology && (in.Climate != nil || in.FromTarget) {
			return fmt.Errorf("forecast %s: a baseline of this run has that name; choose another", f.Name)
		}
	}
	return distinct("forecast", names)
}

// checkPerSample finds leads and groups of another number than there are samples.
func (in *Input) checkPerSample(d Dims) error {
	if in.Leads != nil && len(in.Leads) != d.N {
		return fmt.Errorf("%s for %s", text.Count(len(in.Leads), "lead"), text.Count(d.N, "sample"))
	}
	for i, v := range in.Leads {
		if v-v != 0 {
			return fmt.Errorf("lead of sample %d is %v, want a finite number", i, v)
		}
	}
	if in.Groups != nil && len(in.Groups) != d.N {
		return fmt.Errorf("%s for %s", text.Count(len(in.Groups), "group"), text.Count(d.N, "sample"))
	}
	return nil
}

// CellWeights are the weights of all cells, with a sum of 1.
func CellWeights(what string, weights []float64, d Dims) ([]float64, error) {
	out := make([]float64, d.H*d.W)
	switch len(weights) {
	case 0:
		for i := range out {
			out[i] = 1
		}
	case d.H * d.W:
		copy(out, weights)
	case d.H:
		for i := range out {
			out[i] = weights[i/d.W]
		}
	default:
		return nil, fmt.Errorf("%s: %d values, want [%d,%d], one per cell, or [%d], one per row", what, len(weights), d.H,
			d.W, d.H)
	}
	total := 0.0
	for i, v := range out {
		if v-v != 0 || v < 0 {
			return nil, fmt.Errorf(
				"%s: the weight of row %d, column %d is %v, want a finite number of at least 0", what, i/d.W, i%d.W, v)
		}
		total += v
	}
	if total == 0 {
		return nil, fmt.Errorf("%s: all weights are 0", what)
	}
	for i := range out {
		out[i] /= total
	}
	return out, nil
}

// setting checks the input and gathers what all samples share.
func (in *Input) setting(o Options) (*setting, Dims, error) {
	d, err := in.Dims()
	if err != nil {
		return nil, d, err
	}
	s := &setting{o: o, height: d.H, width: d.W, regions: []string{"all"}}
	if s.variables, err = in.names(d); err != nil {
		return nil, d, err
	}
	if err := in.checkModels(); err != nil {
		return nil, d, err
	}
	if err := in.checkPerSample(d); err != nil {
		return nil, d, err
	}
	all, err := CellWeights("weights", in.Weights, d)
	if err != nil {
		return nil, d, err
	}
	s.weights = [][]float64{all}
	for c, w := range all {
		if w == 0 {
			s.masked = append(s.masked, c)
		}
	}
	for _, r := range in.Regions {
		what := "region " + r.Name
		part, err := CellWeights(what, r.Weights, d)
		if err != nil {
			return nil, d, err
		}
		for i := range part {
			part[i] *= all[i]
		}
		if part, err = CellWeights(what+" times weights", part, d); err != nil {
			return nil, d, err
		}
		s.regions, s.weights = append(s.regions, r.Name), append(s.weights, part)
	}
	for _, weights := range s.weights {
		equal := !slices.ContainsFunc(weights, func(w float64) bool { return w != weights[0] })
		var wide []float64
		if !equal {
			wide = slices.Repeat(weights, d.V)
		}
		s.equal, s.wide = append(s.equal, equal), append(s.wide, wide)
	}
	return s, d, distinct("region", s.regions)
}

// choice is a value that is one of some; empty: the first.
func choice(what string, value *string, choices ...string) error {
	if *value == "" {
		*value = choices[0]
	}
	if !slices.Contains(choices, *value) {
		return fmt.Errorf("%s %q, want %s", what, *value, strings.Join(choices, " or "))
	}
	return nil
}

func (o Options) withDefaults() (Options, error) {
	for _, c := range []struct {
		what  string
		value *string
		of    []string
	}{
		{"estimator of the CRPS", &o.CRPS, []string{EstimatorFair, EstimatorBiased}}, {"estimator of energy scores", &o.Energy, []string{EstimatorFair, EstimatorBiased}},
		{"variogram score", &o.Variogram, []string{VariogramProper, VariogramDocumented}}, {"patch mode", &o.PatchMode, []string{PatchPool, PatchTile}},
		{"spectrum", &o.Spectrum, []string{SpectrumDCT, SpectrumFFT}},
		{"rule of events", &o.EventRule, []string{EventAtLeast, EventAbove}},
	} {
		if err := choice(c.what, c.value, c.of...); err != nil {
			return o, err
		}
	}
	if o.VariogramP == 0 {
		o.VariogramP = 0.5
	}
	if o.Patch == 0 {
		o.Patch = 4
	}
	if o.Tile == 0 {
		o.Tile = DefaultTile
	}
	if o.Quantiles == nil {
		o.Quantiles = DefaultQuantiles()
	}
	if o.Coverage == nil {
		o.Coverage = DefaultCoverage()
	}
	for _, p := range slices.Concat(o.Quantiles, o.Coverage) {
		if !(p > 0 && p < 1) {
			return o, fmt.Errorf("quantiles %v, intervals %v: want numbers between 0 and 1", o.Quantiles, o.Coverage)
		}
	}
	if o.MaxDistance > 0 && o.MaxDistance < 1 {
		return o, fmt.Errorf(
			"pairs of cells at most %v apart: want at least 1, the distance between neighboring cells", o.MaxDistance)
	}
	if !(o.VariogramP > 0) || math.IsInf(o.VariogramP, 0) || !(o.MaxDistance >= 0) || o.Patch < 1 || o.Tile < 1 || o.Pairs < 0 || o.Members < 0 || o.BatchSize < 0 {
		return o, fmt.Errorf("variogram order %v, distance %v, patch %d, tile %d, %d pairs, %d members, batches of %d: want positive numbers",
			o.VariogramP, o.MaxDistance, o.Patch, o.Tile, o.Pairs, o.Members, o.BatchSize)
	}
	if o.SkipMembers && o.Members == 0 {
		return o, fmt.Errorf(
			"members with NaN are left out: also set how many finite members of each sample are scored")
	}
	return o, o.checkEvents()
}

// checkEvents finds events and windows that are none.
func (o *Options) checkEvents() error {
	for i, v := range o.Thresholds {
		if v-v != 0 || slices.Contains(o.Thresholds[:i], v) {
			return fmt.Errorf("thresholds %v: want finite numbers, each once", o.Thresholds)
		}
	}
	for i, q := range o.EventQuantiles {
		if !(q > 0 && q < 1) || slices.Contains(o.EventQuantiles[:i], q) {
			return fmt.Errorf("quantiles of events %v: want numbers between 0 and 1, each once", o.EventQuantiles)
		}
	}
	for i, w := range o.Windows {
		if w < 1 || w > MaxWindow || slices.Contains(o.Windows[:i], w) {
			return fmt.Errorf("windows %v: want sides from 1 to %d cells, each once", o.Windows, MaxWindow)
		}
	}
	return nil
}

// MaxWindow bounds the side of a window, whose cells are counted.
const MaxWindow = 1 << 20

// DefaultTile is the side of a tile.
const DefaultTile = 8

// DefaultQuantiles are the levels of quantile scores where none are given.
func DefaultQuantiles() []float64 { return []float64{0.1, 0.5, 0.9} }

// DefaultCoverage are the probabilities of central intervals where none are given.
func DefaultCoverage() []float64 { return []float64{0.5, 0.9} }
