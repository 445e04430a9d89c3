// Package liberationmonobold stands for the font Liberation Mono Bold, until package plots puts another into its place.
package liberationmonobold

import "codeberg.org/go-fonts/liberation/blank"

// TTF is the file of the font.
var TTF = blank.TTF
