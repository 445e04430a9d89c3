// How the elements of two designs belong together.

package design

import (
	"errors"

	"repscope/analysis/canvas/internal/source"
	"repscope/measure/box"
)

// MatchedIoU is from which IoU on an element counts as found.
const MatchedIoU = 0.5

// SameExtent is how near lines and points are that are the same, of the side of the canvas.
const SameExtent = 1e-9

// Matching is how the elements of the reference and the generated design belong together: the
// pairs of the largest sum of IoUs, as by the Hungarian method on 1 − IoU.
type Matching struct {
	Reference, Generated *Layout
	// Pairs are all whose IoU is above 0, in the order of the reference.
	Pairs []ElementPair
	// Total is the sum of their IoUs.
	Total float64
	// OfReference and ofGenerated are the partners of elements in the other design, −1 for none.
	OfReference, OfGenerated []int
}

// ElementPair are two elements by their indices.
type ElementPair struct {
	Reference, Generated int
	IoU                  float64
}

// NewMatching matches the elements of two designs by an overlap of their boxes; it is an error if more than most
// pairs of boxes overlap.
func NewMatching(reference, generated *Layout, limit int, iou func(a, b box.Box) float64) (*Matching, error) {
	a, b := reference.Boxes(), generated.Boxes()
	weights, err := overlapWeights(a, b, limit, func(i, j int) float64 { return iou(a[i], b[j]) })
	if err != nil {
		return nil, err
	}
	m := &Matching{Reference: reference, Generated: generated, OfGenerated: make([]int, len(b))}
	if m.OfReference, m.Total, err = box.Match(weights); err != nil {
		return nil, err
	}
	for j := range m.OfGenerated {
		m.OfGenerated[j] = -1
	}
	for i, j := range m.OfReference {
		if j >= 0 {
			m.OfGenerated[j] = i
			m.Pairs = append(m.Pairs, ElementPair{i, j, iou(a[i], b[j])})
		}
	}
	return m, nil
}

// overlapWeights are the weights of boxes that overlap.
func overlapWeights(a, b []box.Box, limit int, weight func(i, j int) float64) (*box.Weights, error) {
	weights, err := box.OverlapWeights(a, b, SameExtent, limit, weight)
	if errors.Is(err, box.ErrTooMany) {
		return nil, TooManyOverlaps(limit)
	}
	return weights, err
}

// TooManyOverlaps is why designs with more than most overlapping pairs of boxes are not compared.
func TooManyOverlaps(most int) error {
	return source.Absentf("more than %d pairs of boxes overlap, too many to compare", most)
}

// Found returns the pairs of at least matchedIoU and the others.
func (m *Matching) Found() (strong, weak []ElementPair) {
	for _, p := range m.Pairs {
		if p.IoU >= MatchedIoU {
			strong = append(strong, p)
		} else {
			weak = append(weak, p)
		}
	}
	return strong, weak
}

// All also pairs the remaining elements, first with first, as an assignment of 1 − IoU does whose other
// costs are all 1.
func (m *Matching) All() []ElementPair {
	out, j := make([]ElementPair, 0, min(len(m.OfReference), len(m.OfGenerated))), 0
	k := 0
	for i, partner := range m.OfReference {
		if partner >= 0 {
			out = append(out, m.Pairs[k])
			k++
			continue
		}
		for j < len(m.OfGenerated) && m.OfGenerated[j] >= 0 {
			j++
		}
		if j < len(m.OfGenerated) {
			out = append(out, ElementPair{i, j, 0})
			j++
		}
	}
	return out
}
