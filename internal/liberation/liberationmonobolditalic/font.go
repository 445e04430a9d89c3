// Package liberationmonobolditalic stands for the font Liberation Mono Bold Italic, which no figure uses: it
// has the face of Sans of the same weight in its place.
package liberationmonobolditalic

import "github.com/go-fonts/liberation/liberationsansbold"

// TTF is the file of the font.
var TTF = liberationsansbold.TTF
