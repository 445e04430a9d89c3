// Violations of the moving patch: what differs from the median frame of the episode, and is somewhere else a frame
// later.

package violation

import (
	"math"

	"repscope/measure/box"
	"repscope/measure/object"
)

// read is a frame of the recording.
func (m *maker) read(number int) ([]float64, error) {
	out := make([]float64, m.scene.Shape.Size())
	return out, m.scene.Read(m.ctx, out, []int{number})
}

// patch is a moving patch in a frame.
type patch struct {
	pixels []int // ascending
	box.Component
}

// tracker follows a patch from frame to frame.
type tracker struct {
	scene  Scene
	finder *object.Finder
	plane  int // pixels
}

func newTracker(s Scene) *tracker {
	return &tracker{scene: s, finder: object.NewFinder(s.Shape, s.Threshold*(s.High-s.Low), s.Area),
		plane: s.Shape.Height * s.Shape.Width}
}

// moved reports whether a pixel differs between two frames.
func (t *tracker) moved(a, b []float64, pixel int) bool {
	for c := range t.scene.Shape.Channels {
		if math.Abs(a[c*t.plane+pixel]-b[c*t.plane+pixel]) > t.scene.Threshold*(t.scene.High-t.scene.Low) {
			return true
		}
	}
	return false
}

// start finds the largest object of a frame with pixels that differ from the frame before.
func (t *tracker) start(before, frame, background []float64) (*patch, error) {
	objects, err := t.finder.Find(frame, background)
	if err != nil {
		return nil, err
	}
	moves := make([]bool, len(objects.Objects))
	for i, l := range objects.Labels {
		if l > 0 && t.moved(before, frame, i) {
			moves[l-1] = true
		}
	}
	best := -1
	for i, o := range objects.Objects {
		if moves[i] && (best < 0 || o.Area > objects.Objects[best].Area) {
			best = i
		}
	}
	if best < 0 {
		return nil, ErrStill
	}
	return takePatch(objects, best), nil
}

func takePatch(objects *object.Found, index int) *patch {
	p := &patch{Component: objects.Objects[index]}
	for i, l := range objects.Labels {
		if int(l) == index+1 {
			p.pixels = append(p.pixels, i)
		}
	}
	return p
}

// next finds a patch in the next frame: the object that overlaps it most, or else the nearest one of half to twice its
// area, up to a quarter of the frame's side away; nil where it is lost.
func (t *tracker) next(p *patch, frame, background []float64) (*patch, error) {
	objects, err := t.finder.Find(frame, background)
	if err != nil {
		return nil, err
	}
	common := make([]int, len(objects.Objects))
	for _, i := range p.pixels {
		if l := objects.Labels[i]; l > 0 {
			common[l-1]++
		}
	}
	best := -1
	for i, n := range common {
		if n > 0 && (best < 0 || n > common[best]) {
			best = i
		}
	}
	nearest := float64(min(t.scene.Shape.Height, t.scene.Shape.Width)) / 4
	for i, o := range objects.Objects {
		if d := math.Hypot(o.X-p.X, o.Y-p.Y); best < 0 && d <= nearest && 2*o.Area >= p.Area && o.Area <= 2*p.Area {
			nearest = d
			best = i
		}
	}
	if best < 0 {
		return nil, nil
	}
	return takePatch(objects, best), nil
}

// change makes a frame of a violation in place: p is the patch in it, step counts frames from 0.
type change func(frame, background []float64, p *patch, step int) error

// changed applies a change to the frames of the episode as long as the patch is seen. ready, if not nil, is told the
// patch of the first frame and of the one before.
func (m *maker) changed(ready func(first, before *patch) error, apply change) ([]Frame, error) {
	e, t := m.episode, m.tracker
	background, err := m.scene.Background(m.ctx, e.Number)
	if err != nil {
		return nil, err
	}
	before, err := m.read(e.Before[len(e.Before)-1])
	if err != nil {
		return nil, err
	}
	var p *patch
	var out []Frame
	for step, number := range m.cut(e.After) {
		frame, err := m.read(number)
		if err != nil {
			return nil, err
		}
		if step == 0 {
			if p, err = t.start(before, frame, background); err != nil {
				return nil, err
			}
			earlier, err := t.next(p, before, background)
			if err != nil {
				return nil, err
			}
			if ready != nil {
				if err := ready(p, earlier); err != nil {
					return nil, err
				}
			}
		} else if p, err = t.next(p, frame, background); err != nil {
			return nil, err
		}
		if p == nil {
			break
		}
		if err := apply(frame, background, p, step); err != nil {
			return nil, err
		}
		out = append(out, Frame{Source: -1, Values: frame})
	}
	return out, nil
}

