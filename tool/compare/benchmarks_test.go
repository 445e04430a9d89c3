// Output of go test -bench.

package compare

import (
	"math"
	"strings"
	"testing"

	"repscope/report"
)

const benchmarkText = `goos: linux
goarch: amd64
pkg: example.com/x
cpu: Fast
BenchmarkEncode-8   	 1000	  100 ns/op	 10.0 MB/s	 45 B/op	 6 allocs/op
BenchmarkEncode-8   	 1000	  102 ns/op	 9.8 MB/s	 45 B/op	 6 allocs/op
    encode_test.go:10: a line of a log
BenchmarkEncode-8   	 1000	  104 ns/op	 9.6 MB/s	 45 B/op	 6 allocs/op
Unit hits better=higher assume=exact
BenchmarkCache/size=3-8 	 10	 1.5e3 ns/op	 7 hits	 2 odd
BenchmarkLogged-8
PASS
ok  	example.com/x	1.2s
`

// Welch's t test of the runs is scipy's ttest_ind([80, 81, 82], [100, 102, 104], equal_var=False).
func TestBenchmarks(t *testing.T) {
	t.Parallel()
	old, err := ReadFrom("runs/old.txt", []byte(benchmarkText))
	if err != nil || len(old) != 2 {
		t.Fatal(old, err)
	}
	want := map[string]float64{"Encode-8|old|1|ns/op": 100, "Encode-8|old|2|ns/op": 102, "Encode-8|old|3|ns/op": 104, "Encode-8|old|1|MB/s": 10,
		"Encode-8|old|2|MB/s": 9.8, "Encode-8|old|3|MB/s": 9.6, "Cache/size=3-8|old||ns/op": 1500, "Cache/size=3-8|old||hits": 7, "Cache/size=3-8|old||odd": 2}
	for _, run := range []string{"1", "2", "3"} {
		want["Encode-8|old|"+run+"|B/op"], want["Encode-8|old|"+run+"|allocs/op"] = 45, 6
	}
	if got := scoresOf(old); !sameScores(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for unit, direction := range map[string]report.Direction{"ns/op": report.Lower, "B/op": report.Lower, "allocs/op": report.Lower, "MB/s": report.Higher,
		"hits": report.Higher, "odd": Unknown} {
		if metric, described := old[0].describe(old[0].Models[0], unit); metric.Direction != direction || !described {
			t.Errorf("%s: %v", unit, metric)
		}
	}
	faster := strings.NewReplacer("100 ns", "80 ns", "102 ns", "81 ns", "104 ns", "82 ns").Replace(benchmarkText)
	fresh, err := ReadFrom("runs/new.txt", []byte(faster))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), &Gathered{Files: append(old, fresh...)}, Options{Baseline: "old", Metrics: []string{"ns/op"}})
	if err != nil {
		t.Fatal(err)
	}
	if cell := r.Table[0].Cells[1]; math.Abs(cell.P.V-0.0005651138995776305) > 1e-12 || math.Abs(cell.DifferenceCI.Low+25.155399503182505) > 1e-9 ||
		cell.Decision != "better" || cell.Runs != 3 {
		t.Errorf("%+v", cell)
	}
	// Another machine is another measurement.
	slow, err := ReadFrom("runs/slow.txt", []byte(strings.Replace(benchmarkText, "cpu: Fast", "cpu: Slow", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(t.Context(), &Gathered{Files: append(old, slow...)}, Options{}); err == nil || !strings.Contains(err.Error(), `cpu is "Fast" in runs/old.txt and "Slow" in`) {
		t.Errorf("error %v", err)
	}
	// Benchmarks of one name in two packages are two.
	files, err := ReadFrom("b.txt", []byte("pkg: x\nBenchmarkA 1 2 ns/op\npkg: y\nBenchmarkA 1 3 ns/op\n"))
	if got := scoresOf(files); err != nil || !sameScores(got, map[string]float64{"x.A|b||ns/op": 2, "y.A|b||ns/op": 3}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestBadBenchmarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"BenchmarkA-8 100 12 ns/op 7\n":                     `b.txt:1: BenchmarkA-8: "7" has no unit`,
		"BenchmarkA-8 100 fast ns/op\n":                     `b.txt:1: BenchmarkA-8: ns/op is "fast", want a number`,
		"BenchmarkA-8 100 NaN ns/op\n":                      "want a number",
		"BenchmarkA-8 100 1e999 ns/op\n":                    "want a number",
		"BenchmarkA-8 100 1 ns/op 2 ns/op\n":                "ns/op is there twice",
		"goos: linux\nFAIL\n":                               "b.txt: no line is the result of a benchmark",
		"goos: linux\nBenchmarkA 1 2 ns/op\ngoos: darwin\n": "b.txt:3: goos is darwin here and linux above",
	} {
		if files, err := ReadFrom("b.txt", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, files, err, want)
		}
	}
}
