// Objects: what differs from the background of its episode, in true and in predicted
// frames.

package reconstruction

import (
	"context"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/box"
	"repscope/measure/image"
)

// LeastOverlap is the intersection over union of pixels from which a true and a predicted
// object may be the same.
const LeastOverlap = 0.1

// found are the objects of a frame.
type found struct {
	labels  []int32 // of every pixel: 1 + its object, 0 for none
	objects []box.Component
}

// finder finds objects in frames of planes. It has scratch memory: one for each
// goroutine.
type finder struct {
	shape     image.Shape
	threshold float64 // by which a pixel must differ in some channel
	area      int     // pixels of an object at least
	mask      []bool
}

func newFinder(shape image.Shape, o Options) *finder {
	return &finder{shape: shape, threshold: o.ObjectThreshold, area: o.ObjectArea, mask: make([]bool, shape.Height*shape.Width)}
}

// find returns the 8-connected components of the pixels that differ from the background,
// but for those of few pixels, in the order of their first pixels.
func (f *finder) find(frame, background []float64) (*found, error) {
	n := len(f.mask)
	clear(f.mask)
	for c := range f.shape.Channels {
		plane, behind := frame[c*n:][:n], background[c*n:][:n]
		for i, v := range plane {
			if math.Abs(v-behind[i]) > f.threshold {
				f.mask[i] = true
			}
		}
	}
	labels, all, err := box.Components(f.mask, f.shape.Height, f.shape.Width, box.Eight)
	if err != nil {
		return nil, err
	}
	out := &found{labels: labels}
	number := make([]int32, len(all)+1)
	for i, c := range all {
		if c.Area >= f.area {
			out.objects = append(out.objects, c)
			number[i+1] = int32(len(out.objects))
		}
	}
	for i, l := range labels {
		labels[i] = number[l]
	}
	return out, nil
}

// objectScores compare the objects of a prediction with the true ones.
type objectScores struct {
	predicted int     // objects of the prediction
	hits      []bool  // of every true object: it is matched
	distance  float64 // of the centroids of matched objects, summed, in pixels
}

// matchObjects pairs true and predicted objects one to one, so that the sum of their
// overlaps is largest, over pairs that overlap enough.
func matchObjects(truth, predicted *found) (objectScores, error) {
	s := objectScores{predicted: len(predicted.objects), hits: make([]bool, len(truth.objects))}
	for _, g := range groups(overlaps(truth, predicted), len(truth.objects)) {
		pairs, err := g.assign()
		if err != nil {
			return s, err
		}
		for _, p := range pairs {
			a, b := truth.objects[p.truth], predicted.objects[p.predicted]
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
func overlaps(truth, predicted *found) []overlap {
	both := map[[2]int32]int{} // pixels of labels
	for i, l := range truth.labels {
		if m := predicted.labels[i]; l > 0 && m > 0 {
			both[[2]int32{l, m}]++
		}
	}
	var out []overlap
	for labels, n := range both {
		a, b := int(labels[0])-1, int(labels[1])-1
		iou := float64(n) / float64(truth.objects[a].Area+predicted.objects[b].Area-n)
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

// group are overlaps that have no object in common with those of other groups: what is
// matched in one does not matter in another, which keeps assignments small.
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

// backgrounds are the median frames of episodes. As many as may be held are kept, for
// episodes whose states take turns.
type backgrounds struct {
	frames  Frames
	size    int           // values of a frame
	states  map[int][]int // by episode, ascending
	threads int
	held    int // values that are held at a time

	kept  map[int][]float64 // by episode
	order []int             // of those kept, the first made first
}

func newBackgrounds(in Input, threads int) *backgrounds {
	b := &backgrounds{frames: in.Frames, size: in.Shape.Size(), states: map[int][]int{}, threads: threads, held: heldValues, kept: map[int][]float64{}}
	for state, e := range in.Episode {
		b.states[e] = append(b.states[e], state)
	}
	return b
}

// heldValues bounds the pixels of an episode that are held at a time, and those of
// backgrounds: 128 MB each.
const heldValues = 1 << 24

// of returns the background of an episode: the median over its states of every value of a frame, the mean of the two
// middle ones of an even number. It reads the frames in pieces, and again for every part of the pixels that is held.
// Callers must not change it.
func (b *backgrounds) of(ctx context.Context, episode int) ([]float64, error) {
	if frame, ok := b.kept[episode]; ok {
		return frame, nil
	}
	states := b.states[episode]
	frame := make([]float64, b.size)
	width := min(b.size, max(1, b.held/len(states)))
	held := make([]float64, width*len(states))
	for first := 0; first < b.size; first += width {
		last := min(first+width, b.size)
		if err := b.hold(ctx, held, states, first, last); err != nil {
			return nil, err
		}
		if err := b.medians(ctx, frame[first:last], held, len(states)); err != nil {
			return nil, err
		}
	}
	for len(b.order) > 0 && (len(b.order)+1)*b.size > b.held {
		delete(b.kept, b.order[0])
		b.order = b.order[1:]
	}
	b.kept[episode], b.order = frame, append(b.order, episode)
	return frame, nil
}

// hold reads the pixels first ≤ k < last of all states, state by state.
func (b *backgrounds) hold(ctx context.Context, held []float64, states []int, first, last int) error {
	piece := max(1, min(len(states), BlockValues/b.size))
	frames := make([]float64, piece*b.size)
	for lo := 0; lo < len(states); lo += piece {
		part := states[lo:min(lo+piece, len(states))]
		if err := b.frames.Read(ctx, frames[:len(part)*b.size], part); err != nil {
			return err
		}
		for i := range part {
			row := held[(lo+i)*(last-first):][:last-first]
			copy(row, frames[i*b.size+first:i*b.size+last])
		}
	}
	return nil
}

// medians are those of the columns of held, which has n rows.
func (b *backgrounds) medians(ctx context.Context, dst []float64, held []float64, n int) error {
	const tile = 16 // columns that are gathered together
	return parallel.With(ctx, b.threads, (len(dst)+tile-1)/tile, func() func(i int) error {
		columns := make([]float64, tile*n)
		return func(i int) error {
			first, last := i*tile, min((i+1)*tile, len(dst))
			for r := range n {
				for k, v := range held[r*len(dst)+first : r*len(dst)+last] {
					columns[k*n+r] = v
				}
			}
			for k := range last - first {
				dst[first+k] = median(columns[k*n : (k+1)*n])
			}
			return nil
		}
	})
}

// median is that of values, which it reorders. What most are equal to, as a background
// is, is found without sorting.
func median(values []float64) float64 {
	// Of a majority more votes are for it than against it (Boyer & Moore 1991).
	candidate, votes := values[0], 0
	for _, v := range values {
		switch {
		case votes == 0:
			candidate, votes = v, 1
		case v == candidate:
			votes++
		default:
			votes--
		}
	}
	count := 0
	for _, v := range values {
		if v == candidate {
			count++
		}
	}
	n := len(values)
	if 2*count > n {
		return candidate
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
