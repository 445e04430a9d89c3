// Similarity measures how alike the latent spaces of models are, with what chance gives. Run it with --help for its
// manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/similarity/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
