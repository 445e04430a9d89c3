// Scores of the mean and the variance of an ensemble.

package ensemble

import (
	"math"

	"repscope/internal/kernel/vector"
)

// Moments has sums over cells of the error of the ensemble mean and of the variance of the members.
// Sums of several samples can be added.
type Moments struct {
	Members int
	// ErrorSum, AbsoluteSum and SquareSum are Σ w·(m − y), Σ w·|m − y| and Σ w·(m − y)², m the mean
	// of the members and y the truth; VarianceSum is Σ w·s² with the variance over S − 1 (0 for a
	// single member); Weight is Σ w.
	ErrorSum, AbsoluteSum, SquareSum, VarianceSum, Weight float64
}

// MomentsOf returns the sums of a sample.
func MomentsOf[T Float](s Sample[T]) Moments {
	m := Moments{Members: s.count}
	ones := make([]float64, s.count)
	for k := range ones {
		ones[k] = 1
	}
	members := float64(s.count)
	var squares [width]float64
	eachColumns(s, func(c *columns[T], first, n int) {
		// By the distances from the first member, which is no further from the mean than √(S − 1)
		// standard deviations: members that are equal have a variance of exactly 0.
		vector.WeightedColumns(c.sums[:], c.x, c.row(0), ones)
		clear(squares[:])
		for k := 1; k < s.count; k++ {
			vector.AddSquares(squares[:], c.row(k), c.row(0))
		}
		for i := range n {
			w := s.weight(first + i)
			if w == 0 {
				continue
			}
			shift := c.sums[i] / members
			e := float64(c.x[i]) - float64(c.y[i]) + shift
			variance := max(0, squares[i]-float64(shift*c.sums[i])) / max(1, members-1)
			m.ErrorSum += float64(w * e)
			m.AbsoluteSum += float64(w * math.Abs(e))
			m.SquareSum += float64(w * float64(e*e))
			m.VarianceSum += float64(w * variance)
			m.Weight += w
		}
	})
	return m
}

// MSE is the mean squared error of the ensemble mean.
func (m Moments) MSE() float64 { return m.SquareSum / m.Weight }

// RMSE is √MSE, the skill of spread and skill.
func (m Moments) RMSE() float64 { return math.Sqrt(m.MSE()) }

// Spread is the square root of the mean variance of the members, over S − 1. NaN for a
// single member.
func (m Moments) Spread() float64 {
	if m.Members < 2 {
		return math.NaN()
	}
	return math.Sqrt(m.VarianceSum / m.Weight)
}

// SpreadSkillRatio is √((S + 1)/S · mean variance / MSE), in expectation of its square's two
// parts 1 for an ensemble from the distribution of the truth, whatever its size (Fortin et
// al., Journal of Hydrometeorology 15, 2014); less if the ensemble is too sure. NaN for a
// single member and where the mean has no error.
func (m Moments) SpreadSkillRatio() float64 {
	if m.Members < 2 || m.SquareSum == 0 {
		return math.NaN()
	}
	return math.Sqrt(float64(m.Members+1) / float64(m.Members) * m.VarianceSum / m.SquareSum)
}

// DebiasedMSE is the mean squared error that the mean of infinitely many members would have,
// MSE − mean variance/S: of ensembles of different sizes, comparable. It can be negative.
// NaN for a single member.
func (m Moments) DebiasedMSE() float64 {
	if m.Members < 2 {
		return math.NaN()
	}
	return (m.SquareSum - m.VarianceSum/float64(m.Members)) / m.Weight
}

// DawidSebastiani returns the score (y − m)²/s² + ln s² of the mean and variance (over S − 1)
// of each cell (Dawid & Sebastiani, Annals of Statistics 27, 1999). Cells whose members are
// equal, and all cells of a single member, are undefined. The score depends on the unit: for
// another unit a constant is added.
func DawidSebastiani[T Float](s Sample[T]) Mean {
	return overMoments(s, 2, func(_ []float64, mean, variance, y float64) float64 {
		e := y - mean
		return float64(e*e)/variance + math.Log(variance)
	})
}

// ErrorSpread returns the error-spread score (s² − e² − e·s·g)² with the error e = m − y of the
// mean, the variance s² (over S − 1) and the skewness g = S/((S − 1)(S − 2)) Σ ((x − m)/s)³ of
// the members (Christensen, Moroz & Palmer, QJRMS 141, 2015), in fourth powers of the unit.
// Cells whose members are equal, and all cells of fewer than 3 members, are undefined.
// scoringrules 0.10 leaves out the factor S of g, which then goes to 0 in large ensembles.
func ErrorSpread[T Float](s Sample[T]) Mean {
	return overMoments(s, 3, func(x []float64, mean, variance, y float64) float64 {
		n := float64(len(x))
		e, sd, cubes := mean-y, math.Sqrt(variance), 0.0
		for _, v := range x {
			z := (v - mean) / sd
			cubes += float64(float64(z*z) * z)
		}
		g := n / ((n - 1) * (n - 2)) * cubes
		d := variance - float64(e*e) - float64(float64(e*sd)*g)
		return d * d
	})
}

// overMoments averages a score of the members of a cell with their mean and variance, which
// is undefined of fewer members than it takes and of equal ones.
func overMoments[T Float](s Sample[T], least int, score func(x []float64, mean, variance, y float64) float64) Mean {
	var m Mean
	eachColumns(s, func(c *columns[T], first, n int) {
		for i := range n {
			w := s.weight(first + i)
			if w == 0 {
				continue
			}
			x := c.of(i)
			mean, variance := meanVariance(x)
			if len(x) < least || variance == 0 {
				m.Undefined++
				continue
			}
			m.put(w, score(x, mean, variance, float64(c.y[i])))
		}
	})
	return m
}

// meanVariance is the mean and the variance over n − 1, 0 for one number; of equal numbers
// exactly themselves and 0.
func meanVariance(x []float64) (mean, variance float64) {
	first, sum := x[0], 0.0
	for _, v := range x {
		sum += v - first
	}
	shift := sum / float64(len(x))
	squares := 0.0
	for _, v := range x {
		d := v - first - shift
		squares += float64(d * d)
	}
	return first + shift, squares / float64(max(1, len(x)-1))
}
