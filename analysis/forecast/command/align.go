// Arrays aligned by their coordinates: samples of one initial time and lead, rows and columns of the target's grid.

package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"repscope/analysis/forecast"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/text"
)

// moment is a sample: an initial time and a lead in seconds; without leads, a valid time and 0.
type moment struct{ init, lead float64 }

// aligned is an array in the order of the samples and on the grid of the target. It implements [forecast.Array].
type aligned struct {
	field   *labeled
	shape   []int
	samples []pick
	level   []int // of the array, for each variable; nil: no axis
	row     []int // of the array, for each row of the target
	column  []int
}

// pick are the indices of a sample along the axes of the array that are not of the field.
type pick map[meaning]int

func (a *aligned) Name() string { return a.field.array.Name() }
func (a *aligned) Shape() []int { return a.shape }

// SHA256 identifies the array and the order of its values.
func (a *aligned) SHA256() (string, error) {
	sum, err := a.field.array.SHA256()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, sum, a.shape, a.samples, a.level, a.row, a.column)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadFloat64 reads samples lo to hi-1.
func (a *aligned) ReadFloat64(dst []float64, lo, hi int) error {
	size := 1
	for _, n := range a.shape[1:] {
		size *= n
	}
	var buffer []float64
	for i := lo; i < hi; i++ {
		var err error
		if buffer, err = a.sample(dst[(i-lo)*size:][:size], a.samples[i], buffer); err != nil {
			return err
		}
	}
	return nil
}

// sample reads a sample: the part of the array that it is, whose axes are put in order.
func (a *aligned) sample(dst []float64, p pick, buffer []float64) ([]float64, error) {
	f := a.field
	shape := f.array.Shape()
	from, to := make([]int, len(shape)), slices.Clone(shape)
	for m, k := range p {
		if i := f.axis[m]; i >= 0 {
			from[i], to[i] = k, k+1
		}
	}
	total := 1
	for i := range shape {
		total *= to[i] - from[i]
	}
	buffer = slices.Grow(buffer[:0], total)[:total]
	if err := f.array.ReadBox(buffer, from, to); err != nil {
		return nil, err
	}
	var stride [meanings]int
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		for m := range f.axis {
			if f.axis[m] == i {
				stride[m] = step
			}
		}
		step *= to[i] - from[i]
	}
	members := 1
	if f.axis[ofMember] >= 0 {
		members = shape[f.axis[ofMember]]
	}
	out := 0
	for s := range members {
		for _, v := range a.level {
			for _, r := range a.row {
				base := s*stride[ofMember] + v*stride[ofLevel] + r*stride[ofLatitude]
				for _, c := range a.column {
					dst[out] = buffer[base+c*stride[ofLongitude]]
					out++
				}
			}
		}
	}
	return buffer, nil
}

// warner is [run.Env.Warn].
type warner func(format string, args ...any)

// aligner aligns arrays to a target.
type aligner struct {
	warn    warner
	target  *labeled
	moments []moment
	leads   bool
}

// align replaces the arrays of the input by those that are aligned, where the target and the forecasts have coordinates
// and neither --leads nor --groups is given.
func (s *settings) align(warn warner, in *forecast.Input, forecasts []input.Array) error {
	target, ok := in.Target.(*dataset.Array)
	if !ok || len(forecasts) == 0 || s.leads.Any() || s.groups.Any() {
		return nil
	}
	al := &aligner{warn: warn}
	var err error
	if al.target, err = label("target", target, false); err != nil {
		return err
	}
	var fields []*labeled
	var without []string
	for _, a := range forecasts {
		f, err := label("forecast "+a.Name, a.Array, true)
		if err != nil {
			return err
		}
		if f == nil || f.times == nil && math.IsNaN(f.init) {
			without = append(without, a.Name)
			continue
		}
		fields = append(fields, f)
	}
	if al.target == nil || al.target.times == nil || len(without) > 0 {
		if len(fields) > 0 {
			what := "the target has"
			if al.target != nil && al.target.times != nil {
				what = "forecasts have (" + strings.Join(without, ", ") + ")"
			}
			warn("arrays are aligned by position, not by coordinates: %s no coordinates of time, latitude and longitude", what)
		}
		return nil
	}
	if err := al.check(fields); err != nil {
		return err
	}
	if err := al.choose(fields); err != nil {
		return err
	}
	return s.replace(al, in, fields)
}