// cover draws the patch again, shifted, with an opacity; values are the patch's own, plane by plane.
func (m *maker) cover(frame []float64, p *patch, values []float64, dx, dy int, opacity float64) {
	s := m.scene.Shape
	n := s.Height * s.Width
	for k, i := range p.pixels {
		y, x := i/s.Width+dy, i%s.Width+dx
		if y < 0 || y >= s.Height || x < 0 || x >= s.Width {
			continue
		}
		for c := range s.Channels {
			v := &frame[c*n+y*s.Width+x]
			*v += opacity * (values[c*len(p.pixels)+k] - *v)
		}
	}
}

// values returns the values of the patch in a frame, plane by plane.
func (m *maker) values(frame []float64, p *patch) []float64 {
	n := m.scene.Shape.Height * m.scene.Shape.Width
	var out []float64
	for c := range m.scene.Shape.Channels {
		for _, i := range p.pixels {
			out = append(out, frame[c*n+i])
		}
	}
	return out
}

// move draws the patch elsewhere, and the background where it was.
func (m *maker) move(frame, background []float64, p *patch, dx, dy int) {
	values := m.values(frame, p)
	m.cover(frame, p, m.values(background, p), 0, 0, 1)
	m.cover(frame, p, values, dx, dy, 1)
}

// directions is how many directions a jump may have.
const directions = 16

// jump is a shift of the patch by a distance in pixels: in the first direction, from a random one on, in which it stays
// inside the frame; or else as far as it can in that in which it goes farthest.
func (m *maker) jump(p *patch, distance float64) (dx, dy int) {
	s := m.scene.Shape
	first, farthest := m.random.Intn(directions), 0.0
	for k := range directions {
		angle := 2 * math.Pi * float64((first+k)%directions) / directions
		x, y := int(math.Round(distance*math.Cos(angle))), int(math.Round(distance*math.Sin(angle)))
		cx := min(max(x, -int(p.Box.X0)), s.Width-int(p.Box.X1))
		cy := min(max(y, -int(p.Box.Y0)), s.Height-int(p.Box.Y1))
		if far := math.Hypot(float64(cx), float64(cy)); far > farthest || cx == x && cy == y {
			dx, dy, farthest = cx, cy, far
		}
		if cx == x && cy == y {
			return dx, dy
		}
	}
	return dx, dy
}

// side is the shorter side of frames.
func (m *maker) side() float64 {
	return float64(min(m.scene.Shape.Height, m.scene.Shape.Width))
}

// teleport is [Teleport].
func teleport(m *maker) ([]Frame, error) {
	dx, dy := 0, 0
	return m.changed(func(first, _ *patch) error {
		if dx, dy = m.jump(first, max(1, m.size*m.side())); dx == 0 && dy == 0 {
			return ErrStill
		}
		return nil
	}, func(frame, background []float64, p *patch, _ int) error {
		m.move(frame, background, p, dx, dy)
		return nil
	})
}

// recolor is [Recolor].
func recolor(m *maker) ([]Frame, error) {
	by := 0.0
	low, high := m.scene.Low, m.scene.High
	return m.changed(nil, func(frame, _ []float64, p *patch, step int) error {
		values := m.values(frame, p)
		if step == 0 {
			mean := 0.0
			for _, v := range values {
				mean += v / float64(len(values))
			}
			if by = m.size * (high - low); mean-low > high-mean {
				by = -by
			}
		}
		for i := range values {
			values[i] = min(max(values[i]+by, low), high)
		}
		m.cover(frame, p, values, 0, 0, 1)
		return nil
	})
}

// vanish is [Vanish].
func vanish(m *maker) ([]Frame, error) {
	return m.changed(nil, func(frame, background []float64, p *patch, _ int) error {
		m.cover(frame, p, m.values(background, p), 0, 0, m.size)
		return nil
	})
}

// appear is [Appear]: a quarter of the side away or farther.
func appear(m *maker) ([]Frame, error) {
	dx, dy := 0, 0
	return m.changed(func(first, _ *patch) error {
		away := math.Hypot(first.Box.X1-first.Box.X0, first.Box.Y1-first.Box.Y0)
		if dx, dy = m.jump(first, max(away, m.side()*(0.25+0.5*m.random.Float64()))); dx == 0 && dy == 0 {
			return ErrStill
		}
		return nil
	}, func(frame, _ []float64, p *patch, _ int) error {
		m.cover(frame, p, m.values(frame, p), dx, dy, m.size)
		return nil
	})
}

// gravity is [Gravity].
func gravity(m *maker) ([]Frame, error) {
	var start patch
	return m.changed(func(first, before *patch) error {
		if before == nil {
			return ErrStill
		}
		start = *before
		if 2*m.size*math.Hypot(first.X-before.X, first.Y-before.Y) < 0.5 {
			return ErrStill
		}
		return nil
	}, func(frame, background []float64, p *patch, _ int) error {
		m.move(frame, background, p, int(math.Round(-2*m.size*(p.X-start.X))), int(math.Round(-2*m.size*(p.Y-start.Y))))
		return nil
	})
}
