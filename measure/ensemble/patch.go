// Energy scores of patches: pooled, or one by one.

package ensemble

import (
	"context"
	"fmt"
)

// Rest is the number of rows and columns at the end of a grid that make no whole patch.
func (g Grid) Rest(patch int) (rows, cols int) { return g.Height % patch, g.Width % patch }

// PooledEnergy returns the terms of the energy score of averages over patches of patch ×
// patch cells: one vector of the averages of all variables. Rows and columns that make no
// whole patch are left out, see [Grid.Rest]. With weights, averages are weighted and the
// weight of a patch is the mean of its cells'. Errors: another number of cells, a patch
// larger than the grid.
func PooledEnergy[T Float](s Sample[T], g Grid, patch int) (Terms, error) {
	if err := g.checkPatch(s.Cells(), patch); err != nil {
		return Terms{}, err
	}
	h, w := g.Height/patch, g.Width/patch
	cells := g.Variables * h * w
	pooled := Sample[float64]{truth: make([]float64, cells), members: make([]float64, cells*s.count), stride: cells, count: s.count}
	if s.weights != nil {
		pooled.weights = make([]float64, cells)
	}
	cell := 0
	for v := range g.Variables {
		for y := range h {
			for x := range w {
				first := v*g.Height*g.Width + y*patch*g.Width + x*patch
				pooled.truth[cell] = s.average(s.truth, first, patch, g.Width)
				for k := range s.count {
					pooled.members[k*cells+cell] = s.average(s.member(k), first, patch, g.Width)
				}
				if s.weights != nil {
					pooled.weights[cell] = s.patchWeight(first, patch, g.Width) / float64(patch*patch)
				}
				cell++
			}
		}
	}
	return Energy(pooled), nil
}

// average is the weighted mean of a patch whose first cell is given, 0 without weight.
func (s Sample[T]) average(field []T, first, patch, width int) float64 {
	sum, total := 0.0, 0.0
	for y := range patch {
		for x := range patch {
			c := first + y*width + x
			if w := s.weight(c); w != 0 {
				sum += float64(w * float64(field[c]))
				total += w
			}
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// patchWeight is the sum of the weights of a patch.
func (s Sample[T]) patchWeight(first, patch, width int) float64 {
	total := 0.0
	for y := range patch {
		for x := range patch {
			total += s.weight(first + y*width + x)
		}
	}
	return total
}

// TiledEnergy returns the terms of the mean energy score of tiles of tile × tile cells that
// do not overlap: of each, one vector of its cells of all variables. Rows and columns that
// make no whole tile are left out. The weight of a tile is the sum of its cells' weights.
// Errors as for [PooledEnergy].
func TiledEnergy[T Float](s Sample[T], g Grid, tile int) (Terms, error) {
	if err := g.checkPatch(s.Cells(), tile); err != nil {
		return Terms{}, err
	}
	sum := Terms{Members: s.count}
	err := eachTile(s, g, tile, func(part Sample[T], weight float64) error {
		t := Energy(part)
		t.SkillSum *= weight
		t.SpreadSum *= weight
		t.Weight = weight
		sum.Add(t)
		return nil
	})
	return sum, err
}

// TiledVariogram returns the mean over variables and tiles of tile × tile cells of the variogram score
// within a tile, see [TiledEnergy]. variogram must be made for one tile. Tiles with fewer than two
// weighted cells are left out. Errors as for [PooledEnergy].
func TiledVariogram[T Float](s Sample[T], g Grid, v *Variogram) (Mean, error) {
	var mean Mean
	if v.height != v.width {
		return mean, fmt.Errorf("variogram of %d × %d cells for square tiles", v.height, v.width)
	}
	if err := g.checkPatch(s.Cells(), v.height); err != nil {
		return mean, err
	}
	one := Grid{Variables: 1, Height: g.Height, Width: g.Width}
	for i := range g.Variables {
		field := s.Range(i*one.Cells(), (i+1)*one.Cells())
		err := eachTile(field, one, v.height, func(part Sample[T], weight float64) error {
			score, err := variogramOf(context.Background(), 1, v, part)
			if score.Weight > 0 {
				mean.put(weight, score.Value())
			}
			return err
		})
		if err != nil {
			return mean, err
		}
	}
	return mean, nil
}

// eachTile visits the tiles that have a weight, each as a sample of its own, which is
// overwritten by the next.
func eachTile[T Float](s Sample[T], g Grid, tile int, visit func(part Sample[T], weight float64) error) error {
	cells := g.Variables * tile * tile
	part := Sample[T]{truth: make([]T, cells), members: make([]T, cells*s.count), stride: cells, count: s.count}
	if s.weights != nil {
		part.weights = make([]float64, cells)
	}
	for y := range g.Height / tile {
		for x := range g.Width / tile {
			first := y*tile*g.Width + x*tile
			takeTile(part.truth, s.truth, g, tile, first)
			for k := range s.count {
				takeTile(part.member(k), s.member(k), g, tile, first)
			}
			weight := float64(cells)
			if s.weights != nil {
				takeTile(part.weights, s.weights, g, tile, first)
				weight = 0
				for _, w := range part.weights {
					weight += w
				}
			}
			if weight == 0 {
				continue
			}
			if err := visit(part, weight); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeTile copies a tile of all variables.
func takeTile[T Float](dst, field []T, g Grid, tile, first int) {
	for v := range g.Variables {
		for y := range tile {
			from := v*g.Height*g.Width + first + y*g.Width
			copy(dst[(v*tile+y)*tile:][:tile], field[from:])
		}
	}
}

func (g Grid) checkPatch(cells, patch int) error {
	if err := g.check(cells); err != nil {
		return err
	}
	if patch < 1 || patch > g.Height || patch > g.Width {
		return fmt.Errorf("patches of %d × %d cells for fields of %d × %d", patch, patch, g.Height, g.Width)
	}
	return nil
}
