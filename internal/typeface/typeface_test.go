// The fonts are those that were published.

package typeface

import (
	"bytes"
	"testing"

	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansregular"
)

func TestFonts(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(Regular(), liberationsansregular.TTF) {
		t.Error("Regular is not the published file")
	}
	if !bytes.Equal(Bold(), liberationsansbold.TTF) {
		t.Error("Bold is not the published file")
	}
}

func BenchmarkUnpack(b *testing.B) {
	b.SetBytes(int64(len(liberationsansregular.TTF)))
	for b.Loop() {
		unpack(regular)
	}
}
