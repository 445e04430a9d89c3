// Geometry measures the shape of latent spaces and of paths through them. Run it
// with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/geometry"
	"repscope/internal/cli"
)

func main() { cli.Main(geometry.Command) }
