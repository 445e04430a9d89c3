// Package liberationmonoregular stands for the font Liberation Mono Regular, until package plots puts another into
// its place.
package liberationmonoregular

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
