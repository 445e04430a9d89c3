// The scored pair: a generated design and its reference, read on first use.

package canvas

import (
	"cmp"
	"context"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/textblock"
	"repscope/dataset/casefile"
)

// Pair is a case with its files that were read. Metrics of one case are computed one after the other.
type Pair struct {
	design.Screens
	Settings        *Setting
	layouts         source.Lazy[*design.Matching]
	screens         source.Lazy[*screenshot.Pixels]
	blocks          source.Lazy[*textblock.Blocks]
	maps            source.Lazy[*saliencymap.Maps]
	trace, expected source.Lazy[*casefile.Trace]
}

// NewPair returns a case before anything is read. The reference may be shared with others.
func NewPair(ctx context.Context, c *Case, o *Setting, read Reader, reference *design.View) *Pair {
	return &Pair{Settings: o, Screens: design.Screens{Context: ctx, Case: c, Reference: reference, Read: read,
		DropAlpha: o.Images.Drops(),
		Generated: design.NewView(c.Generated, "generated design", read).With(o.layoutOf(o.Layout.GeneratedNode))}}
}

// Layouts reads both designs.
func (p *Pair) Layouts() (reference, generated *design.Layout, err error) {
	if reference, err = p.Reference.Layout(); err != nil {
		return nil, nil, err
	}
	generated, err = p.Generated.Layout()
	return reference, generated, err
}

// What details say of designs that are not as simple as others.
const (
	canvasDetail = "canvas_nodes"    // which of several nodes are the canvas, where there were several to choose from
	turnedDetail = "turned_elements" // how many elements are turned
	// The orientations of images that are stored turned or mirrored, 0 of one that is not.
	orientationDetail = "image_orientations"
)

// describe enters what a reader of the numbers of designs should know.
func (p *Pair) describe(k *Kind, row *Row) {
	if k.Needs&NeedImages != 0 {
		p.describeScreens(row)
	}
	if k.Needs&NeedDesigns == 0 {
		return
	}
	reference, generated, err := p.Layouts()
	if err != nil {
		return // the error is the reason of missing numbers
	}
	if reference.Canvases > 1 || generated.Canvases > 1 {
		name := func(l *design.Layout) string {
			return cmp.Or(l.Nodes[l.Elements[0].Node].ID, l.Nodes[l.Elements[0].Node].Name)
		}
		row.Details[canvasDetail] = []string{name(reference), name(generated)}
	}
	if reference.Turned+generated.Turned > 0 {
		row.Details[turnedDetail] = []int{reference.Turned, generated.Turned}
	}
}

// describeScreens enters that an image was turned.
func (p *Pair) describeScreens(row *Row) {
	reference, err := p.Reference.Screen()
	if err != nil {
		return
	}
	generated, err := p.Generated.Screen()
	if err == nil && reference.Orientation+generated.Orientation > 0 {
		row.Details[orientationDetail] = []int{reference.Orientation, generated.Orientation}
	}
}

// Images are both images, made comparable.
func (p *Pair) Images() (*screenshot.Pixels, error) {
	return p.screens.Get(func() (*screenshot.Pixels, error) { return screenshot.Read(&p.Screens) })
}
