// Fields with coordinates: which axis of an array is which.

package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/dataset/netcdf"
	"repscope/internal/text"
)

// meaning is what an axis is.
type meaning int

const (
	unknown meaning = iota
	ofTime          // initial time if there are leads, else valid time
	ofInit
	ofLead
	ofMember
	ofLatitude
	ofLongitude
	ofLevel
	ofDayOfYear
	ofHour
	meanings
)

// axisNames are names of axes and of their attribute standard_name.
var axisNames = map[meaning]string{
	ofTime: "time valid_time verification_time",
	ofInit: "init_time init initial_time initialization_time forecast_reference_time reftime start_date " +
		"forecast_time0",
	ofLead:      "lead_time lead leadtime prediction_timedelta step forecast_period forecast_lead_time fhour timedelta",
	ofMember:    "number member members realization ensemble ensemble_member ens sample",
	ofLatitude:  "latitude lat",
	ofLongitude: "longitude lon",
	ofDayOfYear: "dayofyear day_of_year doy",
	ofHour:      "hour hour_of_day",
}

// meaningOf finds the meaning of an axis: by its standard name, its units, its name.
func meaningOf(x *dataset.Axis) meaning {
	for _, name := range []string{x.Standard, x.Name} {
		for m, names := range axisNames {
			if name != "" && slices.Contains(strings.Fields(names), strings.ToLower(name)) {
				return m
			}
		}
	}
	switch units := strings.ToLower(x.Units); {
	case strings.HasPrefix(units, "degree") && strings.HasSuffix(units, "_north"):
		return ofLatitude
	case strings.HasPrefix(units, "degree") && strings.HasSuffix(units, "_east"):
		return ofLongitude
	}
	return unknown
}

// labeled is an array with coordinates.
type labeled struct {
	what   string // in messages: its flag and name
	array  *dataset.Array
	labels *dataset.Labels
	axis   [meanings]int // −1: none

	calendar netcdf.Calendar
	times    []float64 // of the axis of initial or valid times, in seconds
	leads    []float64 // in seconds
	init     float64   // the only initial time of an array without an axis of them; NaN: unknown
	levels   []float64
	latitude []float64 // in degrees
	// longitude is in degrees.
	longitude []float64
	isGrid    bool // latitude and longitude are of cells, row by row: the grid is curvilinear
	warnings  []string
}

// label reads the coordinates of an array; nil if it has none of a grid. A forecast may have single values as
// leads and initial times.
func label(what string, a *dataset.Array, forecasts bool) (*labeled, error) {
	labels, err := a.Labels()
	if err != nil || labels == nil {
		return nil, err
	}
	f := &labeled{what: what, array: a, labels: labels, init: math.NaN()}
	for m := range f.axis {
		f.axis[m] = -1
	}
	cells, err := f.findCells()
	if err != nil {
		return nil, err
	}
	for i := range labels.Axes {
		x := &labels.Axes[i]
		if cells != nil && i >= len(labels.Axes)-2 {
			continue // latitudes and longitudes of cells count, and not what the axes count
		}
		m := meaningOf(x)
		if m == unknown {
			m = ofLevel
		}
		if f.axis[m] >= 0 {
			if m == ofLevel && a.Shape()[i] == 1 {
				continue
			}
			return nil, text.WithHint(fmt.Errorf("%s: the axes %s and %s of %s both look like the %s",
				f.what, labels.Axes[f.axis[m]].Name, x.Name, a.Name(), m), "of a grid without axes of latitude and "+
				"longitude, name their arrays in the attribute coordinates (xarray: set_coords), or give --lat and --leads")
		}
		f.axis[m] = i
	}
	if cells == nil {
		if f.axis[ofLatitude] < 0 || f.axis[ofLongitude] < 0 {
			return nil, nil
		}
		cells = []*dataset.Axis{&labels.Axes[f.axis[ofLatitude]], &labels.Axes[f.axis[ofLongitude]]}
	} else {
		f.isGrid = true
		f.axis[ofLatitude], f.axis[ofLongitude] = len(labels.Axes)-2, len(labels.Axes)-1
	}
	if f.latitude, err = f.degrees(ofLatitude, cells[0]); err == nil {
		f.longitude, err = f.degrees(ofLongitude, cells[1])
	}
	if err != nil || f.latitude == nil || f.longitude == nil {
		return nil, err
	}
	if i := f.axis[ofLevel]; i >= 0 {
		f.levels = labels.Axes[i].Values
	}
	return f, f.readTimes(forecasts)
}

// String names what an axis is.
func (m meaning) String() string {
	return [...]string{"axis", "time", "initial time", "lead time", "member", "latitude", "longitude", "level",
		"day of the year", "hour"}[m]
}

