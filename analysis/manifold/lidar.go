// LiDAR of one model: classes are states under several views, or groups of states.

package manifold

import (
	"context"
	"errors"
	"fmt"

	"repscope/analysis/internal/results"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// LiDAR is the linear discriminant analysis rank; see [spectrum.LiDAR].
type LiDAR struct {
	Rank report.Estimate `json:"rank"`
	// Classes have at least two latents, Latents together.
	Classes int `json:"classes"`
	Latents int `json:"latents"`
	// WithinVariance is the mean variance of a coordinate inside classes, without δ.
	WithinVariance report.Value `json:"within_variance"`
	// Doubt says that δ decides; empty if it does not.
	Doubt string `json:"doubt,omitempty"`
}

// classes are the latents of model i that LiDAR looks at, the class of each, and the block of each; nil classes without
// views and groups.
func (p *plan) classes(ctx context.Context, i int) (z points.Points, class []int64, block []int, err error) {
	blocks := []int(nil)
	if p.spectra != nil && p.off == "" {
		blocks = p.spectra.Labels()
	}
	if p.o.Views == 0 {
		return p.in.Models[i].Latents, p.in.Groups, blocks, nil
	}
	n, dim := p.in.Models[i].Latents.N, p.in.Models[i].Latents.Dim
	all := make([]float32, 0, p.o.Views*n*dim)
	row := make([]float64, dim)
	for v := range p.o.Views {
		view, err := p.in.View(ctx, i, v)
		if err != nil {
			return z, nil, nil, err
		}
		if view.N != n || view.Dim != dim {
			return z, nil, nil, fmt.Errorf("view %d: %d latents of %d dimensions, want %d of %d",
				v, view.N, view.Dim, n, dim)
		}
		for s := range n {
			for _, x := range view.Row(s, row) {
				all = append(all, float32(x))
			}
			class = append(class, int64(s))
			if blocks != nil {
				block = append(block, blocks[s])
			}
		}
	}
	return points.Float32(all, dim), class, block, nil
}

// lidar fills in the rank of model i.
func (m *Model) lidar(ctx context.Context, i int, p *plan) error {
	if p.o.Views == 0 && p.in.Groups == nil {
		return nil
	}
	m.LiDAR = &LiDAR{}
	z, class, block, err := p.classes(ctx, i)
	var r spectrum.LiDARResult
	if err == nil {
		count := 0
		if block != nil {
			count = p.spectra.Count()
		}
		r, err = spectrum.LiDAR(ctx, z, class, p.o.LiDARDelta, block, count, p.o.Threads)
	}
	if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
		m.LiDAR.undefined(undefined.Reason)
		return nil
	}
	if err != nil {
		return fmt.Errorf("LiDAR: %w", err)
	}
	l := m.LiDAR
	l.Rank.Value, l.WithinVariance = report.Number(r.Rank), report.Number(r.Within)
	l.Classes, l.Latents = r.Classes, r.Points
	if delta := p.o.LiDARDelta; delta >= r.Within/10 {
		l.Doubt = fmt.Sprintf("δ %.3g is not small compared with the variance inside classes, %.3g for each coordinate: the "+
			"rank depends on the scale of the latents", delta, r.Within)
	}
	switch {
	case p.off != "":
		l.Rank.CI = report.NoInterval("%s", p.off)
	case p.spectra == nil:
		l.Rank.CI = report.NoInterval("%s", manySpectra)
	default:
		jackknifed, err := p.spectra.Jackknife(r.Rank, r.Without, nil)
		if err != nil {
			return err
		}
		l.Rank.CI = results.Interval(jackknifed.WithTails().Within(1, float64(min(m.NominalDimension, r.Classes-1))).Interval)
	}
	return nil
}

// undefined marks the numbers as undefined.
func (l *LiDAR) undefined(reason string) {
	l.Rank, l.WithinVariance = report.NoEstimate("%s", reason), report.Undefined("%s", reason)
}

// lidarWarning is one for the models whose rank δ decides.
func lidarWarning(models []Model) string {
	for _, m := range models {
		if m.LiDAR != nil && m.LiDAR.Doubt != "" {
			return fmt.Sprintf("%s: LiDAR: %s; lower --lidar-delta, or compare models of one scale only",
				m.Name, m.LiDAR.Doubt)
		}
	}
	return ""
}
