// Encode writes the latents, or any layers, of frames and encoders into files. Run
// it with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/internal/run"
	"repscope/tool/encode"
)

func main() { run.Main(encode.Command) }
