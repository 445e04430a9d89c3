// Package drawtex stands for what formulas are drawn on.
package drawtex

import "golang.org/x/image/font/sfnt"

// Canvas holds nothing: there are no formulas.
type Canvas struct{}

// New returns a canvas.
func New() *Canvas { return new(Canvas) }

// Ops returns nothing.
func (*Canvas) Ops() []Op { return nil }

// An Op would draw a part of a formula.
type Op any

// A GlyphOp would draw a glyph.
type GlyphOp struct {
	X, Y  float64
	Glyph Glyph
}

// A RectOp would draw a rectangle.
type RectOp struct{ X1, Y1, X2, Y2 float64 }

// A Glyph is a symbol of a font.
type Glyph struct {
	Size   float64
	Font   *sfnt.Font
	Symbol string
}
