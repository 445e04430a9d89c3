// The vote where distances tie, against all orders.

package cluster

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// inOrder is the vote of a list whose order is known.
func inOrder(of []int, own int, list []int32, k int) (correct, purity float64) {
	votes := map[int]int{}
	for _, j := range list[:k] {
		votes[of[j]]++
	}
	winner := of[list[0]]
	for _, j := range list[:k] { // nearest first
		if votes[of[j]] > votes[winner] {
			winner = of[j]
		}
	}
	if winner == own {
		correct = 1
	}
	return correct, float64(votes[own]) / float64(k)
}

// orders calls visit with the list in every order of its ties.
func orders(list, run []int32, at int, visit func(list []int32)) {
	if at == len(list) {
		visit(list)
		return
	}
	for other := at; other < len(list) && run[other] == run[at]; other++ {
		list[at], list[other] = list[other], list[at]
		orders(list, run, at+1, visit)
		list[at], list[other] = list[other], list[at]
	}
}

func TestVoteIsTheMeanOfAllOrders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	v := &voter{logs: newLogFactorials(20), seen: make([]*contender, 4)}
	for round := range 600 {
		labels := 1 + r.IntN(4)
		v.of = v.of[:0]
		var list, run []int32
		for len(list) < 8 {
			first := int32(len(list))
			for range 1 + r.IntN(1+round%5) {
				v.of = append(v.of, r.IntN(labels))
				list, run = append(list, int32(len(list))), append(run, first)
			}
		}
		list, run = list[:8], run[:8]
		for k := 1; k <= 8; k++ {
			// As a search has it: the list ends with the run of the k-th.
			end := k
			for end < len(run) && run[end] == run[k-1] {
				end++
			}
			for own := range 4 {
				var correct, purity, count float64
				orders(slices.Clone(list[:end]), run[:end], 0, func(list []int32) {
					c, p := inOrder(v.of, own, list, k)
					correct, purity, count = correct+c, purity+p, count+1
				})
				gotCorrect, gotPurity := v.vote(own, list[:end], run[:end], k)
				if math.Abs(gotCorrect-correct/count) > 1e-12 || math.Abs(gotPurity-purity/count) > 1e-12 {
					t.Fatalf("labels %v, runs %v, k = %d, own %d: %v and %v, want %v and %v", v.of[:end], run[:end], k, own, gotCorrect, gotPurity, correct/count, purity/count)
				}
				// More of the list changes nothing.
				if c, p := v.vote(own, list, run, k); c != gotCorrect || p != gotPurity {
					t.Fatalf("a longer list: %v and %v, want %v and %v", c, p, gotCorrect, gotPurity)
				}
			}
		}
	}
}

// Labels of one-hot latents of other classes at random: what chance gives, in whatever order the points come.
func TestLabelConsistencyOfClasses(t *testing.T) {
	t.Parallel()
	const n = 400
	r := rand.New(rand.NewPCG(5, 6))
	data, labels := make([]float32, 3*n), make([]int64, n)
	for i := range n {
		data[3*i+r.IntN(3)] = 1
		labels[i] = int64(i / 100) // as of time
	}
	pts := points.Float32(data, 3)
	found, duplicates, err := LabelConsistency(t.Context(), pts, NewPartition(labels), []int{5, 20}, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if duplicates != n-3 {
		t.Errorf("%d duplicates", duplicates)
	}
	order := r.Perm(n)
	moved := make([]int64, n)
	for i, from := range order {
		moved[i] = labels[from]
	}
	again, _, err := LabelConsistency(t.Context(), pts.Select(order), NewPartition(moved), []int{5, 20}, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for q := range found {
		measuretest.Near(t, "purity by chance", stat.Mean(found[q].Purity), 0.25, 0.02)
		measuretest.Near(t, "accuracy by chance", stat.Mean(found[q].Correct), 0.25, 0.06)
		measuretest.Near(t, "purity in another order", stat.Mean(again[q].Purity), stat.Mean(found[q].Purity), 1e-13)
		measuretest.Near(t, "accuracy in another order", stat.Mean(again[q].Correct), stat.Mean(found[q].Correct), 1e-10)
	}
	var undefined *stat.UndefinedError
	if _, _, err := LabelConsistency(t.Context(), points.Float32(make([]float32, 3*n), 3), NewPartition(labels), []int{5}, neighbors.Options{}); !errors.As(err, &undefined) {
		t.Errorf("equal points: %v", err)
	}
}
