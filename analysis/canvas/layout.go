// Elements of designs, and how those of two designs are matched.

package canvas

import "repscope/internal/run"

// LayoutSettings are those of boxes.
type LayoutSettings struct {
	// Tolerance is how far lines may be apart that are aligned, of the canvas side; 0: 0.02.
	Tolerance float64
	// ReferenceNode and GeneratedNode are the ids or names of the nodes that are the canvas of a design; empty: it
	// is found. See [NewLayout].
	ReferenceNode, GeneratedNode string
	most                         int // pairs of boxes that may overlap; 0: mostOverlaps
}

// layoutOf says which nodes of a design are elements by these settings.
func (o *Settings) layoutOf(node string) LayoutOptions {
	return LayoutOptions{Node: node, Whole: o.documented()}
}

func (o *LayoutSettings) register(flags *run.Flags) {
	o.Tolerance = alignmentTolerance
	flags.Float64Var(&o.Tolerance, "alignment-tolerance", "`SHARE` of the side of the canvas up to which lines of boxes are aligned")
	flags.StringVar(&o.ReferenceNode, "reference-node", "",
		"`NODE` of the references that is the canvas, by its id (1:2) or its name (default: the first frame of a page, else the largest node)")
	flags.StringVar(&o.GeneratedNode, "generated-node", "", "`NODE` of the generated designs that is the canvas")
}

func (o *LayoutSettings) check() error {
	if !(o.Tolerance > 0 && o.Tolerance < 1) {
		return run.Usage("--alignment-tolerance %v: want a number between 0 and 1", o.Tolerance)
	}
	return nil
}

func (o *LayoutSettings) tolerance() float64 {
	if o.Tolerance == 0 {
		return alignmentTolerance
	}
	return o.Tolerance
}

func (o *LayoutSettings) mostOverlaps() int {
	if o.most == 0 {
		return mostOverlaps
	}
	return o.most
}
