// Package liberationmonoitalic stands for the font Liberation Mono Italic, until package plots puts another into its
// place.
package liberationmonoitalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
