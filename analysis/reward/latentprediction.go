// Predictions of the latent one step ahead, against copying the latent and the mean.

package reward

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/report"
)

// LatentPrediction says how well the latents of successors are predicted, over the
// transitions: all errors are means over transitions and dimensions, in squared units of
// the latents.
type LatentPrediction struct {
	MSE report.Estimate `json:"mse"` // with the standard deviation over transitions
	// Cosine is the mean cosine between prediction and latent.
	Cosine report.Estimate `json:"cosine"`
	// R2 is the mean over the dimensions that vary of R2ByDimension, R² of each of them:
	// undefined for one that is constant.
	R2            report.Estimate `json:"r2"`
	R2ByDimension []report.Value  `json:"r2_by_dimension"`
	// CopyMSE is the error of the latent of the state itself as the prediction, MeanMSE
	// the error of the mean latent of the successors: their variance.
	CopyMSE report.Estimate `json:"copy_mse"`
	MeanMSE report.Estimate `json:"mean_mse"`
	// Skill is 1 − mse/copy_mse and MeanSkill 1 − mse/mean_mse: 1 is perfect, 0 no better
	// than the baseline, which is resampled with the error.
	Skill       report.Estimate `json:"skill"`
	MeanSkill   report.Estimate `json:"mean_skill"`
	Transitions int             `json:"transitions"`
	Dimensions  int             `json:"dimensions"`
	// Constant counts dimensions that do not vary, Dropped transitions left out for NaN or Inf.
	Constant int `json:"constant_dimensions"`
	Dropped  int `json:"dropped"`
}

// The reasons for undefined numbers.
const (
	noCopyError = "latents do not change between states, so copying has no error"
	NoVariance  = "the latents are constant"
	noDirection = "predictions or latents are 0 and have no direction"
)

// predictions measures the predictions of all models that have some.
func predictions(_ context.Context, in *DynamicsInput, o *DynamicsOptions, r *DynamicsResult) error {
	now, dropped, err := transitionsOf(in, o)
	if err != nil {
		return err
	}
	next := make([]int, len(now))
	for i, s := range now {
		next[i] = in.Next[s]
	}
	models := make([]*measuredErrors, len(in.Models))
	any := false
	for i := range in.Models {
		m := &in.Models[i]
		switch {
		case m.Predicted.N == 0:
			r.Models[i].skip("latent_prediction",
				"needs predicted latents: --predicted NAME=FILE or --predictor NAME=FILE.onnx")
		case len(now) < 3:
			r.Models[i].skip("latent_prediction",
				fmt.Sprintf("%s between states, want at least 3", text.Count(len(now), "transition")))
		default:
			models[i] = measureErrors(m.errors(now, next))
			any = true
		}
	}
	if !any {
		return nil
	}
	if dropped > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"predicted latents: %s with NaN or Inf left out for all models", text.Count(dropped, "transition")))
	}
	if o.Intervals {
		blocks, err := blocksOfErrors(models, len(now), in.episodesOf(now), o.Block)
		if err != nil {
			return err
		}
		r.note(blocks)
		for _, m := range models {
			if m == nil {
				continue
			}
			if err := m.delete(blocks); err != nil {
				return err
			}
		}
	}
	for i, m := range models {
		if m != nil {
			r.Models[i].LatentPrediction = m.latentPrediction(dropped)
		}
	}
	if !o.Intervals {
		return nil
	}
	for _, c := range []struct {
		name string
		of   int
	}{{"skill", ofSkill}, {"mean_skill", ofMeanSkill}, {"r2", ofR2}, {"cosine", ofCosine}} {
		name := "latent_prediction." + c.name
		if err := r.compareErrors(results.Metric{Name: name, Family: name, Path: name}, c.of, models, o.Seed); err != nil {
			return err
		}
	}
	return nil
}

// transitionsOf are the states with a successor whose predictions by all models are finite.
func transitionsOf(in *DynamicsInput, o *DynamicsOptions) (now []int, dropped int, err error) {
	for s, next := range in.Next {
		if next < 0 {
			continue
		}
		finite := true
		for i := range in.Models {
			m := &in.Models[i]
			if m.Predicted.N == 0 {
				continue
			}
			for k, v := range m.Predicted.Row(s, nil) {
				if v-v == 0 {
					continue
				}
				if !o.SkipNaN {
					return nil, 0, fmt.Errorf("predicted latents %s: element %d of row %d is %v, want a finite number", m.Name, k, s, v)
				}
				finite = false
				break
			}
		}
		if finite {
			now = append(now, s)
		} else {
			dropped++
		}
	}
	return now, dropped, nil
}

// errors are the errors of the predictions of the states next, each from the state of now.
func (m *DynamicsModel) errors(now, next []int) *errorSeries {
	dim := m.Latents.Dim
	e := &errorSeries{z: m.Latents, ends: next, predicted: m.Predicted, starts: now}
	z, y, p := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for i, s := range now {
		m.Predicted.Row(s, p)
		m.Latents.Row(s, z)
		m.Latents.Row(next[i], y)
		e.cosine = append(e.cosine, cosineOf(p, y))
		squared, copied := 0.0, 0.0
		for k := range y {
			copied += (z[k] - y[k]) * (z[k] - y[k])
			squared += (p[k] - y[k]) * (p[k] - y[k])
		}
		e.squared, e.copied = append(e.squared, squared/float64(dim)), append(e.copied, copied/float64(dim))
	}
	return e
}

// latentPrediction is the part of the result.
func (m *measuredErrors) latentPrediction(dropped int) *LatentPrediction {
	out := &LatentPrediction{Transitions: len(m.series.squared), Dimensions: len(m.vary), Dropped: dropped}
	out.MSE = m.value(ofMSE, "")
	out.MSE.SD = new(deviation(m.series.squared))
	out.Cosine = m.value(ofCosine, noDirection)
	out.Cosine.SD = new(deviation(m.series.cosine))
	out.R2 = m.value(ofR2, NoVariance)
	for k := range m.vary {
		if v := m.total.r2(k); m.vary[k] && !math.IsNaN(v) {
			out.R2ByDimension = append(out.R2ByDimension, report.Number(v))
			continue
		}
		out.R2ByDimension = append(out.R2ByDimension, report.Undefined("the dimension is constant"))
		out.Constant++
	}
	out.CopyMSE = m.value(ofCopy, "")
	out.MeanMSE = m.value(ofMean, "")
	out.Skill = m.value(ofSkill, noCopyError)
	out.MeanSkill = m.value(ofMeanSkill, NoVariance)
	return out
}

// deviation is the spread of those values that are defined.
func deviation(values []float64) report.Value {
	var defined []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	if len(defined) == 0 {
		return report.Undefined(noDirection)
	}
	return report.Number(Spread(defined))
}

func (m *ModelDynamics) skip(metric, reason string) {
	m.Skipped = append(m.Skipped, Skipped{metric, reason})
}
