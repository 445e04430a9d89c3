// Package ttf stands for the fonts of formulas.
package ttf

import (
	"codeberg.org/go-latex/latex/drawtex"
	"golang.org/x/image/font/sfnt"
)

// Fonts are faces of formulas.
type Fonts struct{ Default, Rm, It, Bf, BfIt *sfnt.Font }

// Backend would measure glyphs.
type Backend struct{}

// NewFrom returns a backend.
func NewFrom(*drawtex.Canvas, *Fonts) *Backend { return new(Backend) }
