// Times against those of cftime.

package netcdf

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

func TestClock(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/times.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []struct {
			Units, Calendar, Date string
			Value, Seconds        float64
		}
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) < 100 {
		t.Fatalf("%d cases, %v", len(all.Cases), err)
	}
	for _, c := range all.Cases {
		clock, err := NewClock(c.Units, c.Calendar)
		if err != nil {
			t.Error(err)
			continue
		}
		reference, err := NewClock("seconds since 2000-01-01", c.Calendar)
		if err != nil {
			t.Fatal(err)
		}
		got := clock.Seconds(c.Value)
		if date := clock.Calendar.Format(got); date != c.Date || math.Abs(got-reference.Seconds(c.Seconds)) > 2e-3 {
			t.Errorf("%v %s (%s) is %s, want %s; %v s since 2000, want %v", c.Value, c.Units, c.Calendar, date, c.Date, got-reference.Seconds(0), c.Seconds)
		}
	}
}

func TestClock_Errors(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"months since 2000-01-01", ""}, {"hours", ""}, {"hours since 2000-13-01", ""}, {"days since 2001-02-29", "noleap"},
		{"days since 2000-01-31", "360_day"}, {"days since 2000-01-01", "maya"}, {"K", ""}, {"days since 2000-01-01 99:00", ""},
	} {
		if _, err := NewClock(c[0], c[1]); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	if Standard.Comparable(NoLeap) || !Standard.Comparable(Proleptic) || NoLeap.Comparable(Days360) {
		t.Error("calendars that are comparable")
	}
}
