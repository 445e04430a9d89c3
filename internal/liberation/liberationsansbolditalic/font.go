// Package liberationsansbolditalic stands for the font Liberation Sans Bold Italic, until package plots puts another
// into its place.
package liberationsansbolditalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
