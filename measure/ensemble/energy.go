// Energy score.

package ensemble

import (
	"math"
	"sync"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
)

// Energy returns the terms of the energy score E‖X − y‖ − ½ E‖X − X'‖ of a sample, with all its cells
// as one vector and the Euclidean norm, in units of the cells (Gneiting & Raftery 2007). With weights
// the norm is ‖x‖² = n/Σw · Σ w·x² over the n cells with positive weight, so that equal weights give
// the plain norm, and a mask the plain norm of the remaining cells. For a single member it is the
// distance from the truth. The weight of a sample is 1.
func Energy[T Float](s Sample[T]) Terms {
	t := Terms{Members: s.count}
	work := energyPool.Get().(*energyWork)
	defer energyPool.Put(work)
	scale, ok := s.norm()
	if !ok {
		return t
	}
	t.Weight = 1
	tiles := (s.count + 4) / 4 // of four rows: the members and the truth
	work.squares = grow(work.squares, tiles*(tiles+1)/2)
	clear(work.squares)
	work.rows = grow(work.rows, 4*tiles*energyBlock)
	clear(work.rows)
	for lo := 0; lo < len(s.truth); lo += energyBlock {
		n := s.widen(work.rows, lo, scale)
		offset := 0
		for i := range tiles {
			for j := range i + 1 {
				vector.TileDistances(&work.squares[offset], work.rows[4*i*energyBlock:], work.rows[4*j*energyBlock:], n,
					energyBlock)
				offset++
			}
		}
	}
	square := func(i, j int) float64 { return work.squares[i/4*(i/4+1)/2+j/4][i%4*4+j%4] }
	for i := range s.count {
		t.SkillSum += math.Sqrt(square(s.count, i))
		for j := range i {
			t.SpreadSum += math.Sqrt(square(i, j))
		}
	}
	t.SkillSum /= float64(s.count)
	t.SpreadSum *= 2 / max(1, float64(s.count)*float64(s.count-1))
	return t
}

// energyBlock is the number of cells whose differences are squared at a time: the differences of a
// hundred members stay in the cache of a processor.
const energyBlock = 512

// energyWork is scratch memory: rows of energyBlock cells, and squared distances by tiles of
// four by four rows, those below the diagonal and on it.
type energyWork struct {
	rows    []float64
	squares [][16]float64
}

var energyPool = sync.Pool{New: func() any { return new(energyWork) }}

func grow[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

// norm returns the factor n/Σw of squared norms, and false without weight.
func (s Sample[T]) norm() (float64, bool) {
	if s.weights == nil {
		return 1, len(s.truth) > 0
	}
	n, total := 0, 0.0
	for _, w := range s.weights {
		if w != 0 {
			n++
			total += w
		}
	}
	return float64(n) / total, n > 0
}

// widen writes cells from lo on of the members and the truth into rows of energyBlock float64,
// times the root of their weight in the norm, and returns how many, filled up with zeros to a
// multiple of eight.
func (s Sample[T]) widen(rows []float64, lo int, scale float64) int {
	n := min(energyBlock, len(s.truth)-lo)
	var factors [energyBlock]float64
	if s.weights != nil {
		for i, w := range s.weights[lo:][:n] {
			factors[i] = math.Sqrt(scale * w)
		}
	}
	for k := range s.count + 1 {
		field := s.truth
		if k < s.count {
			field = s.member(k)
		}
		row := rows[k*energyBlock:][:energyBlock]
		switch cells := any(field[lo:][:n]).(type) {
		case []float32:
			kernel.Widen(row, cells)
		case []float64:
			copy(row, cells)
		}
		clear(row[n:])
		if s.weights == nil {
			continue
		}
		for i, f := range factors[:n] {
			if row[i] *= f; f == 0 {
				row[i] = 0 // whatever the cell holds
			}
		}
	}
	return (n + 7) &^ 7
}
