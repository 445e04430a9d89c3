// Assignments beside the best of all.

package box

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// leastOf is the least cost of all assignments, +Inf if all are forbidden.
func leastOf(cost []float64, rows, columns int) float64 {
	if rows > columns {
		turned := make([]float64, len(cost))
		for i, c := range cost {
			turned[i%columns*rows+i/columns] = c
		}
		return leastOf(turned, columns, rows)
	}
	taken := make([]bool, columns)
	var from func(row int) float64
	from = func(row int) float64 {
		if row == rows {
			return 0
		}
		least := math.Inf(1)
		for j := range columns {
			if !taken[j] {
				taken[j] = true
				least = min(least, cost[row*columns+j]+from(row+1))
				taken[j] = false
			}
		}
		return least
	}
	return from(0)
}

// TestAssign tries every assignment of small matrices, with ties, negative costs and
// forbidden pairs.
func TestAssign(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 600 {
		rows, columns := rng.IntN(6), rng.IntN(6)
		cost := make([]float64, rows*columns)
		for i := range cost {
			switch cost[i] = rng.NormFloat64(); {
			case n%3 == 1:
				cost[i] = float64(rng.IntN(4)) // ties
			case n%3 == 2 && rng.IntN(2) == 0:
				cost[i] = math.Inf(1)
			}
		}
		want := leastOf(cost, rows, columns)
		match, total, err := Assign(cost, rows, columns)
		if math.IsInf(want, 1) {
			if err == nil || !strings.Contains(err.Error(), "forbidden") {
				t.Fatalf("%d × %d %v: %v, %v, want an error", rows, columns, cost, match, err)
			}
			continue
		}
		if err != nil || len(match) != rows || math.Abs(total-want) > 1e-12 {
			t.Fatalf("%d × %d %v: %v, cost %v, %v, want %v", rows, columns, cost, match, total, err, want)
		}
		used := map[int]bool{}
		for _, j := range match {
			if used[j] || j >= columns {
				t.Fatalf("%d × %d: column %d twice or outside: %v", rows, columns, j, match)
			}
			used[j] = j >= 0
		}
		if count := len(match) - countOf(match, -1); count != min(rows, columns) {
			t.Fatalf("%d × %d: %d pairs: %v", rows, columns, count, match)
		}
	}
}

func countOf(list []int, value int) (n int) {
	for _, v := range list {
		if v == value {
			n++
		}
	}
	return n
}

// TestAssignLarge: a hidden permutation is found among larger costs, and what is added
// to a row or a column of all changes nothing.
func TestAssignLarge(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 120
	hidden, cost := rng.Perm(n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			cost[i*n+j] = 1 + rng.Float64()
		}
		cost[i*n+hidden[i]] = rng.Float64() / 2
	}
	match, _, err := Assign(cost, n, n)
	if err != nil || !slices.Equal(match, hidden) {
		t.Errorf("found %v, %v", match, err)
	}
	for i := range n {
		for j := range n {
			cost[i*n+j] += float64(i%7) - float64(j%5)
		}
	}
	if match, _, err = Assign(cost, n, n); err != nil || !slices.Equal(match, hidden) {
		t.Errorf("with added rows and columns: %v, %v", match, err)
	}
}

func TestAssignErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cost          []float64
		rows, columns int
		want          string
	}{
		{[]float64{1, 2, 3}, 2, 2, "assignment with 3 costs: want 2 × 2"},
		{[]float64{1}, -1, -1, "assignment with 1 costs: want -1 × -1"},
		{[]float64{1, 2, 3, math.NaN()}, 2, 2, "assignment: the cost in row 1, column 1 is NaN"},
		{[]float64{1, math.Inf(-1)}, 1, 2, "assignment: the cost in row 0, column 1 is -Inf"},
		{[]float64{1, math.Inf(1), 2, math.Inf(1)}, 2, 2, "too many pairs are forbidden"},
	} {
		if _, _, err := Assign(c.cost, c.rows, c.columns); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if match, total, err := Assign(nil, 3, 0); err != nil || !slices.Equal(match, []int{-1, -1, -1}) || total != 0 {
		t.Errorf("3 × 0: %v, %v, %v", match, total, err)
	}
	if match, _, err := Assign(nil, 0, 3); err != nil || len(match) != 0 {
		t.Errorf("0 × 3: %v, %v", match, err)
	}
}

func BenchmarkAssign(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 200
	cost := make([]float64, n*n)
	for i := range cost {
		cost[i] = rng.Float64()
	}
	for b.Loop() {
		if _, _, err := Assign(cost, n, n); err != nil {
			b.Fatal(err)
		}
	}
}
