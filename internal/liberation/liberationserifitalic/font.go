// Package liberationserifitalic stands for the font Liberation Serif Italic, which no figure uses: it
// has the face of Sans of the same weight in its place.
package liberationserifitalic

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the font.
var TTF = liberationsansregular.TTF