// replace sets the input to aligned arrays.
func (s *settings) replace(al *aligner, in *forecast.Input, fields []*labeled) error {
	for i, f := range fields {
		a, err := al.array(f)
		if err != nil {
			return err
		}
		in.Forecasts[i].Members = a
	}
	var err error
	if fields, ok := in.Fields.(*dataset.Array); ok {
		if in.Fields, err = al.other("input", fields); err != nil {
			return err
		}
	}
	if climate, ok := in.Climate.(*dataset.Array); ok {
		if in.Climate, err = al.other("climatology", climate); err != nil {
			return err
		}
	}
	if in.Target, err = al.array(al.target); err != nil {
		return err
	}
	if in.Variables == nil {
		in.Variables = al.target.variables()
	}
	if n := in.Target.Shape()[1]; len(in.Variables) != n {
		return fmt.Errorf("--variables has %d names, but %s has %d variables", len(in.Variables), al.target.array.Name(), n)
	}
	if in.Fields != nil && in.FieldVariables == nil && in.Fields.Shape()[1] == in.Target.Shape()[1] {
		in.FieldVariables = in.Variables
	}
	if t := al.target; t.isGrid {
		s.areas = cellAreas(t.latitude, t.longitude, t.count(ofLatitude), t.count(ofLongitude))
	} else {
		s.latitude = t.latitude
	}
	if s.leadUnit == "" && al.leads {
		s.leadUnit = "h"
	}
	in.Leads, in.Groups = nil, nil
	group, last := -1, math.NaN()
	for _, m := range al.moments {
		if m.init != last {
			group, last = group+1, m.init
		}
		in.Groups = append(in.Groups, group)
		if al.leads {
			in.Leads = append(in.Leads, m.lead/3600)
		}
	}
	for _, f := range append(fields, al.target) {
		for _, w := range f.warnings {
			al.warn("%s", w)
		}
	}
	return nil
}

// check compares what the arrays must have in common.
func (al *aligner) check(fields []*labeled) error {
	for _, f := range fields {
		if !f.calendar.Comparable(al.target.calendar) {
			return run.Hint(fmt.Errorf("%s: %s has the calendar %s, the target %s: their dates are not the same days",
				f.what, f.array.Name(), f.calendar, al.target.calendar),
				"convert one of them, for example with convert_calendar of xarray")
		}
		if err := al.units(f); err != nil {
			return err
		}
		if f.timed() != fields[0].timed() {
			return fmt.Errorf("%s and %s: one has initial times and leads, the other valid times alone", fields[0].what, f.what)
		}
	}
	al.leads = fields[0].timed()
	return nil
}

// timed reports whether the initial times and the leads of a forecast are known.
func (f *labeled) timed() bool { return f.leads != nil || !math.IsNaN(f.init) }

// temperatures are units that differ by an offset.
var temperatures = []string{"K", "degC", "degF"}

// units compares the units of values.
func (al *aligner) units(f *labeled) error {
	a, b := unit(f.labels.Units), unit(al.target.labels.Units)
	switch {
	case a == b || a == "" || b == "":
	case slices.Contains(temperatures, a) && slices.Contains(temperatures, b):
		return run.Hint(fmt.Errorf("%s: %s has the units %s, the target %s",
			f.what, f.array.Name(), f.labels.Units, al.target.labels.Units),
			"convert one of them: the offset would count as error")
	default:
		al.warn("%s: %s has the units %q, the target %q; values are compared as they are",
			f.what, f.array.Name(), f.labels.Units, al.target.labels.Units)
	}
	return nil
}

// moments are the samples of a forecast.
func (f *labeled) moments() map[moment]pick {
	out := map[moment]pick{}
	times := f.times
	if times == nil {
		times = []float64{f.init}
	}
	for i, t := range times {
		switch {
		case f.leads == nil && !math.IsNaN(f.init): // valid times of one initial time
			out[moment{f.init, t - f.init}] = pick{ofTime: i}
		case f.leads == nil:
			out[moment{t, 0}] = pick{ofTime: i, ofInit: i}
		default:
			for k, lead := range f.leads {
				out[moment{t, lead}] = pick{ofInit: i, ofLead: k}
			}
		}
	}
	return out
}

// lookup finds moments in an array that is no forecast: by valid time or, if it has leads, by initial time and lead.
func (f *labeled) lookup() func(m moment) (pick, bool) {
	if f.leads != nil {
		all := f.moments()
		return func(m moment) (pick, bool) { p, ok := all[m]; return p, ok }
	}
	index := map[float64]int{}
	for i, t := range f.times {
		index[t] = i
	}
	return func(m moment) (pick, bool) {
		i, ok := index[m.init+m.lead]
		return pick{ofTime: i, ofInit: i}, ok
	}
}

