// Fixations of a case, and of all other samples.

package saliencymap

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/internal/text"
	"repscope/measure/saliency"
)

// FixationsOf are the fixations of the case, at the size of the maps.
func (o *Options) FixationsOf(s *design.Screens, m *Maps) (*saliency.Fixations, error) {
	return m.fixations.Get(func() (*saliency.Fixations, error) {
		if o.Top > 0 {
			return saliency.Top(m.Reference, o.Top)
		}
		g, err := o.gaze(s)
		if err != nil {
			return nil, err
		}
		m.Missing = g.missing
		xs, ys := g.at(m.Reference.Width, m.Reference.Height)
		return saliency.FixationsAt(m.Reference.Width, m.Reference.Height, xs, ys)
	})
}

// gaze are fixations of a picture whose size is known: places from 0 to Width and Height.
type gaze struct {
	width, height float64
	xs, ys        []float64
	missing       int
}

// at are the places in a picture of another size.
func (g *gaze) at(width, height int) (xs, ys []float64) {
	xs, ys = slices.Clone(g.xs), slices.Clone(g.ys)
	sx, sy := float64(width)/g.width, float64(height)/g.height
	for i := range xs {
		xs[i], ys[i] = xs[i]*sx, ys[i]*sy
	}
	return xs, ys
}

// gaze reads the fixations of the case. Fixations of a table are in pixels of the reference's screen or,
// without one, of its map.
func (o *Options) gaze(s *design.Screens) (*gaze, error) {
	path := s.Case.Fixations
	if path == "" {
		return nil, source.Absentf(
			"needs fixations (--fixations FILE, or top:Q for the highest pixels of the reference's map)")
	}
	data, err := s.Read(path)
	if err != nil {
		return nil, err
	}
	f, err := dataset.ParseFixations(path, data)
	if err != nil {
		return nil, err
	}
	g := &gaze{width: float64(f.Width), height: float64(f.Height), xs: f.X, ys: f.Y, missing: f.Missing}
	if f.Samples != nil {
		g.xs, g.ys = nil, nil
		for i, sample := range f.Samples {
			if sample == s.Case.Sample {
				g.xs, g.ys = append(g.xs, f.X[i]), append(g.ys, f.Y[i])
			}
		}
		if len(g.xs) == 0 {
			return nil, source.Absentf("%s has no fixations of %s", path, s.Case.Sample)
		}
	}
	if f.Width > 0 {
		return g, nil
	}
	if s.Reference.Side.Image != "" {
		screen, err := s.Reference.Screen()
		if err != nil {
			return nil, err
		}
		g.width, g.height = float64(screen.Width), float64(screen.Height)
		return g, nil
	}
	m, err := o.referenceMap(s)
	if err != nil {
		return nil, err
	}
	g.width, g.height = float64(m.Width), float64(m.Height)
	return g, nil
}

// mostOthers bounds how many fixations of other samples a map is held against: each sample gives
// the same share at most, evenly spaced in its file.
const mostOthers = 1 << 17

// fixationPool are the fixations of all samples of a run, gathered when they are first asked for,
// always in the order of the cases.
type fixationPool struct {
	cases []source.Case // the first of each sample
	read  source.Reader
	once  sync.Once
	err   error // the end of the context
	all   []gaze
	sized *source.Cache[*sizedPool]

	named   sync.Once // for definition
	samples int
	digest  string
}

// sizedPool are all fixations in pictures of one size, by their pixels.
type sizedPool struct {
	xs, ys []float64
	owners []int // places in fixationPool.cases
}

// newFixationPool gathers nothing yet.
func newFixationPool(cases []source.Case, read source.Reader) *fixationPool {
	pool := &fixationPool{read: read, sized: source.NewCache[*sizedPool](64 << 20)}
	seen := map[string]bool{}
	for _, c := range cases {
		if !seen[c.Sample] {
			seen[c.Sample] = true
			pool.cases = append(pool.cases, c)
		}
	}
	return pool
}

// others are the fixations of other samples than the case's, in a picture of a size.
func (f *fixationPool) others(s *design.Screens, o *Options, width, height int) (*saliency.Fixations, error) {
	f.once.Do(func() { f.err = f.gather(s.Context, o, s.DropAlpha) })
	if f.err != nil {
		return nil, f.err
	}
	all, err := f.sized.Get(fmt.Sprintf("%dx%d", width, height), func() (*sizedPool, error) { return f.size(width, height), nil },
		func(s *sizedPool) int64 { return 24 * int64(len(s.xs)) })
	if err != nil {
		return nil, err
	}
	xs, ys := make([]float64, 0, len(all.xs)), make([]float64, 0, len(all.xs))
	for i, owner := range all.owners {
		if f.cases[owner].Sample != s.Case.Sample {
			xs, ys = append(xs, all.xs[i]), append(ys, all.ys[i])
		}
	}
	if len(xs) == 0 {
		return nil, source.Absentf("the shuffled AUC needs fixations of other samples")
	}
	return saliency.FixationsAt(width, height, xs, ys)
}

