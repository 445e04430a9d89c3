// Violated episodes: where violations happen, what becomes of the states, and which of them are new.

package surprise

import (
	"context"
	"slices"

	"repscope/measure/object"
	"repscope/measure/violation"
	"repscope/points"
	"repscope/stat"
)

// unit is a violation of one size.
type unit struct {
	kind violation.Kind
	size float64
}

// moment is where an episode is violated.
type moment struct {
	state   int   // that the first impossible transition leads to
	before  []int // states of the episode until then, ascending
	after   []int // from then on
	draw    int
	number  int // of the episode
	another []int
}

// linked are the runs of states that follow each other, and the predecessor of each state, −1 for none.
func linked(next []int) (runs [][]int, previous []int) {
	previous = slices.Repeat([]int{-1}, len(next))
	for i, n := range next {
		if n >= 0 {
			previous[n] = i
		}
	}
	for i, p := range previous {
		if p >= 0 {
			continue
		}
		var run []int
		for s := i; s >= 0; s = next[s] {
			run = append(run, s)
		}
		runs = append(runs, run)
	}
	return runs, previous
}

// first is the first place in an episode at which a violation can be: before it are two states.
const first = 2

// moments draws the moments of violations, ordered by episode and time; short counts runs that have none.
func (p *plan) moments() (all []moment, short int) {
	fixed, _ := p.o.moment() // checked before
	for r, run := range p.runs {
		last := max(first, len(run)-p.o.Horizon)
		var places []int
		switch {
		case fixed > 0 && fixed < len(run):
			places = []int{fixed}
		case fixed == 0 && len(run) > first:
			random := stat.NewRandom(stat.StreamViolation.Key(p.o.Seed, 0, uint64(p.in.Time[run[0]])))
			drawn, err := random.SampleWithoutReplacement(last-first+1, min(p.o.Draws, last-first+1))
			if err != nil {
				return nil, 0
			}
			slices.Sort(drawn)
			for _, d := range drawn {
				places = append(places, first+d)
			}
		}
		if len(places) == 0 {
			short++
			continue
		}
		for draw, place := range places {
			all = append(all, moment{state: run[place], before: run[:place], after: run[place:], draw: draw,
				number: p.in.Episode[run[0]], another: p.another(r, place)})
		}
	}
	return all, short
}

// another is the rest of another episode from the same place on: of the next one that is long enough; nil for none.
func (p *plan) another(r, place int) []int {
	for k := 1; k < len(p.runs); k++ {
		other := p.runs[(r+k)%len(p.runs)]
		if len(other) > place && p.in.Episode[other[0]] != p.in.Episode[p.runs[r][0]] {
			return other[place:]
		}
	}
	return nil
}

// violated is an episode from the violation on.
type violated struct {
	moment int
	states []int       // recorded states, or −1−k for the k-th new one
	made   [][]float32 // new states
	frames [][]float64 // last frames of new states
}

// scene describes the frames for violations.
func (p *plan) scene() violation.Scene {
	s := violation.Scene{Low: p.in.Low, High: p.in.High, Threshold: p.o.ObjectThreshold, Area: p.o.ObjectArea}
	if p.in.Last == nil {
		return s
	}
	s.Shape, s.Read = p.in.Shape, p.read
	if s.Shape.Height > 0 {
		s.Background = object.NewBackgrounds(p.read, s.Shape.Size(), p.in.Episode, p.o.Threads).Of
	} else {
		s.Shape.Channels = 1
	}
	return s
}

// read reads last frames of states.
func (p *plan) read(_ context.Context, dst []float64, index []int) error {
	size := p.frameSize()
	row := make([]float32, size)
	for i, s := range index {
		if err := p.in.Last.Float32(row, s, s+1); err != nil {
			return err
		}
		for k, v := range row {
			dst[i*size+k] = float64(v)
		}
	}
	return nil
}

// frameSize is the number of values of a frame.
func (p *plan) frameSize() int { return points.Size(p.in.Last.Shape()) }

// violate makes a violation at a moment. Errors: violation.ErrStill, violation.ErrShort, and frames that cannot be
// read.
func (p *plan) violate(ctx context.Context, maker *violation.Maker, u unit, m int) (*violated, error) {
	place := &p.all[m]
	e := violation.Episode{Number: place.number, Before: place.before, After: place.after, Other: place.another}
	if u.kind == violation.Swap && len(place.another) == 0 {
		return nil, violation.ErrShort
	}
	key := stat.StreamViolation.Key(p.o.Seed, 1, uint64(p.in.Time[place.state]), uint64(slices.Index(violation.Kinds(),
		u.kind)))
	// As many transitions as the untouched episode has, so that each has a twin.
	frames, err := maker.Frames(ctx, u.kind, e, u.size, min(p.o.Horizon, len(place.after)), key)
	if err != nil {
		return nil, err
	}
	v := &violated{moment: m}
	window := newWindow(p, place)
	for _, f := range frames {
		window.push(f)
		if s := window.recorded(); s >= 0 {
			v.states = append(v.states, s)
			continue
		}
		state, err := window.state(ctx)
		if err != nil {
			return nil, err
		}
		v.states = append(v.states, -1-len(v.made))
		v.made = append(v.made, state)
		v.frames = append(v.frames, f.Values)
	}
	return v, nil
}

// window is the frames of a state, in the order of time.
type window struct {
	p      *plan
	at     *moment
	size   int // frames
	frames []violation.Frame
	old    []float32 // the state before the violation
}

func newWindow(p *plan, place *moment) *window {
	w := &window{p: p, at: place, size: max(p.in.Window, 1)}
	// Frames before the first state of an episode have no number.
	for k := w.size - 1; k >= 0; k-- {
		source := -2 - k
		if i := len(place.before) - 1 - k; i >= 0 {
			source = place.before[i]
		}
		w.frames = append(w.frames, violation.Frame{Source: source})
	}
	return w
}

// push adds a frame and drops the first.
func (w *window) push(f violation.Frame) {
	w.frames = append(w.frames[1:], f)
}

// recorded is the recorded state with the same frames; −1 for none.
func (w *window) recorded() int {
	last := w.frames[len(w.frames)-1].Source
	s := last
	for i := len(w.frames) - 1; i >= 0; i-- {
		if s < 0 || w.frames[i].Source != s {
			return -1
		}
		s = w.p.previous[s]
	}
	return last
}

// state are the values of the frames.
func (w *window) state(ctx context.Context) ([]float32, error) {
	size := w.p.frameSize()
	out := make([]float32, w.size*size)
	row := make([]float64, size)
	for i, f := range w.frames {
		dst := out[i*size : (i+1)*size]
		if f.Source < -1 { // of the state before the violation
			if w.old == nil {
				w.old = make([]float32, len(out))
				last := w.at.before[len(w.at.before)-1]
				if err := w.p.in.States.Float32(w.old, last, last+1); err != nil {
					return nil, err
				}
			}
			k := len(w.frames) + f.Source + 1 // place in it, from the front
			copy(dst, w.old[k*size:])
			continue
		}
		values := f.Values
		if f.Source >= 0 {
			if err := w.p.read(ctx, row, []int{f.Source}); err != nil {
				return nil, err
			}
			values = row
		}
		for k, v := range values {
			dst[k] = float32(v)
		}
	}
	return out, nil
}
