// Package liberationserifbold stands for the font Liberation Serif Bold, which no figure uses: it
// has the face of Sans of the same weight in its place.
package liberationserifbold

import "github.com/go-fonts/liberation/liberationsansbold"

// TTF is the file of the font.
var TTF = liberationsansbold.TTF
