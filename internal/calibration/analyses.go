// The analyses: the result of each on one draw of a design.

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis"
	"repscope/analysis/geometry"
	"repscope/analysis/manifold"
	"repscope/analysis/neighborhood"
	"repscope/analysis/robustness"
	"repscope/analysis/smoothness"
	"repscope/dataset"
	latents "repscope/latent"
	"repscope/measure/corruption"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// An Analysis is the result of one analysis on a draw.
type Analysis struct {
	Name    string
	Analyze func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error)
}

func analyses() []Analysis {
	return []Analysis{{"smoothness", smooth}, {"robustness", robust(false)}, {"vectors", robust(true)},
		{"neighborhood", neighboring(0)}, {"manifold", manifolds(0)}, {"geometry", geometric(0)},
		{"reconstruction", reconstruct}, {"dynamics", dynamical}, {"probes", probing("ridge")}, {"forecast", forecasts},
		{"generation", generating}, {"sequence", evaluating}, {"canvas", designing}}
}

// settings are the options of every analysis here.
func settings(seed uint64) analysis.Settings {
	return analysis.Settings{Intervals: true, Seed: seed, Threads: 1}
}

func name(m int) string { return "m" + strconv.Itoa(m) }

// result returns a result file with models and comparisons.
func result[M any](analysis string, models []M, nameOf func(M) string, comparisons []report.Comparison) *report.Result {
	r := report.NewResult(analysis)
	for _, m := range models {
		r.Models.Set(nameOf(m), m)
	}
	r.Comparisons = comparisons
	return r
}

func (s *Sample) encoded() []points.Encoded {
	var out []points.Encoded
	for m := range models {
		out = append(out, points.Encoded{Name: name(m), Latents: s.Latents[m]})
	}
	return out
}

func (s *Sample) frames() points.Points { return points.Float32(s.States, features) }

// pixels is a range that holds nearly all states.
var pixels = dataset.PixelRange{Low: -4, High: 4}

func smooth(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	var pairs []points.Pair
	for i := 1; i < len(s.Episode); i++ {
		if s.Episode[i] == s.Episode[i-1] {
			pairs = append(pairs, points.Pair{Now: i - 1, Next: i})
		}
	}
	in := smoothness.Input{Frames: s.frames(), PixelRange: pixels, Episode: s.Episode,
		Pairs: map[int][]points.Pair{1: pairs}, Models: s.encoded()}
	r, err := smoothness.Analyze(ctx, in, smoothness.Options{Settings: settings(seed)})
	if err != nil {
		return nil, err
	}
	return result("smoothness", r.Models, func(m smoothness.Model) string { return m.Name }, r.Comparisons), nil
}

// states is a source of states in memory.
type states struct{ data []float32 }

func (s states) Len() int     { return len(s.data) / features }
func (s states) Shape() []int { return []int{features} }
func (s states) Float32(dst []float32, lo, hi int) error {
	copy(dst, s.data[lo*features:hi*features])
	return nil
}
func (s states) Fingerprint() (string, error) { return "", nil }

// robust has levels in units of a pixel range, or of the spread of the states.
func robust(vectors bool) func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	return func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
		in := robustness.Input{States: states{s.States}, PixelRange: pixels, Episode: s.Episode}
		o := robustness.Options{Levels: []float64{0.03, 0.1}, Clip: corruption.ClipNone, Settings: settings(seed)}
		if vectors {
			unit, err := robustness.NewSpread(ctx, in.States, robustness.SpreadSD, 1)
			if err != nil {
				return nil, err
			}
			in.Spread, o.Levels = unit, []float64{0.25, 0.8}
		}
		for m := range models {
			in.Models = append(in.Models, robustness.Encoder{Name: name(m), Clean: s.Latents[m],
				Encode: func(_ context.Context, changed latents.Source) (points.Points, error) {
					x := make([]float32, changed.Len()*features)
					if err := changed.Float32(x, 0, changed.Len()); err != nil {
						return points.Points{}, err
					}
					return points.Float64(s.encode(x, m), latent), nil
				}})
		}
		r, err := robustness.Analyze(ctx, in, o)
		if err != nil {
			return nil, err
		}
		return result("robustness", r.Models, func(m robustness.Model) string { return m.Name }, r.Comparisons), nil
	}
}

