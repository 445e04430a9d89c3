// Elements of designs, and the matching of two designs' elements.

package canvas

import (
	"fmt"

	"repscope/analysis/canvas/internal/design"
	"repscope/measure/box"
)

// LayoutSettings are settings of boxes.
type LayoutSettings struct {
	// Tolerance is how far lines may be apart that are aligned, of the canvas side; 0: 0.02.
	Tolerance float64
	// ReferenceNode and GeneratedNode are the ids or names of the nodes that are the canvas of a design; empty: it
	// is found. See [design.NewLayout].
	ReferenceNode, GeneratedNode string
	most                         int // pairs of boxes that may overlap; 0: mostOverlaps
}

// layoutOf says which nodes of a design are elements by these settings.
func (o *Setting) layoutOf(node string) design.LayoutOptions {
	return design.LayoutOptions{Node: node, Whole: o.Documented()}
}

func (o *LayoutSettings) tolerance() float64 {
	if o.Tolerance == 0 {
		return AlignmentTolerance
	}
	return o.Tolerance
}

func (o *LayoutSettings) mostOverlaps() int {
	if o.most == 0 {
		return mostOverlaps
	}
	return o.most
}

// AlignmentTolerance is the tolerance unless one is given.
const AlignmentTolerance = 0.02

// mostOverlaps bounds the memory of a case, at 28 bytes each.
const mostOverlaps = 1 << 23

// Matching matches the elements of both designs.
func (p *Pair) Matching() (*design.Matching, error) {
	return p.layouts.Get(func() (*design.Matching, error) {
		reference, generated, err := p.Layouts()
		if err != nil {
			return nil, err
		}
		// The published IoU of boxes without area is 0, also with themselves.
		iou := func(a, b box.Box) float64 { return box.ExtentIoU(a, b, design.SameExtent) }
		if p.Settings.Documented() {
			iou = box.IoU
		}
		m, err := design.NewMatching(reference, generated, p.Settings.Layout.mostOverlaps(), iou)
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", p.Reference.Side.Design, p.Generated.Side.Design, err)
		}
		return m, nil
	})
}
