// Made scores of designs: what canvas prints about one draw of a design.

package main

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis"
	"repscope/analysis/canvas"
	"repscope/report"
)

// screenshots are the cases of a draw: a state is a design that every model makes, and the cases
// of an episode are of one sample. States of a single episode are samples of their own.
type screenshots struct{ *Sample }

// single reports whether there is one episode.
func (s screenshots) single() bool { return s.Episode[len(s.Episode)-1] == 0 }

// sampleOf names the sample of a state.
func (s screenshots) sampleOf(i int) string {
	if s.single() {
		return fmt.Sprint("s", i)
	}
	return fmt.Sprint("e", s.Episode[i])
}

// cases returns the cases of one model.
func (s screenshots) cases(m int) []canvas.Case {
	out := make([]canvas.Case, len(s.Episode))
	for i := range out {
		out[i] = canvas.Case{ID: fmt.Sprint(name(m), "-", i), Sample: s.sampleOf(i), Model: name(m), Variant: fmt.Sprint(i), Snapshot: -1,
			Generated: canvas.Side{Design: fmt.Sprint(m, " ", i)}, Base: canvas.Side{Design: fmt.Sprint(models, " ", i)}}
	}
	return out
}

// latent is what a file holds: the latent of a model, or of the model after the last what all
// models see alike.
func (s screenshots) latent(path string) (z []float64, state int, err error) {
	var m int
	if _, err := fmt.Sscan(path, &m, &state); err != nil {
		return nil, 0, err
	}
	if m < models {
		return s.Latents[m].Row(state, make([]float64, latent)), state, nil
	}
	z = make([]float64, latent)
	for k := range z {
		z[k] = s.common(state, k%seen)
	}
	return z, state, nil
}

// common is a coordinate that all models see alike, whose variance is about the variance of one model's.
func (s screenshots) common(state, k int) float64 {
	sum := 0.0
	for m := range models {
		sum += float64(s.States[state*features+m*seen+k])
	}
	return sum / math.Sqrt(models)
}

// kinds are metrics of all sorts: within a range, an error, a positive ratio, a share of hits, one that some samples
// lack for all models, and one that a model may lack by itself.
func (s screenshots) kinds() []canvas.Kind {
	inf := math.Inf(1)
	return []canvas.Kind{{Name: "made", Needs: canvas.NeedDesigns, Keys: []canvas.Key{
		{Name: "similarity", Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
		{Name: "error", Direction: report.Lower, High: inf, Compared: true, Improved: true},
		{Name: "ratio", Direction: report.Neither, High: inf, Log: true},
		{Name: "hit", Direction: report.Higher, Low: 0, High: 1, Compared: true},
		{Name: "of_some", Direction: report.Higher, Low: -inf, High: inf, Compared: true},
		{Name: "where_found", Direction: report.Higher, Low: -inf, High: inf, Compared: true},
	}, Score: func(p *canvas.Pair, row *canvas.Row) error {
		z, state, err := s.latent(p.Case.Generated.Design)
		if err != nil {
			return err
		}
		row.Set("similarity", 1/(1+math.Exp(-2*z[0])))
		row.Set("error", z[1]*z[1])
		row.Set("ratio", math.Exp(z[1]/2))
		row.Set("hit", 0)
		if z[2] > 0.8 {
			row.Set("hit", 1)
		}
		row.Undefined("of_some", "the sample lacks it")
		if s.Labels[state] == 1 {
			row.Set("of_some", z[3])
		}
		row.Undefined("where_found", "the model lacks it")
		if z[4] > -0.5 {
			row.Set("where_found", z[0])
		}
		return nil
	}}}
}

// ratings are the ratings of three people, each of two of three qualities, for the cases of a model.
func (s screenshots) ratings(m int) []canvas.Rating {
	var out []canvas.Rating
	for i := range s.Episode {
		for person := range 3 {
			rating := s.common(i, person) + s.common(i, (person+1)%seen)
			out = append(out, canvas.Rating{Case: fmt.Sprint(name(m), "-", i), Rater: fmt.Sprint(person), Value: math.Round(2 * rating)})
		}
	}
	return out
}

// designing scores the cases of all models; the agreement with ratings is the agreement of the cases of
// each.
func designing(ctx context.Context, sample *Sample, seed uint64) (*report.Result, error) {
	s := screenshots{sample}
	read := func(path string) ([]byte, error) { return nil, fmt.Errorf("%s: there are no files", path) }
	o := canvas.Options{Setting: &canvas.Setting{Definition: canvas.DefinitionDefault, Seed: seed},
		Kinds: s.kinds(), Workers: 1, Settings: analysis.Settings{Intervals: true, Family: "metric"}}
	all := canvas.Input{Read: read}
	out := report.NewResult("canvas")
	agreements := make([]report.Object, models)
	for m := range models {
		in := canvas.Input{Cases: s.cases(m), Read: read, Ratings: s.ratings(m)}
		all.Cases = append(all.Cases, in.Cases...)
		r, err := canvas.Analyze(ctx, in, o)
		if err != nil {
			return nil, err
		}
		agreements[m] = r.Agreement.Object
	}
	r, err := canvas.Analyze(ctx, all, o)
	if err != nil {
		return nil, err
	}
	for m := range r.Models {
		r.Models[m].Object.Set("agreement", agreements[m])
		out.Models.Set(r.Models[m].Name, r.Models[m].Object)
	}
	out.Comparisons = r.Comparisons
	return out, nil
}
