// Package liberationmonobolditalic stands for the font Liberation Mono Bold Italic, until package plots puts another
// into its place.
package liberationmonobolditalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
