// The nearest of some states or sequences among others.

package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"repscope/measure/identity"
	"repscope/neighbors"
)

// lookup finds, for each query, the position in members of the nearest member, and its distance; −1 and NaN where none
// is
// near enough.
type lookup interface {
	nearest(ctx context.Context, queries, members []int, progress func(done, total int)) ([]int32, []float64, error)
	// equal numbers all states, equal ones by the lowest index of them.
	equal(ctx context.Context) ([]int32, error)
}

// frames are states, compared by all their values.
type frames struct{ *auditor }

func (f frames) nearest(ctx context.Context, queries, members []int, progress func(done, total int),
) ([]int32, []float64, error) {
	o := neighbors.Options{Threads: f.o.Threads, Memory: f.o.Memory, Device: f.o.Device, Progress: progress}
	nearest, err := f.selected(members).Cross(ctx, f.selected(queries), 1, o)
	if err != nil {
		return nil, nil, err
	}
	return nearest.Index, nearest.Distance, nil
}

func (f frames) equal(ctx context.Context) ([]int32, error) { return f.space.First(ctx, f.o.Threads) }

// elsewhere finds, for the first count members, the nearest member of another episode. The members of an episode follow
// each other.
func (a *auditor) elsewhere(ctx context.Context, members []int, count int, progress func(done, total int),
) ([]int32, []float64, error) {
	o := neighbors.Options{Threads: a.o.Threads, Memory: a.o.Memory, Device: a.o.Device, Progress: progress}
	for _, i := range members {
		o.Episode = append(o.Episode, a.episode[i])
	}
	o.ExcludeWindow = longest(o.Episode) - 1
	nearest, err := a.selected(members).KNearestOfFirst(ctx, count, 1, o)
	if err != nil {
		return nil, nil, err
	}
	return nearest.Index, nearest.Distance, nil
}

// selected are states as points of their own; without a copy where they follow each other.
func (a *auditor) selected(index []int) neighbors.Space {
	for k, i := range index {
		if i != index[0]+k {
			return a.space.Select(index)
		}
	}
	return a.space.Range(index[0], index[0]+len(index))
}

// longest is the length of the longest run of one episode.
func longest(episode []int) int {
	maximum, length := 0, 0
	for i, e := range episode {
		if i > 0 && e != episode[i-1] {
			length = 0
		}
		length++
		maximum = max(maximum, length)
	}
	return maximum
}

// letters are sequences, compared by their identity.
type letters struct{ *auditor }

func (l letters) nearest(ctx context.Context, queries, members []int, progress func(done, total int),
) ([]int32, []float64, error) {
	o := identity.Options{Least: l.o.LeastIdentity, Threads: l.o.Threads, Progress: progress}
	matches, err := identity.Nearest(ctx, l.picked(queries), l.picked(members), o)
	if err != nil {
		return nil, nil, err
	}
	index, distance := make([]int32, len(matches)), make([]float64, len(matches))
	for q, m := range matches {
		index[q], distance[q] = int32(m.Reference), 1-m.Identity
		if m.Reference < 0 {
			distance[q] = math.NaN()
		}
	}
	return index, distance, nil
}

func (l letters) picked(index []int) [][]byte {
	out := make([][]byte, len(index))
	for k, i := range index {
		out[k] = l.in.Sequences[i]
	}
	return out
}

func (l letters) equal(context.Context) ([]int32, error) {
	first := map[string]int32{}
	out := make([]int32, len(l.in.Sequences))
	for i, s := range l.in.Sequences {
		j, seen := first[string(s)]
		if !seen {
			j = int32(i)
			first[string(s)] = j
		}
		out[i] = j
	}
	return out, nil
}

// clusters counts the clusters of all sequences of a division; nil where there are no sequences or too many.
func (a *auditor) clusters(ctx context.Context, part division) (*Clusters, error) {
	if a.in.Sequences == nil || len(part.test)+len(part.train) > mostClustered {
		return nil, nil
	}
	rows := append(append([]int(nil), part.test...), part.train...)
	labels, err := identity.Clusters(ctx, letters{a}.picked(rows), identity.Options{Least: a.o.LeastIdentity,
		Threads: a.o.Threads})
	if err != nil {
		return nil, err
	}
	out := &Clusters{}
	tested, both := map[int]bool{}, map[int]bool{}
	for k, label := range labels {
		out.Count = max(out.Count, label+1)
		if k < len(part.test) {
			tested[label] = true
		} else if tested[label] {
			both[label] = true
		}
	}
	out.BothSides = len(both)
	return out, nil
}

// mostClustered is the number of sequences up to which clusters are counted, which takes the time of all pairs.
const mostClustered = 20_000

// digest is the SHA-256 of sequences with their lengths.
func digest(sequences [][]byte) string {
	h := sha256.New()
	var size [8]byte
	for _, s := range sequences {
		binary.LittleEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write(s)
	}
	return hex.EncodeToString(h.Sum(nil))
}
