// The eigenvalue spectrum of a point cloud's covariance and the ranks derived
// from it: how many directions a representation uses, and whether it collapsed.

package stat

import (
	"fmt"
	"math"

	"repscope/points"

	"gonum.org/v1/gonum/mat"
)

// rankMeEpsilon is the ε that RankMe adds to each normalised singular value.
const rankMeEpsilon = 1e-7

// deadVariance is the share of the mean variance per coordinate below which a
// coordinate counts as dead.
const deadVariance = 1e-12

// Spectrum describes how the variance of n points spreads over directions. C
// is their covariance with n − 1 in the denominator, λ its eigenvalues.
type Spectrum struct {
	// Eigenvalues of C in descending order, min(n, D) of them followed by
	// zeros up to D; never negative, since they are squared singular values.
	Eigenvalues []float64
	// ParticipationRatio is (Σλ)²/Σλ² = (tr C)²/‖C‖_F², from 1 to D.
	ParticipationRatio float64
	// EffectiveRank is exp(H(λ/Σλ)) with Shannon's entropy H (Roy & Vetterli
	// 2007), here of the eigenvalues of the centred covariance.
	EffectiveRank float64
	// RankMe is exp(−Σ p ln p) with p = σ/Σσ + 1e−7 over the singular values σ
	// of the uncentred points Z (Garrido et al. 2023).
	RankMe float64
	// StableRank is ‖Z‖_F²/‖Z‖₂² of the centred points.
	StableRank float64
	// Dims90 and Dims99 are the numbers of leading eigenvalues that hold 90 %
	// and 99 % of the variance.
	Dims90, Dims99 int
	// DeadDims counts coordinates that do not vary: variance
	// at most 1e−12 of the mean variance per coordinate.
	DeadDims int
	// TotalVariance is tr C.
	TotalVariance float64
}

// NewSpectrum computes the spectrum of n ≥ 2 points by singular value
// decomposition in float64. Points that do not vary are an [UndefinedError]; so
// is NaN or Inf.
func NewSpectrum(z points.Points) (*Spectrum, error) {
	const quantity = "spectrum"
	mean, variance, err := variances(quantity, z)
	if err != nil {
		return nil, err
	}
	raw := mat.NewDense(z.N, z.Dim, nil)
	centred := mat.NewDense(z.N, z.Dim, nil)
	for i := range z.N {
		row, out := z.Row(i, raw.RawRowView(i)), centred.RawRowView(i)
		for k, v := range row {
			out[k] = v - mean[k]
		}
	}
	s := &Spectrum{Eigenvalues: make([]float64, z.Dim), TotalVariance: Sum(variance)}
	for _, v := range variance {
		if v <= deadVariance*s.TotalVariance/float64(z.Dim) {
			s.DeadDims++
		}
	}
	dof := float64(z.N - 1)
	sigma, err := singularValues(centred)
	if err != nil {
		return nil, err
	}
	for k, v := range sigma {
		s.Eigenvalues[k] = v * v / dof
	}
	s.ParticipationRatio = ParticipationRatio(s.Eigenvalues)
	s.EffectiveRank = math.Exp(entropy(s.Eigenvalues, 0))
	s.StableRank = Sum(s.Eigenvalues) / s.Eigenvalues[0]
	s.Dims90 = dimensionsFor(s.Eigenvalues, 0.90)
	s.Dims99 = dimensionsFor(s.Eigenvalues, 0.99)

	sigma, err = singularValues(raw)
	if err != nil {
		return nil, err
	}
	s.RankMe = math.Exp(entropy(sigma, rankMeEpsilon))
	return s, nil
}

// RMSDistance is the root mean square distance of two random points, √(2·tr C):
// the unit in which distances of different latent spaces compare.
func (s *Spectrum) RMSDistance() float64 { return math.Sqrt(2 * s.TotalVariance) }

// ParticipationRatio returns (Σλ)²/Σλ² of non-negative eigenvalues, or NaN if
// all are zero.
func ParticipationRatio(eigenvalues []float64) float64 {
	total, squares := 0.0, 0.0
	for _, v := range eigenvalues {
		total += v
		squares += v * v
	}
	return total * total / squares
}

// CumulativeVariance returns the share of the total held by the first 1, 2, …
// eigenvalues.
func CumulativeVariance(eigenvalues []float64) []float64 {
	total, running := Sum(eigenvalues), 0.0
	out := make([]float64, len(eigenvalues))
	for i, v := range eigenvalues {
		running += v
		out[i] = min(running/total, 1)
	}
	return out
}

func dimensionsFor(eigenvalues []float64, share float64) int {
	for i, c := range CumulativeVariance(eigenvalues) {
		// The tolerance keeps a share that is reached exactly from depending
		// on the rounding of the sum.
		if c >= share-1e-12 {
			return i + 1
		}
	}
	return len(eigenvalues)
}

// entropy returns −Σ p ln p with p = v/Σv + ε.
func entropy(values []float64, epsilon float64) float64 {
	total, h := Sum(values), 0.0
	for _, v := range values {
		if p := v/total + epsilon; p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}

func singularValues(m *mat.Dense) ([]float64, error) {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		rows, columns := m.Dims()
		return nil, fmt.Errorf("the singular value decomposition of the %d × %d points did not converge", rows, columns)
	}
	return svd.Values(nil), nil
}
