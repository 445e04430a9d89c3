// Package liberationsansregular stands for the font Liberation Sans Regular, until package plots puts another into
// its place.
package liberationsansregular

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
