// Where events begin: thresholds, and quantiles of all true values.

package forecast

import (
	"context"
	"math"
	"slices"
	"sync"
)

// limits finds once where events begin.
type limits struct {
	once sync.Once
	err  error
}

// prepareLimits fills the limits of events: of every event and variable.
func (p *plan) prepareLimits(ctx context.Context) error {
	p.begins.once.Do(func() {
		for range p.o.events() {
			p.limits = append(p.limits, make([]float64, len(p.variables)))
		}
		for k, v := range p.o.Thresholds {
			for i := range p.limits[k] {
				p.limits[k][i] = v
			}
		}
		if len(p.o.EventQuantiles) == 0 {
			return
		}
		var quantiles [][]float64
		if quantiles, p.begins.err = p.quantiles(ctx); p.begins.err != nil {
			return
		}
		for k := range p.o.EventQuantiles {
			copy(p.limits[len(p.o.Thresholds)+k], quantiles[k])
		}
	})
	return p.begins.err
}

// keyOf orders finite numbers as unsigned integers.
func keyOf(v float64) uint64 {
	bits := math.Float64bits(v + 0) // −0 is 0
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// valueOf is the number of a key.
func valueOf(key uint64) float64 {
	if key>>63 != 0 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}

// digit is the number of bits of a key that one pass over the target finds.
const digit = 16

// search is one order statistic of a variable: the known bits of its key, and how many of
// the values that share that are below it.
type search struct {
	variable int
	prefix   uint64 // the upper bits that are known
	rank     int64
}

// quantiles are the quantiles of the true values of every variable, in cells that have a weight, by NumPy's rule
// (linear interpolation at rank (n − 1)·q), over all samples without NaN if these are skipped.
// Their values are selected in four passes over the target by their bits, so that nothing
// but counts is held.
func (p *plan) quantiles(ctx context.Context) ([][]float64, error) {
	n, err := p.countTargets(ctx)
	if err != nil {
		return nil, err
	}
	var searches []search
	for _, q := range p.o.EventQuantiles {
		position := q * float64(n-1)
		for v := range p.variables {
			searches = append(searches, search{variable: v, rank: int64(position)},
				search{variable: v, rank: min(int64(position)+1, n-1)})
		}
	}
	for bits := 0; bits < 64; bits += digit {
		if err := p.narrow(ctx, searches, bits); err != nil {
			return nil, err
		}
	}
	out := make([][]float64, len(p.o.EventQuantiles))
	for k, q := range p.o.EventQuantiles {
		position := q * float64(n-1)
		part := position - math.Floor(position)
		for v := range p.variables {
			low, high := searches[2*(k*len(p.variables)+v)], searches[2*(k*len(p.variables)+v)+1]
			a, b := valueOf(low.prefix), valueOf(high.prefix)
			out[k] = append(out[k], a+float64(part*(b-a)))
		}
	}
	return out, nil
}

// eachTarget hands the truth of every sample on that has finite numbers.
func (p *plan) eachTarget(ctx context.Context, use func(truth []float64)) error {
	row := make([]float64, len(p.variables)*p.size())
	for i := range p.n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.read(0, row, i); err != nil {
			if _, ok := err.(*NonFiniteError); ok && p.o.SkipNaN {
				continue
			}
			return err
		}
		use(row)
	}
	return nil
}

// countTargets is the number of true values of a variable in cells that have a weight.
func (p *plan) countTargets(ctx context.Context) (int64, error) {
	cells := int64(p.size() - len(p.masked))
	if !p.o.SkipNaN {
		return int64(p.n) * cells, nil
	}
	count := int64(0)
	err := p.eachTarget(ctx, func([]float64) { count += cells })
	return max(count, 1), err
}

// narrow finds the next bits of the keys that are searched, with that many known.
func (p *plan) narrow(ctx context.Context, searches []search, bits int) error {
	type of struct {
		variable int
		prefix   uint64
	}
	counts := map[of][]int64{}
	prefixes := make([][]uint64, len(p.variables)) // that are counted
	for _, s := range searches {
		if group := (of{s.variable, s.prefix}); counts[group] == nil {
			counts[group] = make([]int64, 1<<digit)
			prefixes[s.variable] = append(prefixes[s.variable], s.prefix)
		}
	}
	err := p.eachTarget(ctx, func(truth []float64) {
		for v := range p.variables {
			for _, prefix := range prefixes[v] {
				count := counts[of{v, prefix}]
				for c, x := range truth[v*p.size() : (v+1)*p.size()] {
					if p.weights[0][c] == 0 {
						continue
					}
					k := keyOf(x)
					if bits == 0 || k>>(64-bits) == prefix {
						count[uint16(k>>(64-bits-digit))]++
					}
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range searches {
		s := &searches[i]
		count := counts[of{s.variable, s.prefix}]
		next := slices.IndexFunc(count, func(c int64) bool {
			if s.rank < c {
				return true
			}
			s.rank -= c
			return false
		})
		s.prefix = s.prefix<<digit | uint64(max(next, 0))
	}
	return nil
}
