// Predictions from arrays: their shapes, ranges and rows.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/reconstruction"
	"repscope/dataset"
	"repscope/internal/run"
	"repscope/measure/image"
)

// The meanings of an axis T of predictions.
const (
	axisHorizon = "horizon"
	axisClip    = "clip"
)

// layout is where the values of predicted frames lie in a row of an array.
type layout struct {
	steps                     int // frames of a row
	step, channel, row, pixel int // distances of neighbors
}

// layoutOf finds the layout of a row of the given shape, whose frames have the given
// shape: HW, CHW, HWC, and with an axis of time THW, TCHW, THWC and CTHW. ok is false
// for any other shape.
func layoutOf(row []int, frame image.Shape) (l layout, ok bool) {
	c, h, w := frame.Channels, frame.Height, frame.Width
	is := func(want ...int) bool { return slices.Equal(row, want) }
	switch len(row) {
	case 2:
		return layout{1, 0, 0, w, 1}, c == 1 && is(h, w)
	case 3:
		switch t := row[0]; {
		case is(c, h, w):
			return layout{1, 0, h * w, w, 1}, true
		case is(h, w, c):
			return layout{1, 0, 1, w * c, c}, true
		case c == 1 && is(t, h, w):
			return layout{t, h * w, 0, w, 1}, t > 0
		}
	case 4:
		switch t, u := row[0], row[1]; {
		case is(t, c, h, w):
			return layout{t, c * h * w, h * w, w, 1}, t > 0
		case is(t, h, w, c):
			return layout{t, h * w * c, 1, w * c, c}, t > 0
		case is(c, u, h, w):
			return layout{u, h * w, u * h * w, w, 1}, u > 0
		}
	}
	return layout{}, false
}

// frame copies step s of a row into planes, in units of a pixel range.
func (l layout) frame(dst, row []float64, s int, shape image.Shape, r dataset.PixelRange) {
	low, width := r.Low, r.High-r.Low
	k := 0
	for c := range shape.Channels {
		for y := range shape.Height {
			offset := s*l.step + c*l.channel + y*l.row
			for range shape.Width {
				dst[k] = (row[offset] - low) / width
				k++
				offset += l.pixel
			}
		}
	}
}

// accepted are the shapes of an array of predictions of such frames, for messages.
func accepted(frame image.Shape) string {
	c, h, w := frame.Channels, frame.Height, frame.Width
	if c == 1 {
		return fmt.Sprintf("[N %d %d], optionally with a channel axis or an axis T", h, w)
	}
	return fmt.Sprintf("[N %d %d %d] or [N %d %d %d], optionally with an axis T after N", c, h, w, h, w, c)
}

// array is an array of predictions.
type array struct {
	name   string // of the model
	array  *dataset.Array
	shape  image.Shape
	layout layout
	clip   bool // the last frame of a row is the prediction, not each in turn
	pixels dataset.PixelRange
	rows   []int // of every sample; −1 for none
	// forward says that samples without a current frame have no row.
	forward bool
	buffer  []float64
}

// newArray finds out what an array of predictions holds; axis is the meaning of T.
func newArray(name string, a *dataset.Array, frame image.Shape, axis string) (*array, error) {
	if len(a.Shape()) == 0 {
		return nil, fmt.Errorf("predictions %s: %s is a single number, want %s", name, a.Name(), accepted(frame))
	}
	l, ok := layoutOf(a.Shape()[1:], frame)
	if !ok {
		return nil, run.Hint(fmt.Errorf("predictions %s: %s has shape %v, but the frames have %s: want %s", name, a.Name(), a.Shape(), sizeOf(frame), accepted(frame)),
			"frames are not resized: convert predictions and frames to one size first")
	}
	return &array{name: name, array: a, shape: frame, layout: l, clip: axis == axisClip}, nil
}

// sizeOf is the shape of a frame in words.
func sizeOf(s image.Shape) string {
	if s.Channels == 1 {
		return fmt.Sprintf("%d × %d pixels", s.Height, s.Width)
	}
	return fmt.Sprintf("%d × %d pixels of %d channels", s.Height, s.Width, s.Channels)
}

// steps is how many steps ahead there are predictions for.
func (a *array) steps() int {
	if a.clip {
		return 1
	}
	return a.layout.steps
}

// inspect reads floating-point predictions once: for their extremes, and for rows that
// hold NaN or infinity, which are ascending.
func (a *array) inspect() (low, high float64, bad []int, err error) {
	if !a.array.DType().IsFloat() {
		return 0, 0, nil, nil
	}
	axes := []string{"", "D", "HW", "CHW", "TCHW"}[len(a.array.Shape())-1]
	states, err := dataset.NewStates(a.array, dataset.StateOptions{Layout: axes, SkipNaN: true})
	if err != nil {
		return 0, 0, nil, fmt.Errorf("predictions %s: %w", a.name, err)
	}
	next := 0
	for i := range states.Len() {
		for ; next < states.Start(i); next++ {
			bad = append(bad, next)
		}
		next++
	}
	for ; next < a.array.Len(); next++ {
		bad = append(bad, next)
	}
	low, high, _, err = states.Unfilled(math.Inf(1))
	return low, high, bad, err
}

// overshoot is how far predictions may lie outside their pixel range, in units of it.
const overshoot = 0.5

