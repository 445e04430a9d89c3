// Forecasts aligned by their coordinates, against the errors that xarray finds after its own alignment.

package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/forecast"
	"repscope/dataset"
	"repscope/internal/input"
)

// alignedFiles aligns files of testdata/coordinates by their names: a target, forecasts, and perhaps a climatology.
func alignedFiles(t *testing.T, target, climate string, forecasts ...string) (*settings, *forecast.Input, []string, error) {
	t.Helper()
	open := func(spec string) *dataset.Array {
		a, err := dataset.Open(filepath.Join("testdata", "coordinates", spec))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	var warnings []string
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	s := &settings{leads: &input.Given{}, groups: &input.Given{}}
	in := &forecast.Input{Target: open(target)}
	var arrays []input.Array
	for _, spec := range forecasts {
		a := open(spec)
		arrays = append(arrays, input.Array{Name: spec, Array: a})
		in.Forecasts = append(in.Forecasts, forecast.Forecast{Name: spec, Members: a})
	}
	if climate != "" {
		in.Climate = open(climate)
	}
	err := s.align(warn, in, arrays)
	return s, in, warnings, err
}

// values reads all of an array.
func values(t *testing.T, a forecast.Array) []float64 {
	t.Helper()
	n := 1
	for _, k := range a.Shape() {
		n *= k
	}
	out := make([]float64, n)
	if err := a.ReadFloat64(out, 0, a.Shape()[0]); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAlign(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/coordinates.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []struct {
			Name, Target, Forecast string
			RMSE                   float64
			Samples                int
		}
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) < 5 {
		t.Fatalf("%d cases, %v", len(all.Cases), err)
	}
	for _, c := range all.Cases {
		s, in, warnings, err := alignedFiles(t, c.Target, "", c.Forecast)
		if err != nil {
			t.Error(err)
			continue
		}
		shape := in.Target.Shape()
		if len(shape) != 4 || shape[0] != c.Samples || len(in.Groups) != c.Samples || in.Variables[0] != "t2m" || len(s.latitude) != shape[2] {
			t.Errorf("%s: target %v, groups %v, %v, latitudes %v, %v", c.Name, shape, in.Groups, in.Variables, s.latitude, warnings)
			continue
		}
		truth, members := values(t, in.Target), values(t, in.Forecasts[0].Members)
		size, count := shape[2]*shape[3], len(members)/len(truth)
		sum, total := 0.0, 0.0
		for i, y := range truth {
			mean := 0.0
			for k := range count {
				mean += members[(i/size*count+k)*size+i%size] / float64(count)
			}
			w := math.Cos(s.latitude[i%size/shape[3]] * math.Pi / 180)
			sum += w * (mean - y) * (mean - y)
			total += w
		}
		if got := math.Sqrt(sum / total); math.Abs(got/c.RMSE-1) > 1e-12 {
			t.Errorf("%s: error %v, want %v", c.Name, got, c.RMSE)
		}
	}
}

// TestAlign_Curvilinear has latitudes and longitudes of cells; the error is weighted by their areas.
func TestAlign_Curvilinear(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/curvilinear.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		RMSE    float64
		Samples int
		Areas   []float64
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	s, in, warnings, err := alignedFiles(t, "curved.nc:t2m", "", "curved_forecast.nc:t2m")
	if err != nil || !slices.Equal(in.Target.Shape(), []int{want.Samples, 1, 4, 3}) || len(s.areas) != 12 {
		t.Fatalf("%v, areas %v, %v, %v", in.Target.Shape(), s.areas, warnings, err)
	}
	weights := timesCells(s.areas, nil, forecast.Dims{H: 4, W: 3})
	for i, area := range weights {
		if math.Abs(area/want.Areas[i]-1) > 1e-12 {
			t.Errorf("area of cell %d: %v, want %v", i, area, want.Areas[i])
		}
	}
	truth, members := values(t, in.Target), values(t, in.Forecasts[0].Members)
	sum, total := 0.0, 0.0
	for i, y := range truth {
		first := i/12*24 + i%12
		off := (members[first]+members[first+12])/2 - y
		sum += weights[i%12] * off * off
		total += weights[i%12]
	}
	if got := math.Sqrt(sum / total); math.Abs(got/want.RMSE-1) > 1e-12 {
		t.Errorf("error %v, want %v", got, want.RMSE)
	}
	for message, c := range map[string][2]string{
		"has another grid than the target: latitude: 12 values": {"curved.nc:t2m", "curved_moved.nc:t2m"},
		"and of rows and columns in the target":                 {"curved_not.nc:t2m", "curved_forecast.nc:t2m"},
		"are both the latitude of its cells":                    {"curved.nc:t2m", "curved_twice.nc:t2m"},
	} {
		if _, _, _, err := alignedFiles(t, c[0], "", c[1]); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v, want %q", err, message)
		}
	}
}

