// The Vendi score: how many different points there are, by a kernel's eigenvalues.

package spectrum

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/parallel"
	"repscope/points"
	"repscope/stat"
)

// VendiScore is the effective number of different points among n, the exponential of
// Rényi's entropy of the eigenvalues λ of K/n, where K is the matrix of a kernel with
// k(x, x) = 1 (Friedman & Dieng 2023, "The Vendi score: a diversity evaluation metric for
// machine learning"; Pasarkar & Dieng 2024, "Cousins of the Vendi score", for the
// orders): from 1, all points equal, to n, all unlike.
type VendiScore struct {
	Kernel   string  // its name
	One      float64 // order 1, exp(−Σ λ·ln λ)
	Two      float64 // order 2, 1/Σ λ² = 1/‖K/n‖_F²
	Infinity float64 // order ∞, 1/max λ
}

// cosineKernel is the name of the kernel of [Vendi].
const cosineKernel = "cosine"

// Vendi returns the Vendi score of n points under the cosine kernel x·y/(‖x‖·‖y‖), from
// the eigenvalues of the smaller of the n × n and the D × D products; at most min(n, D).
// No points, points at 0, NaN and Inf are a [stat.UndefinedError]; another error is a
// decomposition that did not converge.
func Vendi(z points.Points) (VendiScore, error) {
	u, err := directions(z)
	if err != nil {
		return VendiScore{}, err
	}
	products, err := allProducts(u, 0)
	if err != nil {
		return VendiScore{}, err
	}
	return vendi(products, u.Rows, cosineKernel)
}

// VendiWithout returns [Vendi] of the points outside each block, with a new eigendecomposition for
// each: join blocks if there are many (Blocks.Coarsen). Orders are NaN if no points remain. Errors as
// for Vendi, and blocks for another number of points.
func VendiWithout(ctx context.Context, z points.Points, blocks *stat.Blocks, threads int) ([]VendiScore, error) {
	return vendiWithout(ctx, z, blocks, threads, func(rest blas64.General) (VendiScore, error) {
		products, err := allProducts(rest, 0)
		if err != nil {
			return VendiScore{}, err
		}
		return vendi(products, rest.Rows, cosineKernel)
	})
}

// VendiTwo returns the order 2 of [Vendi] alone, n²/‖K‖_F², without eigenvalues, and the score
// of the points outside each block; nil blocks give none. Errors as for [VendiWithout].
func VendiTwo(ctx context.Context, z points.Points, blocks *stat.Blocks,
	threads int) (value float64, without []float64, err error) {
	u, err := directions(z)
	if err != nil {
		return 0, nil, err
	}
	if value, err = orderTwo(u); err != nil || blocks == nil {
		return value, nil, err
	}
	scores, err := vendiWithout(ctx, z, blocks, threads, func(left blas64.General) (VendiScore, error) {
		two, err := orderTwo(left)
		return VendiScore{Two: two}, err
	})
	for _, s := range scores {
		without = append(without, s.Two)
	}
	return value, without, err
}

// orderTwo is n²/‖K‖_F² of directions.
func orderTwo(u blas64.General) (float64, error) {
	products, err := allProducts(u, 0)
	n := float64(u.Rows)
	return n * n / innerProduct(products, products), err
}

func vendiWithout(ctx context.Context, z points.Points, blocks *stat.Blocks, threads int,
	score func(rest blas64.General) (VendiScore, error),
) ([]VendiScore, error) {
	u, err := directions(z)
	if err != nil {
		return nil, err
	}
	labels := blocks.Labels()
	if len(labels) != z.N {
		return nil, fmt.Errorf("Vendi score: blocks of %d points for %d points", len(labels), z.N)
	}
	out := make([]VendiScore, blocks.Count())
	err = parallel.With(ctx, threads, len(out), func() func(int) error {
		return func(b int) (err error) {
			rest := general(u.Rows, u.Cols)
			rest.Rows = 0
			for i, label := range labels {
				if label != b {
					copy(rest.Data[rest.Rows*rest.Stride:], u.Data[i*u.Stride:(i+1)*u.Stride])
					rest.Rows++
				}
			}
			if rest.Rows == 0 {
				out[b] = VendiScore{Kernel: cosineKernel, One: math.NaN(), Two: math.NaN(), Infinity: math.NaN()}
				return nil
			}
			rest.Data = rest.Data[:rest.Rows*rest.Stride]
			out[b], err = score(rest)
			return err
		}
	})
	return out, err
}

// directions are the points divided by their lengths.
func directions(z points.Points) (blas64.General, error) {
	const quantity = "Vendi score"
	if z.N < 1 {
		return blas64.General{}, stat.Undefined(quantity, "no points")
	}
	u := general(z.N, z.Dim)
	for i := range z.N {
		row := z.Row(i, u.Data[i*u.Stride:(i+1)*u.Stride])
		norm := blas64.Nrm2(blas64.Vector{N: z.Dim, Inc: 1, Data: row})
		if norm == 0 || !isFinite(norm) {
			return u, stat.Undefined(quantity, "point %d has length %v and no direction", i, norm)
		}
		for k := range row {
			row[k] /= norm
		}
	}
	return u, nil
}

// vendi is the score of n points from products whose eigenvalues are the eigenvalues of K.
func vendi(products blas64.Symmetric, n int, kernel string) (VendiScore, error) {
	values, err := eigenvalues(products)
	if err != nil {
		return VendiScore{}, fmt.Errorf("Vendi score: %w", err)
	}
	squares := 0.0
	for _, v := range values {
		squares += float64(v * v)
	}
	return VendiScore{
		Kernel: kernel, One: math.Exp(entropy(values, 0)), Two: float64(n) * float64(n) / squares, Infinity: float64(n) / values[0],
	}, nil
}
