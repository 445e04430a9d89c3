// Package object finds objects in frames: what differs from the background of an episode, its median frame.
package object

import (
	"math"

	"repscope/measure/box"
	"repscope/measure/image"
)

// Found are the objects of a frame.
type Found struct {
	Labels  []int32 // of every pixel: 1 + its object, 0 for none
	Objects []box.Component
}

// Finder finds objects in frames of planes. It has scratch memory: one for each
// goroutine.
type Finder struct {
	shape     image.Shape
	threshold float64 // by which a pixel must differ in some channel
	area      int     // pixels of an object at least
	mask      []bool
}

// NewFinder finds objects of at least area pixels that differ from the background by more than threshold in some
// channel.
func NewFinder(shape image.Shape, threshold float64, area int) *Finder {
	return &Finder{shape: shape, threshold: threshold, area: area, mask: make([]bool, shape.Height*shape.Width)}
}

// Find returns the 8-connected components of the pixels that differ from the background,
// except for small ones, in the order of their first pixels.
func (f *Finder) Find(frame, background []float64) (*Found, error) {
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
	out := &Found{Labels: labels}
	number := make([]int32, len(all)+1)
	for i, c := range all {
		if c.Area >= f.area {
			out.Objects = append(out.Objects, c)
			number[i+1] = int32(len(out.Objects))
		}
	}
	for i, l := range labels {
		labels[i] = number[l]
	}
	return out, nil
}
