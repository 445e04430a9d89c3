// How the elements of two designs belong together.

package canvas

import (
	"errors"

	"repscope/measure/box"
)

// matchedIoU is from which IoU on an element counts as found.
const matchedIoU = 0.5

// sameExtent is how near lines and points are that are the same, of the side of the canvas.
const sameExtent = 1e-9

// matching is how the elements of the reference and the generated design belong together: the
// pairs of the largest sum of IoUs, which are those of the Hungarian method on 1 − IoU.
type matching struct {
	reference, generated *Layout
	// pairs are all whose IoU is above 0, in the order of the reference.
	pairs []elementPair
	// total is the sum of their IoUs.
	total float64
	// ofReference and ofGenerated are the partners of elements in the other design, −1 for none.
	ofReference, ofGenerated []int
}

// elementPair are two elements by their indices.
type elementPair struct {
	reference, generated int
	iou                  float64
}

func newMatching(reference, generated *Layout, most int, iou func(a, b box.Box) float64) (*matching, error) {
	a, b := reference.boxes(), generated.boxes()
	weights, err := overlapWeights(a, b, most, func(i, j int) float64 { return iou(a[i], b[j]) })
	if err != nil {
		return nil, err
	}
	m := &matching{reference: reference, generated: generated, ofGenerated: make([]int, len(b))}
	if m.ofReference, m.total, err = box.Match(weights); err != nil {
		return nil, err
	}
	for j := range m.ofGenerated {
		m.ofGenerated[j] = -1
	}
	for i, j := range m.ofReference {
		if j >= 0 {
			m.ofGenerated[j] = i
			m.pairs = append(m.pairs, elementPair{i, j, iou(a[i], b[j])})
		}
	}
	return m, nil
}

// overlapWeights are those of boxes that overlap.
func overlapWeights(a, b []box.Box, most int, weight func(i, j int) float64) (*box.Weights, error) {
	weights, err := box.OverlapWeights(a, b, sameExtent, most, weight)
	if errors.Is(err, box.ErrTooMany) {
		return nil, tooManyOverlaps(most)
	}
	return weights, err
}

func tooManyOverlaps(most int) error {
	return absent("more than %d pairs of boxes overlap, which are too many to be compared", most)
}

// found returns the pairs of at least matchedIoU and the others.
func (m *matching) found() (found, weak []elementPair) {
	for _, p := range m.pairs {
		if p.iou >= matchedIoU {
			found = append(found, p)
		} else {
			weak = append(weak, p)
		}
	}
	return found, weak
}

// all pairs what is left too, first with first, as an assignment of 1 − IoU does whose other
// costs are all 1.
func (m *matching) all() []elementPair {
	out, j := make([]elementPair, 0, min(len(m.ofReference), len(m.ofGenerated))), 0
	k := 0
	for i, partner := range m.ofReference {
		if partner >= 0 {
			out = append(out, m.pairs[k])
			k++
			continue
		}
		for j < len(m.ofGenerated) && m.ofGenerated[j] >= 0 {
			j++
		}
		if j < len(m.ofGenerated) {
			out = append(out, elementPair{i, j, 0})
			j++
		}
	}
	return out
}
