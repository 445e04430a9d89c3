// Spaces of uint8 points: squared distances are exact integers, from integer products.

package rows

import (
	"context"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// openUint8 is the space of uint8 points: exact integers.
func openUint8(b base, queries, pts points.Points) Space {
	b.method = "uint8 exact " + kernel.Name()
	if pts.Dim <= kernel.MaxUint8Depth {
		return uint8Space[int32](b, queries, pts)
	}
	return uint8Space[int64](b, queries, pts)
}

// keepingPaysUint8 is the smallest dimension in which computing distances of
// uint8 points takes longer than keeping and transposing them.
const keepingPaysUint8 = 768

// cosineColumns is the width of the strips in which products of uint8 points become cosines.
const cosineColumns = 1536

// uint8Products computes products of a block of uint8 points and all others.
type uint8Products[I kernel.Integer] struct {
	queries, points            points.Points
	querySquares, pointSquares []I
	threads                    int
	left                       kernel.PackedUint8 // the block
	products                   []I
}

// pack takes the queries lo … hi−1 as the block.
func (u *uint8Products[I]) pack(lo, hi int) error {
	dim := u.queries.Dim
	return u.left.Left(kernel.Uint8Rows(u.queries.U8[lo*dim:], dim), hi-lo, dim)
}

// product is the product of the block's first rows, which begin at point lo, and points col … col+cols−1.
func (u *uint8Products[I]) product(ctx context.Context, lo, rows, col, cols int) kernel.Uint8Product[I] {
	dim := u.points.Dim
	return kernel.Uint8Product[I]{
		M: rows, N: cols, K: dim,
		A: u.left.Operand(0), B: kernel.Uint8Rows(u.points.U8[col*dim:], dim),
		ASquares: u.querySquares[lo : lo+rows], BSquares: u.pointSquares[col : col+cols],
		Threads: u.threads, Done: ctx.Done(),
	}
}

func uint8Space[I kernel.Integer](b base, queries, pts points.Points) Space {
	u := &uint8Products[I]{queries: queries, points: pts, pointSquares: squaresUint8[I](pts), threads: b.threads}
	u.querySquares = u.pointSquares
	if !SamePoints(queries, pts) {
		u.querySquares = squaresUint8[I](queries)
	}
	if b.metric == Euclidean {
		return squaredSpace(b, u)
	}
	return cosineSpace(b, u)
}

// symmetricUint8 is a space of uint8 points without its rows.
func symmetricUint8[K int32 | int64 | float64](b base, dim int) *exact[K] {
	return &exact[K]{
		base: b, packed: 2 * int64(dim), pays: b.Self && dim >= keepingPaysUint8,
		symmetric: symmetricTiles[K]{n: b.N, dim: dim, threads: b.threads, computed: b.computed},
	}
}

// squaredSpace holds squared distances.
func squaredSpace[I kernel.Integer](b base, u *uint8Products[I]) Space {
	s := symmetricUint8[I](b, u.points.Dim)
	s.fill = func(ctx context.Context, lo, hi int, rows []I) error {
		if err := u.pack(lo, hi); err != nil {
			return err
		}
		return s.symmetric.load(ctx, lo, hi, rows, func(count, col, cols int, upper bool) error {
			p := u.product(ctx, lo, count, col, cols)
			p.C, p.Stride, p.Squared, p.Upper = rows[col:], b.N, true, upper
			return p.Run()
		})
	}
	return s
}

// cosineSpace holds the keys of cosine distances.
func cosineSpace[I kernel.Integer](b base, u *uint8Products[I]) Space {
	s := symmetricUint8[float64](b, u.points.Dim)
	s.fill = func(ctx context.Context, lo, hi int, rows []float64) error {
		if err := u.pack(lo, hi); err != nil {
			return err
		}
		return s.symmetric.load(ctx, lo, hi, rows, func(count, col, cols int, upper bool) error {
			// Strips whose products stay in the cache until they are divided by the norms.
			for from := col; from < col+cols; from += cosineColumns {
				width, height := min(cosineColumns, col+cols-from), count
				if upper {
					height = min(count, from+width-col)
				}
				if err := u.cosines(ctx, lo, height, from, width, rows, b.N); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s
}

// cosines sets the keys of the block's first rows, which begin at point lo, and points from … from+width−1; rows is the
// block, with this stride.
func (u *uint8Products[I]) cosines(ctx context.Context, lo, height, from, width int, rows []float64, stride int) error {
	u.products = scan.Grown(u.products, height*width)
	p := u.product(ctx, lo, height, from, width)
	p.C, p.Stride = u.products, width
	if err := p.Run(); err != nil {
		return err
	}
	return parallel.For(ctx, u.threads, height, func(_, r int) {
		norm := float64(u.querySquares[lo+r])
		out := rows[r*stride+from:]
		for j, dot := range u.products[r*width : (r+1)*width] {
			out[j] = cosineKey(float64(dot), norm, float64(u.pointSquares[from+j]))
		}
	})
}

// squaresUint8 is Σ_k x_k² of every point.
func squaresUint8[I kernel.Integer](p points.Points) []I {
	out := make([]I, p.N)
	for i := range out {
		out[i] = I(kernel.SumSquaresUint8(p.U8[i*p.Dim : (i+1)*p.Dim]))
	}
	return out
}
