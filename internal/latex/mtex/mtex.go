// Package mtex stands for the engine of formulas.
package mtex

import (
	"errors"

	"codeberg.org/go-latex/latex/drawtex"
	"codeberg.org/go-latex/latex/font/ttf"
	"codeberg.org/go-latex/latex/tex"
)

// Parse is an error: there are no formulas.
func Parse(_ string, _, _ float64, _ *ttf.Backend) (tex.Node, error) {
	return nil, errors.New("this program does not draw LaTeX formulas")
}

// A Renderer would draw formulas.
type Renderer interface {
	Render(width, height, dpi float64, c *drawtex.Canvas) error
}
