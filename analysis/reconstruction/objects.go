// Objects: what differs from the background of its episode, in true and in predicted
// frames.

package reconstruction

import (
	"math"
	"slices"

	"repscope/measure/box"
	"repscope/measure/object"
)

// LeastOverlap is the intersection over union of pixels from which a true and a predicted
// object may be the same.
const LeastOverlap = 0.1

// objectScores compare the objects of a prediction with the true ones.
type objectScores struct {
	predicted int     // objects of the prediction
	hits      []bool  // of every true object: it is matched
	distance  float64 // of the centroids of matched objects, summed, in pixels
}

// matchObjects pairs true and predicted objects one to one, so that the sum of their
// overlaps is largest, over pairs that overlap enough.
func matchObjects(truth, predicted *object.Found) (objectScores, error) {
	s := objectScores{predicted: len(predicted.Objects), hits: make([]bool, len(truth.Objects))}
	for _, g := range groups(overlaps(truth, predicted), len(truth.Objects)) {
		pairs, err := g.assign()
		if err != nil {
			return s, err
		}
		for _, p := range pairs {
			a, b := truth.Objects[p.truth], predicted.Objects[p.predicted]
			s.hits[p.truth] = true
			dx, dy := a.X-b.X, a.Y-b.Y
			s.distance += math.Sqrt(float64(dx*dx) + float64(dy*dy))
		}
	}
	return s, nil
}

// overlap is a true and a predicted object that may be the same.
type overlap struct {
	truth, predicted int
	iou              float64
}

// overlaps are all pairs that overlap enough, in the order of true, then of predicted
// objects.
func overlaps(truth, predicted *object.Found) []overlap {
	both := map[[2]int32]int{} // pixels of labels
	for i, l := range truth.Labels {
		if m := predicted.Labels[i]; l > 0 && m > 0 {
			both[[2]int32{l, m}]++
		}
	}
	var out []overlap
	for labels, n := range both {
		a, b := int(labels[0])-1, int(labels[1])-1
		iou := float64(n) / float64(truth.Objects[a].Area+predicted.Objects[b].Area-n)
		if iou >= LeastOverlap {
			out = append(out, overlap{a, b, iou})
		}
	}
	slices.SortFunc(out, func(a, b overlap) int {
		if a.truth != b.truth {
			return a.truth - b.truth
		}
		return a.predicted - b.predicted
	})
	return out
}

// group are overlaps that have no object in common with overlaps of other groups: a
// match in one does not matter in another, which keeps assignments small.
type group []overlap

// groups splits overlaps, which are in order.
func groups(all []overlap, truths int) []group {
	parent := make([]int, truths) // true objects that are joined by predicted ones
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	first := map[int]int{} // of every predicted object, a true one that it overlaps
	for _, o := range all {
		if t, ok := first[o.predicted]; !ok {
			first[o.predicted] = o.truth
		} else if a, b := root(t), root(o.truth); a != b {
			parent[max(a, b)] = min(a, b)
		}
	}
	var out []group
	number := map[int]int{}
	for _, o := range all {
		r := root(o.truth)
		k, ok := number[r]
		if !ok {
			k = len(out)
			number[r] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], o)
	}
	return out
}

// assign chooses the overlaps of a group that are matched.
func (g group) assign() ([]overlap, error) {
	if len(g) == 1 {
		return g, nil
	}
	var rows, columns []int
	for _, o := range g {
		rows, columns = append(rows, o.truth), append(columns, o.predicted)
	}
	slices.Sort(rows)
	slices.Sort(columns)
	rows, columns = slices.Compact(rows), slices.Compact(columns)
	cost, overlaps := make([]float64, len(rows)*len(columns)), map[int]overlap{}
	for _, o := range g {
		i, _ := slices.BinarySearch(rows, o.truth)
		j, _ := slices.BinarySearch(columns, o.predicted)
		cost[i*len(columns)+j] = -o.iou
		overlaps[i*len(columns)+j] = o
	}
	match, _, err := box.Assign(cost, len(rows), len(columns))
	if err != nil {
		return nil, err
	}
	var out []overlap
	for i, j := range match {
		if o, ok := overlaps[i*len(columns)+j]; ok && j >= 0 {
			out = append(out, o)
		}
	}
	return out, nil
}

// terciles are the areas up to which objects are small, and up to which they are of
// middle size: a third of the areas is at most low, two thirds are at most high, as near
// as equal areas allow. 0 for none.
func terciles(areas []int) (low, high int) {
	if len(areas) == 0 {
		return 0, 0
	}
	sorted := slices.Clone(areas)
	slices.Sort(sorted)
	n := len(sorted)
	return sorted[(n+2)/3-1], sorted[(2*n+2)/3-1]
}
