// Package liberationserifbold stands for the font Liberation Serif Bold, until package plots puts another into its
// place.
package liberationserifbold

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
