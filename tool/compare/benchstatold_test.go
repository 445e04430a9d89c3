// Tables that benchstat printed until 2022. The numbers are of the example of its documentation and of tests of
// golang.org/x/perf at ade13b72.

package compare

import (
	"math"
	"strings"
	"testing"
)

const benchstatOld = `name        old time/op    new time/op    delta
GobEncode     13.6ms ± 1%    11.8ms ± 1%  -13.31%  (p=0.016 n=4+5)
JSONEncode    32.1ms ±15%    31.8ms ± 1%     ~     (p=0.286 n=4+5)
[Geo mean]    20.9ms         19.4ms        -7.29%

name        old speed      new speed      delta
GobEncode   56.4MB/s ± 1%  65.1MB/s ± 1%  +15.36%  (p=0.016 n=4+5)

name        old alloc/op   new alloc/op   delta
GobEncode     1.64kB ± 0%    0.00B        -100.00%  (p=0.000 n=10+10)
JSONEncode      512B ± 0%      512B ± 0%     ~     (all equal)
`

func TestBenchstatOld(t *testing.T) {
	t.Parallel()
	files, err := ReadFrom("stat.txt", []byte(benchstatOld))
	want := map[string]float64{
		"GobEncode|old||sec/op": 13.6e-3, "GobEncode|new||sec/op": 11.8e-3, "JSONEncode|old||sec/op": 32.1e-3,
		"JSONEncode|new||sec/op": 31.8e-3, "GobEncode|old||B/s": 56.4e6, "GobEncode|new||B/s": 65.1e6,
		"GobEncode|old||B/op": 1640, "GobEncode|new||B/op": 0, "JSONEncode|old||B/op": 512, "JSONEncode|new||B/op": 512,
	}
	if got := scoresOf(files); err != nil || !closeScores(got, want) {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
	if note := files[0].notes[0]; !strings.Contains(note, "10 numbers of benchstat, rounded as printed: means") {
		t.Error(note)
	}
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Baseline: "old"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.016, 0.016, 0, 0.286} { // time and speed by task, as the table has them
		if i == 2 {
			continue
		}
		var found bool
		for _, row := range r.Table {
			found = found || math.Abs(row.Cells[1].P.V-want) < 1e-15 && row.Cells[1].From == FromComparison
		}
		if !found {
			t.Errorf("no row has p = %v", want)
		}
	}
	for _, row := range r.Table {
		if row.Cells[1].CI.Defined() {
			t.Errorf("%s has an interval, which the range of the runs is not", row.Metric)
		}
	}
}

func TestBenchstatOldColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]float64{
		// Several files; one lacks a benchmark, and names of columns are longer than their numbers.
		`name \ time/op  base.txt    longer-name.txt   x.txt
CRC32-8          47.0ns ± 1%      1.24µs ±211%  2.00s ± 0%
Only-8                            1.00ns ± 0%
`: {"CRC32-8|base||sec/op": 47e-9, "CRC32-8|longer-name||sec/op": 1.24e-6, "CRC32-8|x||sec/op": 2,
			"Only-8|longer-name||sec/op": 1e-9},
		// One file, groups of packages, and the space before a pasted table.
		`    name                  allocs/op
    pkg:a/gob goos:linux
    Encode-8              1.20k ± 0%
    pkg:b goos:linux
    Encode-8               12.0 ± 0%
`: {"a/gob.Encode-8|stat||allocs/op": 1200, "b.Encode-8|stat||allocs/op": 12},
	} {
		files, err := ReadFrom("stat.txt", []byte(text))
		if got := scoresOf(files); err != nil || !closeScores(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	head := "name  old time/op    new time/op    delta\n"
	for text, want := range map[string]string{
		head + "A       fast ± 1%       2.0s ± 1%   ~\n": `stat.txt:2: A: time/op of old is "fast ± 1%", want a number such as 13.6ms`,
		head + "A       1.0B ± 1%       2.0s ± 1%   ~\n": `want a number such as 13.6ms`,
		head: `the table of benchstat has no rows`,
		head + "A       1.0s ± 1%       2.0s ± 1%   ~\nA       1.0s ± 1%       2.0s ± 1%   ~\n": `sec/op of old in A is there twice`,
	} {
		if files, err := ReadFrom("stat.txt", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, files, err, want)
		}
	}
}