// choose finds the samples that all forecasts and the target have, in the order of initial times and leads, and warns
// of the others.
func (al *aligner) choose(fields []*labeled) error {
	names := []string{"the target"}
	lookups := []func(m moment) (pick, bool){al.target.lookup()}
	union := map[moment]bool{}
	for _, f := range fields {
		all := f.moments()
		for m := range all {
			union[m] = true
		}
		names = append(names, f.what)
		lookups = append(lookups, func(m moment) (pick, bool) { p, ok := all[m]; return p, ok })
	}
	missing := make([][]moment, len(names))
	for _, m := range ordered(union) {
		has := true
		for i, lookup := range lookups {
			if _, ok := lookup(m); !ok {
				missing[i] = append(missing[i], m)
				has = false
			}
		}
		if has {
			al.moments = append(al.moments, m)
		}
	}
	for i, list := range missing {
		if len(list) > 0 && len(al.moments) > 0 {
			al.warn("%s lacks %d of %d samples (%s): they are left out for all models",
				names[i], len(list), len(union), al.describe(list, union))
		}
	}
	if len(al.moments) > 0 {
		return nil
	}
	for i, list := range missing {
		if len(list) == len(union) {
			return fmt.Errorf("%s has none of the %d samples of the forecasts: %s", names[i], len(union), al.describe(list, nil))
		}
	}
	return fmt.Errorf("no sample is in all of the target and the forecasts (%s)", strings.Join(names[1:], ", "))
}

// ordered are moments by initial time, then lead.
func ordered(set map[moment]bool) []moment {
	return slices.SortedFunc(maps.Keys(set), func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.init, b.init), cmp.Compare(a.lead, b.lead))
	})
}

// describe names missing samples: whole leads if they lack always, else the first and the last.
func (al *aligner) describe(list []moment, union map[moment]bool) string {
	count := map[float64]int{}
	for m := range union {
		count[m.lead]++
	}
	for _, m := range list {
		count[m.lead]--
	}
	var leads []string
	always := al.leads && union != nil
	for _, m := range list {
		if count[m.lead] > 0 {
			always = false
		}
		if name := fmt.Sprintf("%g h", m.lead/3600); !slices.Contains(leads, name) {
			leads = append(leads, name)
		}
	}
	if always {
		return "leads " + strings.Join(leads[:min(len(leads), 12)], ", ")
	}
	name := func(m moment) string {
		valid := al.target.calendar.Format(m.init + m.lead)
		if !al.leads {
			return valid
		}
		return fmt.Sprintf("%s at lead %g h, valid %s", al.target.calendar.Format(m.init), m.lead/3600, valid)
	}
	if len(list) == 1 {
		return name(list[0])
	}
	return name(list[0]) + " to " + name(list[len(list)-1])
}

// array aligns the target or a forecast.
func (al *aligner) array(f *labeled) (*aligned, error) {
	lookup := f.lookup()
	if f != al.target {
		all := f.moments()
		lookup = func(m moment) (pick, bool) { p, ok := all[m]; return p, ok }
	}
	return al.arranged(f, al.moments, lookup)
}

// starts are the samples at their initial times.
func (al *aligner) starts() []moment {
	out := slices.Clone(al.moments)
	for i := range out {
		out[i].lead = 0
	}
	return out
}

// arranged aligns an array in which lookup finds moments.
func (al *aligner) arranged(f *labeled, moments []moment, lookup func(m moment) (pick, bool)) (*aligned, error) {
	a := &aligned{field: f}
	for _, m := range moments {
		p, ok := lookup(m)
		if !ok {
			return nil, fmt.Errorf("%s: %s has no field of %s", f.what, f.array.Name(), al.target.calendar.Format(m.init+m.lead))
		}
		a.samples = append(a.samples, p)
	}
	t := al.target
	if err := al.cells(a); err != nil {
		return nil, err
	}
	levels, count := t.count(ofLevel), f.count(ofLevel)
	for k := range levels {
		a.level = append(a.level, k)
	}
	switch {
	case levels != count:
		return nil, fmt.Errorf("%s: %s has %s, the target %s",
			f.what, f.array.Name(), text.Count(count, "level"), text.Count(levels, "level"))
	case t.levels != nil && f.levels != nil:
		var ok bool
		if a.level, ok = matching(t.levels, f.levels, 0); !ok {
			return nil, al.otherGrid(f, "levels", t.levels, f.levels)
		}
	}
	a.shape = []int{len(al.moments), levels, len(a.row), len(a.column)}
	members := f.count(ofMember)
	if f.axis[ofMember] >= 0 {
		a.shape = slices.Insert(a.shape, 1, members)
	}
	return a, nil
}

