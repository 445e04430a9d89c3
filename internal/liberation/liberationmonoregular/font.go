// Package liberationmonoregular stands for the font Liberation Mono Regular, which no figure uses: it
// has the face of Sans of the same weight in its place.
package liberationmonoregular

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the font.
var TTF = liberationsansregular.TTF
