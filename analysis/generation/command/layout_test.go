// How the numbers of metrics are written: parts of the result file, published numbers and sentences.

package command

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/generation"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// analyzedBy measures generators by some metrics.
func analyzedBy(t *testing.T, in generation.Input, metrics ...string) *generation.Result {
	t.Helper()
	r, err := generation.Analyze(t.Context(), in, generation.Options{Metrics: metrics, Settings: analysis.Settings{Intervals: true, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// writtenOf is the models' part of a result file.
func writtenOf(t *testing.T, in generation.Input, r *generation.Result) string {
	t.Helper()
	var text strings.Builder
	if err := report.Encode(&text, Objects(r, &in, nil)); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// randomRows are n rows of normal numbers, with a statistic for each column.
func randomRows(name string, n, dim int, seed uint64) *generation.Samples {
	random := stat.NewRandom(stat.StreamSample.Key(seed))
	x, columns := make([]float64, n*dim), make([][]float64, dim)
	for i := range x {
		x[i] = random.Normal()
		columns[i%dim] = append(columns[i%dim], x[i])
	}
	s := &generation.Samples{Name: name, Rows: points.Float64(x, dim)}
	for k, values := range columns {
		s.Statistics = append(s.Statistics, generation.Statistic{Name: string(rune('a' + k)), Values: values, Published: true})
	}
	return s
}

// randomGrids are n grids of 4 × 5 cells with labels 0, 1 and 2 in turn.
func randomGrids(n int, seed uint64) *generation.Samples {
	random := stat.NewRandom(stat.StreamSample.Key(seed))
	s := &generation.Samples{Name: "grids", Shape: []int{1, 4, 5}}
	cells := make([]uint8, 20*n)
	for i := range cells {
		if random.Float64() < 0.2+0.02*float64(i%20) {
			cells[i] = 1
		}
	}
	for i := range n {
		s.Labels = append(s.Labels, i%3)
	}
	s.Rows = points.Uint8(cells, 20)
	return s
}

// Labels are called by their names, every metric says how it is read, and what was left out says why.
func TestObjects(t *testing.T) {
	t.Parallel()
	in := generation.Input{Real: randomGrids(100, 1), LabelNames: map[int]string{0: "easy", 1: "middle", 2: "hard"},
		Generators: []generation.Generator{{Name: "g", Generated: randomGrids(80, 2)}}}
	in.Generators[0].Generated.Valid = slices.Repeat([]bool{true}, 80)
	for i := 1; i < 78; i += 3 { // all of label 1 but the last
		in.Generators[0].Generated.Valid[i] = false
	}
	r := analyzedBy(t, in)
	text := writtenOf(t, in, r)
	for _, want := range []string{`"easy"`, `"label": 2`, `"interpretation"`, `"tier": "high"`, `"skipped": true`, `"reconstruction": "needs`,
		`"reason": "only 1 of 27 samples are valid, want at least 2"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the result has no %s: %s", want, text)
		}
	}
	o := fidelityPart(&r.Models[0])
	for _, key := range []string{"precision", "recall", "density", "coverage", "mmd", "energy_distance", "vendi_score", "novelty", "by_k", "classifier", "memorization", "real_halves"} {
		if _, ok := o.Get(key); !ok {
			t.Errorf("no %s in the result", key)
		}
	}
}

// fidelityPart is the metric's part of the result file.
func fidelityPart(m *generation.Model) *report.Object { return fidelityObject(m.Fidelity, nil) }

// Numbers that are not defined for few samples are not in the sentence about fidelity.
func TestInterpretationOfFewSamples(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, 40}, {2, 2}, {5, 30}, {6, 30}, {12, 60}, {30, 7}, {19, 19}, {20, 20}} {
		in := generation.Input{Real: randomRows("real", size[1], 3, 1), Generators: []generation.Generator{{Name: "few", Generated: randomRows("few", size[0], 3, 2)}}}
		if text := fidelityInterpretation(analyzedBy(t, in, "fidelity").Models[0].Fidelity); strings.Contains(text, "NaN") {
			t.Errorf("%v: %s", size, text)
		}
	}
}

// The ceiling of diversity is below the published 0.3 where few cells are set.
func TestInterpretationOfDiversity(t *testing.T) {
	t.Parallel()
	rows := make([]uint8, 4*40)
	for i := range 4 {
		for k := range 3 {
			rows[i*40+3*i+k] = 1
		}
	}
	s := &generation.Samples{Name: "disjoint", Shape: []int{1, 40}, Rows: points.Uint8(rows, 40)}
	d := analyzedBy(t, generation.Input{Generators: []generation.Generator{{Name: "g", Generated: s}}}, "diversity").Models[0].Diversity
	if text := diversityInterpretation(d); !strings.Contains(text, `"> 0.3" is impossible here`) || !strings.Contains(text, "is 0.15") {
		t.Error(text)
	}
}

// Without labels similarity has one part for all samples, and nothing by label.
func TestSimilarityObjectWithoutLabels(t *testing.T) {
	t.Parallel()
	in := generation.Input{Real: randomRows("real", 25, 2, 1), Generators: []generation.Generator{{Name: "m", Generated: randomRows("generated", 25, 2, 2)}}}
	text := writtenOf(t, in, analyzedBy(t, in, "similarity"))
	var file struct {
		M struct {
			Similarity struct {
				Overall  float64        `json:"overall_mean_distance"`
				PerGrade map[string]any `json:"per_grade"`
				All      struct {
					Distances map[string]float64 `json:"wasserstein_distances"`
					Real      int                `json:"num_real"`
				}
				Statistics map[string]map[string]any `json:"per_statistic"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	of := file.M.Similarity
	mean := (of.All.Distances["a"] + of.All.Distances["b"]) / 2
	if len(of.PerGrade) != 0 || of.All.Real != 25 || math.Abs(mean-of.Overall) > 1e-15 || of.Statistics["b"]["min"] != of.All.Distances["b"] {
		t.Errorf("%s", text)
	}
}

// The published numbers are in percent and means over labels; labels of which nothing was
// classified are warned of.
func TestConditioningDocumented(t *testing.T) {
	t.Parallel()
	p := &generation.Predictions{Target: []int{0, 0, 0, 1}, Predicted: []int{0, 0, 3, 2}, Generated: map[int]int{0: 5, 1: 2, 4: 7}}
	in := generation.Input{LabelNames: map[int]string{0: "5+", 1: "6A", 4: "6B+"}, Generators: []generation.Generator{{Name: "g", Predictions: p}}}
	r := analyzedBy(t, in, "grade_conditioning")
	o := documentedConditioning(r.Models[0].Conditioning, labels(in.LabelNames))
	number := func(path string) float64 {
		t.Helper()
		var of = o
		for _, key := range strings.Split(path, "/") {
			v, ok := of.Get(key)
			if !ok {
				t.Fatalf("no %s", path)
			}
			switch v := v.(type) {
			case interface{ Float() float64 }:
				return v.Float()
			case int:
				return float64(v)
			}
			of = objectOf(v)
		}
		return math.NaN()
	}
	for path, want := range map[string]float64{"overall_exact_accuracy": 100. / 3, "overall_tolerance_1_accuracy": (200./3 + 100) / 2, "per_grade/5+/exact_accuracy": 200. / 3,
		"per_grade/6A/tolerance_1_accuracy": 100, "per_grade/5+/num_valid": 3, "per_grade/5+/num_generated": 5} {
		if got := number(path); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if warnings := strings.Join(conditioningWarnings(r.Models[0].Conditioning, labels(in.LabelNames)), "; "); !strings.Contains(warnings,
		"6B+: no generated sample was classified") || !strings.Contains(warnings, "limited by the classifier") {
		t.Error(warnings)
	}
}

// objectOf is a part of an object.
func objectOf(v any) report.Object {
	o, _ := v.(report.Object)
	return o
}