// cells finds the rows and columns of the target's grid. Cells of curvilinear grids are at the same places.
func (al *aligner) cells(a *aligned) error {
	t, f := al.target, a.field
	if t.isGrid != f.isGrid {
		with, without := t.what, f.what
		if f.isGrid {
			with, without = f.what, t.what
		}
		return run.Hint(fmt.Errorf("%s: latitude and longitude are of cells (a curvilinear grid), and of rows and columns "+
			"in the %s", with, without), "interpolate one to the grid of the other first")
	}
	var ok bool
	if !f.isGrid {
		if a.row, ok = matching(t.latitude, f.latitude, 0); !ok {
			return al.otherGrid(f, "latitude", t.latitude, f.latitude)
		}
		if a.column, ok = matching(t.longitude, f.longitude, 360); !ok {
			return al.otherGrid(f, "longitude", t.longitude, f.longitude)
		}
		return nil
	}
	if t.count(ofLatitude) != f.count(ofLatitude) || !samePlaces(t.latitude, f.latitude, 0) {
		return al.otherGrid(f, "latitude", t.latitude, f.latitude)
	}
	if !samePlaces(t.longitude, f.longitude, 360) {
		return al.otherGrid(f, "longitude", t.longitude, f.longitude)
	}
	for r := range f.count(ofLatitude) {
		a.row = append(a.row, r)
	}
	for c := range f.count(ofLongitude) {
		a.column = append(a.column, c)
	}
	return nil
}

// count is the length of an axis; 1 without.
func (f *labeled) count(m meaning) int {
	if i := f.axis[m]; i >= 0 {
		return f.array.Shape()[i]
	}
	return 1
}

func (al *aligner) otherGrid(f *labeled, what string, want, got []float64) error {
	return run.Hint(fmt.Errorf("%s: %s has another grid than the target: %s: %s, the target has %s",
		f.what, f.array.Name(), what, grid(got), grid(want)),
		"interpolate one to the grid of the other first")
}

// other aligns the initial fields, which are of the initial times, or a climatology: of the valid times, of days of the
// year and hours, or without times.
func (al *aligner) other(what string, array *dataset.Array) (forecast.Array, error) {
	f, err := label(what, array, false)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("%s: %s has no coordinates of latitude and longitude, by which the target and the "+
			"forecasts are aligned; to align all by position, give --leads and --groups", what, array.Name())
	}
	if err := al.units(f); err != nil && what != "input" {
		return nil, err
	}
	if f.times != nil && !f.calendar.Comparable(al.target.calendar) {
		return nil, fmt.Errorf("%s: %s has the calendar %s, the target %s",
			what, array.Name(), f.calendar, al.target.calendar)
	}
	if f.axis[ofMember] >= 0 {
		return nil, fmt.Errorf("%s: %s has members, want one field per time", what, array.Name())
	}
	lookup := f.lookup()
	switch {
	case what == "input":
		return al.arranged(f, al.starts(), lookup)
	case f.axis[ofDayOfYear] >= 0 || f.axis[ofHour] >= 0:
		return al.arranged(f, al.moments, al.ofYear(f))
	case f.times == nil:
		return al.arranged(f, al.moments, func(moment) (pick, bool) { return pick{}, true })
	}
	return al.arranged(f, al.moments, lookup)
}

// ofYear finds the day of the year and the hour of valid times; hours are those up to the time.
func (al *aligner) ofYear(f *labeled) func(m moment) (pick, bool) {
	index := func(m meaning) []float64 {
		if i := f.axis[m]; i >= 0 {
			return f.labels.Axes[i].Values
		}
		return nil
	}
	days, hours := index(ofDayOfYear), index(ofHour)
	calendar := al.target.calendar
	return func(m moment) (pick, bool) {
		valid := m.init + m.lead
		year, _, _, second := calendar.Date(valid)
		p := pick{}
		if f.axis[ofDayOfYear] >= 0 {
			p[ofDayOfYear] = slices.Index(days, float64(calendar.DayOfYear(year, valid)))
		}
		if f.axis[ofHour] >= 0 {
			p[ofHour] = -1
			for i, h := range hours {
				if h <= second/3600 && (p[ofHour] < 0 || h > hours[p[ofHour]]) {
					p[ofHour] = i
				}
			}
		}
		for _, k := range p {
			if k < 0 {
				return nil, false
			}
		}
		return p, true
	}
}
