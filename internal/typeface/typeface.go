// Package typeface has the two fonts of all figures and screens, Liberation Sans in Regular and Bold. They are
// compressed in the binaries and read when the first text is set.
package typeface

import (
	"bytes"
	"compress/flate"
	_ "embed" // the fonts
	"io"
	"strings"
	"sync"
)

//go:generate go run ./generate

var (
	//go:embed regular.ttf.deflate
	regular string
	//go:embed bold.ttf.deflate
	bold string
)

// Regular is the TrueType file of Liberation Sans Regular.
var Regular = sync.OnceValue(func() []byte { return unpack(regular) })

// Bold is the TrueType file of Liberation Sans Bold.
var Bold = sync.OnceValue(func() []byte { return unpack(bold) })

func unpack(packed string) []byte {
	var b bytes.Buffer
	if _, err := io.Copy(&b, flate.NewReader(strings.NewReader(packed))); err != nil {
		panic("typeface: " + err.Error()) // a build without its own data
	}
	return b.Bytes()
}
