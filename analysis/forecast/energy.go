// Energy scores: of whole fields, of patches and of neighboring cells.

package forecast

import (
	"fmt"
	"strings"

	"repscope/measure/ensemble"
	"repscope/report"
)

// energyScores are the formulas of a family of one energy score.
func energyScores(name, about string) func(s *setting, members int) []Formula {
	return func(s *setting, members int) []Formula {
		return []Formula{{Name: name, About: about, Unit: "field", Direction: report.Lower, of: kernelScore(s.o.Energy, members),
			mean: true, compared: true, leads: true, Perfect: true}}
	}
}

// energyOf makes the field and the joint function of a family of one energy score.
func energyOf(f *family,
	terms func(c *sample, s ensemble.Sample[float64], g ensemble.Grid, region int) (ensemble.Terms, error)) {
	enter := func(c *sample, s ensemble.Sample[float64], variables, region int, out []float64) error {
		t, err := terms(c, s, c.fields(variables), region)
		out[0], out[1] = t.Skill(), t.Spread(ensemble.Fair)
		return err
	}
	f.field = func(c *sample, v, region int, out []float64) error {
		s, err := c.ofVariable(v, region)
		if err != nil {
			return err
		}
		return enter(c, s, 1, region, out)
	}
	f.joint = func(c *sample, region int, out []float64) error {
		s, err := c.ofAll(region)
		if err != nil {
			return err
		}
		return enter(c, s, len(c.variables), region, out)
	}
}

// energyFamily is the energy score of whole fields: all variables and cells are one
// vector.
func energyFamily() family {
	f := family{name: "energy_score", about: "energy score of whole fields", sums: kernelSums,
		scores: energyScores("energy_score", "E‖X − y‖ − E‖X − X'‖/2 with all variables and cells as one vector; "+
			"the distance from the truth for one member")}
	energyOf(&f, func(_ *sample, s ensemble.Sample[float64], _ ensemble.Grid, _ int) (ensemble.Terms, error) {
		return ensemble.Energy(s), nil
	})
	return f
}

// patchedFamily is the energy score of averages over patches, or its mean over
// patches.
func patchedFamily() family {
	f := family{name: "patched_energy_score", about: "energy score of patches", sums: kernelSums,
		scores: energyScores("patched_energy_score",
			"energy score of patch averages; with --patch-mode tile, the mean energy score over patches"),
		needs: func(s *setting, _ int) string {
			if s.o.Patch > s.height || s.o.Patch > s.width {
				return fmt.Sprintf("patches of %d × %d cells do not fit into fields of %d × %d",
					s.o.Patch, s.o.Patch, s.height, s.width)
			}
			return ""
		},
		note: func(s *setting) string {
			rows, columns := s.fields(1).Rest(s.o.Patch)
			var rest []string
			if rows > 0 {
				rest = append(rest, fmt.Sprintf("the last %d of %d rows", rows, s.height))
			}
			if columns > 0 {
				rest = append(rest, fmt.Sprintf("the last %d of %d columns", columns, s.width))
			}
			if rest == nil {
				return ""
			}
			return fmt.Sprintf("patched_energy_score: patches of %d × %d cells leave out %s",
				s.o.Patch, s.o.Patch, strings.Join(rest, " and "))
		},
	}
	energyOf(&f, func(c *sample, s ensemble.Sample[float64], g ensemble.Grid, _ int) (ensemble.Terms, error) {
		if c.o.PatchMode == PatchTile {
			return ensemble.TiledEnergy(s, g, c.o.Patch)
		}
		return ensemble.PooledEnergy(s, g, c.o.Patch)
	})
	return f
}

// pairwiseFamily is the mean energy score of pairs of neighboring cells.
func pairwiseFamily() family {
	f := family{name: "pairwise_energy_score", about: "energy score of neighboring cells", sums: kernelSums,
		scores: energyScores("pairwise_energy_score",
			"mean energy score over pairs of neighboring cells, with all variables"),
		needs: func(s *setting, _ int) string {
			if s.size() < 2 {
				return "one cell has no neighbor"
			}
			return ""
		},
	}
	energyOf(&f, func(c *sample, s ensemble.Sample[float64], g ensemble.Grid, region int) (ensemble.Terms, error) {
		var edges []int
		if c.o.Pairs > 0 && c.o.Pairs < g.Edges() {
			weights := c.weights[region]
			if c.equal[region] {
				weights = nil
			}
			var err error
			if edges, err = ensemble.DrawEdges(g, weights, c.o.Pairs, c.o.Seed, uint64(c.index)); err != nil {
				return ensemble.Terms{}, err
			}
		}
		return ensemble.PairwiseEnergy(s, g, edges)
	})
	return f
}
