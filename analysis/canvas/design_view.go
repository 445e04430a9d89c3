// One design of a case, read when it is first asked for.

package canvas

import (
	"context"

	"repscope/dataset"
)

// Screens are both designs of a case, as they are read.
type Screens struct {
	Context              context.Context // of models that are run
	Case                 *Case
	Reference, Generated *View
	Read                 Reader
	DropAlpha            bool // transparent pixels are taken as their colors are, not laid on white
}

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

// viewOf is the view of a design that is read, without an image.
func viewOf(l *Layout) *View {
	v := &View{}
	_, _ = v.layout.get(func() (*Layout, error) { return l, nil })
	return v
}

// with returns the view, of whose nodes some are elements.
func (v *View) with(of LayoutOptions) *View {
	v.of = of
	return v
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
