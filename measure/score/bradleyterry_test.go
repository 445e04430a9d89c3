// Tests of strengths by comparisons in pairs, against choix and scipy (testdata/bradleyterry.py).

package score_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"

	"repscope/measure/score"
	"repscope/stat"
)

// contestsOf are the contests of rows of two items and three counts.
func contestsOf(rows [][]float64) (out []score.Contest) {
	for _, r := range rows {
		out = append(out, score.Contest{A: int(r[0]), B: int(r[1]), Wins: r[2], Losses: r[3], Ties: r[4]})
	}
	return out
}

func TestBradleyTerry_Golden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/bradleyterry.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Fits []struct {
			N        int
			Contests [][]float64
			Log, SE  []float64
			Tie      float64
		}
		Bounded []struct {
			N        int
			Contests [][]float64
			Finite   bool
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Fits) < 8 || len(golden.Bounded) < 800 {
		t.Fatal(err, len(golden.Fits), len(golden.Bounded))
	}
	for _, g := range golden.Fits {
		s, err := score.BradleyTerry(g.N, contestsOf(g.Contests), nil)
		if err != nil {
			t.Fatal(g.N, err)
		}
		se, err := s.StdErrors()
		if err != nil || math.Abs(s.Tie-g.Tie) > 1e-5 {
			t.Errorf("%d items: tie %v, want %v, %v", g.N, s.Tie, g.Tie, err)
		}
		for i := range g.Log {
			if math.Abs(s.Log[i]-g.Log[i]) > 1e-5 || math.Abs(se[i]/g.SE[i]-1) > 1e-4 {
				t.Errorf("%d items: strength %d is %v ± %v, want %v ± %v", g.N, i, s.Log[i], se[i], g.Log[i], g.SE[i])
			}
		}
	}
	for _, g := range golden.Bounded {
		_, err := score.BradleyTerry(g.N, contestsOf(g.Contests), nil)
		var unbounded *score.Unbounded
		if finite := err == nil; finite != g.Finite || !finite && !errors.As(err, &unbounded) {
			t.Errorf("%v: error %v, want a finite estimate: %v", g.Contests, err, g.Finite)
		}
	}
}

// Two items have a closed form: π_a/π_b = wins/losses, and ν = ties/√(wins·losses).
func TestBradleyTerry_TwoItems(t *testing.T) {
	t.Parallel()
	s, err := score.BradleyTerry(2, []score.Contest{{A: 1, B: 0, Wins: 8, Losses: 2, Ties: 6}}, nil)
	if err != nil || math.Abs(s.Log[1]-math.Log(4)/2) > 1e-12 || s.Log[0] != -s.Log[1] || math.Abs(s.Tie-1.5) > 1e-12 {
		t.Errorf("%+v, %v", s, err)
	}
	// Far from the start, and with a start at the solution, the maximum is the same.
	contests := []score.Contest{{A: 0, B: 1, Wins: 1e6, Losses: 1}, {A: 1, B: 2, Wins: 1e6, Losses: 1}}
	far, err := score.BradleyTerry(3, contests, nil)
	if err != nil || math.Abs(far.Log[0]-math.Log(1e6)) > 1e-9 {
		t.Fatalf("%+v, %v", far, err)
	}
	again, err := score.BradleyTerry(3, contests, far)
	if err != nil || math.Abs(again.Log[0]-far.Log[0]) > 1e-9 {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestBradleyTerry_Unbounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n    int
		rows [][]float64
		want score.Unbounded
	}{
		"disconnected": {5, [][]float64{{0, 2, 1, 1, 0}, {1, 3, 2, 1, 0}}, score.Unbounded{Groups: [][]int{{0, 2}, {1, 3}, {4}}}},
		"never lost":   {3, [][]float64{{0, 1, 1, 1, 0}, {1, 2, 0, 4, 0}}, score.Unbounded{Above: []int{2}, Below: []int{0, 1}}},
		"never won":    {3, [][]float64{{0, 1, 1, 1, 1}, {1, 2, 4, 0, 0}}, score.Unbounded{Above: []int{0, 1}, Below: []int{2}}},
		"all tied":     {3, [][]float64{{0, 1, 0, 0, 3}, {1, 2, 0, 0, 1}}, score.Unbounded{}},
		"win and tie":  {2, [][]float64{{0, 1, 1, 0, 1}}, score.Unbounded{}},
	} {
		_, err := score.BradleyTerry(c.n, contestsOf(c.rows), nil)
		var unbounded *score.Unbounded
		if !errors.As(err, &unbounded) || !reflect.DeepEqual(*unbounded, c.want) || err.Error() == "" {
			t.Errorf("%s: %v %+v, want %+v", name, err, unbounded, c.want)
		}
	}
	for name, contests := range map[string][]score.Contest{"self": {{A: 1, B: 1, Wins: 1}}, "no item": {{A: 0, B: 3}},
		"negative": {{A: 0, B: 1, Wins: -1}}, "NaN": {{A: 0, B: 1, Ties: math.NaN()}}, "infinite": {{A: 0, B: 1, Losses: math.Inf(1)}}} {
		if _, err := score.BradleyTerry(3, contests, nil); !stat.IsUndefined(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, n := range []int{1, score.MostContestants + 1} {
		if _, err := score.BradleyTerry(n, nil, nil); !stat.IsUndefined(err) {
			t.Errorf("%d items: %v", n, err)
		}
	}
}
