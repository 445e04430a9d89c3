// What is scored: a generated design beside its reference, read when it is first asked for.

package canvas

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"repscope/dataset"
	"repscope/internal/text"
	"repscope/measure/box"
)

var notNumber = math.NaN()

// View is one design of a case: of several goroutines each may ask it.
type View struct {
	side   Side
	whose  string // "reference", "generated": for reasons
	read   Reader
	layout once[*Layout]
	of     LayoutOptions
	screen once[*dataset.Screen]
}

// newView returns the view of a design that nothing was read of yet.
func newView(side Side, whose string, read Reader) *View {
	return &View{side: side, whose: whose, read: read}
}

// with returns the view, of whose nodes some are elements.
func (v *View) with(of LayoutOptions) *View {
	v.of = of
	return v
}

// once is a value that is computed when it is first asked for.
type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (o *once[T]) get(compute func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = compute() })
	return o.value, o.err
}

// Layout is a design with its elements.
type Layout struct {
	*dataset.Design
	Canvas box.Box // the box of the root, in pixels
	// Canvases is how many nodes there are that could be the canvas: frames of a page, or of several.
	Canvases int
	// Elements are the visible nodes, depth first; the canvas is the first.
	Elements []Element
	// Turned is how many of them are turned by no multiple of a right angle: their boxes are those around them.
	Turned int

	unseen []bool // by node: neither it nor anything below it is seen; nil: all are
}

// Element is a node with a box in units of the canvas, which is {0, 0, 1, 1}.
type Element struct {
	Node int     // index of Design.Nodes
	Box  box.Box // what is seen of it; what is beyond the canvas, too
	// Whole is the box of the node, also where a frame around it clips it or a mask.
	Whole box.Box
}

// Layout reads the design.
func (v *View) Layout() (*Layout, error) {
	return v.layout.get(func() (*Layout, error) {
		if v.side.Design == "" {
			return nil, absent("no design of the %s is given", v.whose)
		}
		data, err := v.read(v.side.Design)
		if err != nil {
			return nil, err
		}
		d, err := dataset.ParseDesign(v.side.Design, data)
		if err != nil {
			return nil, err
		}
		return NewLayout(v.side.Design, d, v.of)
	})
}

// Screen reads the image.
func (v *View) Screen() (*dataset.Screen, error) {
	return v.screen.get(func() (*dataset.Screen, error) {
		if v.side.Image == "" {
			return nil, absent("no image of the %s is given", v.whose)
		}
		data, err := v.read(v.side.Image)
		if err != nil {
			return nil, err
		}
		return dataset.ParseScreen(v.side.Image, data)
	})
}

// Pair is a case with what was read of it. Metrics of one case are computed one after the other.
type Pair struct {
	Case                 *Case
	Settings             *Settings
	Reference, Generated *View
	ctx                  context.Context // of models that are run
	read                 Reader
	layouts              once[*matching]
	screens              once[*screenPair]
	blocks               once[*textBlocks]
	maps                 once[*saliencyMaps]
	trace, expected      once[*dataset.Trace]
}

// NewPair returns a case of which nothing was read yet. The reference may be shared with others.
func NewPair(ctx context.Context, c *Case, o *Settings, read Reader, reference *View) *Pair {
	return &Pair{Case: c, Settings: o, Reference: reference, ctx: ctx, read: read,
		Generated: newView(c.Generated, "generated design", read).with(o.layoutOf(o.Layout.GeneratedNode))}
}

// Layouts reads both designs.
func (p *Pair) Layouts() (reference, generated *Layout, err error) {
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
		return // which is the reason of what is missing
	}
	if reference.Canvases > 1 || generated.Canvases > 1 {
		name := func(l *Layout) string {
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

// describeInputs warns of such designs and images.
func (r *Result) describeInputs() {
	count := func(detail string) (n int) {
		for _, row := range r.Rows {
			if _, ok := row.Row.Details[detail]; ok {
				n++
			}
		}
		return n
	}
	warn := func(n int, format string) {
		if n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("of %s "+format, text.Count(n, "case")))
		}
	}
	warn(count(canvasDetail), "a design has several frames: the first is its canvas, else the largest node; --reference-node and "+
		"--generated-node choose another")
	warn(count(turnedDetail), "elements are turned: layout and alignment have the boxes around them, fill has what they cover")
	warn(count(orientationDetail), "an image is stored turned or mirrored: it is compared as its Exif orientation says that it is seen")
}
