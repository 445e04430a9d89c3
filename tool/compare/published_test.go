// Published examples of comparisons over several tasks.

package compare

import (
	"math"
	"strings"
	"testing"
)

// publishedTable is table 6 of Demšar (2006), JMLR 7: AUC of C4.5 with m = 0, and with m or cf or both tuned, on 14
// datasets. The ranks of voting there follow from unrounded scores, 2 and 3.
const publishedTable = `dataset,C4.5,C4.5+m,C4.5+cf,C4.5+m+cf
adult (sample),0.763,0.768,0.771,0.798
breast cancer,0.599,0.591,0.590,0.569
breast cancer wisconsin,0.954,0.971,0.968,0.967
cmc,0.628,0.661,0.654,0.657
ionosphere,0.882,0.888,0.886,0.898
iris,0.936,0.931,0.916,0.931
liver disorders,0.661,0.668,0.609,0.685
lung cancer,0.583,0.583,0.563,0.625
lymphography,0.775,0.838,0.866,0.875
mushroom,1.000,1.000,1.000,1.000
primary tumor,0.940,0.962,0.965,0.962
rheum,0.619,0.666,0.614,0.669
voting,0.972,0.981,0.975,0.975
wine,0.957,0.978,0.946,0.970
`

func publishedStudy(t *testing.T, text string) *Study {
	t.Helper()
	files, err := ReadFrom("auc.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Higher: []string{"score"}, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.Studies[0]
}

// TestPublishedRanks compares with the numbers of the paper, which has no correction for ties and unrounded scores, and
// with scipy 1.17.1 and autorank 1.3.0 of the table as printed.
func TestPublishedRanks(t *testing.T) {
	t.Parallel()
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	s := publishedStudy(t, strings.Replace(publishedTable, "0.981,0.975,0.975", "0.981,0.9751,0.975", 1))
	squares := 0.0
	for name, want := range map[string]float64{"C4.5": 3.143, "C4.5+m": 2, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964} {
		rank := s.of[name].AverageRank.V
		near("average rank of "+name, rank, want, 5e-4)
		squares += rank * rank
	}
	chiSquared := 12.0 * 14 / (4 * 5) * (squares - 4.0*5*5/4)
	near("χ² without a correction for ties", chiSquared, 9.28, 5e-3)
	near("F of it", 13*chiSquared/(14*3-chiSquared), 3.69, 5e-3)
	near("critical difference", s.CriticalDifference.V, 1.25, 5e-3)

	s = publishedStudy(t, publishedTable)
	for name, want := range map[string]float64{"C4.5": 44.0 / 14, "C4.5+m": 2, "C4.5+cf": 41.0 / 14,
		"C4.5+m+cf": 27.0 / 14} {
		near("average rank of "+name, s.of[name].AverageRank.V, want, 1e-12)
	}
	near("χ²", s.FriedmanChiSquared.V, 10.952380952380956, 1e-10)
	near("F", s.FriedmanF.V, 4.585889570552149, 1e-10)
	near("p", s.Friedman.V, 0.007628838730725745, 1e-10)
	near("critical difference of autorank", s.CriticalDifference.V, 1.2535512603486423, 1e-5) // of an approximation
	// Signed ranks: the paper rejects equality of C4.5 and C4.5+m, whose rank sums are 93 and 12. The exact p values
	// are of all signs of the ranks of differences with three digits, as Pratt has zeros.
	exact := map[string]float64{"C4.5|C4.5+m": 0.0078125, "C4.5|C4.5+cf": 0.865966796875,
		"C4.5|C4.5+m+cf": 0.01123046875,
		"C4.5+m|C4.5+cf": 0.052978515625, "C4.5+m|C4.5+m+cf": 0.4501953125, "C4.5+cf|C4.5+m+cf": 0.02734375}
	for _, pair := range s.Pairs {
		near("p of "+pair.A+" and "+pair.B, pair.P.V, exact[pair.A+"|"+pair.B], 1e-12)
	}
}
