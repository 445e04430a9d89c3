// Friedman's test: do models differ at all over several tasks?

package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Ranking is the result of Friedman's test.
type Ranking struct {
	Tasks, Models int
	AverageRanks  []float64 // of the models; 1 is the highest score
	// ChiSquared is Friedman's (1937) statistic with the correction for ties, and
	// ChiSquaredP its approximate p value, which is too large for few tasks.
	ChiSquared, ChiSquaredP float64
	// F is Iman and Davenport's (1980), (N − 1)χ²/(N(k − 1) − χ²) with k − 1 and
	// (k − 1)(N − 1) degrees of freedom, and P its p value. Where all tasks rank the
	// models alike F is +Inf and P the probability of that.
	F, DF1, DF2, P float64
}

// Friedman tests whether models have equal ranks over independent tasks, from scores[task][model].
// Equal scores in a task share the mean of their ranks. Errors: fewer than 2 tasks or models, tasks of
// unequal length, NaN or Inf, models that are equal in every task.
func Friedman(scores [][]float64) (Ranking, error) {
	const quantity = "Friedman's test"
	n := len(scores)
	if n < 2 || len(scores[0]) < 2 {
		return Ranking{}, Undefined(quantity, "%d tasks, want at least 2 tasks and 2 models", n)
	}
	k := len(scores[0])
	sums, squares := make([]float64, k), 0.0
	orders, alike := 0.0, true // logarithm of the number of orders of a task
	var first []float64
	for t, row := range scores {
		if len(row) != k {
			return Ranking{}, Undefined(quantity, "task %d has %d models and task 0 has %d, want the same models",
				t, len(row), k)
		}
		if err := checkFinite(quantity, "scores", row); err != nil {
			return Ranking{}, err
		}
		negative := make([]float64, k)
		for i, v := range row {
			negative[i] = -v
		}
		ranks := Ranks(negative)
		for i, r := range ranks {
			sums[i] += r
			squares += float64(r * r)
			alike = alike && (first == nil || first[i] == r)
		}
		if first == nil {
			first, orders = ranks, logOrders(ranks)
		}
	}
	tasks, models := float64(n), float64(k)
	middle := (models + 1) / 2
	within := squares - tasks*models*middle*middle // of ranks about their mean
	if within <= 0 {
		return Ranking{}, Undefined(quantity, "all models have equal scores in every task")
	}
	result := Ranking{Tasks: n, Models: k, DF1: models - 1, DF2: (models - 1) * (tasks - 1)}
	between := 0.0
	for _, s := range sums {
		average := s / tasks
		result.AverageRanks = append(result.AverageRanks, average)
		between += float64((average - middle) * (average - middle))
	}
	result.ChiSquared = tasks * tasks * (models - 1) * between / within
	result.ChiSquaredP = mathext.GammaIncRegComp(result.DF1/2, result.ChiSquared/2)
	if alike {
		result.F, result.P = math.Inf(1), math.Exp(-(tasks-1)*orders)
		return result, nil
	}
	result.F = (tasks - 1) * result.ChiSquared / (tasks*(models-1) - result.ChiSquared)
	result.P = 1
	if result.F > 0 {
		result.P = regularizedBeta(result.DF2/(result.DF2+float64(result.DF1*result.F)), result.DF2/2, result.DF1/2)
	}
	return result, nil
}

// logOrders is the logarithm of the number of different orders of some ranks.
func logOrders(ranks []float64) float64 {
	out, _ := math.Lgamma(float64(len(ranks)) + 1)
	tied := map[float64]int{}
	for _, r := range ranks {
		tied[r]++
		out -= math.Log(float64(tied[r]))
	}
	return out
}

// NemenyiDifference is Nemenyi's critical difference: average ranks of models over tasks that are further apart differ
// at the level alpha, q·√(k(k + 1)/6N) for k models and N tasks, with q the upper quantile of the range of k
// independent standard normal numbers over √2. The number of other models changes it, so it is for comparing with
// published figures. Errors: fewer than 2 models, no tasks, alpha not between 0 and 1.
func NemenyiDifference(models, tasks int, alpha float64) (float64, error) {
	const quantity = "Nemenyi's critical difference"
	if models < 2 || tasks < 1 || !(alpha > 0 && alpha < 1) {
		return 0, Undefined(quantity, "%d models, %d tasks and level %g, want at least 2 models, a task and a level "+
			"between 0 and 1",
			models, tasks, alpha)
	}
	low, high := 0.0, 50.0
	for range 100 { // the range decides to the last digit
		if middle := (low + high) / 2; rangeAbove(models, middle) > alpha {
			low = middle
		} else {
			high = middle
		}
	}
	k := float64(models)
	return low / math.Sqrt2 * math.Sqrt(k*(k+1)/(6*float64(tasks))), nil
}

// rangeAbove is the probability that the range of k standard normal numbers is larger than r: one less k∫φ(z)·
// (Φ(z) − Φ(z − r))^(k − 1)dz over the largest of them, by the trapezoidal rule, which converges fast for such
// functions.
func rangeAbove(k int, r float64) float64 {
	const end, steps = 9.0, 720
	sum := 0.0
	for i := range steps + 1 {
		z := -end + 2*end*float64(i)/steps
		inside := (math.Erfc(-z/math.Sqrt2) - math.Erfc((r-z)/math.Sqrt2)) / 2
		sum += math.Exp(-z*z/2) * math.Pow(inside, float64(k-1))
	}
	return 1 - float64(k)*sum*2*end/steps/math.Sqrt(2*math.Pi)
}
