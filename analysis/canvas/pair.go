// What is scored: a generated design beside its reference, read when it is first asked for.

package canvas

import (
	"context"
	"math"
	"sync"

	"repscope/dataset"
	"repscope/measure/box"
)

var notNumber = math.NaN()

// View is one design of a case: of several goroutines each may ask it.
type View struct {
	side   Side
	whose  string // "reference", "generated": for reasons
	read   Reader
	layout once[*Layout]
	screen once[*dataset.Screen]
}

// newView returns the view of a design that nothing was read of yet.
func newView(side Side, whose string, read Reader) *View {
	return &View{side: side, whose: whose, read: read}
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
	// Elements are the nodes that are shown and have a box, depth first; the root is the first.
	Elements []Element
}

// Element is a node with a box.
type Element struct {
	Node int     // index of Design.Nodes
	Box  box.Box // of the canvas, which is {0, 0, 1, 1}; not clipped
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
		return NewLayout(v.side.Design, d)
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
	return &Pair{Case: c, Settings: o, Reference: reference, Generated: newView(c.Generated, "generated design", read), ctx: ctx, read: read}
}

// Layouts reads both designs.
func (p *Pair) Layouts() (reference, generated *Layout, err error) {
	if reference, err = p.Reference.Layout(); err != nil {
		return nil, nil, err
	}
	generated, err = p.Generated.Layout()
	return reference, generated, err
}