// neighboring leaves out neighbors within a window of frames.
func neighboring(window int) func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	return func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
		in := neighborhood.Input{Frames: s.frames(), Episode: s.Episode, Models: s.encoded()}
		r, err := neighborhood.Analyze(ctx, in, neighborhood.Options{K: []int{5, 20}, ExcludeWindow: window, CoRanking: neighbors.CoRankingOff,
			Settings: settings(seed)})
		if err != nil {
			return nil, err
		}
		return result("neighborhood", r.Models, func(m neighborhood.Model) string { return m.Name }, r.Comparisons), nil
	}
}

// viewsOfStates is the sub-stream of noisy views of the states.
const viewsOfStates = 0x7669

func manifolds(window int) func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	return func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
		in := manifold.Input{Episode: s.Episode, Models: s.encoded()}
		in.View = func(_ context.Context, m, view int) (points.Points, error) {
			random, x := stat.NewRandom(stat.StreamDesign.Key(seed, viewsOfStates, uint64(view))), slices.Clone(s.States)
			for i := range x {
				x[i] += float32(0.5 * random.Normal())
			}
			return points.Float64(s.encode(x, m), latent), nil
		}
		r, err := manifold.Analyze(ctx, in, manifold.Options{ExcludeWindow: window, Settings: settings(seed),
			GrideOrders: []int{2, 16}, Neighbors: []int{10, 20}, PowerLaw: []int{1, latent}, Views: 4})
		if err != nil {
			return nil, err
		}
		return result("manifold", r.Models, func(m manifold.Model) string { return m.Name }, r.Comparisons), nil
	}
}

func geometric(window int) func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	return func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
		in := geometry.Input{Episode: s.Episode, Labels: s.Labels, Models: s.encoded()}
		r, err := geometry.Analyze(ctx, in, geometry.Options{Clusters: []int{2}, Starts: 2, Neighbors: []int{5}, ExcludeWindow: window, Lags: 2,
			Pairs: 2000, Settings: settings(seed)})
		if err != nil {
			return nil, err
		}
		return result("geometry", r.Models, func(m geometry.Model) string { return m.Name }, r.Comparisons), nil
	}
}

// An Estimate is one printed number with its interval.
type Estimate struct {
	Metric            string
	Value             float64
	Low, High         float64
	Model, Repetition int
}

// estimates are all numbers of a result that have an interval.
func estimates(r *report.Result, rep int) ([]Estimate, error) {
	rows, err := r.MetricRows()
	if err != nil {
		return nil, err
	}
	var out []Estimate
	for _, row := range rows {
		if row.Low == "" || row.High == "" || row.Estimate == "" {
			continue
		}
		metric := row.Metric
		if row.Parameter != "" {
			parts := strings.Split(row.Parameter, ";")
			if strings.HasPrefix(parts[0], "other=") && parts[0] != "other="+name((modelOf(row.Model)+1)%models) {
				continue // one couple of models for each
			}
			metric += "(" + strings.Join(withoutOther(parts), ";") + ")"
		}
		e := Estimate{Metric: strings.TrimSuffix(metric, "()"), Model: modelOf(row.Model), Repetition: rep}
		for _, field := range []struct {
			text string
			to   *float64
		}{{row.Estimate, &e.Value}, {row.Low, &e.Low}, {row.High, &e.High}} {
			if *field.to, err = strconv.ParseFloat(field.text, 64); err != nil {
				return nil, fmt.Errorf("%s: %w", metric, err)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

func withoutOther(parts []string) []string {
	if strings.HasPrefix(parts[0], "other=") {
		return parts[1:]
	}
	return parts
}

func modelOf(text string) int {
	m, _ := strconv.Atoi(strings.TrimPrefix(text, "m"))
	return m
}
