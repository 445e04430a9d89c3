// The variogram score.

package forecast

import (
	"context"
	"errors"
	"math"

	"repscope/measure/ensemble"
	"repscope/report"
)

// variogramFamily is the variogram score of every variable.
func variogramFamily() family {
	return family{
		name: "variogram_score", about: "variogram score",
		sums: func(*setting, int) []string { return []string{"score"} },
		needs: func(s *setting, _ int) string {
			if s.size() < 2 {
				return "one cell makes no pair"
			}
			return ""
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			g, err := ensemble.NewVariogram(c.height, c.width, c.o.variogram())
			if err != nil {
				return err
			}
			if out[0], err = ensemble.VariogramScore(context.Background(), 1, g, s); errors.Is(err,
				ensemble.ErrNoPairs) {
				return nil // it is NaN
			}
			return err
		},
		scores: func(*setting, int) []Formula {
			return []Formula{{Name: "variogram_score", About: "weighted mean over pairs of cells of (|y_i − y_j|^p − mean |x_i − x_j|^p)²", Direction: report.Lower,
				High: math.Inf(1), of: sum(0), mean: true, compared: true, leads: true, Perfect: true,
				none: "no pair of cells within --max-distance has weight"}}
		},
	}
}

// variogram are the options of the variogram score.
func (o *Options) variogram() ensemble.VariogramOptions {
	return ensemble.VariogramOptions{
		P:           o.VariogramP,
		MaxDistance: o.MaxDistance,
		Documented:  o.Variogram == VariogramDocumented,
		Wrap:        o.Wrap,
	}
}
