// Assignments beside the best of all.

package box

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
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
		{[]float64{1, math.Inf(1), 2, math.Inf(1)}, 2, 2, "too many forbidden pairs"},
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

// BenchmarkAssign is of 200 × 200 random costs; or, with the file of float64 that REPSCOPE_BENCH_COSTS names, of a
// square matrix that is all in it.
func BenchmarkAssign(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 4))
	cost := make([]float64, 200*200)
	for i := range cost {
		cost[i] = rng.Float64()
	}
	if path := os.Getenv("REPSCOPE_BENCH_COSTS"); path != "" {
		cost = benchFile(b, path)
	}
	n := int(math.Sqrt(float64(len(cost))))
	for b.Loop() {
		_, total, err := Assign(cost, n, n)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(total, "cost")
	}
}

// BenchmarkAssignBoxes assigns boxes by 1 − IoU, which is 1 of most pairs, of designs or of the boxes [2, n, 4] that
// the file REPSCOPE_BENCH_BOXES has: by all costs, and by the pairs that overlap.
func BenchmarkAssignBoxes(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 5))
	from := design(rng, 300)
	to := moved(rng, from)
	if path := os.Getenv("REPSCOPE_BENCH_BOXES"); path != "" {
		from, to = nil, nil
		values := benchFile(b, path)
		for k, list := range []*[]Box{&from, &to} {
			for v := range slices.Chunk(values[k*len(values)/2:(k+1)*len(values)/2], 4) {
				*list = append(*list, Box{v[0], v[1], v[2], v[3]})
			}
		}
	}
	b.Run("costs", func(b *testing.B) {
		for b.Loop() {
			cost := make([]float64, 0, len(from)*len(to))
			for _, x := range from {
				for _, y := range to {
					cost = append(cost, 1-ExtentIoU(x, y, 0))
				}
			}
			_, total, err := Assign(cost, len(from), len(to))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(total, "cost")
		}
	})
	b.Run("overlaps", func(b *testing.B) {
		for b.Loop() {
			w, err := OverlapWeights(from, to, 0, 1<<23, func(i, j int) float64 { return ExtentIoU(from[i], to[j], 0) })
			if err != nil {
				b.Fatal(err)
			}
			_, total, err := Match(w)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(min(len(from), len(to)))-total, "cost")
		}
	})
}

// benchFile reads little-endian float64.
func benchFile(b *testing.B, path string) []float64 {
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	values := make([]float64, len(data)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return values
}

// Costs of 1e16 beside small ones do not blur which of these are chosen.
func TestAssign_HugeCosts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(19, 465))
	for range 2000 {
		rows, columns := 1+random.IntN(4), 1+random.IntN(5)
		cost := make([]float64, rows*columns)
		for i := range cost {
			if cost[i] = float64(1 + random.IntN(9)); random.IntN(3) == 0 {
				cost[i] = 1e16
			}
		}
		for name, assign := range map[string]func([]float64, int, int) ([]int, float64, error){"Assign": Assign,
			"AssignInOrder": AssignInOrder} {
			_, total, err := assign(cost, rows, columns)
			if want := leastOf(cost, rows, columns); err != nil || total > want*(1+1e-15) {
				t.Fatalf("%s of %d × %d %v: %v, error %v, want %v", name, rows, columns, cost, total, err, want)
			}
		}
	}
}
