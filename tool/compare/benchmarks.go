// Output of go test -bench, which benchstat reads too.

package compare

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/filename"
	"repscope/internal/gunzip"
	"repscope/report"
)

// benchmarkLine is a result: a name, the number of iterations, and pairs of a number and a unit.
var benchmarkLine = regexp.MustCompile(`^Benchmark\S*\s+[0-9]+\s+\S+\s+\S`)

// benchmarkKey is a line of a key and what it is.
var benchmarkKey = regexp.MustCompile(`^(goos|goarch|pkg|cpu): *(.*)$`)

// unitDirections are the units whose better direction is the same everywhere.
var unitDirections = map[string]report.Direction{"ns/op": report.Lower, "sec/op": report.Lower, "B/op": report.Lower, "allocs/op": report.Lower,
	"MB/s": report.Higher, "B/s": report.Higher}

// isBenchmarks reports whether text holds results of benchmarks, or a table of them.
func isBenchmarks(data []byte) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if benchmarkKey.Match(bytes.TrimSpace(first)) {
		return true
	}
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("Benchmark")) && benchmarkLine.Match(line) || isPrinted(line) || isOldHead(line) {
			return true
		}
	}
	return false
}

// benchmarks are the results of one file.
type benchmarks struct {
	path    string
	options report.Object
	metrics map[string]report.Metric
	order   []benchmark
	results map[benchmark][][]report.Named // by run
	pkg     string
}

type benchmark struct{ pkg, name string }

// readBenchmarks reads results: the model is the file, every benchmark a task, every unit a metric,
// and repeated lines are runs. Lines of another kind are passed over, as benchstat does.
func readBenchmarks(path string, data []byte) ([]*File, error) {
	b := &benchmarks{path: path, metrics: map[string]report.Metric{}, results: map[benchmark][][]report.Named{}}
	for unit, direction := range unitDirections {
		b.metrics[unit] = report.Metric{Direction: direction}
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if err := b.line(strings.TrimSpace(string(line))); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if len(b.order) == 0 && printedTable(data) {
		return readBenchstat(b, data)
	}
	if len(b.order) == 0 {
		return nil, fmt.Errorf("%s: no line is the result of a benchmark (BenchmarkName-8  100  12.5 ns/op)", path)
	}
	packages := slices.ContainsFunc(b.order, func(of benchmark) bool { return of.pkg != b.order[0].pkg })
	var files []*File
	for _, entry := range b.order {
		f := &File{Path: path, Task: entry.name, Layout: layoutBenchmarks, inside: true, described: true, Options: b.options,
			metrics: b.metrics}
		if packages && entry.pkg != "" {
			f.Task = entry.pkg + "." + entry.name
		}
		results := b.results[entry]
		for i, numbers := range results {
			m := f.add(b.stem(), numbers)
			m.settled = true
			if len(results) > 1 {
				m.Run = strconv.Itoa(i + 1)
			}
		}
		files = append(files, f)
	}
	return files, nil
}

// stem is the name of the file as a model.
func (b *benchmarks) stem() string { return filename.Stem(gunzip.Name(b.path)) }

func (b *benchmarks) line(line string) error {
	if part := benchmarkKey.FindStringSubmatch(line); part != nil {
		key, value := part[1], part[2]
		if key == "pkg" {
			b.pkg = value
			return nil
		}
		before, ok := b.options.Get(key)
		if ok && before != value {
			return fmt.Errorf("%s is %s here and %s above; want a file for each machine", key, value, before)
		}
		b.options.Set(key, value)
		return nil
	}
	fields := strings.Fields(line)
	if len(fields) > 2 && fields[0] == "Unit" {
		for _, property := range fields[2:] {
			switch property {
			case "better=lower":
				b.metrics[fields[1]] = report.Metric{Direction: report.Lower}
			case "better=higher":
				b.metrics[fields[1]] = report.Metric{Direction: report.Higher}
			}
		}
		return nil
	}
	if !benchmarkLine.MatchString(line) {
		return nil
	}
	return b.result(fields)
}

// result enters a line of results.
func (b *benchmarks) result(fields []string) error {
	key := benchmark{b.pkg, strings.TrimPrefix(fields[0], "Benchmark")}
	if key.name == "" {
		key.name = fields[0]
	}
	if len(fields)%2 != 0 {
		return fmt.Errorf("%s: %q has no unit; want pairs of a number and a unit", fields[0], fields[len(fields)-1])
	}
	var numbers []report.Named
	seen := map[string]bool{}
	for i := 2; i < len(fields); i += 2 {
		unit := fields[i+1]
		v, err := strconv.ParseFloat(fields[i], 64)
		switch {
		case err != nil || !finite(v):
			return fmt.Errorf("%s: %s is %q, want a number", fields[0], unit, fields[i])
		case seen[unit]:
			return fmt.Errorf("%s: %s is there twice", fields[0], unit)
		}
		seen[unit] = true
		numbers = append(numbers, report.Named{Path: unit, Value: report.Number(v), SD: report.Undefined("no spread was computed"),
			Interval: report.NoInterval("one run has no interval")})
	}
	switch n := len(b.results[key]); {
	case n == most:
		return fmt.Errorf("%s is there more than %d times", fields[0], most)
	case n == 0 && len(b.order) == most:
		return fmt.Errorf("there are more than %d benchmarks", most)
	case n == 0:
		b.order = append(b.order, key)
	}
	b.results[key] = append(b.results[key], numbers)
	return nil
}
