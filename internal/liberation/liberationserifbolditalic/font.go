// Package liberationserifbolditalic stands for the font Liberation Serif Bold Italic, which no figure uses: it
// has the face of Sans of the same weight in its place.
package liberationserifbolditalic

import "github.com/go-fonts/liberation/liberationsansbold"

// TTF is the file of the font.
var TTF = liberationsansbold.TTF
