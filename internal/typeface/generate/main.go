// Generate compresses the fonts of package typeface, which come from a module that has them as
// they were published.
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"os"

	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansregular"
)

func main() {
	for name, font := range map[string][]byte{"regular": liberationsansregular.TTF, "bold": liberationsansbold.TTF} {
		if err := os.WriteFile(name+".ttf.deflate", packed(font), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

func packed(font []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // the level is one
	}
	w.Write(font) // a buffer takes all
	w.Close()
	return b.Bytes()
}
