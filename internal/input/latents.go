// Latents computed elsewhere: reading, pooling, and their place among the states.

package input

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/dataset"
	"repscope/internal/parallel"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/points"
	"repscope/report"
)

// givenLatents are the latents of one --latents flag.
type givenLatents struct {
	source source
	array  string // name of the array, for messages
	shape  []int
	points points.Points
	row    []int  // row of each state in points; nil: the state's own index
	rule   string // what there is a row for; empty without frames
	input  report.Input
}

func (d *Data) loadLatents(ctx context.Context, s source) (givenLatents, error) {
	fail := func(err error) (givenLatents, error) {
		return givenLatents{}, fmt.Errorf("latents %s: %w", s.name, err)
	}
	a, err := dataset.Open(s.path)
	if err != nil {
		return fail(err)
	}
	defer a.Close()
	pool, err := latent.ParsePool(d.inputs.pool.of(s.name))
	if err != nil {
		return fail(err)
	}
	if len(a.Shape()) <= 2 && d.inputs.pool.byName[s.name] == "" {
		pool = latent.PoolNone // a pooling meant for other models
	}
	if pool == latent.PoolNone && d.inputs.needs.HeadsOnly {
		pool = latent.PoolFlatten
	}
	var pts points.Points
	if err := d.holdLatents(a, pool); err != nil {
		return fail(err)
	}
	sum := ""
	err = parallel.Try(ctx, d.env.Options.Threads, 2, func(_, task int) (err error) {
		if task == 0 {
			pts, err = d.readLatents(a, pool)
		} else if d.plan == nil {
			sum, err = a.SHA256()
		}
		return err
	})
	if err != nil {
		return fail(err)
	}
	return givenLatents{
		source: s, array: a.Name(), shape: slices.Clone(a.Shape()), points: pts,
		input: report.Input{Role: "latents", Name: s.name, Path: s.path, SHA256: sum,
			DType: a.DType().String(), Shape: slices.Clone(a.Shape()), Pool: string(pool)},
	}, nil
}

// dropBadLatents finds NaN and Inf in the given latents: an error, or with
// --skip-nan the state is left out for all models.
func (d *Data) dropBadLatents(given []givenLatents) error {
	bad := map[int]bool{} // states
	for i := range given {
		g := &given[i]
		rows, column := badRows(g.points, d.env.Options.Threads)
		if len(rows) == 0 {
			continue
		}
		if !d.Options.SkipNaN {
			return run.Hint(fmt.Errorf("latents %s: %s: NaN or Inf in %d of %d rows, first in row %d, pooled column %d",
				g.source.name, g.array, len(rows), g.points.N, rows[0], column), "drop such states for all models with --skip-nan")
		}
		g.input.Skipped = len(rows)
		d.env.Warn("latents %s: %s dropped for NaN or Inf", g.source.name, text.Count(len(rows), "state"))
		isBad := make(map[int]bool, len(rows))
		for _, row := range rows {
			isBad[row] = true
		}
		for _, state := range d.index {
			row := state
			if g.row != nil {
				row = g.row[state]
			}
			if isBad[row] {
				bad[state] = true
			}
		}
	}
	d.index = slices.DeleteFunc(d.index, func(state int) bool { return bad[state] })
	return nil
}

// readLatents reads an array of latents [N, D], [N, T, D] or [N, K, D] and pools
// it to one vector per row. float64 and wide integers stay float64. For a plan nothing
// is read.
func (d *Data) readLatents(a *dataset.Array, pool latent.Pool) (points.Points, error) {
	shape := a.Shape()
	if len(shape) < 1 || a.RowLen() == 0 || a.Len() == 0 {
		return points.Points{}, fmt.Errorf("%s: shape %v holds no latents, want [N, D]", a.Name(), shape)
	}
	var dim int
	var err error
	if len(shape) == 1 { // one number per state
		shape = []int{shape[0], 1}
	}
	pool, dim, err = pool.Resolve(shape, latent.PoolNone)
	if err != nil {
		return points.Points{}, run.Hint(fmt.Errorf("%s: %w", a.Name(), err), "choose with --pool NAME=MODE")
	}
	if d.plan != nil {
		return points.Points{N: a.Len(), Dim: dim}, nil
	}
	if wide(a.DType()) {
		data, err := poolRows(d.env.Options.Threads, a.Len(), a.RowLen(), dim, pool, a.ReadFloat64)
		return points.Points{N: a.Len(), Dim: dim, F64: data}, err
	}
	data, err := poolRows(d.env.Options.Threads, a.Len(), a.RowLen(), dim, pool, a.ReadFloat32)
	return points.Points{N: a.Len(), Dim: dim, F32: data}, err
}

// poolRows reads n rows of the given length in pieces and pools each to dim
// values. The pooling has been resolved against the shape.
func poolRows[T float32 | float64](threads, n, length, dim int, pool latent.Pool, read func([]T, int, int) error) ([]T, error) {
	out, piece := make([]T, n*dim), max(1, (1<<20)/length)
	err := parallel.With(context.Background(), threads, (n+piece-1)/piece, func() func(i int) error {
		var buffer []T
		return func(i int) error {
			lo, hi := i*piece, min((i+1)*piece, n)
			if length == dim {
				return read(out[lo*dim:hi*dim], lo, hi)
			}
			if buffer == nil {
				buffer = make([]T, min(piece, n)*length)
			}
			if err := read(buffer[:(hi-lo)*length], lo, hi); err != nil {
				return err
			}
			for i := lo; i < hi; i++ {
				latent.ApplyPool(pool, out[i*dim:(i+1)*dim], buffer[(i-lo)*length:(i-lo+1)*length])
			}
			return nil
		}
	})
	return out, err
}

// badRows returns the points that hold NaN or Inf, and the column of the first
// such value.
func badRows(p points.Points, threads int) (rows []int, column int) {
	const together = 1 << 12
	parts := make([][]int, (p.N+together-1)/together)
	bad := func(i int) int {
		if p.F32 != nil {
			return firstBad(p.F32[i*p.Dim : (i+1)*p.Dim])
		}
		return firstBad(p.F64[i*p.Dim : (i+1)*p.Dim])
	}
	_ = parallel.For(context.Background(), threads, len(parts), func(_, part int) {
		for i := part * together; i < min((part+1)*together, p.N); i++ {
			if bad(i) >= 0 {
				parts[part] = append(parts[part], i)
			}
		}
	})
	if rows = slices.Concat(parts...); len(rows) > 0 {
		column = bad(rows[0])
	}
	return rows, column
}

func firstBad[T float32 | float64](row []T) int {
	for k, v := range row {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return k
		}
	}
	return -1
}
