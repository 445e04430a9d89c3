// Backgrounds: the median frame of each episode.

package object

import (
	"context"
	"slices"

	"repscope/internal/parallel"
)

// Backgrounds are the median frames of episodes. As many as may be held are kept, for
// episodes whose states take turns.
type Backgrounds struct {
	read    Read
	size    int           // values of a frame
	states  map[int][]int // by episode, ascending
	threads int
	held    int // values that are held at a time

	kept  map[int][]float64 // by episode
	order []int             // of those kept, the first made first
}

// Read fills dst with frames of the given numbers, one after the other.
type Read func(ctx context.Context, dst []float64, index []int) error

// NewBackgrounds prepares the median frames of episodes, a label for each frame; size is the number of values of a
// frame, and threads 0 all cores.
func NewBackgrounds(read Read, size int, episode []int, threads int) *Backgrounds {
	b := &Backgrounds{read: read, size: size, states: map[int][]int{}, threads: threads, held: heldValues,
		kept: map[int][]float64{}}
	for state, e := range episode {
		b.states[e] = append(b.states[e], state)
	}
	return b
}

// heldValues bounds the pixels of an episode that are held at a time, and the values of
// backgrounds: 128 MB each.
const heldValues = 1 << 24

// pieceValues bounds the pixels that are read at a time.
const pieceValues = 1 << 20

// Of returns the background of an episode: the median over its states of every value of a frame, the mean of the two
// middle ones of an even number. It reads the frames in pieces, and again for every part of the pixels that is held.
// Callers must not change it.
func (b *Backgrounds) Of(ctx context.Context, episode int) ([]float64, error) {
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
func (b *Backgrounds) hold(ctx context.Context, held []float64, states []int, first, last int) error {
	piece := max(1, min(len(states), pieceValues/b.size))
	frames := make([]float64, piece*b.size)
	for lo := 0; lo < len(states); lo += piece {
		part := states[lo:min(lo+piece, len(states))]
		if err := b.read(ctx, frames[:len(part)*b.size], part); err != nil {
			return err
		}
		for i := range part {
			row := held[(lo+i)*(last-first):][:last-first]
			copy(row, frames[i*b.size+first:i*b.size+last])
		}
	}
	return nil
}

// medians computes the medians of the columns of held, which has n rows.
func (b *Backgrounds) medians(ctx context.Context, dst []float64, held []float64, n int) error {
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

// median is the median of values, which it reorders. What most are equal to, as a background
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
