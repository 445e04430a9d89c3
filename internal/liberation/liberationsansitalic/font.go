// Package liberationsansitalic stands for the font Liberation Sans Italic, until package plots puts another into its
// place.
package liberationsansitalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
