// Files that netCDF4 wrote, through the reader of arrays: stored, packed and missing values.

package netcdf_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Files map[string]map[string]struct {
			Shape  []int
			Values []*float64
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for name, variables := range all.Files {
		for variable, want := range variables {
			a, err := dataset.Open("testdata/" + name + ":" + variable)
			if err != nil {
				t.Error(err)
				continue
			}
			got := make([]float64, len(want.Values))
			if err := a.ReadFloat64(got, 0, a.Len()); err != nil || !slices.Equal(a.Shape(), want.Shape) {
				t.Errorf("%s: shape %v, %v, want %v", a.Name(), a.Shape(), err, want.Shape)
			}
			for i, w := range want.Values {
				if w == nil && got[i] == got[i] || w != nil && got[i] != *w {
					t.Errorf("%s: value %d is %v, want %v", a.Name(), i, got[i], w)
				}
			}
			a.Close()
		}
	}
}

// The variable that is no coordinate needs no name; texts are classes; notes say what was decoded.
func TestOpen(t *testing.T) {
	t.Parallel()
	if a, err := dataset.Open("testdata/single.nc"); err != nil || a.Key() != "b" {
		t.Errorf("%v", err)
	}
	for _, file := range []string{"cdf1.nc", "nc4.nc"} {
		path := "testdata/" + file
		if _, err := dataset.Open(path); err == nil || !strings.Contains(err.Error(), "name one as "+path+":") {
			t.Errorf("%v, want the names", err)
		}
		a, err := dataset.Open(path + ":packed")
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(a.Notes(), " "); !strings.Contains(notes, "decoded") || !strings.Contains(notes, "-32767 is NaN") {
			t.Errorf("notes %q", notes)
		}
		if _, err := dataset.Open(path + ":packd"); err == nil || !strings.Contains(err.Error(), `did you mean "packed"?`) {
			t.Errorf("%v", err)
		}
		if _, err := dataset.Open(path + ":labels"); err == nil || !strings.Contains(err.Error(), "labels: elements are texts") {
			t.Errorf("%v", err)
		}
		l, err := dataset.List(path + ":packed")
		if err != nil || !slices.ContainsFunc(l.Items[0].Attributes, func(p dataset.Property) bool { return p.Name == "units" && p.Value == "K" }) {
			t.Errorf("%+v, %v", l, err)
		}
	}
	a, err := dataset.OpenColumn("testdata/cdf5.nc:labels")
	if err != nil || !slices.Equal(a.Classes(), []string{"blue", "green", "red"}) {
		t.Errorf("%v", err)
	}
}

// A file that is cut anywhere is an error, or has what was asked for.
func TestTruncated(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	data, err := os.ReadFile("testdata/cdf2.nc")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.nc")
	for n := 1; n < len(data); n++ {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := dataset.Open(path + ":lat")
		if err == nil {
			a.Close()
		}
		if err == nil && n < len(data)-3 || err != nil && !strings.Contains(err.Error(), path) || n > 64 && err != nil && !errors.Is(err, dataset.ErrTruncated) {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(data), err)
		}
	}
}
