// The models of every run: copying the current frame, and the mean of the frames of
// other episodes.

package reconstruction

import (
	"context"
	"sync"

	"repscope/internal/parallel"
)

// copyLast predicts the current frame for every step.
func copyLast(in Input) Predictions {
	return Predictions{Name: CopyLast, Steps: in.steps(), From: "the current frame", Forward: true, Frames: Frames{
		Read: func(ctx context.Context, dst []float64, samples []int) error {
			size, steps := in.Shape.Size(), in.steps()
			states := make([]int, len(samples))
			for i, s := range samples {
				states[i] = in.Samples[s].State
			}
			frames := dst
			if steps > 1 {
				frames = make([]float64, len(samples)*size)
			}
			if err := in.Frames.Read(ctx, frames, states); err != nil || steps == 1 {
				return err
			}
			for i := range samples {
				repeat(dst[i*steps*size:(i+1)*steps*size], frames[i*size:(i+1)*size])
			}
			return nil
		},
	}}
}

// repeat fills dst with copies of a frame.
func repeat(dst, frame []float64) {
	for lo := 0; lo < len(dst); lo += len(frame) {
		copy(dst[lo:], frame)
	}
}

// meanFrame predicts the mean over the frames of all states of the other groups: groups
// are episodes, or the two halves of the only one, so that no frame is predicted from
// itself or from frames next to it.
type meanFrame struct {
	in      Input
	threads int
	groups  [][]int // states, ascending
	of      []int   // group of every state

	mu    sync.Mutex
	total []float64 // of all groups; nil until it is asked for
	sum   []float64 // of group
	group int
}

func newMeanFrame(in Input, threads int) *meanFrame {
	m := &meanFrame{in: in, threads: threads, of: make([]int, len(in.Episode)), group: -1}
	number := map[int]int{}
	for state, e := range in.Episode {
		g, ok := number[e]
		if !ok {
			g = len(number)
			number[e] = g
		}
		m.of[state] = g
	}
	if len(number) == 1 {
		for state := range m.of {
			m.of[state] = 2 * state / len(m.of)
		}
	}
	for state, g := range m.of {
		for g >= len(m.groups) {
			m.groups = append(m.groups, nil)
		}
		m.groups[g] = append(m.groups[g], state)
	}
	return m
}

func (m *meanFrame) predictions() Predictions {
	return Predictions{Name: MeanFrame, Steps: m.in.steps(), From: "the mean frame of the other episodes", Frames: Frames{Read: m.read}}
}

func (m *meanFrame) read(ctx context.Context, dst []float64, samples []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.prepare(ctx); err != nil {
		return err
	}
	size := m.in.Shape.Size()
	mean, states := make([]float64, size), m.in.States()
	done := -1
	for i, s := range samples {
		g := m.of[states[s]]
		if g != done {
			if err := m.mean(ctx, mean, g); err != nil {
				return err
			}
			done = g
		}
		each := m.in.steps() * size
		repeat(dst[i*each:(i+1)*each], mean)
	}
	return nil
}

// prepare adds up all frames, group by group.
func (m *meanFrame) prepare(ctx context.Context) error {
	if m.total != nil {
		return nil
	}
	total := make([]float64, m.in.Shape.Size())
	for g := range m.groups {
		sum, err := m.sumOf(ctx, g)
		if err != nil {
			return err
		}
		for k, v := range sum {
			total[k] += v
		}
	}
	m.total = total
	return nil
}

// mean is the mean of the frames of all groups but one.
func (m *meanFrame) mean(ctx context.Context, dst []float64, g int) error {
	sum, err := m.sumOf(ctx, g)
	if err != nil {
		return err
	}
	n := float64(len(m.of) - len(m.groups[g]))
	for k := range dst {
		dst[k] = (m.total[k] - sum[k]) / n
	}
	return nil
}

// sumOf adds up the frames of a group, in their order; of one group after the other the
// last sum is kept.
func (m *meanFrame) sumOf(ctx context.Context, g int) ([]float64, error) {
	if m.group == g {
		return m.sum, nil
	}
	size := m.in.Shape.Size()
	sum := make([]float64, size)
	piece := max(1, min(len(m.groups[g]), BlockValues/size))
	frames := make([]float64, piece*size)
	for lo := 0; lo < len(m.groups[g]); lo += piece {
		states := m.groups[g][lo:min(lo+piece, len(m.groups[g]))]
		if err := m.in.Frames.Read(ctx, frames[:len(states)*size], states); err != nil {
			return nil, err
		}
		const pixels = 4096
		err := parallel.For(ctx, m.threads, (size+pixels-1)/pixels, func(_, part int) {
			first, last := part*pixels, min((part+1)*pixels, size)
			for i := range states {
				for k, v := range frames[i*size+first : i*size+last] {
					sum[first+k] += v
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	m.sum, m.group = sum, g
	return sum, nil
}

// steps is how many steps ahead samples have.
func (in Input) steps() int { return len(in.Samples[0].Next) }
