// Leads: numbers, durations of NumPy, and durations that are texts: of pandas, Python and ISO 8601.

package command

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/dataset"
)

// hours are the hours of the units of NumPy's durations, as fractions. Months and years have no length.
var hours = map[string][2]float64{
	"W": {168, 1}, "D": {24, 1}, "h": {1, 1}, "m": {1, 60}, "s": {1, 3600},
	"ms": {1, 3.6e6}, "us": {1, 3.6e9}, "ns": {1, 3.6e12}, "ps": {1, 3.6e15}, "fs": {1, 3.6e18}, "as": {1, 3.6e21},
}

// isDuration reports whether leads are durations, which are read in hours.
func isDuration(a *dataset.Array) bool { return a.Time() != "" || a.Classes() != nil }

// readLeads reads leads: numbers as they are, durations in hours.
func readLeads(a *dataset.Array) ([]float64, error) {
	leads := make([]float64, a.Len())
	if !isDuration(a) {
		return leads, a.ReadFloat64(leads, 0, a.Len())
	}
	values := make([]int64, a.Len())
	if err := a.ReadInt64(values, 0, a.Len()); err != nil {
		return nil, err
	}
	for i, v := range values {
		if a.Time() == "" {
			text := a.Classes()[v]
			lead, ok := parseDuration(text)
			if !ok {
				return nil, fmt.Errorf(
					"%s: element %d is %q, want a number, or a duration such as 1 days 06:00:00 or P1DT6H%s",
					a.Name(), i, text, noLength(text))
			}
			leads[i] = lead
			continue
		}
		count, unit, ok := unitOf(a.Time())
		if !ok {
			return nil, fmt.Errorf(
				"%s: elements have the NumPy type %s, want numbers or durations of fixed length (timedelta64)",
				a.Name(), a.Time())
		}
		leads[i] = float64(v) * (count * unit[0]) / unit[1]
	}
	return leads, nil
}

// unitOf reads NumPy's code of durations, such as m8[25s]; not ok for times and months.
func unitOf(code string) (count float64, hour [2]float64, ok bool) {
	text, cut := strings.CutPrefix(code, "m8[")
	if !cut {
		return 0, hour, false
	}
	text = strings.TrimSuffix(text, "]")
	unit := strings.TrimLeft(text, "0123456789")
	count = 1
	if number := strings.TrimSuffix(text, unit); number != "" {
		count, _ = strconv.ParseFloat(number, 64)
	}
	hour, ok = hours[unit]
	return count, hour, ok
}

// duration is how pandas writes durations: [-]D days [+]HH:MM:SS[.fraction], or the part behind the
// days alone, or days alone; Python has a comma behind the days.
var duration = regexp.MustCompile(`^(?:(-?\d+) days?)?(?:,? ?([+-]?)(\d+):(\d\d):(\d\d(?:\.\d+)?))?$`)

// isoDuration is a duration of ISO 8601 without years and months, which have no length: P1W, P1DT12H, PT0.5H. The
// sign may stand before it or, as pandas writes it, before a number.
var isoDuration = regexp.MustCompile(`^([+-]?)P(?:(-?\d+(?:[.,]\d+)?)W)?(?:(-?\d+(?:[.,]\d+)?)D)?` +
	`(T(?:(-?\d+(?:[.,]\d+)?)H)?(?:(-?\d+(?:[.,]\d+)?)M)?(?:(-?\d+(?:[.,]\d+)?)S)?)?$`)

// isoCalendar is one with years or months.
var isoCalendar = regexp.MustCompile(`^[+-]?P(?:-?\d+(?:[.,]\d+)?[YMWD])+(?:T.*)?$`)

// noLength says of durations with years or months that they have no length, else nothing.
func noLength(text string) string {
	if date, _, _ := strings.Cut(text, "T"); isoCalendar.MatchString(text) && strings.ContainsAny(date, "YM") {
		return "; years and months have no fixed length"
	}
	return ""
}

// parseISO reads a duration of ISO 8601 in hours. Its last number alone may be broken.
func parseISO(text string) (float64, bool) {
	part := isoDuration.FindStringSubmatch(text)
	if part == nil || part[4] == "T" {
		return 0, false
	}
	total, count, broken := 0.0, 0, false
	for _, term := range []struct {
		part int
		unit string
	}{{2, "W"}, {3, "D"}, {5, "h"}, {6, "m"}, {7, "s"}} {
		number := strings.Replace(part[term.part], ",", ".", 1)
		if number == "" {
			continue
		}
		if broken {
			return 0, false
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0, false
		}
		broken = strings.Contains(number, ".")
		total += v * hours[term.unit][0] / hours[term.unit][1]
		count++
	}
	if part[1] == "-" {
		total = -total
	}
	return total, count > 0
}

// parseDuration reads a duration in hours.
func parseDuration(text string) (float64, bool) {
	if lead, ok := parseISO(text); ok {
		return lead, true
	}
	part := duration.FindStringSubmatch(text)
	if part == nil || text == "" {
		return 0, false
	}
	number := func(i int) float64 {
		v, _ := strconv.ParseFloat(part[i], 64) // empty: 0
		return v
	}
	clock := number(3) + number(4)/60 + number(5)/3600
	if part[2] == "-" {
		clock = -clock
	}
	return 24*number(1) + clock, true
}

// nanoseconds reports whether leads are whole seconds in nanoseconds, which no other unit makes so large.
func nanoseconds(leads []float64) bool {
	return slices.Max(leads) >= 1e10 &&
		!slices.ContainsFunc(leads, func(v float64) bool { return math.Mod(v, 1e9) != 0 })
}
