// Package liberationserifitalic stands for the font Liberation Serif Italic, until package plots puts another into
// its place.
package liberationserifitalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