// findCells returns the latitudes and longitudes of the cells of a curvilinear grid; nil without.
func (f *labeled) findCells() ([]*dataset.Axis, error) {
	cells := []*dataset.Axis{nil, nil}
	for i := range f.labels.Grids {
		x := &f.labels.Grids[i]
		k := slices.Index([]meaning{ofLatitude, ofLongitude}, meaningOf(x))
		switch {
		case k < 0:
		case cells[k] != nil:
			return nil, text.WithHint(fmt.Errorf("%s: %s and %s of %s are both the %s of its cells", f.what, cells[k].Name,
				x.Name, f.array.Name(), meaningOf(x)), "leave one of them out of the attribute coordinates (xarray: drop_vars)")
		default:
			cells[k] = x
		}
	}
	if cells[0] == nil || cells[1] == nil {
		return nil, nil
	}
	return cells, nil
}

// degrees are the values of latitude or longitude.
func (f *labeled) degrees(m meaning, x *dataset.Axis) ([]float64, error) {
	if x.Values == nil {
		return nil, nil
	}
	values := slices.Clone(x.Values)
	units := strings.ToLower(x.Units)
	inRadians := strings.HasPrefix(units, "rad")
	if m == ofLatitude && units == "" && radians(values) != "" {
		inRadians = true
		f.warnings = append(f.warnings, fmt.Sprintf("%s: %s from %.4g to %.4g without units is read as radians; set its "+
			"attribute units", f.what, x.Name, slices.Min(values), slices.Max(values)))
	}
	for i, v := range values {
		if inRadians {
			values[i] = v * 180 / math.Pi
		}
		if !(math.Abs(values[i]) <= 90.0001) && m == ofLatitude || !(math.Abs(values[i]) <= 720) {
			return nil, fmt.Errorf("%s: %s %d is %v %s, want degrees", f.what, x.Name, i, v, x.Units)
		}
	}
	return values, nil
}

// warnOfMembers warns where members have the same label, as where the files of an ensemble were joined twice.
func (f *labeled) warnOfMembers() {
	i := f.axis[ofMember]
	if i < 0 {
		return
	}
	x := &f.labels.Axes[i]
	if v, ok := repeated(x.Values); ok {
		f.warnings = append(f.warnings, fmt.Sprintf("%s: %s has %g more than once; each is scored as a member of its own",
			f.what, x.Name, v))
	}
}

// repeated is the smallest of the values that occur more than once.
func repeated(values []float64) (v float64, ok bool) {
	sorted := slices.Sorted(slices.Values(values))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i], true
		}
	}
	return 0, false
}

// readTimes reads initial or valid times and leads.
func (f *labeled) readTimes(forecasts bool) error {
	f.warnOfMembers()
	if i := f.axis[ofLead]; i >= 0 {
		var err error
		if f.leads, err = f.durations(&f.labels.Axes[i]); err != nil {
			return err
		}
	}
	for i := range f.labels.Scalars {
		x := &f.labels.Scalars[i]
		switch m := meaningOf(x); {
		case !forecasts || len(x.Values) != 1:
		case m == ofLead && f.axis[ofLead] < 0:
			var err error
			if f.leads, err = f.durations(x); err != nil {
				return err
			}
		case f.axis[ofInit] < 0 && (m == ofInit || m == ofTime && x.Name == "time" && f.axis[ofTime] < 0):
			times, err := f.clock(x)
			if err != nil {
				return err
			}
			f.init = times[0]
		}
	}
	if f.leads != nil && f.axis[ofInit] < 0 {
		f.axis[ofInit], f.axis[ofTime] = f.axis[ofTime], -1
	}
	for _, m := range []meaning{ofInit, ofTime} {
		if i := f.axis[m]; i >= 0 {
			if f.labels.Axes[i].Values == nil {
				return fmt.Errorf("%s: %s has no values along its axis %s", f.what, f.array.Name(), f.labels.Axes[i].Name)
			}
			var err error
			f.times, err = f.clock(&f.labels.Axes[i])
			if err == nil {
				err = f.distinct(&f.labels.Axes[i], f.times)
			}
			return err
		}
	}
	return nil
}

// distinct finds a time that occurs twice.
func (f *labeled) distinct(x *dataset.Axis, times []float64) error {
	if time, ok := repeated(times); ok {
		return fmt.Errorf("%s: %s has %s twice", f.what, x.Name, f.calendar.Format(time))
	}
	return nil
}

// finer are units by their number in an hour.
var finer = map[float64]string{
	1: "hours", 60: "minutes", 3600: "seconds", 3.6e6: "milliseconds", 3.6e9: "microseconds", 3.6e12: "nanoseconds",
}

