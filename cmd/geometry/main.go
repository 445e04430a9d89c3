// Geometry measures the shape of latent spaces and of paths through them. Run it
// with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/geometry/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
