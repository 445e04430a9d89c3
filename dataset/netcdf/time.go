// Times of coordinates: numbers of a unit since a date of a calendar.

package netcdf

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Calendar is a calendar of the CF conventions by its first name there.
type Calendar string

// The calendars.
const (
	Standard  Calendar = "standard"            // Julian up to 1582-10-04, Gregorian from 1582-10-15 on
	Proleptic Calendar = "proleptic_gregorian" // Gregorian always
	Julian    Calendar = "julian"
	NoLeap    Calendar = "noleap"
	AllLeap   Calendar = "all_leap"
	Days360   Calendar = "360_day"
)

// calendars are all names.
var calendars = map[string]Calendar{
	"": Standard, "standard": Standard, "gregorian": Standard, "proleptic_gregorian": Proleptic, "julian": Julian,
	"noleap": NoLeap, "365_day": NoLeap, "all_leap": AllLeap, "366_day": AllLeap, "360_day": Days360,
}

// Comparable reports whether times of both calendars are on one line: the Gregorian and the Julian ones are.
func (c Calendar) Comparable(other Calendar) bool {
	real := func(c Calendar) bool { return c == Standard || c == Proleptic || c == Julian }
	return c == other || real(c) && real(other)
}

// Clock converts numbers to times: seconds from the day 0 of the calendar.
type Clock struct {
	Calendar Calendar
	start    float64 // seconds
	unit     float64 // seconds
}

// units are the seconds of units of time.
var units = func() map[string]float64 {
	out := map[string]float64{}
	for seconds, names := range map[float64]string{
		604800: "weeks week", 86400: "days day d D", 3600: "hours hour hrs hr h", 60: "minutes minute mins min m",
		1: "seconds second secs sec s", 1e-3: "milliseconds millisecond millisecs msecs msec ms",
		1e-6: "microseconds microsecond microsecs us", 1e-9: "nanoseconds nanosecond nsecs ns",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = seconds
		}
	}
	return out
}()

// Duration is the number of seconds of a unit of time; not ok if it is none of fixed length.
func Duration(unit string) (seconds float64, ok bool) {
	unit = strings.TrimSpace(unit)
	if seconds, ok = units[unit]; !ok {
		seconds, ok = units[strings.ToLower(unit)]
	}
	return seconds, ok
}

// since separates a unit from a date, and the parts of that.
var since = regexp.MustCompile(`^\s*(\w+)\s+since\s+([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})` +
	`(?:[T\s]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?)?)?\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?\s*$`)

// NewClock reads the attributes units, such as hours since 1900-01-01, and calendar. Errors: other units than times,
// and months and years, which have no fixed length.
func NewClock(unitsText, calendar string) (Clock, error) {
	c, ok := calendars[strings.ToLower(strings.TrimSpace(calendar))]
	if !ok {
		return Clock{}, fmt.Errorf("calendar %.40q, want standard, proleptic_gregorian, julian, noleap, all_leap or "+
			"360_day", calendar)
	}
	parts := since.FindStringSubmatch(unitsText)
	if parts == nil {
		return Clock{}, fmt.Errorf("units %.60q, want a unit since a date, such as hours since 1900-01-01", unitsText)
	}
	unit, ok := Duration(parts[1])
	if !ok {
		return Clock{}, fmt.Errorf("units %.60q: %s has no fixed length; want days, hours, minutes or seconds",
			unitsText, parts[1])
	}
	number := func(i int) int { n, _ := strconv.Atoi(parts[i]); return n }
	year, month, day := number(2), number(3), number(4)
	if month < 1 || month > 12 || day < 1 || day > c.monthDays(year, month) {
		return Clock{}, fmt.Errorf("units %.60q: no date of the calendar %s", unitsText, c)
	}
	seconds, _ := strconv.ParseFloat(parts[7], 64)
	if number(5) > 24 || number(6) > 59 || seconds >= 61 {
		return Clock{}, fmt.Errorf("units %.60q: no time of a day", unitsText)
	}
	seconds += float64(3600*number(5) + 60*number(6))
	if zone := parts[8]; zone != "" && (zone[0] == '+' || zone[0] == '-') {
		digits := strings.Replace(zone[1:], ":", "", 1)
		n, _ := strconv.Atoi(digits)
		if len(digits) <= 2 {
			n *= 100
		}
		offset := float64(n/100*3600 + n%100*60)
		if zone[0] == '-' {
			offset = -offset
		}
		seconds -= offset
	}
	return Clock{c, 86400*float64(c.day(year, month, day)) + seconds, unit}, nil
}

// Seconds are the seconds of a time, rounded to milliseconds.
func (c Clock) Seconds(v float64) float64 {
	return math.Round((c.start+v*c.unit)*1e3) / 1e3
}

// before are the days of a year before each month, without a leap day.
var before = [13]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// leap reports whether a year has a leap day.
func (c Calendar) leap(year int) bool {
	switch c {
	case AllLeap:
		return true
	case NoLeap, Days360:
		return false
	case Julian:
		return year%4 == 0
	case Standard:
		if year <= 1582 {
			return year%4 == 0
		}
	}
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// monthDays are the days of a month.
func (c Calendar) monthDays(year, month int) int {
	if c == Days360 {
		return 30
	}
	n := before[month] - before[month-1]
	if month == 2 && c.leap(year) {
		n++
	}
	return n
}

// day numbers the days: Julian day numbers for the calendars that are comparable, days since the year 0 for others.
func (c Calendar) day(year, month, day int) int {
	n := before[month-1] + day - 1
	if month > 2 && c.leap(year) {
		n++
	}
	floor := func(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }
	past := year - 1
	switch c {
	case NoLeap:
		return 365*year + n
	case AllLeap:
		return 366*year + n
	case Days360:
		return 360*year + 30*(month-1) + day - 1
	case Julian:
		return 365*past + floor(past, 4) + n + 1721424
	case Standard:
		if year < 1582 || year == 1582 && (month < 10 || month == 10 && day < 15) {
			return Julian.day(year, month, day)
		}
		return Proleptic.day(year, month, day)
	}
	return 365*past + floor(past, 4) - floor(past, 100) + floor(past, 400) + n + 1721426
}

// Date is the date and the second of the day of a time in seconds.
func (c Calendar) Date(seconds float64) (year, month, day int, second float64) {
	d := int(math.Floor(seconds / 86400))
	second = seconds - 86400*float64(d)
	year = int(math.Floor(float64(d)/365.25)) + 1
	if c.Comparable(Standard) {
		year -= 4714
	}
	for c.day(year, 1, 1) > d {
		year--
	}
	for c.day(year+1, 1, 1) <= d {
		year++
	}
	month = 12
	for c.day(year, month, 1) > d {
		month--
	}
	return year, month, d - c.day(year, month, 1) + 1, second
}

// DayOfYear is the day of the year, from 1 on, of a time in seconds.
func (c Calendar) DayOfYear(year int, seconds float64) int {
	return int(math.Floor(seconds/86400)) - c.day(year, 1, 1) + 1
}

// Format writes a time as 2020-01-31 06:00.
func (c Calendar) Format(seconds float64) string {
	year, month, day, second := c.Date(seconds)
	minutes := int(second / 60)
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d", year, month, day, minutes/60, minutes%60)
}
