// The exclusion window: points near in time are no neighbors.

package dimension

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Window excludes points at most Frames apart in one episode from each other's neighbors (Theiler
// 1986, "Spurious dimension from correlation algorithms applied to limited time-series data").
// Otherwise the nearest neighbors on a path are the points just before and after, and their distances
// measure the speed of the path rather than the dimension of the space.
//
// The neighbors of a point must not be near in time to each other either: the nearest points of
// another pass of the path have nearly equal distances, and a path through three dimensions would
// appear to have dozens. Points are therefore distributed in turn, in the order of time, over several
// sets, so that the points of one set are more than Frames apart or of different episodes. Neighbors
// come from the same set.
type Window struct {
	Frames int // 0: nothing is left out
	// Episode and Time have an entry for every point of the set; nil: one episode, and
	// every point a frame after the one before. Times ascend inside episodes.
	Episode, Time []int
}

// near reports whether two points are neighbors in time.
func (w *Window) near(i, j, frames int) bool {
	if w.Episode != nil && w.Episode[i] != w.Episode[j] {
		return false
	}
	apart := w.frame(i) - w.frame(j)
	return max(apart, -apart) <= frames
}

func (w *Window) frame(i int) int {
	if w.Time == nil {
		return i
	}
	return w.Time[i]
}

// check looks at the lengths.
func (w *Window) check(n int) error {
	if w.Frames < 0 {
		return fmt.Errorf("exclusion window of %d frames, want 0 or more", w.Frames)
	}
	if w.Episode != nil && len(w.Episode) != n {
		return fmt.Errorf("episodes of %d points for %d points", len(w.Episode), n)
	}
	if w.Time != nil && len(w.Time) != n {
		return fmt.Errorf("times of %d points for %d points", len(w.Time), n)
	}
	return nil
}

// sets deals out points of the whole set, given by their places in it in ascending
// order; nil without a window.
func (w *Window) sets(index []int) (set []int, count int) {
	if w.Frames == 0 {
		return nil, 1
	}
	labels := make([]int, len(index))
	if w.Episode != nil {
		for at, i := range index {
			labels[at] = w.Episode[i]
		}
	}
	episodes := points.Grouped(labels, len(labels)) // positions in index
	count = 1                                       // the most points of an episode inside Frames + 1 frames
	for _, frames := range episodes {
		first := 0
		for last, frame := range frames {
			for w.frame(index[frame])-w.frame(index[frames[first]]) > w.Frames {
				first++
			}
			count = max(count, last-first+1)
		}
	}
	set = make([]int, len(index))
	turn := 0
	for _, frames := range episodes {
		for _, frame := range frames {
			set[frame] = turn % count
			turn++
		}
	}
	return set, count
}

// nearest returns the k nearest neighbors of every point of a space, or as many as the
// point with the fewest has, within its set; index are the points' places in the whole
// set, ascending. Fewer than two neighbors are a [stat.UndefinedError].
func (s Search) nearest(ctx context.Context, pts neighbors.Space, index []int, k int,
	measure bool) (*neighbors.Nearest, *neighbors.SearchRecall, error) {
	set, count := s.Window.sets(index)
	if count == 1 {
		return s.all(ctx, pts, min(k, len(index)-1), measure)
	}
	members := make([][]int, count)
	for at, c := range set {
		members[c] = append(members[c], at)
	}
	fewest := len(index)
	for _, of := range members {
		fewest = min(fewest, len(of))
	}
	if fewest < 3 {
		return nil, nil, stat.Undefined("intrinsic dimension",
			"an exclusion window of %d frames leaves %d of %d latents, want at least 3",
			s.Window.Frames, fewest, len(index))
	}
	k = min(k, fewest-1)
	out := &neighbors.Nearest{N: len(index), K: k, Index: make([]int32, len(index)*k), Distance: make([]float64, len(index)*k)}
	var recalls []*neighbors.SearchRecall
	for _, group := range members {
		near, recall, err := s.all(ctx, pts.Select(group), k, measure)
		if err != nil {
			return nil, nil, err
		}
		for q, point := range group {
			for l := range k {
				out.Index[point*k+l] = int32(group[near.Index[q*k+l]])
			}
			copy(out.Distance[point*k:(point+1)*k], near.Distance[q*k:(q+1)*k])
		}
		if recall != nil {
			recalls = append(recalls, recall)
		}
	}
	return out, meanRecall(recalls), nil
}

// meanRecall is the mean recall of several searches; nil for none.
func meanRecall(recalls []*neighbors.SearchRecall) *neighbors.SearchRecall {
	if len(recalls) == 0 {
		return nil
	}
	out := &neighbors.SearchRecall{K: recalls[0].K, Exact: !slices.ContainsFunc(recalls, func(r *neighbors.SearchRecall) bool { return !r.Exact })}
	share, variance := 1/float64(len(recalls)), 0.0
	for _, r := range recalls {
		out.Queries += r.Queries
		out.Value += share * r.Value
		variance += float64(share*r.StandardError) * float64(share*r.StandardError)
	}
	out.StandardError = math.Sqrt(variance)
	return out
}
