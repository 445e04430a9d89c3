// What the cases of a run have in common.

package saliencymap

import (
	"fmt"

	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/internal/memory"
	"repscope/measure/saliency"
	"repscope/report"
)

// shared is what the cases of a run have in common. Its methods may be called of nil, for
// a run that shares nothing, and by several goroutines.
type shared struct {
	model     *loadedModel
	planes    *source.Cache[*dataset.Plane] // that the model made of references, at its size
	maps      *source.Cache[*saliency.Map]  // of references, and plain ones by their size
	baselines *source.Cache[map[string]report.Value]
	pool      *fixationPool
}

// newShared begins a run over cases; budget is the memory of the run, 0 for the usual.
func newShared(cases []source.Case, read source.Reader, budget int64) *shared {
	if budget == 0 {
		budget = memory.Available() / 4
	}
	most := max(budget/4, 16<<20)
	return &shared{planes: source.NewCache[*dataset.Plane](most), maps: source.NewCache[*saliency.Map](most),
		baselines: source.NewCache[map[string]report.Value](1 << 24), pool: newFixationPool(cases, read)}
}

// runs reports whether there is a model.
func (s *shared) runs() bool { return s != nil && s.model != nil }

// centerSigma is the standard deviation of the center prior, in widths and heights of the screen.
const centerSigma = 0.25

// Prior is the center prior of a size.
func (s *shared) Prior(width, height int) (*saliency.Map, error) {
	return s.keepMap(fmt.Sprintf("center %dx%d", width, height), func() (*saliency.Map, error) {
		return saliency.CenterPrior(width, height, centerSigma)
	})
}

// Uniform is the uniform map of a size.
func (s *shared) Uniform(width, height int) (*saliency.Map, error) {
	return s.keepMap(fmt.Sprintf("uniform %dx%d", width, height), func() (*saliency.Map, error) { return saliency.Uniform(width, height) })
}

// keepMap makes a map, or takes the one that an earlier case kept.
func (s *shared) keepMap(key string, compute func() (*saliency.Map, error)) (*saliency.Map, error) {
	if s == nil {
		return compute()
	}
	return s.maps.Get(key, compute, func(m *saliency.Map) int64 { return 8 * int64(m.Width) * int64(m.Height) })
}

// Baseline are the numbers of plain maps, which the cases of a sample share.
func (s *shared) Baseline(key string,
	compute func() (map[string]report.Value, error)) (map[string]report.Value, error) {
	if s == nil {
		return compute()
	}
	return s.baselines.Get(key, compute, func(map[string]report.Value) int64 { return 1 << 11 })
}
