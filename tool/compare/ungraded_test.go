// Samples without a score: bounds by hand, and how often bounds with intervals hold.

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/report"
	"repscope/stat"
)

// ungradedOf compares files of scores per sample and returns the cell of a model.
func ungradedOf(t *testing.T, text, model, metric string, o Options) *Ungraded {
	t.Helper()
	files, err := ReadFrom("s.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o.Threads = 1
	r, err := Compare(t.Context(), &Gathered{Files: files}, o)
	if err != nil {
		t.Fatal(err)
	}
	k := slices.IndexFunc(r.Table, func(row *Row) bool { return row.Metric == metric })
	return r.Table[k].Cells[slices.Index(r.Models, model)].Ungraded
}

func TestUngraded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("model,sample,group,accuracy,mse,stars,grade\n")
	for i := range 20 {
		a := fmt.Sprint(i % 2)
		if i < 4 {
			a = []string{"timeout", "timeout", "", "refused by a judge"}[i]
		}
		fmt.Fprintf(&b, "A,%d,%d,%s,%s,%s,%d\n", i, i, a, map[bool]string{true: "", false: "2.5"}[i < 2],
			map[bool]string{true: "", false: "3"}[i < 3], i%2)
		if i < 18 { // B lacks two samples altogether
			fmt.Fprintf(&b, "B,%d,%d,%d,1.5,%d,1\n", i, i, i%2, i%5)
		}
	}
	u := ungradedOf(t, b.String(), "A", "accuracy", Options{})
	if u == nil || u.Count != 4 || u.Samples != 20 || len(u.Reasons) != 2 || u.Reasons["timeout"] != 2 || u.Reasons["refused by a judge"] != 1 ||
		u.Bounds != report.Between(8.0/20, 12.0/20) || !(u.BoundsCI.Low < 0.4) || !(u.BoundsCI.High > 0.6) {
		t.Fatalf("%+v", u)
	}
	want := "accuracy of A: 4 of 20 samples without a score (1 refused by a judge, 2 timeout, 1 without a reason): whatever they are, the mean is from 0.4 to 0.6, "
	if got := u.words("accuracy", "A"); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	if u := ungradedOf(t, b.String(), "B", "accuracy",
		Options{}); u == nil || u.Count != 2 || u.Bounds != report.Between(9.0/20, 11.0/20) {
		t.Errorf("%+v", u)
	}
	if u := ungradedOf(t, b.String(), "A", "mse", Options{}); u == nil || u.Count != 2 || u.Bounds.Reason != "mse has no lowest or no highest possible score" {
		t.Errorf("%+v", u)
	}
	o := Options{Higher: []string{"stars", "grade"}}
	if u := ungradedOf(t, b.String(), "A", "stars", o); u == nil || u.Count != 3 || !strings.HasPrefix(u.Bounds.Reason, "nothing says which scores of stars") {
		t.Errorf("%+v", u)
	}
	if u := ungradedOf(t, b.String(), "A", "grade", o); u != nil {
		t.Errorf("all are graded: %+v", u)
	}
	// Means of groups: two groups of 2 and 18 samples; the first has one score.
	text := "model,sample,group,accuracy\nA,a,g,1\nA,b,g,\nA,c,h,0\nA,d,h,1\n"
	if u := ungradedOf(t, text, "A", "accuracy", Options{Weights: WeightGroups}); u == nil || u.Bounds != report.Between(0.5, 0.75) {
		t.Errorf("%+v", u)
	}
	// Logged samples and rows are files of scores too.
	files, err := ReadFrom("samples_t.jsonl", []byte(`{"doc_id": 0, "acc": 1.0}`+"\n"+`{"doc_id": 1, "acc": 0.0}`+"\n"+`{"doc_id": 2, "acc": null}`+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if u := r.Table[0].Cells[0].Ungraded; u == nil || u.Count != 1 || u.Bounds != report.Between(1.0/3, 2.0/3) {
		t.Errorf("%+v", u)
	}
	for _, bad := range []string{"0.5x", "-", "12.", "?"} {
		text := "model,sample,group,accuracy\nA,a,g," + bad + "\n"
		if _, err := ReadFrom("s.csv", []byte(text)); bad != "12." && (err == nil || !strings.Contains(err.Error(),
			"is not a number")) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestUngradedCoverage draws scores of 1 with a known probability; some are not graded: at random, only those
// that are 0, only those that are 1, or whole groups. The interval of the bounds holds the probability at least 95
// times in 100 but for the error of 300 draws; that of the graded ones alone does not.
func TestUngradedCoverage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: it compares 2,400 tables")
	}
	const draws, samples, perGroup = 300, 120, 4
	least := 0.95 - 3*math.Sqrt(0.95*0.05/draws)
	for _, p := range []float64{0.3, 0.85} {
		for way, lacks := range map[string]func(score float64, group int, u float64) bool{
			"at random":   func(_ float64, _ int, u float64) bool { return u < 0.15 },
			"zeros":       func(score float64, _ int, u float64) bool { return score == 0 && u < 0.4 },
			"ones":        func(score float64, _ int, u float64) bool { return score == 1 && u < 0.4 },
			"some groups": func(_ float64, group int, _ float64) bool { return group%6 == 0 },
		} {
			covered, naive := 0, 0
			for draw := range draws {
				random := stat.NewRandom(stat.NewKey(20261130, uint64(draw), uint64(len(way)), uint64(100*p)))
				var b strings.Builder
				b.WriteString("model,sample,group,accuracy\n")
				shared := 0.0
				for i := range samples {
					if i%perGroup == 0 {
						shared = random.Float64()
					}
					x := random.Float64()
					if random.Float64() < 0.3 {
						x = shared // samples of a group are alike
					}
					score := 0.0
					if x < p {
						score = 1
					}
					cell := fmt.Sprint(score)
					if lacks(score, i/perGroup, random.Float64()) {
						cell = ""
					}
					fmt.Fprintf(&b, "A,%d,%d,%s\n", i, i/perGroup, cell)
				}
				files, err := ReadFrom("s.csv", []byte(b.String()))
				if err != nil {
					t.Fatal(err)
				}
				r, err := Compare(t.Context(), &Gathered{Files: files}, Options{Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				cell := r.Table[0].Cells[0]
				within := func(i report.Interval) int {
					if i.Defined() && i.Low <= p && p <= i.High {
						return 1
					}
					return 0
				}
				if cell.Ungraded == nil {
					naive, covered = naive+within(cell.CI), covered+within(cell.CI)
					continue
				}
				naive, covered = naive+within(cell.CI), covered+within(cell.Ungraded.BoundsCI)
			}
			t.Logf("p = %g, %s: %.3f, without bounds %.3f", p, way, float64(covered)/draws, float64(naive)/draws)
			if float64(covered) < least*draws {
				t.Errorf("p = %g, without scores %s: covers %.3f", p, way, float64(covered)/draws)
			}
			if (way == "ones" || way == "zeros" && p < 0.5) && float64(naive) > 0.8*draws {
				t.Errorf("p = %g, %s: the interval of the graded ones holds %.3f; the test shows nothing", p, way,
					float64(naive)/draws)
			}
		}
	}
}
