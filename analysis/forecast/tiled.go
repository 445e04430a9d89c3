// Scores of tiles: how well a forecast knows what happens within a neighborhood.

package forecast

import (
	"fmt"
	"math"

	"repscope/measure/ensemble"
	"repscope/report"
)

// noTile is why a region has no score of tiles.
const noTile = "no complete tile has weight"

// tiles is why there is no whole tile.
func tiles(s *setting, _ int) string {
	if s.o.Tile > s.height || s.o.Tile > s.width {
		return fmt.Sprintf("tiles of %d × %d cells do not fit into fields of %d × %d", s.o.Tile, s.o.Tile, s.height, s.width)
	}
	return ""
}

// tileNote says which cells are in no tile.
func tileNote(s *setting) string {
	rows, columns := s.fields(1).Rest(s.o.Tile)
	if rows == 0 && columns == 0 {
		return ""
	}
	return fmt.Sprintf("tiled scores: tiles of %d × %d cells leave out the last %d of %d rows and %d of %d columns",
		s.o.Tile, s.o.Tile, rows, s.height, columns, s.width)
}

// tiledEnergyFamily is the mean energy score of tiles.
func tiledEnergyFamily() family {
	const name = "tiled_energy_score"
	f := family{name: name, about: "mean energy score over tiles of --tile " +
		"cells", sums: kernelSums, needs: tiles, note: tileNote,
		scores: func(s *setting, members int) []Formula {
			scores := energyScores(name,
				"mean over tiles of the energy score of all variables and cells of the tile as one vector")(s, members)
			scores[0].leads, scores[0].none = false, noTile
			return scores
		}}
	energyOf(&f, func(c *sample, s ensemble.Sample[float64], g ensemble.Grid, _ int) (ensemble.Terms, error) {
		return ensemble.TiledEnergy(s, g, c.o.Tile)
	})
	return f
}

// tiledVariogramFamily is the mean variogram score of tiles.
func tiledVariogramFamily() family {
	const name = "tiled_variogram_score"
	return family{
		name: name, about: "mean variogram score over tiles of --tile cells", note: tileNote,
		sums: func(*setting, int) []string { return []string{"score"} },
		needs: func(s *setting, members int) string {
			if s.o.Tile < 2 {
				return "one cell makes no pair"
			}
			return tiles(s, members)
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			options := c.o.variogram()
			options.Wrap = false // within a tile
			g, err := ensemble.NewVariogram(c.o.Tile, c.o.Tile, options)
			if err != nil {
				return err
			}
			mean, err := ensemble.TiledVariogram(s, c.fields(1), g)
			out[0] = mean.Value()
			return err
		},
		scores: func(*setting, int) []Formula {
			return []Formula{{Name: name, About: "mean over tiles of the variogram score of pairs of cells within " +
				"the tile",
				Direction: report.Lower, High: math.Inf(1), of: sum(0), mean: true, compared: true, Perfect: true, none: noTile}}
		},
	}
}
