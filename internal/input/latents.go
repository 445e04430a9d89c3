// Latents computed elsewhere: reading, pooling, and their place among the states.

package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

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
	parts  []int64 // of each row the number of the array that the latents join; nil: one array
	points points.Points
	scan   scanned
	names  dataset.Columns
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
	var scan scanned
	if err := d.holdLatents(a, pool); err != nil {
		return fail(err)
	}
	sum := ""
	err = parallel.Try(ctx, d.env.Options.Threads, 2, func(_, task int) (err error) {
		if task == 0 {
			pts, scan, err = d.readLatents(a, pool)
		} else if d.plan == nil {
			sum, err = a.SHA256()
		}
		return err
	})
	if err == nil {
		err = a.Unchanged()
	}
	if err != nil {
		return fail(err)
	}
	parts, _ := a.Joined()
	return givenLatents{
		source: s, parts: parts, array: a.Name(), names: a.Columns(), shape: slices.Clone(a.Shape()), points: pts, scan: scan,
		input: report.Input{Role: "latents", Name: s.name, Path: s.path, SHA256: sum,
			DType: a.DType().String(), Shape: slices.Clone(a.Shape()), Pool: string(pool)},
	}, nil
}

// dropBadLatents finds given latents with NaN or Inf, or of sizes that cannot be computed
// with. They are left out; with --skip-nan the states with NaN or Inf are, for all models,
// unless that leaves nothing that could be analyzed.
func (d *Data) dropBadLatents(ctx context.Context, latents []givenLatents) error {
	var some []*givenLatents // with bad rows to be dropped, those with fewest first
	for i := range latents {
		g := &latents[i]
		err := points.CheckMagnitude(g.scan.largest)
		switch bad := len(g.scan.bad); {
		case d.inputs.left.Has(g.source.name):
			continue
		case err != nil:
			err = fmt.Errorf("latents %s: %s: %w", g.source.name, g.array, err)
		case bad > 0 && !d.Options.SkipNaN:
			err = run.Hint(fmt.Errorf("latents %s: %s: NaN or Inf in %d of %d rows, first in row %d, pooled column %d",
				g.source.name, g.array, bad, g.points.N, g.scan.bad[0], g.scan.column),
				"drop such states for all models with --skip-nan")
		case bad > 0:
			some = append(some, g)
		}
		if err != nil {
			if err := d.leave(ctx, g.source.name, err); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(some, func(a, b *givenLatents) int { return cmp.Compare(len(a.scan.bad), len(b.scan.bad)) })
	for _, g := range some {
		if err := d.drop(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// drop leaves out the states whose latents hold NaN or Inf, or these latents where the
// rest could not be analyzed.
func (d *Data) drop(ctx context.Context, g *givenLatents) error {
	isBad := make(map[int]bool, len(g.scan.bad))
	for _, row := range g.scan.bad {
		isBad[row] = true
	}
	all := d.index
	d.index = slices.DeleteFunc(slices.Clone(all), func(state int) bool {
		row := state
		if g.row != nil {
			row = g.row[state]
		}
		return isBad[row]
	})
	before := d.leftOf(all)
	err := errors.New("no state is left to analyze")
	if len(d.index) > 0 {
		err = d.leftOf(d.index)
	}
	if err == nil || before != nil { // too few states as they were are no fault of these latents
		g.input.Skipped = len(g.scan.bad)
		d.env.Warn("latents %s: %s dropped for NaN or Inf", g.source.name, text.Count(len(g.scan.bad), "state"))
		return nil
	}
	d.index = all
	return d.leave(ctx, g.source.name, fmt.Errorf("latents %s: %s: NaN or Inf in %d of %d rows; without them: %w",
		g.source.name, g.array, len(g.scan.bad), g.points.N, err))
}

// leftOf is the error of analyzing no other states than these.
func (d *Data) leftOf(index []int) error {
	all := d.index
	defer func() { d.index, d.trying = all, false }()
	d.index, d.trying = index, true
	return d.checkSizes()
}

// readLatents reads an array of latents [N, D], [N, T, D] or [N, K, D], pools
// it to one vector per row and looks for what cannot be computed with. float64 and wide
// integers stay float64. For a plan nothing is kept.
func (d *Data) readLatents(a *dataset.Array, pool latent.Pool) (points.Points, scanned, error) {
	shape := a.Shape()
	if len(shape) < 1 || a.RowLen() == 0 || a.Len() == 0 {
		return points.Points{}, scanned{}, fmt.Errorf("%s: shape %v holds no latents, want [N, D]", a.Name(), shape)
	}
	var dim int
	var err error
	if len(shape) == 1 { // one number per state
		shape = []int{shape[0], 1}
	}
	pool, dim, err = pool.Resolve(shape, latent.PoolNone)
	if err != nil {
		return points.Points{}, scanned{}, run.Hint(fmt.Errorf("%s: %w", a.Name(), err), "choose with --pool NAME=MODE")
	}
	read := pooling{threads: d.env.Options.Threads, n: a.Len(), length: a.RowLen(), dim: dim, pool: pool}
	if wide(a.DType()) {
		data, scan, err := readPooled(read, d.plan == nil, a.ReadFloat64)
		return points.Points{N: a.Len(), Dim: dim, F64: data}, scan, err
	}
	data, scan, err := readPooled(read, d.plan == nil, a.ReadFloat32)
	return points.Points{N: a.Len(), Dim: dim, F32: data}, scan, err
}

// scanned holds the findings in pooled latents.
type scanned struct {
	bad     []int   // rows with NaN or Inf, ascending
	column  int     // of the first such value
	largest float64 // absolute value of the others
}

// pooling is how rows are pooled: n of the given length, to dim values each. The pooling
// has been resolved against the shape.
type pooling struct {
	threads, n, length, dim int
	pool                    latent.Pool
}

// scannedBytes is the most bytes of an array that a plan reads to look for NaN.
const scannedBytes = 1 << 30

// readPooled reads rows in pieces, pools each, and looks through what comes out. Without
// keep it returns no rows, and reads none where they are many.
func readPooled[T float32 | float64](p pooling, keep bool, read func([]T, int, int) error) ([]T, scanned, error) {
	if !keep && int64(p.n)*int64(p.length)*int64(unsafe.Sizeof(T(0))) > scannedBytes {
		return nil, scanned{}, nil
	}
	var out []T
	if keep {
		out = make([]T, p.n*p.dim)
	}
	piece := max(1, (1<<20)/p.length)
	parts := make([]scanned, (p.n+piece-1)/piece)
	err := parallel.With(context.Background(), p.threads, len(parts), func() func(i int) error {
		var buffer, pooled []T
		return func(i int) error {
			lo, hi := i*piece, min((i+1)*piece, p.n)
			rows := pooled
			if keep {
				rows = out[lo*p.dim : hi*p.dim]
			} else if rows == nil {
				pooled = make([]T, min(piece, p.n)*p.dim)
				rows = pooled
			}
			rows = rows[:(hi-lo)*p.dim]
			if p.length == p.dim {
				if err := read(rows, lo, hi); err != nil {
					return err
				}
			} else {
				if buffer == nil {
					buffer = make([]T, min(piece, p.n)*p.length)
				}
				if err := read(buffer[:(hi-lo)*p.length], lo, hi); err != nil {
					return err
				}
				for k := range hi - lo {
					latent.ApplyPool(p.pool, rows[k*p.dim:(k+1)*p.dim], buffer[k*p.length:(k+1)*p.length])
				}
			}
			parts[i] = scan(rows, p.dim, lo)
			return nil
		}
	})
	var all scanned
	for _, part := range parts {
		if len(all.bad) == 0 {
			all.column = part.column
		}
		all.bad, all.largest = append(all.bad, part.bad...), max(all.largest, part.largest)
	}
	return out, all, err
}

// scan looks through rows; the first has the given number.
func scan[T float32 | float64](rows []T, dim, first int) scanned {
	var s scanned
	for i := 0; i < len(rows)/dim; i++ {
		bad := false
		for k, v := range rows[i*dim : (i+1)*dim] {
			switch f := math.Abs(float64(v)); {
			case f <= math.MaxFloat64:
				s.largest = max(s.largest, f)
			case !bad:
				if bad = true; len(s.bad) == 0 {
					s.column = k
				}
				s.bad = append(s.bad, first+i)
			}
		}
	}
	return s
}
