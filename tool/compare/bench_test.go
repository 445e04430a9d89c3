// The speed of compare on many result files, made of those that the binaries wrote.

package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/report"
	"repscope/stat"
)

// varied is a copy of a value in which every number that is not whole is changed a
// little, and lists of numbers are at least so long.
func varied(v any, random *stat.Random, length int) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil || f == math.Trunc(f) {
			return v
		}
		return f * (1 + 0.02*random.Normal())
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, varied(item, random, length))
		}
		if _, number := v[0:min(1, len(v))], len(v) > 20; number {
			for len(out) < length {
				out = append(out, random.Normal())
			}
		}
		return out
	case report.Object:
		var o report.Object
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			if ci, isCI := item.([]any); isCI && strings.HasSuffix(key, "_ci") && len(ci) == 2 {
				o.Set(key, item) // its ends stay in order
				continue
			}
			o.Set(key, varied(item, random, length))
		}
		return o
	}
	return v
}

// writeStudy writes a result file of five models for every analysis, task and run.
func writeStudy(tb testing.TB, dir string, tasks, runs, models, length int) (args []string, size int64) {
	tb.Helper()
	for a, analysis := range []string{"smoothness", "robustness", "neighborhood", "manifold", "geometry"} {
		template, err := report.Read(filepath.Join("../../report/testdata", analysis+".json"))
		if err != nil {
			tb.Fatal(err)
		}
		first, err := template.Model(template.Models.Keys()[0])
		if err != nil {
			tb.Fatal(err)
		}
		for task := range tasks {
			for r := range runs {
				random := stat.NewRandom(stat.StreamStudyExample.Key(uint64(a), uint64(task), uint64(r)))
				result := *template
				result.Models, result.Comparisons = report.Object{}, nil
				for m := range models {
					result.Models.Set(fmt.Sprint("model", m), varied(first, random, length))
				}
				var b bytes.Buffer
				if err := result.Write(&b); err != nil {
					tb.Fatal(err)
				}
				path := filepath.Join(dir, fmt.Sprintf("%s-%d-%d.json", analysis, task, r))
				if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
					tb.Fatal(err)
				}
				size += int64(b.Len())
				args = append(args, fmt.Sprintf("task%d@%d=%s", task, r, path))
			}
		}
	}
	return args, size
}

// BenchmarkCommand compares 200 files: five analyses, eight tasks, five runs, five
// models, with all their metrics.
func BenchmarkCommand(b *testing.B) {
	args, size := writeStudy(b, b.TempDir(), 8, 5, 5, 1958)
	for name, more := range map[string][]string{"described": nil, "all": {"--metrics", "*"}} {
		b.Run(fmt.Sprintf("files=%d/metrics=%s", len(args), name), func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				var stdout, stderr bytes.Buffer
				words := slices.Concat(args, more, []string{"--quiet", "--out", b.TempDir()})
				if code := run.Run(b.Context(), Command, words, &stdout, &stderr); code != 0 {
					b.Fatal(stderr.String())
				}
			}
		})
	}
}

// BenchmarkModels compares one metric of thousands of models with three runs each.
func BenchmarkModels(b *testing.B) {
	const models = 3000
	random := stat.NewRandom(stat.StreamStudyExample.Key(1))
	var table strings.Builder
	table.WriteString("model,run,score\n")
	for m := range models {
		level := random.Normal()
		for r := range 3 {
			fmt.Fprintf(&table, "m%d,%d,%g\n", m, r, level+0.1*random.Normal())
		}
	}
	files, err := ReadFrom("models.csv", []byte(table.String()))
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("models=%d", models), func(b *testing.B) {
		for b.Loop() {
			if _, err := Compare(b.Context(), &Gathered{Files: files}, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// longTable is a table with a score in each row: of models, tasks, runs and metrics.
func longTable(models, tasks, runs, metrics int) string {
	random := stat.NewRandom(stat.StreamStudyExample.Key(2))
	var table strings.Builder
	table.WriteString("model,task,run,metric,score\n")
	for m := range models {
		for t := range tasks {
			for r := range runs {
				for k := range metrics {
					fmt.Fprintf(&table, "model%d,task%d,%d,metric%d,%.6f\n", m, t, r, k, random.Normal())
				}
			}
		}
	}
	return table.String()
}

// BenchmarkLongTable reads long tables of many rows, and compares them with all files written.
func BenchmarkLongTable(b *testing.B) {
	for _, size := range [][4]int{{10, 100, 10, 10}, {10, 100, 100, 10}, {20, 1000, 50, 1}} {
		rows := size[0] * size[1] * size[2] * size[3]
		table := longTable(size[0], size[1], size[2], size[3])
		name := fmt.Sprintf("rows=%d/models=%d/tasks=%d/runs=%d/metrics=%d", rows, size[0], size[1], size[2], size[3])
		path := filepath.Join(b.TempDir(), "long.csv")
		if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run("read/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(table)))
			for b.Loop() {
				if _, err := ReadFrom("long.csv", []byte(table)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("command/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(table)))
			for b.Loop() {
				var stdout, stderr bytes.Buffer
				words := []string{path, "--higher", "*", "--quiet", "--out", b.TempDir()}
				if code := run.Run(b.Context(), Command, words, &stdout, &stderr); code != 0 {
					b.Fatal(stderr.String())
				}
			}
		})
	}
}
