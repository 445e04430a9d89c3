// Package blank has a font of one glyph that shows nothing.
package blank

import _ "embed" // the font

// TTF is the file of the font.
//
//go:embed blank.ttf
var TTF []byte
