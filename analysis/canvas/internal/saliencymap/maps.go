// Saliency maps of a case: read or made by the model, and brought to one size.

package saliencymap

import (
	"fmt"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/internal/resize"
	"repscope/measure/saliency"
)

// Maps are the maps of both screens, of the size of the reference's.
type Maps struct {
	Reference, Generated *saliency.Map
	fixations            source.Lazy[*saliency.Fixations]
	Missing              int // rows of the fixations without a place
}

// MapsOf returns the maps of both screens; rescale brings each to values from 0 to 1. The reference's has the size of
// its file or, where the model made it, of the reference's screen; the generated design's is brought to that size by
// bilinear interpolation with antialiasing.
func (o *Options) MapsOf(s *design.Screens, rescale bool) (*Maps, error) {
	reference, err := o.referenceMap(s)
	if err != nil {
		return nil, err
	}
	generated, err := o.planeOf(s, s.Generated, s.Case.GeneratedSaliency, false)
	if err != nil {
		return nil, err
	}
	name := mapName(s.Generated, s.Case.GeneratedSaliency)
	m, err := newMap(name, Sized(generated, reference.Width, reference.Height))
	if err != nil {
		return nil, err
	}
	if rescale {
		reference, m = rescaled(reference), rescaled(m)
	}
	return &Maps{Reference: reference, Generated: m}, nil
}

// rescaled is a map from 0 to 1; a constant one stays as it is.
func rescaled(m *saliency.Map) *saliency.Map {
	if r, err := m.Rescaled(); err == nil {
		return r
	}
	return m
}

// referenceMap is the map of the reference at its own size, which the cases of a sample share.
func (o *Options) referenceMap(s *design.Screens) (*saliency.Map, error) {
	key := fmt.Sprintf("reference %q %q", s.Case.ReferenceSaliency, s.Reference.Side.Image)
	return o.Shared.keepMap(key, func() (*saliency.Map, error) { return o.newReferenceMap(s) })
}

func (o *Options) newReferenceMap(s *design.Screens) (*saliency.Map, error) {
	plane, err := o.planeOf(s, s.Reference, s.Case.ReferenceSaliency, true)
	if err != nil {
		return nil, err
	}
	if s.Case.ReferenceSaliency == "" {
		screen, err := s.Reference.Screen()
		if err != nil {
			return nil, err
		}
		if n := screen.Width * screen.Height; n > dataset.MaxPlane {
			return nil, fmt.Errorf("%s: a saliency map of %d×%d pixels (width×height), want at most %d pixels",
				s.Reference.Side.Image,
				screen.Width, screen.Height, dataset.MaxPlane)
		}
		plane = Sized(plane, screen.Width, screen.Height)
	}
	return newMap(mapName(s.Reference, s.Case.ReferenceSaliency), plane)
}

// mapName is what errors call a map.
func mapName(v *design.View, path string) string {
	if path == "" {
		return "the saliency model on " + v.Side.Image
	}
	return path
}

// newMap is a plane as a map; values that are no numbers are an error of the file.
func newMap(name string, p *dataset.Plane) (*saliency.Map, error) {
	m, err := saliency.NewMap(p.Width, p.Height, p.Values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Sized is a plane brought to a size.
func Sized(p *dataset.Plane, width, height int) *dataset.Plane {
	if p.Width == width && p.Height == height {
		return p
	}
	out := &dataset.Plane{Width: width, Height: height, Values: make([]float64, width*height)}
	resize.NewLinear(p.Height, p.Width, height, width).Floats(out.Values, p.Values)
	return out
}

// planeOf is the map of a screen as it comes: from its file, else from the model. What the model
// makes of a screen that several cases ask for is kept.
func (o *Options) planeOf(s *design.Screens, v *design.View, path string, kept bool) (*dataset.Plane, error) {
	switch {
	case path != "":
		data, err := s.Read(path)
		if err != nil {
			return nil, err
		}
		return dataset.ParsePlane(path, data)
	case o.Shared.runs():
		if v.Side.Image == "" {
			return nil, source.Absentf("the saliency model needs an image of the %s", v.Whose)
		}
		run := func() (*dataset.Plane, error) {
			screen, err := v.Screen()
			if err != nil {
				return nil, err
			}
			return o.Shared.model.run(s.Context, v.Side.Image, screen, s.DropAlpha)
		}
		if !kept {
			return run()
		}
		return o.Shared.planes.Get(v.Side.Image, run, func(p *dataset.Plane) int64 { return 8 * int64(len(p.Values)) })
	}
	return nil, source.Absentf("no saliency map of the %s", v.Whose)
}
