// One design of a case, read when it is first asked for.

package design

import (
	"context"

	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/dataset/casefile"
)

// Screens are both designs of a case, as they are read.
type Screens struct {
	Context              context.Context // of models that are run
	Case                 *source.Case
	Reference, Generated *View
	Read                 source.Reader
	DropAlpha            bool // transparent pixels are taken as their colors are, not laid on white
}

// View is one design of a case: of several goroutines each may ask it.
type View struct {
	Side   source.Side
	Whose  string // "reference", "generated": for reasons
	read   source.Reader
	layout source.Lazy[*Layout]
	of     LayoutOptions
	screen source.Lazy[*dataset.Screen]
}

// NewView returns the view of a design that nothing was read of yet.
func NewView(side source.Side, whose string, read source.Reader) *View {
	return &View{Side: side, Whose: whose, read: read}
}

// ViewOf is the view of a design that is read, without an image.
func ViewOf(l *Layout) *View {
	v := &View{}
	_, _ = v.layout.Get(func() (*Layout, error) { return l, nil })
	return v
}

// With returns the view, of whose nodes some are elements.
func (v *View) With(of LayoutOptions) *View {
	v.of = of
	return v
}

// Layout reads the design.
func (v *View) Layout() (*Layout, error) {
	return v.layout.Get(func() (*Layout, error) {
		if v.Side.Design == "" {
			return nil, source.Absentf("no design of the %s", v.Whose)
		}
		data, err := v.read(v.Side.Design)
		if err != nil {
			return nil, err
		}
		d, err := casefile.ParseDesign(v.Side.Design, data)
		if err != nil {
			return nil, err
		}
		return NewLayout(v.Side.Design, d, v.of)
	})
}

// Screen reads the image.
func (v *View) Screen() (*dataset.Screen, error) {
	return v.screen.Get(func() (*dataset.Screen, error) {
		if v.Side.Image == "" {
			return nil, source.Absentf("no image of the %s", v.Whose)
		}
		data, err := v.read(v.Side.Image)
		if err != nil {
			return nil, err
		}
		return dataset.ParseScreen(v.Side.Image, data)
	})
}