// gather reads the fixations of every sample. What cannot be read is left out: its own case says
// why.
func (f *fixationPool) gather(ctx context.Context, o *Options, dropAlpha bool) error {
	share := max(1, mostOthers/max(1, len(f.cases)))
	f.all = make([]gaze, len(f.cases))
	for i := range f.cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &f.cases[i]
		reference := design.NewView(c.Reference, "reference", f.read)
		g, err := o.ownFixations(&design.Screens{Context: ctx, Case: c, Reference: reference, Read: f.read, DropAlpha: dropAlpha})
		if err != nil {
			continue
		}
		f.all[i] = g.share(share)
	}
	return ctx.Err()
}

// ownFixations are the fixations of a case, of its reference alone.
func (o *Options) ownFixations(s *design.Screens) (*gaze, error) {
	if o.Top == 0 {
		return o.gaze(s)
	}
	m, err := o.referenceMap(s)
	if err != nil {
		return nil, err
	}
	top, err := saliency.Top(m, o.Top)
	if err != nil {
		return nil, err
	}
	g := &gaze{width: float64(m.Width), height: float64(m.Height)}
	for i := range top.Len() {
		x, y := top.At(i)
		g.xs, g.ys = append(g.xs, float64(x)+0.5), append(g.ys, float64(y)+0.5)
	}
	return g, nil
}

// share are at most n of the fixations within the picture, evenly spaced.
func (g *gaze) share(n int) gaze {
	out := gaze{width: g.width, height: g.height}
	var within []int
	for i, x := range g.xs {
		if y := g.ys[i]; x >= 0 && y >= 0 && x < g.width && y < g.height {
			within = append(within, i)
		}
	}
	n = min(n, len(within))
	for k := range n {
		i := within[k*len(within)/n]
		out.xs, out.ys = append(out.xs, g.xs[i]), append(out.ys, g.ys[i])
	}
	return out
}

// size brings all fixations to pictures of a size. They are in the order of their pixels, and so
// are the fixations of any samples.
func (f *fixationPool) size(width, height int) *sizedPool {
	type place struct{ pixel, owner int }
	var places []place
	for owner := range f.all {
		xs, ys := f.all[owner].at(width, height)
		for i, x := range xs {
			// Rounding may lead out of the picture.
			at := min(int(ys[i]), height-1)*width + min(int(x), width-1)
			places = append(places, place{at, owner})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.pixel, b.pixel), cmp.Compare(a.owner, b.owner)) })
	out := &sizedPool{}
	for _, p := range places {
		out.xs, out.ys = append(out.xs, float64(p.pixel%width)+0.5), append(out.ys, float64(p.pixel/width)+0.5)
		out.owners = append(out.owners, p.owner)
	}
	return out
}

// OtherFixations are the fixations of the other samples, and the center prior of their size.
func (o *Options) OtherFixations(s *design.Screens, f *saliency.Fixations) (*saliency.Fixations, *saliency.Map, error) {
	if o.Shared == nil {
		return nil, nil, source.Absentf("the fixations of other samples are unknown")
	}
	others, err := o.Shared.pool.others(s, o, f.Width, f.Height)
	if err != nil {
		return nil, nil, err
	}
	prior, err := o.Shared.Prior(f.Width, f.Height)
	return others, prior, err
}

// PoolDefinition names the fixations that a shuffled AUC takes for chance, by the content of their
// files.
func (o *Options) PoolDefinition() string {
	if o.Shared == nil {
		return "no fixations of other samples"
	}
	return o.Shared.pool.definition(o)
}

func (f *fixationPool) definition(o *Options) string {
	f.named.Do(func() {
		all := sha256.New()
		for i := range f.cases {
			c := &f.cases[i]
			path := c.Fixations
			if o.Top > 0 {
				if path = c.ReferenceSaliency; path == "" {
					path = c.Reference.Image
				}
			}
			if path == "" {
				continue
			}
			data, err := f.read(path)
			if err != nil {
				continue
			}
			f.samples++
			fmt.Fprintf(all, "%q %x\n", c.Sample, sha256.Sum256(data))
		}
		f.digest = fmt.Sprintf("%x", all.Sum(nil)[:8])
	})
	return fmt.Sprintf("fixations of %s (%s)", text.Count(f.samples, "sample"), f.digest)
}
