// Package liberationserifregular stands for the font Liberation Serif Regular, which no figure uses: it
// has the face of Sans of the same weight in its place.
package liberationserifregular

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the font.
var TTF = liberationsansregular.TTF
