// Tables that benchstat prints. The numbers are of the example in its documentation and of the tests of
// golang.org/x/perf at 712aea8b (10 June 2026).

package compare

import (
	"math"
	"strings"
	"testing"

	"repscope/report"
)

const benchstatText = `goos: linux
goarch: amd64
pkg: golang.org/x/perf/cmd/benchstat/testdata
                      │   old.txt   │               new.txt               │
                      │   sec/op    │   sec/op     vs base                │
Encode/format=json-48   1.718µ ± 1%   1.423µ ± 1%  -17.20% (p=0.000 n=10)
Encode/format=gob-48    3.066µ ± 0%   3.070µ ± 2%        ~ (p=0.446 n=10)
geomean                 2.295µ        2.090µ        -8.94%

                      │    old.txt    │               new.txt                │
                      │      B/s      │      B/s        vs base              │
Encode/format=json-48   8602.5Mi ± 3%   14.567Gi ± 4%  +42.34% (p=0.000 n=10)
Encode/format=only-48                   1.150Gi ± 0%
`

const benchstatCSV = `goos: linux
goarch: amd64
pkg: golang.org/x/perf/cmd/benchstat/testdata
,old.txt,,new.txt,,,
,sec/op,CI,sec/op,CI,vs base,P
Encode/format=json-48,1.7180000000000001e-06,1%,1.4225000000000001e-06,1%,-17.20%,p=0.000 n=10
Encode/format=gob-48,3.0655e-06,0%,3.0700000000000003e-06,2%,~,p=0.446 n=10
geomean,2.294891936453654e-06,,2.089754770302007e-06,,-8.94%,
`

// TestBenchstat_Prefixes reads every prefix that benchstat prints.
func TestBenchstat_Prefixes(t *testing.T) {
	t.Parallel()
	for prefix, factor := range prefixes {
		table := "     │  old.txt  │\n     │   B/op    │\nFoo    307.3" + prefix + " ± 0%\n"
		files, err := ReadFrom("stat.txt", []byte(table))
		if got := scoresOf(files); err != nil || !closeScores(got, map[string]float64{"Foo|old||B/op": 307.3 * factor}) {
			t.Errorf("%q: %v, %v", prefix, got, err)
		}
	}
}

func TestBenchstat(t *testing.T) {
	t.Parallel()
	files, err := ReadFrom("stat.txt", []byte(benchstatText))
	want := map[string]float64{"Encode/format=json-48|old||sec/op": 1.718e-6, "Encode/format=json-48|new||sec/op": 1.423e-6,
		"Encode/format=gob-48|old||sec/op": 3.066e-6, "Encode/format=gob-48|new||sec/op": 3.070e-6,
		"Encode/format=json-48|old||B/s": 8602.5 * (1 << 20), "Encode/format=json-48|new||B/s": 14.567 * (1 << 30),
		"Encode/format=only-48|new||B/s": 1.150 * (1 << 30)}
	if got := scoresOf(files); err != nil || !closeScores(got, want) {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
	if metric, _ := files[0].describe(files[0].Models[0], "B/s"); metric.Direction != report.Higher {
		t.Errorf("%+v", metric)
	}
	// Exact values: the ratios that benchstat prints, its p values, and its geometric means.
	if files, err = ReadFrom("stat.csv", []byte(benchstatCSV)); err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Baseline: "old"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ value, base, low, high, better, p float64 }{
		{1.4225e-6, 1.718e-6, 1.4225e-6 * 0.985, 1.4225e-6 * 1.015, 17.20, 0.0005}, {3.07e-6, 3.0655e-6, 3.07e-6 * 0.975, 3.07e-6 * 1.025, -0.1468, 0.446},
	} {
		base, cell := r.Table[i].Cells[0], r.Table[i].Cells[1]
		for name, pair := range map[string][2]float64{"value": {cell.Value.V, want.value}, "base": {base.Value.V, want.base}, "low": {cell.CI.Low, want.low},
			"high": {cell.CI.High, want.high}} {
			if math.Abs(pair[0]-pair[1]) > 1e-15 {
				t.Errorf("row %d: %s is %v, want %v", i, name, pair[0], pair[1])
			}
		}
		if math.Abs(cell.Improvement.V-want.better) > 0.005 || cell.P.V != want.p || cell.From != FromComparison || cell.DifferenceCI.Defined() {
			t.Errorf("row %d: %+v", i, cell)
		}
	}
	if cells := r.Table[0].Cells; cells[1].Decision != "better" || r.Table[1].Cells[1].Decision != "~" {
		t.Errorf("%s, %s", cells[1].Decision, r.Table[1].Cells[1].Decision)
	}
	if ratio := r.Studies[0].of["new"].Ratio; math.Abs(ratio.V-2.089754770302007/2.294891936453654) > 1e-12 {
		t.Errorf("the ratio of geometric means is %v", ratio)
	}
}

// closeScores compares scores up to the rounding of their factors.
func closeScores(got, want map[string]float64) bool {
	for name, v := range got {
		if w, ok := want[name]; !ok || math.Abs(v-w) > 1e-12*math.Abs(w) {
			return false
		}
	}
	return len(got) == len(want)
}

func TestBenchstatColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]float64{
		// Columns of configurations, footnotes, and samples that are too few.
		`               │    before     │                after                │
               │    sec/op     │    sec/op     vs base               │
FloatSub/100-4   115.00n ± ∞ ¹   78.80n ± ∞ ¹  -31.48% (p=0.008 n=5)
¹ need >= 6 samples for confidence interval at level 0.95
`: {"FloatSub/100-4|before||sec/op": 115e-9, "FloatSub/100-4|after||sec/op": 78.8e-9},
		// Two lines of names: a name of the upper one covers several columns.
		`    │         linux         │
    │   old    │    new     │
    │    x     │  x  vs base  │
A      1.0 ± 0%   2.0 ± 0%  ~ (n=1)
`: {"A|linux/old||x": 1, "A|linux/new||x": 2},
		// One column as CSV.
		",new.txt,\n,sec/op,CI\nEncode,2.253e-06,37%\n": {"Encode|new||sec/op": 2.253e-6},
		// One benchmark in two packages.
		"pkg: a\n,x\n,u,CI\nB,1,0%\n\npkg: b\n,x\n,u,CI\nB,2,0%\n": {"a.B|x||u": 1, "b.B|x||u": 2},
	} {
		files, err := ReadFrom("stat.txt", []byte(text))
		if got := scoresOf(files); err != nil || !closeScores(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		",x,\n,u,CI\nA,fast,0%\n":                  `stat.txt:3: A: u is "fast ± 0%", want a number such as`,
		",x,\n,u,CI\nA,1q,0%\n":                    `want a number such as`,
		",x,\n,u,CI\nA,1i,0%\n":                    `there is no prefix "i"`,
		",x,\n,u,CI\nA,1,0%\nA,2,0%\n":             `stat.txt:4: u of x in A is there twice`,
		",x,\n,u,CI\n":                             `the table of benchstat has no rows`,
		",u,CI\nA,1,0%\n":                          `no name of its column`,
		"  │ a │\n  │  │\nA 1\n":                   `neither a name nor a unit`,
		"goos: a\n,x,\n,u,CI\nA,1,0%\n\ngoos: b\n": `goos is b here and a above`,
		",x,\n,u,CI\nA,1,0%\n\"\n":                 `no row of a table`,
	} {
		if files, err := ReadFrom("stat.txt", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, files, err, want)
		}
	}
}
