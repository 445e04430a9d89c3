// The two terms of a kernel score, and weighted means.

package ensemble

import "math"

// Estimator says how pairs of members are averaged.
type Estimator int

const (
	// Fair averages over pairs of different members, 1/(S(S−1)): unbiased for the distribution
	// that the members are drawn from, and the default.
	Fair Estimator = iota
	// Biased averages over all pairs including each member with itself, 1/S²: the score of the
	// empirical distribution of the members, which favors many members and too small a spread.
	Biased
)

// String is the name of the estimator, as flags and results have it.
func (e Estimator) String() string {
	if e == Biased {
		return "biased"
	}
	return "fair"
}

// Terms are the sums of a score of the form E d(X, y) − ½ E d(X, X'), with members X and X'
// and the truth y: of the continuous ranked probability score, d(x, y) = |x − y|, and of the
// energy score, d(x, y) = ‖x − y‖. Terms of several samples are added.
type Terms struct {
	Members int
	// SkillSum is Σ w·mean d(x, y) over members, SpreadSum Σ w·mean d(x, x') over pairs of different
	// members, 0 for a single one, and Weight Σ w.
	SkillSum, SpreadSum, Weight float64
}

// Add adds the terms of other cells or samples, of ensembles of the same size.
func (t *Terms) Add(o Terms) {
	t.Members = max(t.Members, o.Members)
	t.SkillSum += o.SkillSum
	t.SpreadSum += o.SpreadSum
	t.Weight += o.Weight
}

// Skill is E d(X, y), the mean distance of the members from the truth. NaN without weight.
func (t Terms) Skill() float64 { return t.SkillSum / t.Weight }

// Spread is E d(X, X'), the mean distance of pairs of members, as the estimator averages
// them; 0 for a single member. NaN without weight.
func (t Terms) Spread(e Estimator) float64 { return t.SpreadSum / t.Weight * e.share(t.Members) }

// Score returns Skill − Spread/2. A single member has no second term: its score is the distance from
// the truth with both estimators. Fair scores can be negative, biased scores cannot.
func (t Terms) Score(e Estimator) float64 { return t.Skill() - t.Spread(e)/2 }

// share is what the mean over pairs of different members is multiplied by.
func (e Estimator) share(members int) float64 {
	if e == Biased && members > 0 {
		return float64(members-1) / float64(members)
	}
	return 1
}

// Mean is a weighted sum together with the sum of its weights. Means of several samples can be added.
type Mean struct {
	Sum, Weight float64
	// Undefined is the number of cells for which there is no number; the sums are over
	// the others.
	Undefined int
}

// Add adds the sums of other cells or samples.
func (m *Mean) Add(o Mean) {
	m.Sum += o.Sum
	m.Weight += o.Weight
	m.Undefined += o.Undefined
}

// Value is Sum/Weight; NaN without weight and where a cell is undefined.
func (m Mean) Value() float64 {
	if m.Undefined > 0 || m.Weight == 0 {
		return math.NaN()
	}
	return m.Sum / m.Weight
}

// put adds a cell.
func (m *Mean) put(weight, v float64) {
	m.Sum += float64(weight * v)
	m.Weight += weight
}
