// Package violation makes episodes of what cannot happen from recorded ones: a patch jumps, changes its color, vanishes
// or appears, time stands still, skips or runs back, another episode goes on.
//
//	maker := violation.New(violation.Scene{Shape: shape, Low: 0, High: 255})
//	frames, err := maker.Frames(ctx, violation.Teleport, episode, 0.25, 8, key)
//
// The frames before the violation are untouched. What becomes of the others depends on the frames of the episode, the
// size and the key alone, so that every model sees the same violation. A new violation is a row of the table in this
// file and a function.
package violation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/measure/image"
	"repscope/stat"
)

// Kind is a way of making what cannot happen, by name.
type Kind string

const (
	// Teleport moves the moving patch by size times the shorter side of the frame, and keeps it there.
	Teleport Kind = "teleport"
	// Recolor moves the values of the moving patch by size times the pixel range, away from the nearer end.
	Recolor Kind = "recolor"
	// Vanish fades the moving patch into the background by size; 1: it is gone.
	Vanish Kind = "vanish"
	// Appear adds a copy of the moving patch elsewhere, with the opacity size.
	Appear Kind = "appear"
	// Freeze repeats the last frame size times.
	Freeze Kind = "freeze"
	// Skip leaves size frames out.
	Skip Kind = "skip"
	// Reverse runs time back, size frames at a step.
	Reverse Kind = "reverse"
	// Swap goes on with another episode, which covers the frames by size; 1: it alone is seen.
	Swap Kind = "swap"
	// Gravity moves the patch against its displacement, by twice the displacement times size; 1: it is mirrored.
	Gravity Kind = "gravity"
	// Shuffle puts the next size frames in another order.
	Shuffle Kind = "shuffle"
)

// row is what there is to know about a violation.
type row struct {
	kind  Kind
	unit  string    // of a size
	sizes []float64 // usual ones
	most  float64   // of a size
	whole bool      // sizes are numbers of frames
	patch bool      // it needs frames with height and width
	lasts bool      // it is impossible at every step; else at the first alone, or for as many as size
	make  func(m *maker) ([]Frame, error)
}

var table = []row{
	{kind: Teleport, unit: "share of the frame's side", sizes: []float64{0.1, 0.25, 0.5}, most: 1, patch: true,
		make: teleport},
	{kind: Recolor, unit: "share of the pixel range", sizes: []float64{0.25, 0.5, 1}, most: 1, patch: true, make: recolor},
	{kind: Vanish, unit: "opacity lost", sizes: []float64{0.25, 0.5, 1}, most: 1, patch: true, make: vanish},
	{kind: Appear, unit: "opacity", sizes: []float64{0.25, 0.5, 1}, most: 1, patch: true, make: appear},
	{kind: Freeze, unit: "frames", sizes: []float64{1, 2, 4}, most: 1000, whole: true, make: freeze},
	{kind: Skip, unit: "frames left out", sizes: []float64{1, 4, 16}, most: 100_000, whole: true, make: skip},
	{kind: Reverse, unit: "frames at a step", sizes: []float64{1, 2, 4}, most: 1000, whole: true, lasts: true,
		make: reverse},
	{kind: Swap, unit: "opacity", sizes: []float64{1}, most: 1, make: swap},
	{kind: Gravity, unit: "share of the displacement", sizes: []float64{0.5, 1}, most: 10, patch: true, lasts: true,
		make: gravity},
	{kind: Shuffle, unit: "frames", sizes: []float64{2, 4, 8}, most: 1000, whole: true, make: shuffle},
}

// Kinds lists the violations.
func Kinds() []Kind {
	kinds := make([]Kind, len(table))
	for i, r := range table {
		kinds[i] = r.kind
	}
	return kinds
}

func lookup(k Kind) (*row, error) {
	if i := slices.IndexFunc(table, func(r row) bool { return r.kind == k }); i >= 0 {
		return &table[i], nil
	}
	return nil, fmt.Errorf("violation %q: want one of %v", k, Kinds())
}

// Unit is the unit of a size, for labels; empty for an unknown violation.
func (k Kind) Unit() string {
	if r, err := lookup(k); err == nil {
		return r.unit
	}
	return ""
}

// Sizes are the usual sizes, ascending.
func (k Kind) Sizes() []float64 {
	if r, err := lookup(k); err == nil {
		return slices.Clone(r.sizes)
	}
	return nil
}

// NeedsPatch reports whether the violation changes the moving patch, and so needs frames with height and width.
func (k Kind) NeedsPatch() bool {
	r, err := lookup(k)
	return err == nil && r.patch
}

// Span is the number of transitions, from the first on, that cannot happen, out of horizon ones.
func (k Kind) Span(size float64, horizon int) int {
	r, err := lookup(k)
	switch {
	case err != nil:
		return 0
	case r.lasts:
		return horizon
	case k == Freeze || k == Shuffle:
		return min(horizon, int(size))
	}
	return min(horizon, 1)
}

// CheckSize returns an error unless the size is above 0 and at most the largest of the violation, and a whole number
// where it counts frames.
func (k Kind) CheckSize(size float64) error {
	r, err := lookup(k)
	switch {
	case err != nil:
		return err
	case !(size > 0 && size <= r.most):
		return fmt.Errorf("%s of size %v: want a number above 0, at most %v (%s)", k, size, r.most, r.unit)
	case r.whole && size != math.Trunc(size):
		return fmt.Errorf("%s of size %v: want a whole number (%s)", k, size, r.unit)
	case k == Shuffle && size < 2:
		return fmt.Errorf("shuffle of size %v: want at least 2 frames", size)
	}
	return nil
}

