// Package liberationsansregular has the font Liberation Sans Regular.
package liberationsansregular

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the font.
var TTF = liberationsansregular.TTF
