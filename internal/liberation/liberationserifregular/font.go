// Package liberationserifregular stands for the font Liberation Serif Regular, until package plots puts another into
// its place.
package liberationserifregular

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
