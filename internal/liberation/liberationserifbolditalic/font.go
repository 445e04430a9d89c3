// Package liberationserifbolditalic stands for the font Liberation Serif Bold Italic, until package plots puts
// another into its place.
package liberationserifbolditalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
