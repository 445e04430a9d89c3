// The jackknife of a least-squares line.

package stat

// JackknifedRegression holds the jackknife of a regression's coefficients.
type JackknifedRegression struct {
	Slope, Intercept, R, RSquared *Jackknifed
}

// JackknifeRegression returns the delete-block jackknife of slope, intercept, r and r² of the least-squares line of
// y [n] on x [n]. A block deletes pairs (x, y). Errors as for [Regression] and [JackknifeSums].
func JackknifeRegression(blocks *Blocks, x, y []float64) (*JackknifedRegression, error) {
	if _, err := Regression(x, y); err != nil {
		return nil, err
	}
	terms, statistic := regressionSums(x, y)
	out, err := JackknifeSums(blocks, terms, 4, statistic)
	if err != nil {
		return nil, err
	}
	return &JackknifedRegression{Slope: out[0], Intercept: out[1], R: out[2], RSquared: out[3]}, nil
}

// RegressionInfluence is the influence of every pair on slope, intercept, r and r² of
// the least-squares line, for the length of blocks.
func RegressionInfluence(x, y []float64) ([][]float64, error) {
	if _, err := Regression(x, y); err != nil {
		return nil, err
	}
	terms, statistic := regressionSums(x, y)
	_, influence, err := SumsInfluence(terms, 4, statistic)
	return influence, err
}