func TestAlign_Mismatch(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][]string{
		"has another grid than the target: longitude":  {"grid.nc:t2m", "", "center.nc:t2m"},
		"has the calendar proleptic_gregorian":         {"noleap.nc:t2m", "", "center.nc:t2m"},
		"the other valid times alone":                  {"truth3.nc:t2m", "", "center.nc:t2m", "truth3.nc:t2m"},
		"has no coordinates of latitude and longitude": {"truth3.nc:t2m", "center.nc:latitude", "center.nc:t2m"},
		"has none of the 12 samples of the forecasts":  {"late.nc:t2m", "", "center.nc:t2m"},
	} {
		if _, _, _, err := alignedFiles(t, c[0], c[1], c[2:]...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, _, _, err := alignedFiles(t, "celsius.nc:t2m", "", "center.nc:t2m")
	if err == nil || !strings.Contains(err.Error(), "has the units K, the target degC") {
		t.Errorf("%v", err)
	}
	_, in, warnings, err := alignedFiles(t, "truth3.nc:t2m", "", "single.nc:t2m", "center.nc:t2m")
	if err != nil || len(in.Leads) != 3 || !strings.Contains(strings.Join(warnings, "\n"), "single.nc:t2m lacks 9 of 14 samples") {
		t.Errorf("leads %v, %q, %v", in.Leads, warnings, err)
	}
	// A climatology of days and hours, and one that does not change.
	for climate, want := range map[string][2]float64{"climatology.nc:t2m": {58*10 + 6, 60*10 + 6}, "mean.nc:t2m": {7, 7}} {
		_, in, _, err := alignedFiles(t, "truth3.nc:t2m", climate, "center.nc:t2m")
		if err != nil {
			t.Error(err)
			continue
		}
		x := values(t, in.Climate)
		if got := [2]float64{x[0], x[len(x)-1]}; got != want {
			t.Errorf("%s: first and last %v, want %v", climate, got, want)
		}
	}
	// Given leads, all stays as it is.
	_, in, _, err = alignedFiles(t, "truth3.nc:t2m", "", "fixed.npy")
	if err != nil || len(in.Target.Shape()) != 3 {
		t.Errorf("%v, %v", in.Target.Shape(), err)
	}
}

// Members with the same label are scored and told.
func TestWarnOfMembers(t *testing.T) {
	t.Parallel()
	for want, numbers := range map[string][]float64{
		"": {0, 2, 1}, "forecast a: number has 1 more than once": {0, 1, 2, 1}, "number has 0 more": {0, 0},
	} {
		f := &labeled{what: "forecast a", labels: &dataset.Labels{Axes: []dataset.Axis{{Name: "number", Values: numbers}}}}
		for m := range f.axis {
			f.axis[m] = -1
		}
		f.warnOfMembers()
		f.axis[ofMember] = 0
		f.warnOfMembers()
		if got := strings.Join(f.warnings, "\n"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("numbers %v: warnings %q, want %q", numbers, got, want)
		}
	}
}