// Scene describes frames: planes of channels, with values from Low to High. A shape of height 0 has no pixels, and no
// patch is found.
type Scene struct {
	Shape     image.Shape
	Low, High float64
	// Threshold is how far from the background the pixels of a patch are, in units of the range; 0 means 0.1. Area is the
	// least number of its pixels; 0 means 4.
	Threshold float64
	Area      int
	// Background is the median frame of an episode.
	Background func(ctx context.Context, episode int) ([]float64, error)
	// Read fills dst with frames by their numbers.
	Read func(ctx context.Context, dst []float64, frames []int) error
}

// Episode is where a violation happens: at the first of the frames After. All lists are numbers of frames, ascending in
// time.
type Episode struct {
	Number int // of the episode, for [Scene.Background]
	Before []int
	After  []int
	Other  []int // of another episode, for [Swap]
}

// Frame is a frame of a violated episode: a recorded one, or with Source −1 the values of a new one.
type Frame struct {
	Source int
	Values []float64
}

// ErrStill says that nothing moves where the violation would be.
var ErrStill = errors.New("nothing moves")

// ErrShort says that the episode has too few frames on one side of the violation.
var ErrShort = errors.New("the episode is too short")

// Maker makes violations of one scene. It may not be used concurrently.
type Maker struct {
	scene   Scene
	tracker *tracker
}

// New prepares violations.
func New(scene Scene) *Maker {
	if scene.Threshold == 0 {
		scene.Threshold = 0.1
	}
	if scene.Area == 0 {
		scene.Area = 4
	}
	m := &Maker{scene: scene}
	if scene.Shape.Height > 0 {
		m.tracker = newTracker(scene)
	}
	return m
}

// maker is one violation in the making.
type maker struct {
	*Maker
	ctx     context.Context
	episode Episode
	size    float64
	random  *stat.Random
	most    int // frames
}

// Frames are at most limit frames of the episode from the violation on, at least one. Errors: [ErrStill], [ErrShort], a
// size that [Kind.CheckSize] refuses, and frames that cannot be read.
func (m *Maker) Frames(ctx context.Context, k Kind, e Episode, size float64, limit int, key stat.Key) ([]Frame, error) {
	r, err := lookup(k)
	if err == nil {
		err = k.CheckSize(size)
	}
	if err != nil {
		return nil, err
	}
	if len(e.Before) == 0 || len(e.After) == 0 {
		return nil, ErrShort
	}
	if r.patch && m.tracker == nil {
		return nil, fmt.Errorf("violation %s needs frames with height and width", k)
	}
	frames, err := r.make(&maker{Maker: m, ctx: ctx, episode: e, size: size, random: stat.NewRandom(key), most: limit})
	if err == nil && len(frames) == 0 {
		err = ErrShort
	}
	return frames, err
}

// recorded are recorded frames.
func recorded(numbers []int) []Frame {
	out := make([]Frame, len(numbers))
	for i, n := range numbers {
		out[i].Source = n
	}
	return out
}

// cut leaves at most as many as asked for.
func (m *maker) cut(numbers []int) []int { return numbers[:min(len(numbers), m.most)] }

// freeze is [Freeze]; then the episode goes on.
func freeze(m *maker) ([]Frame, error) {
	e, n := m.episode, int(m.size)
	numbers := slices.Concat(slices.Repeat(e.Before[len(e.Before)-1:], n), e.After)
	return recorded(m.cut(numbers)), nil
}

// skip is [Skip].
func skip(m *maker) ([]Frame, error) {
	n := int(m.size)
	if len(m.episode.After) <= n {
		return nil, ErrShort
	}
	return recorded(m.cut(m.episode.After[n:])), nil
}

// reverse is [Reverse], until the episode begins.
func reverse(m *maker) ([]Frame, error) {
	var numbers []int
	for i := len(m.episode.Before) - 1 - int(m.size); i >= 0; i -= int(m.size) {
		numbers = append(numbers, m.episode.Before[i])
	}
	return recorded(m.cut(numbers)), nil
}

// swap is [Swap].
func swap(m *maker) ([]Frame, error) {
	e := m.episode
	n := min(m.most, len(e.Other), len(e.After))
	if m.size == 1 {
		return recorded(e.Other[:min(m.most, len(e.Other))]), nil
	}
	var out []Frame
	for i := range n {
		frame, err := m.read(e.After[i])
		if err != nil {
			return nil, err
		}
		other, err := m.read(e.Other[i])
		if err != nil {
			return nil, err
		}
		for k, v := range other {
			frame[k] += m.size * (v - frame[k])
		}
		out = append(out, Frame{Source: -1, Values: frame})
	}
	return out, nil
}

// shuffle is [Shuffle]; the order is another one.
func shuffle(m *maker) ([]Frame, error) {
	e, n := m.episode, int(m.size)
	if len(e.After) < n {
		return nil, ErrShort
	}
	numbers := slices.Clone(e.After)
	// The first frame is another one, so that what cannot happen begins at once.
	first := 1 + m.random.Intn(n-1)
	numbers[0], numbers[first] = numbers[first], numbers[0]
	for i := n - 1; i > 1; i-- {
		j := 1 + m.random.Intn(i)
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
	return recorded(m.cut(numbers)), nil
}
