// The short form: few draws of a small design, with the counts that they must give.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden counts anew")

// short is a design that is done in a second.
var short = Design{Name: "short", N: 160, Episodes: 8, Rho: 0.8, Between: 0.1}

// counts are the numbers of intervals that contain the mean, and of tests that reject.
type counts struct {
	Held     map[string][2]int // of metric: intervals that hold, intervals
	Rejected map[string][2]int // of metric: p values below 0.05, p values
	Untested map[string]int    // of metric: comparisons without a p value
}

// Every metric of every analysis is in the table, and its counts change only with -update. After a change of
// intervals or tests, write the counts with -update and the tables with make calibrate.
func TestShort(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: thousands of studies")
	}
	t.Parallel()
	for _, subject := range analyses() {
		t.Run(subject.Name, func(t *testing.T) {
			t.Parallel()
			got, err := tally(context.Background(), subject, short, 3, 42, 2)
			if err != nil {
				t.Fatal(err)
			}
			c := counts{map[string][2]int{}, map[string][2]int{}, map[string]int{}}
			for metric, cell := range got.Cells {
				c.Held[metric] = [2]int{cell.Held, cell.Intervals}
			}
			for metric, rate := range got.P {
				c.Rejected[metric] = [2]int{rate.Rejected, rate.Tests}
				c.Untested[metric] = rate.Untested
			}
			text, err := json.MarshalIndent(c, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", subject.Name+".json")
			if *update {
				if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(text)+"\n" {
				t.Errorf("got\n%s\nwant\n%s", text, want)
			}
		})
	}
}

// The same draws for any number of threads, and models that are equal: their
// coordinates have the memory and the variance that the design says.
func TestDraw(t *testing.T) {
	t.Parallel()
	d := Design{N: 40000, Episodes: 40, Rho: 0.8, Between: 0.3}
	a, b := d.draw(1, 7), d.draw(1, 7)
	var variance, lagged, count float64
	for i := range a.States {
		if a.States[i] != b.States[i] {
			t.Fatal("two draws of one number differ")
		}
	}
	for i := 1; i < d.N; i++ {
		if a.Episode[i] == a.Episode[i-1] {
			x, y := float64(a.States[i*features]), float64(a.States[(i-1)*features])
			variance, lagged, count = variance+x*x, lagged+x*y, count+1
		}
	}
	if v := variance / count; math.Abs(v-1) > 0.15 {
		t.Errorf("variance %v, want 1", v)
	}
	// 0.3 of the variance is between episodes, the rest falls with 0.8.
	if r := lagged / variance; math.Abs(r-(0.3+0.7*0.8)) > 0.05 {
		t.Errorf("correlation at lag 1 %v, want 0.86", r)
	}
	uneven := Design{N: 300, Episodes: 30, Uneven: 1}.draw(2, 0)
	if uneven.Episode[299] != 29 {
		t.Errorf("%d episodes, want 30", uneven.Episode[299]+1)
	}
	for _, threads := range []int{1, 3} {
		got, err := tally(context.Background(), analyses()[1], short, 2, 5, threads)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := tally(context.Background(), analyses()[1], short, 2, 5, 2); err != nil || again.Cells["levels.mean(sigma=0.1)"] != got.Cells["levels.mean(sigma=0.1)"] {
			t.Errorf("%d threads change the counts: %v", threads, err)
		}
	}
}

func TestCell(t *testing.T) {
	t.Parallel()
	list := []Estimate{{Value: 1, Low: 0, High: 2}, {Value: 3, Low: 2.5, High: 3.5, Repetition: 1}, {Value: 2, Low: 1, High: 3, Repetition: 1}, {Value: 2, Low: 1.5, High: 2.5}}
	c := cell(list, 2)
	if c.Held != 3 || c.Intervals != 4 || c.Coverage != 0.75 || math.Abs(c.CoverageSE-0.25) > 1e-12 || c.Missing != 2*models-4 {
		t.Errorf("%+v", c)
	}
	if want := 0.75 / (1.96 * math.Sqrt(2.0/3)); math.Abs(c.Width-want) > 1e-12 {
		t.Errorf("width %v, want %v", c.Width, want)
	}
}

// holdShort compares a table of few draws with the file in testdata, and what three threads
// write with what one does.
func holdShort(t *testing.T, file string, write func(w io.Writer, threads int) error) {
	t.Helper()
	var tables [2]bytes.Buffer
	for i, threads := range []int{1, 3} {
		if err := write(&tables[i], threads); err != nil {
			t.Fatal(err)
		}
	}
	got := tables[0].String()
	if got != tables[1].String() {
		t.Errorf("three threads give\n%s\none\n%s", tables[1].String(), got)
	}
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