// clock are times in seconds.
func (f *labeled) clock(x *dataset.Axis) ([]float64, error) {
	units, calendar := x.Units, x.Calendar
	if x.Time != "" {
		count, hour, ok := unitOf(strings.Replace(x.Time, "M8", "m8", 1))
		if !ok || hour[0] != 1 || count != 1 {
			return nil, fmt.Errorf("%s: %s has the type %s, want times of hours, seconds or finer", f.what, x.Name, x.Time)
		}
		units, calendar = finer[hour[1]]+" since 1970-01-01", "proleptic_gregorian"
	}
	clock, err := netcdf.NewClock(units, calendar)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.what, x.Name, err)
	}
	f.calendar = clock.Calendar
	out := make([]float64, len(x.Values))
	for i, v := range x.Values {
		if !(math.Abs(v) < 1e19) {
			return nil, fmt.Errorf("%s: %s %d is %v, want a time", f.what, x.Name, i, v)
		}
		out[i] = clock.Seconds(v)
	}
	return out, nil
}

// durations are leads in seconds.
func (f *labeled) durations(x *dataset.Axis) ([]float64, error) {
	seconds, ok := netcdf.Duration(x.Units)
	if x.Time != "" {
		var count float64
		var hour [2]float64
		count, hour, ok = unitOf(x.Time)
		seconds = 3600 * count * hour[0] / hour[1]
	}
	if !ok {
		return nil, fmt.Errorf("%s: %s has the units %q, want days, hours, minutes or seconds", f.what, x.Name, x.Units)
	}
	out := make([]float64, len(x.Values))
	for i, v := range x.Values {
		if !(math.Abs(v*seconds) < 1e12) {
			return nil, fmt.Errorf("%s: %s %d is %v, want a duration", f.what, x.Name, i, v)
		}
		out[i] = math.Round(v*seconds*1e3) / 1e3
	}
	if _, ok := repeated(out); ok {
		return nil, fmt.Errorf("%s: %s has a lead twice", f.what, x.Name)
	}
	return out, nil
}

// variables are the names of the variables: of the array, or one for each level.
func (f *labeled) variables() []string {
	key := f.array.Key()
	name := key[strings.LastIndexByte(key, '/')+1:]
	if i := f.axis[ofLevel]; i >= 0 && f.array.Shape()[i] > 1 {
		var names []string
		for k := range f.array.Shape()[i] {
			level := fmt.Sprint(k)
			if f.levels != nil {
				level = fmt.Sprint(f.levels[k])
			}
			names = append(names, name+"_"+level)
		}
		return names
	}
	return []string{name}
}

// matching finds every value of want in have: the index of each. period, if not 0, is where values repeat.
func matching(want, have []float64, period float64) ([]int, bool) {
	if len(want) != len(have) {
		return nil, false
	}
	tolerance := 1e-3
	if len(want) > 1 {
		tolerance = min(tolerance, math.Abs(want[1]-want[0])/10)
	}
	key := func(v float64) float64 {
		if period > 0 {
			v = math.Mod(math.Mod(v, period)+period, period)
			if period-v < tolerance {
				v = 0
			}
		}
		return v
	}
	order := make([]int, len(have))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if key(have[a]) < key(have[b]) {
			return -1
		}
		return 1
	})
	out := make([]int, len(want))
	used := make([]bool, len(have))
	for i, v := range want {
		v = key(v)
		k, _ := slices.BinarySearchFunc(order, v-tolerance, func(i int, t float64) int {
			if key(have[i]) < t {
				return -1
			}
			return 1
		})
		if k == len(order) || used[order[k]] || math.Abs(key(have[order[k]])-v) > tolerance {
			return nil, false
		}
		out[i] = order[k]
		used[order[k]] = true
	}
	return out, true
}

// grid describes values for a message.
func grid(values []float64) string {
	if len(values) == 1 {
		return fmt.Sprintf("%g", values[0])
	}
	return fmt.Sprintf("%d values from %g to %g", len(values), values[0], values[len(values)-1])
}

// samePlaces reports whether cells are at the same places, up to the period of [matching].
func samePlaces(want, have []float64, period float64) bool {
	return slices.EqualFunc(want, have, func(a, b float64) bool {
		distance := math.Abs(a - b)
		if period > 0 {
			distance = math.Mod(distance, period)
			distance = min(distance, period-distance)
		}
		return distance <= 1e-3
	})
}

// unitNames are one name of units that are written in several ways.
var unitNames = map[string]string{
	"kelvin": "K", "k": "K", "degk": "K", "celsius": "degC", "degree_celsius": "degC", "degrees_celsius": "degC",
	"degc": "degC", "°c": "degC", "c": "degC", "deg_c": "degC", "degreesc": "degC", "fahrenheit": "degF",
	"degf": "degF", "m/s": "m s-1", "m2/s2": "m2 s-2", "kg/kg": "kg kg-1",
}

// unit is one way of writing a unit.
func unit(text string) string {
	text = strings.Join(strings.Fields(strings.NewReplacer("**", "", "^", "", ".", " ").Replace(text)), " ")
	if name, ok := unitNames[strings.ToLower(text)]; ok {
		return name
	}
	return text
}