// choosePixels decides on the pixel range of predictions. given is LOW,HIGH, "frames" or
// "auto": integers have the range of their type or, where the frames have the same type, their range;
// floating-point numbers the range of the frames if they lie there, or 0..1 or −1..1 next to
// frames of a wide range. Everything else has to be said.
func (a *array) choosePixels(choice string, frames dataset.PixelRange, frameType dataset.DType,
	low, high float64) error {
	t := a.array.DType()
	switch {
	case choice == rangeFrames:
		a.pixels = dataset.PixelRange{Low: frames.Low, High: frames.High, Source: "range of the frames, as given"}
		return nil
	case choice != rangeAuto:
		var err error
		a.pixels, err = parseRange(choice)
		return err
	case t == frameType && !t.IsFloat():
		a.pixels = dataset.PixelRange{Low: frames.Low, High: frames.High, Source: "range of the frames, which have " +
			"the same type"}
		return nil
	case t == dataset.Uint8:
		a.pixels = dataset.PixelRange{Low: 0, High: 255, Source: "from the type uint8"}
		return nil
	case t == dataset.Uint16:
		a.pixels = dataset.PixelRange{Low: 0, High: 65535, Source: "from the type uint16"}
		return nil
	case t == dataset.Bool:
		a.pixels = dataset.PixelRange{Low: 0, High: 1, Source: "from the type bool"}
		return nil
	case t.IsFloat():
		if r, ok := guessRange(frames, low, high); ok {
			a.pixels = r
			return nil
		}
		return run.Hint(fmt.Errorf(
			"predictions %s: %s has values in %.6g..%.6g, but the pixel range of the frames is %g..%g (%s)",
			a.name, a.array.Name(), low, high, frames.Low, frames.High, frames.Source),
			fmt.Sprintf("set the range with --predictions-range %s=LOW,HIGH, or --predictions-range %s=frames if "+
				"such values are intended", a.name, a.name))
	}
	return run.Hint(fmt.Errorf(
		"predictions %s: %s has type %v, which has no known pixel range", a.name, a.array.Name(), t),
		"set the range with --predictions-range "+a.name+"=LOW,HIGH, or with frames for the range of the frames")
}

// guessRange is the pixel range of floating-point predictions that lie in low..high.
func guessRange(frames dataset.PixelRange, low, high float64) (dataset.PixelRange, bool) {
	fits := func(l, h float64) bool { return low >= l-overshoot*(h-l) && high <= h+overshoot*(h-l) }
	const wide = 3     // a range that is neither 0..1 nor −1..1
	const narrow = 0.1 // of a wide range: too little to tell
	source := fmt.Sprintf("from the data, with values in %.6g..%.6g", low, high)
	switch {
	case frames.High-frames.Low > wide && fits(0, 1):
		return dataset.PixelRange{Low: 0, High: 1, Source: source}, true
	case frames.High-frames.Low > wide && low < 0 && fits(-1, 1):
		return dataset.PixelRange{Low: -1, High: 1, Source: source}, true
	case frames.High-frames.Low > wide && high-low < narrow*(frames.High-frames.Low):
	case fits(frames.Low, frames.High):
		return dataset.PixelRange{Low: frames.Low, High: frames.High, Source: fmt.Sprintf(
			"range of the frames; the values lie in %.6g..%.6g", low, high)}, true
	}
	return dataset.PixelRange{}, false
}

// predictions are the predictions of samples, whose rows are known.
func (a *array) predictions(ignored int) reconstruction.Predictions {
	return reconstruction.Predictions{Name: a.name, Steps: a.steps(), Ignored: ignored, From: a.array.Name(), Forward: a.forward, Frames: reconstruction.Frames{Read: a.read, Digest: a.digest}}
}

func (a *array) digest() (string, error) {
	sum, err := a.array.SHA256()
	return fmt.Sprintf("%s %v %v clip %v range %v %v rows %v",
		sum, a.array.Shape(), a.array.DType(), a.clip, a.pixels.Low, a.pixels.High, a.rows), err
}

// read fills dst with the predictions of samples, reading rows that follow each other at
// once.
func (a *array) read(ctx context.Context, dst []float64, samples []int) error {
	length, each := a.array.RowLen(), a.steps()*a.shape.Size()
	limit := max(1, reconstruction.BlockValues/length)
	for i := 0; i < len(samples); {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := a.rows[samples[i]]
		n := 1
		for n < limit && i+n < len(samples) && a.rows[samples[i+n]] == first+n {
			n++
		}
		if cap(a.buffer) < n*length {
			a.buffer = make([]float64, n*length)
		}
		values := a.buffer[:n*length]
		if err := a.array.ReadFloat64(values, first, first+n); err != nil {
			return err
		}
		for k := range n {
			a.row(dst[(i+k)*each:(i+k+1)*each], values[k*length:(k+1)*length])
		}
		i += n
	}
	return nil
}

// row turns a row into predictions.
func (a *array) row(dst, row []float64) {
	size := a.shape.Size()
	if a.clip {
		a.layout.frame(dst, row, a.layout.steps-1, a.shape, a.pixels)
		return
	}
	for s := range a.layout.steps {
		a.layout.frame(dst[s*size:(s+1)*size], row, s, a.shape, a.pixels)
	}
}
