// Package liberationsansbold has the font Liberation Sans Bold.
package liberationsansbold

import "github.com/go-fonts/liberation/liberationsansbold"

// TTF is the file of the font.
var TTF = liberationsansbold.TTF
