// Package liberationsansbold stands for the font Liberation Sans Bold, until package plots puts another into its place.
package liberationsansbold

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
